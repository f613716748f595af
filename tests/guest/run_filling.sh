#!/bin/sh
# Checks that a task's quota does not throttle it while the worker fills its memory: filling takes the
# worker's CPU time, not the task's. Here the worker fills 88 MiB, which takes a second or more. If
# the container were charged for that time, it would be throttled in each of its periods of 20 ms.
out=$(mktemp -d)
fail() {
  echo "filling: $*"
  exit 1
}

cat >"$out/fill.yaml" <<'END_OF_SCENARIO'
heddle: 1
name: guest-fill
emulation: {time_scale: 1, core_fraction: 0.5, memory_scale: 1/32}
cluster: {heartbeat: 1s, node_timeout: 120s, nodes: [{name: n, cores: 1, memory: 5GiB}]}
jobs:
  - name: fill
    phases:
      - {name: map, kind: map, tasks: 1, sleep: 16s, request: {cores: 1, memory: 4GiB},
         memory: [[0, 256MiB], [0.5, 256MiB], [0.5001, 3GiB], [1, 3GiB]]}
END_OF_SCENARIO
build/bin/heddle run "$out/fill.yaml" --out "$out/run" &
run=$!

# await_use MIB: waits until the container uses more than that; prints its number of throttled
# periods.
await_use() {
  while kill -0 $run 2>/dev/null; do
    group=$(find /sys/fs/cgroup -type d -path '*/heddle-*/n/c0' 2>/dev/null)
    used=$(cat "$group/memory.current" 2>/dev/null)
    [ "${used:-0}" -gt $(($1 << 20)) ] && sed -n 's/^nr_throttled //p' "$group/cpu.stat" && return
    sleep 0.1
  done
}

before=$(await_use 7)
after=$(await_use 90)
wait $run || fail "exit status $?"
[ -n "$before" ] && [ -n "$after" ] || fail "memory did not grow: throttled '$before', '$after'"
[ $((after - before)) -le 3 ] ||
  fail "throttled in $before periods before the worker filled memory, in $after afterwards"
