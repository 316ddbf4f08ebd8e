#!/bin/sh
# Fails when an object compiled for one ISA defines an inline function that the
# linker could hand to code meant for another: any weak symbol that is neither in
# a namespace named after the ISA nor in Highway's namespace for a target.
isa=$1; shift
bad=$(nm -C "$@" | grep -E ' [WVu] ' | grep -v "::$isa::" | grep -vE 'hwy::N_[A-Z0-9_]+::')
[ -z "$bad" ] || { echo "weak symbols leak from the $isa objects:"; echo "$bad"; exit 1; }
