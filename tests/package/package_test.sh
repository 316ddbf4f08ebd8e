#!/usr/bin/env bash
# Installs Glint and builds examples/module against it, as an application would: find_package, one target, no flags; then with what
# drops code that nothing names. package_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build_dir" --prefix "$work/prefix" > "$work/log" || { cat "$work/log"; exit 1; }
[ ! -x "$work/prefix/bin/glint" ] || "$work/prefix/bin/glint" compile "$source_dir/examples/classify/efficientnet_lite0.pt2" -o "$work/model.pte" > /dev/null
for flags in "" "-Wl,--gc-sections,--as-needed"; do
  cmake -G Ninja -S "$source_dir/examples/module" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_EXE_LINKER_FLAGS="$flags" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  cmake --build "$work/build" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  [ ! -f "$work/model.pte" ] || "$work/build/classify" "$work/model.pte"
done
