#!/usr/bin/env bash
# selected_run.sh GLINT RUN_CPU RUN_PORTABLE SOURCE_DIR - a program of the operators that a build was selected for runs on it, another
# is refused.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
model=$4/examples/classify/efficientnet_lite0.pt2
"$1" compile "$model" -o "$work/cpu.pte" >"$work/log"
"$1" compile "$model" -o "$work/portable.pte" --target=portable >"$work/log"
# EfficientNet-Lite0 is made of MobileNetV2's operators, and pads.
diff <(grep -v '^#' "$4/tests/size/mobilenet_v2.ops") <("$1" select "$work/cpu.pte" | grep -v '^#')
diff <(grep -v '^#' "$4/tests/size/mobilenet_v2_portable.ops") <("$1" select "$work/portable.pte" | grep -v '^#\|constant_pad_nd')
"$2" "$work/cpu.pte"
if "$3" "$work/portable.pte" >"$work/log"; then echo "a build without constant_pad_nd ran it"; exit 1; fi
grep -q "no operator of this build has this name" "$work/log"
"$1" select "$work/cpu.pte" "$work/portable.pte" --json | grep -q '"pointwise"'
