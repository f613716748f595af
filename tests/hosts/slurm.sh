#!/bin/bash
# Tests scripts/slurm on a throw-away Slurm cluster (slurm_cluster). Needs root; takes some 45 s.
#   tests/hosts/slurm.sh [BIN]        BIN: directory of Heddle's programs (default: build/bin)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$(dirname "$here")")
export HEDDLE_BIN=${1:-$root/build/bin}
. "$here/slurm_cluster"
: "${work:?set by slurm_cluster}"

sed -e 's/, host: h3//' -e 's/count: 2/count: 3/' "$here/shuffle.yaml" >"$work/shuffle.yaml"
begin=$SECONDS
cd "$work"
sbatch --wait -N4 -n4 --output="$work/slurm-%j.out" "$root/scripts/slurm" shuffle.yaml --out out --quiet ||
  fail "the job failed"
echo "done after $((SECONDS - begin)) s"
python3 - "$work/out" <<'END' || fail "the results are not right"
import json, sys
summary = json.load(open(sys.argv[1] + "/summary.json"))
hosts = {row["node"]: row["host"] for row in summary["hosts"]}
print(summary["status"], hosts, "makespan", summary["makespan_s"])
assert summary["status"] == "done" and len(hosts) == 4
assert set(hosts.values()) == {"c1", "c2", "c3", "c4"}
END
for file in journal.jsonl samples.jsonl scenario.yaml run.sqlite timeline.json; do
  [[ -s out/$file ]] || fail "no $file in the results"
done
id=$(sed -n '1s/.*"run":"\([^"]*\)".*/\1/p' out/journal.jsonl)
! find /sys/fs/cgroup -name "heddle-$id" 2>/dev/null | grep . || fail "control groups are left"
! pgrep -f "^$HEDDLE_BIN/heddle-worker.*127.0.0.1" || fail "workers are left"
echo passed
