#!/bin/bash
# Tests batches on a throw-away Slurm cluster (slurm_cluster): heddle sweep and heddle compare with
# --on slurm. Needs root; takes about five minutes.
#   tests/hosts/batches.sh [BIN]      BIN: directory of Heddle's programs (default: build/bin)
# 1. A sweep of 200 simulations has the same results as on this machine.
# 2. One slurmd is killed half-way, and one start of a cell in twenty fails. The failed cells are
#    submitted again, and the results are complete.
# 3. Real runs, one at a time because the nodes share this machine.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$(dirname "$here")")
heddle=${1:-$root/build/bin}/heddle
. "$here/slurm_cluster"
: "${work:?set by slurm_cluster}"
cd "$work"

cat >small.yaml <<'END_SCENARIO'
heddle: 1
name: small
seed: 3
emulation: {time_scale: 0.05, core_fraction: 0.05, memory_scale: 1/64}
cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: long, phases: [{name: map, tasks: 16, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.3}}]}
  - {name: short, submit: 2s, phases: [{name: map, tasks: 2, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 5s, cv: 0.3}}]}
END_SCENARIO
over=cluster.nodes.n.cores=$(seq -s, 1 20)

# Compares two sweeps except for what is measured by the wall clock.
same() {
  cmp <(grep -v decision_us "$1.csv") <(grep -v decision_us "$2.csv") || fail "$1.csv and $2.csv differ"
  python3 - "$1/sweep.json" "$2/sweep.json" <<'END_PYTHON' || fail "$1/sweep.json and $2/sweep.json differ"
import json, sys
def read(path):
    sweep = json.load(open(path))
    del sweep["wall_s"]
    for point in sweep["points"]:
        point["metrics"].pop("decision_us_p99", None)
    return sweep
sys.exit(read(sys.argv[1]) != read(sys.argv[2]))
END_PYTHON
}

begin=$SECONDS
"$heddle" sweep small.yaml --over "$over" --simulate --repeat 10 --on slurm --out remote --csv >remote.csv ||
  fail "the sweep ended with status $?"
echo "200 cells on Slurm after $((SECONDS - begin)) s"
begin=$SECONDS
"$heddle" sweep small.yaml --over "$over" --simulate --repeat 10 --out local --csv --quiet >local.csv
echo "200 cells on this machine after $((SECONDS - begin)) s"
same remote local

# Every twentieth start of this policy fails.
echo 0 >starts
cat >flaky <<END_POLICY
#!/bin/bash
exec 9<"$work/starts"
flock 9
n=\$((\$(cat "$work/starts") + 1))
echo \$n >"$work/starts"
exec 9<&-
((n % 20)) || { echo "start \$n fails" >&2; exit 1; }
exec /usr/bin/python3 "$root/python/examples/fifo.py"
END_POLICY
chmod 755 flaky
sweep=("$heddle" sweep small.yaml --over "$over" --simulate --repeat 10 --policy "exec:$work/flaky"
  --task-user root --allow-root-commands --csv)
begin=$SECONDS
"${sweep[@]}" --on slurm:retries=4,per_task=5 --out faulty >faulty.csv &
batch=$!
until (($(find faulty/cells -name '*-*.json' ! -name '*.failed.json' 2>/dev/null | wc -l) >= 100)); do
  kill -0 $batch 2>/dev/null || fail "the batch ended early"
  sleep 0.5
done
# shellcheck disable=SC2154 # set by slurm_cluster
kill -KILL "${pids[4]}"
echo "c3 is killed when half of the cells are done"
wait $batch || fail "the faulty sweep ended with status $?"
echo "200 cells after $((SECONDS - begin)) s with $(($(cat starts) / 20)) failed starts and a dead node"

sed -i 's/^((n % 20)).*$//' flaky
"${sweep[@]}" --out steady --quiet >steady.csv
grep -v policy_ faulty.csv >a.csv
grep -v policy_ steady.csv >b.csv
cmp <(grep -v _us a.csv) <(grep -v _us b.csv) || fail "faulty.csv and steady.csv differ"

begin=$SECONDS
"$heddle" compare small.yaml --policies fifo,fair --repeat 2 --on slurm:max=1 --out real >real.txt ||
  fail "the comparison ended with status $?"
! grep -q '"disturbed": true' real/compare.json || echo "a run was disturbed: other programs use this machine"
[[ -s real/fair-2/journal.jsonl ]] || fail "a real run has no journal"
echo "4 real runs after $((SECONDS - begin)) s"
echo passed
