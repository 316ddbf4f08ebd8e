#!/bin/sh
# The command line as a person uses it, on the example and the small archives: cli_test.sh GLINT CLASSIFY SOURCE_DIR
set -eu
glint=$1; classify=$2; source=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
example=$source/examples/classify; archives=$source/tests/data/archives/torch-2.14
fail() { echo "FAILED: $*" >&2; exit 1; }
# says TEXT COMMAND...: the command succeeds and prints TEXT
says() { text=$1; shift; "$@" >out 2>err || { cat out err; fail "$*"; }; grep -q -- "$text" out || { cat out err; fail "$* does not say '$text'"; }; }
# refuses TEXT COMMAND...: it fails without a signal, and explains on standard error
refuses() { text=$1; shift; rc=0; "$@" >out 2>err || rc=$?; [ $rc -ge 1 ] && [ $rc -le 2 ] || fail "$* ended with $rc"; grep -q -- "$text" err || { cat out err; fail "$* does not say '$text'"; }; }

says "operator calls" "$glint" compile "$example/efficientnet_lite0.pt2" -o net.pte --preprocess=crop=square,resize=224,mean=127,std=128
says "0.385   285 Egyptian cat" "$glint" run net.pte --image "$example/cat.png" --labels "$example/imagenet_labels.txt"
says "0.940   967 espresso" "$glint" run net.pte --image "$example/coffee.png" --labels "$example/imagenet_labels.txt" --threads 2
for threads in 1 2; do says "." "$glint" run net.pte --image "$example/cat.png" --threads $threads --output out$threads.safetensors; done
cmp out1.safetensors out2.safetensors || fail "the result depends on the number of threads"
says "285 Egyptian cat" "$glint" run net.pte --image "$example/cat.png" --resize 224 --mean 127 --std 128 --labels "$example/imagenet_labels.txt"
says '"index": 285' "$glint" run net.pte --image "$example/cat.png" --labels "$example/imagenet_labels.txt" --json
says "class" "$classify" net.pte
says "glint::conv" "$glint" inspect net.pte
says '"planned_memory"' "$glint" inspect net.pte --json
says "median" "$glint" bench net.pte --seconds 0.1 --operators
says "outputs within" "$glint" verify "$example/efficientnet_lite0.pt2" --image "$example/cat.png" --resize 224 --mean 127 --std 128
says "outputs within" "$glint" verify "$archives/state.pt2" --target portable
says "arena" "$glint" compile "$archives/attention_dynamic.pt2" -o attention.pte
says "2..32" "$glint" inspect attention.pte
says "s27" "$glint" inspect "$archives/attention_dynamic.pt2"
says "aten::add.Tensor" "$glint" ops add
states=$source/tests/data/states
says "decode: " "$glint" compile "prefill=$states/prefill.pt2" "decode=$states/decode.pt2" "length=$states/length.pt2" -o cache.pte
says "method decode" "$glint" inspect cache.pte
says "state keys" "$glint" inspect cache.pte
says "int64\[\] 0" "$glint" run cache.pte --method length
size=$("$glint" inspect "$states/prefill.pt2" | sed -n 's/^  size \([a-z0-9]*\) .*/\1/p')
says '"state_bytes"' "$glint" compile "prefill=$states/prefill.pt2" "decode=$states/decode.pt2" -o cache.pte --json --bound "prefill.$size=4"
says "2..4" "$glint" inspect cache.pte
says "graph forward" "$glint" compile "$archives/net.pt2" -o small.pte --print-ir=after:decompose
says "fold-batch-norm" "$glint" opt --list
printf 'graph forward(%%x: f32[2]) {\n  %%a = aten::relu(%%x) : f32[2]\n  %%b = aten::relu(%%x) : f32[2]\n  return %%b\n}\n' > g.ir
says "return %b" "$glint" opt --pass=eliminate-dead-code g.ir
says "Examples" "$glint" run --help

refuses "cannot be read" "$glint" compile missing.pt2 -o x.pte
[ ! -e x.pte ] || fail "a failed compile leaves a file"
refuses "expected NAME=N" "$glint" compile "$archives/net.pt2" -o x.pte --bound u0
refuses "share the state 'cache'" "$glint" compile "a=$states/summed.pt2" "b=$states/of_another_dtype.pt2" -o x.pte
refuses "two methods are called a" "$glint" compile "a=$states/decode.pt2" "a=$states/length.pt2" -o x.pte
refuses "method that is not compiled" "$glint" compile "a=$states/prefill.pt2" -o x.pte --bound b.n=4
refuses "is not understood" "$glint" compile "$archives/net.pt2" -o x.pte --preprocess=sharpen=3
refuses "input 0 is missing" "$glint" run attention.pte
refuses "not a program file" "$glint" run "$example/README.md"
refuses "no method" "$glint" run attention.pte --method backward
refuses "'graph' expected" "$glint" opt --pass=decompose "$example/README.md"
head -c 3000 net.pte > half.pte
refuses "glint:" "$glint" run half.pte
echo "all as expected"
