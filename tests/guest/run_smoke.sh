#!/bin/sh
# Checks that a whole run succeeds on a kernel with cgroup v2 only, and that its summary says so and
# names v2.
out=$(mktemp -d)/out
fail() {
  echo "smoke: $*"
  cat "$out"/logs/* 2>/dev/null
  exit 1
}

build/bin/heddle run scenarios/guest-smoke.yaml --out "$out" || fail "exit status $?"
summary=$out/summary.json
states=$(grep -o '"state": *"[a-z]*"' "$summary" | sed 's/.*: *//')
[ "$states" = '"completed"' ] || fail "states of the jobs: $states"
grep -q '"attempts_total": *2\b' "$summary" || fail "not two attempts: $(grep attempts "$summary")"
grep -A 3 '"cgroup' "$summary" | grep -q '2' || fail "not on cgroup v2: $(grep cgroup "$summary")"
