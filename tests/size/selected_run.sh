#!/usr/bin/env bash
# selected_run.sh GLINT RUN_CPU RUN_PORTABLE SOURCE_DIR - a program of the operators that a build was selected for runs on it, another
# is refused.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
model=$4/examples/classify/efficientnet_lite0.pt2
"$1" compile "$model" -o "$work/cpu.pte" >"$work/log"
"$1" compile "$model" -o "$work/portable.pte" --target=portable >"$work/log"
# EfficientNet-Lite0 is made of MobileNetV2's operators, and pads.
operators() { grep -v '^#\|constant_pad_nd' >"$work/$1"; }
"$1" select "$work/cpu.pte" -o "$work/cpu.ops"
"$1" select "$work/portable.pte" | operators portable.found
operators cpu.found <"$work/cpu.ops"
operators cpu.listed <"$4/tests/size/mobilenet_v2.ops"
operators portable.listed <"$4/tests/size/mobilenet_v2_portable.ops"
diff "$work/cpu.listed" "$work/cpu.found"
diff "$work/portable.listed" "$work/portable.found"
"$2" "$work/cpu.pte"
if "$3" "$work/portable.pte" >"$work/log"; then echo "a build without constant_pad_nd ran it"; exit 1; fi
grep -q "no operator of this build has this name" "$work/log"
"$1" select "$work/cpu.pte" "$work/portable.pte" --json | grep -q '"pointwise"'
