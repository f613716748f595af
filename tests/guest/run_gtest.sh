#!/bin/sh
# run_gtest.sh PROGRAM: runs a GoogleTest program; also fails if none of its tests ran.
log=$(mktemp)
"$@" >"$log" 2>&1
status=$?
cat "$log"
grep -q '^\[  PASSED  \] [1-9]' "$log" || { echo "no test passed"; exit 1; }
exit $status
