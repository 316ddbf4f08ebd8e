#!/usr/bin/env bash
# size_below.sh FILE BYTES - prints the size of FILE and fails when it is larger.
set -euo pipefail
size=$(stat -c %s "$1")
echo "$(basename "$1"): $size bytes, at most $2 allowed"
[[ $size -le $2 ]]
