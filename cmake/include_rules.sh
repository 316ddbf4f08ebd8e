#!/bin/sh
# Enforces the include table of ARCHITECTURE.md: which folder may include which, and which standard headers the
# device half may not. Tests may include anything. Usage: include_rules.sh SOURCE_DIR
cd "$1" || exit 2
find glint -name '*.h' -o -name '*.cc' | grep -vE '_(test|bench|fuzz)\.cc$' | sort | xargs awk '
BEGIN {
  # folder -> folders it may include, besides itself
  may["base"] = ""; may["core"] = "base"; may["kernels"] = "base core"; may["ops"] = "base core kernels"
  may["format"] = "base core"; may["runtime"] = "base core format"
  may["backends"] = "base core kernels runtime format"; may["module"] = "base core format runtime ops backends"
  may["testing"] = "base core kernels format ops runtime"
  may["compiler/ir"] = "base core"; may["compiler/import"] = "base core format compiler/ir"
  may["compiler/decompose"] = "base core compiler/ir compiler"
  may["compiler/passes"] = "base core kernels compiler/ir compiler compiler/decompose"
  may["compiler/models"] = "base core compiler/ir compiler/import"
  may["compiler"] = "*"; may["devtools"] = "base core format runtime module compiler compiler/ir"; may["cli"] = "*"
  device = " base core kernels ops format runtime backends "
  split("vector string map set list deque iostream fstream sstream functional thread mutex memory unordered_map regex future", w, " ")
  for (i in w) banned[w[i]] = 1
}
function folder(path,   p, n) {
  n = split(path, p, "/")
  if (p[2] == "compiler" && n > 3) return "compiler/" p[3]
  return p[2]
}
function host(file) { return file ~ /_writer|program_spec|output_file|data_spec|pthreadpool|backends\/.*\/compile/ }
FNR == 1 { here = folder(FILENAME) }
/^#include "glint\// {
  split($0, q, "\"")
  if (q[2] == "glint/kernels/convert.h" && here ~ /^compiler/) next  # elements of constants, nothing faster
  if (q[2] ~ /_generated\.h$/) next
  there = folder(q[2])
  if (there != here && may[here] != "*" && index(" " may[here] " ", " " there " ") == 0) {
    print FILENAME ":" FNR ": " here " may not include " there; bad = 1
  }
}
/^#include </ {
  split($0, q, "[<>]")
  if (index(device, " " here " ") && (q[2] in banned) && !host(FILENAME)) { print FILENAME ":" FNR ": the device half may not include <" q[2] ">"; bad = 1 }
  if (q[2] ~ /^flatbuffers\// && here != "format" && here != "backends") { print FILENAME ":" FNR ": FlatBuffers belongs in glint/format"; bad = 1 }
  if (q[2] ~ /intrin\.h$|arm_neon\.h$/ && FILENAME !~ /kernels\/.*_(avx2|avx512|vnni|amx|neon)[a-z0-9_]*\.cc$/) { print FILENAME ":" FNR ": intrinsics belong in *_<isa>.cc"; bad = 1 }
}
END { exit bad }
'
