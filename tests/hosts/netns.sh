#!/bin/bash
# Tests a run over several hosts on one machine: a master and three workers in network namespaces of
# their own, joined by a bridge, two of them with clocks of their own. Cuts one worker off for 20
# emulated seconds and kills another one. Needs root; takes some 80 s.
#   tests/hosts/netns.sh [BIN]        BIN: directory of Heddle's programs (default: build/bin)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$(dirname "$here")")
export HEDDLE_BIN=${1:-$root/build/bin}
((EUID == 0)) || { echo "netns: needs root" >&2; exit 3; }
command -v ip >/dev/null || { echo "netns: needs iproute2" >&2; exit 3; }

work=$(mktemp -d)
name=heddle-$$
net=10.213.$(($$ % 200 + 20))
hosts=(h1 h2 h3)
declare -A ahead=([h1]=1000 [h2]=86400 [h3]="")  # seconds of CLOCK_MONOTONIC ahead of the master
pids=()

clean() {
  local pid space
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait || true
  for space in master "${hosts[@]}" bridge; do ip netns del "$name-$space" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean EXIT

inside() {  # NAMESPACE COMMAND…; ip netns exec would hide the control groups
  local space=$1
  shift
  nsenter --net="/run/netns/$name-$space" "$@"
}

ip netns add "$name-bridge"
inside bridge ip link add br0 type bridge
inside bridge ip link set br0 up
number=1
for space in master "${hosts[@]}"; do
  ip netns add "$name-$space"
  ip -n "$name-bridge" link add "to-$space" type veth peer name eth0 netns "$name-$space"
  inside bridge ip link set "to-$space" master br0 up
  inside "$space" ip addr add "$net.$number/24" dev eth0
  inside "$space" ip link set eth0 up
  inside "$space" ip link set lo up
  ((number += 1))
done

# The replacement for ssh takes HOST COMMAND and runs the command in that host's namespaces.
cat >"$work/ssh" <<END
#!/bin/bash
declare -A ahead=([h1]=${ahead[h1]} [h2]=${ahead[h2]} [h3]=)
clock=(unshare --time --fork --kill-child --monotonic "\${ahead[\$1]}" --)
[[ -n \${ahead[\$1]} ]] || clock=()
exec nsenter --net=/run/netns/$name-\$1 unshare --uts -- sh -c 'hostname "\$0"; exec "\$@"' "\$1" "\${clock[@]}" sh -c "\$2"
END
chmod +x "$work/ssh"

begin=$SECONDS
HEDDLE_SSH=$work/ssh inside master "$root/scripts/hosts" --address "$net.1" "$here/shuffle.yaml" "${hosts[@]}" \
  -- --out "$work/out" --quiet >"$work/printed" 2>"$work/said" &
run=$!
pids+=("$run")

fail() {
  echo "netns: $1" >&2
  sed 's/^/  said: /' "$work/said" >&2
  cp -r "$work/out" /tmp/netns-out-$$ 2>/dev/null && echo "  results: /tmp/netns-out-$$" >&2
  exit 1
}
worker_of() { pgrep -f "^$HEDDLE_BIN/heddle-worker .*$net.1:" | while read -r pid; do
  [[ $(nsenter --uts="/proc/$pid/ns/uts" hostname) != "$1" ]] || echo "$pid"; done; }
lines() {
  local count
  count=$(grep -c "\"type\":\"$1\"" "$work/out/journal.jsonl" 2>/dev/null) || true
  echo "${count:-0}"
}
wait_for() {  # TYPE COUNT
  for _ in {1..600}; do
    (($(lines "$1") < $2)) || return 0
    kill -0 "$run" 2>/dev/null || fail "the run ended with $(lines "$1") lines $1, not $2"
    sleep 0.1
  done
  fail "no $2 lines $1"
}

wait_for container_ended 6
inside bridge ip link set to-h2 down
sleep 8  # 20 emulated seconds
inside bridge ip link set to-h2 up
wait_for node_lost 1
wait_for node_registered 4
echo "cut off and back after $((SECONDS - begin)) s"
wait_for container_ended 40
victim=$(worker_of h3)
kill -KILL $victim
status=0
wait "$run" || status=$?
((status == 0)) || fail "status $status"
echo "done after $((SECONDS - begin)) s"

for space in "${hosts[@]}"; do
  read -r _ received _ < <(inside "$space" sed -n 's/ *eth0: *//p' /proc/net/dev | awk '{print "x", $1}')
  echo "$space received $((received >> 20)) MiB"
  ((received > 4 << 20)) || fail "$space received less than 4 MiB"
done
python3 "$here/check.py" "$work/out" || fail "the results are not right"

# Nothing may be left: no processes, control groups or run directories.
id=$(sed -n '1s/.*"run":"\([^"]*\)".*/\1/p' "$work/out/journal.jsonl")
! pgrep -f "heddle-[a-z]* .*$net.1:" || fail "processes are left"
# The host's next worker, or heddle clean, removes what the killed worker left.
"$HEDDLE_BIN/heddle" clean | sed 's/^/clean: /'
! find /sys/fs/cgroup -name "heddle-$id" 2>/dev/null | grep . || fail "control groups are left"
! grep -ls "$id" /run/heddle/*/run.json "${XDG_RUNTIME_DIR:-/nonexistent}"/heddle/*/run.json || fail "a run directory is left"
echo passed
