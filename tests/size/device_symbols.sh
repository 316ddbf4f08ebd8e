#!/usr/bin/env bash
# device_symbols.sh LIBRARY... - fails when a library of the device half has code that runs before main, guards of
# function-local statics, exceptions, or takes memory from the heap.
set -euo pipefail
bad=0
complain() {
  echo "$1: $2"
  bad=1
}
for library in "$@"; do
  symbols=$(nm "$library" 2>/dev/null)
  for what in '_GLOBAL__sub_I|static initialiser' '__cxa_guard_acquire|function-local static' '__cxa_atexit|static destructor' \
              ' U __cxa_throw|throws' ' U _Znwm|operator new' ' U _Znam|operator new' ' U malloc$|malloc' ' U calloc$|calloc' ' U realloc$|realloc'; do
    found=$(grep -E -c -- "${what%%|*}" <<<"$symbols" || true)
    [[ $found -eq 0 ]] || complain "$(basename "$library")" "${what##*|} ($found)"
  done
  sections=$(objdump -h "$library" 2>/dev/null | grep -c -E '\.(init_array|ctors|fini_array)' || true)
  [[ $sections -eq 0 ]] || complain "$(basename "$library")" "$sections sections of initialisers"
done
[[ $bad -eq 0 ]] && echo "$# libraries: no static initialisers, no exceptions, no heap"
exit $bad
