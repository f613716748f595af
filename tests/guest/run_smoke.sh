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

# A task that asks for more than its container's limit is killed there, and by that limit. Its memory
# is filled by the worker, so this also shows whom the kernel charges.
cat >"$out.yaml" <<'END'
heddle: 1
name: guest-over
emulation: {time_scale: 1, core_fraction: 0.1, memory_scale: 1/64}
cluster: {heartbeat: 1s, node_timeout: 120s, nodes: [{name: n, cores: 1, memory: 4GiB}]}
jobs:
  - name: over
    max_attempts: 1
    phases:
      - {name: map, kind: map, tasks: 1, cpu: 60s, memory: 3GiB, request: {cores: 1, memory: 2GiB}}
END
build/bin/heddle run "$out.yaml" --out "$out.over"
status=$?
[ $status = 1 ] || fail "a task over its limit: exit status $status"
grep -q '"container": *1\b' "$out.over/summary.json" ||
  fail "not killed over its container's limit: $(grep -A 4 oom_kills "$out.over/summary.json")"
