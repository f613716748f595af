#!/bin/bash
# A throw-away Slurm cluster: one slurmctld and four slurmd, all on this machine, in a directory that goes with them. As
# root. Needs slurmctld, slurmd, slurm-client and munge (Debian's packages).
#   tests/hosts/slurm_cluster.sh COMMAND…     runs the command in it
#   . tests/hosts/slurm_cluster.sh            from here to the script's end; its directory is $work, `fail TEXT` ends it
set -euo pipefail

((EUID == 0)) || { echo "slurm: needs root" >&2; exit 3; }
for command in slurmctld slurmd sbatch munged; do
  command -v "$command" >/dev/null || { echo "slurm: needs $command: apt-get install slurmctld slurmd slurm-client munge" >&2; exit 3; }
done

work=$(mktemp -d)
chmod 755 "$work"
pids=()
clean() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for _ in {1..50}; do
    kill -0 "${pids[@]}" 2>/dev/null || break
    sleep 0.1
  done
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
fail() {
  echo "slurm: $1" >&2
  tail -n 20 "$work"/*.log "$work"/slurm-*.out 2>/dev/null | sed 's/^/  /' >&2
  exit 1
}

# Munge of our own: key, socket, log.
dd if=/dev/urandom of="$work/munge.key" bs=128 count=1 status=none
chmod 400 "$work/munge.key"
mkdir "$work/munge"
chmod 755 "$work/munge"
munged --foreground --force --key-file "$work/munge.key" --socket "$work/munge/socket" --pid-file "$work/munge/pid" \
  --log-file "$work/munge.log" --seed-file "$work/munge/seed" >/dev/null 2>&1 &
pids+=($!)

base=$((30000 + $$ % 1000 * 10))
host=$(hostname -s)
cpus=$(nproc)
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<END
ClusterName=heddle-$$
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
# Without an epilog the controller fills places that have become free but once a second; and it may let jobs wait
# for 3 s.
Epilog=/bin/true
SchedulerParameters=batch_sched_delay=0
MpiDefault=none
ReturnToService=2
SlurmdTimeout=30
KillWait=5
$(for i in 1 2 3 4; do
  echo "NodeName=c$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + i)) CPUs=$cpus State=UNKNOWN"
done)
PartitionName=all Nodes=c[1-4] Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D -i >/dev/null 2>&1 &
pids+=($!)
for i in 1 2 3 4; do
  slurmd -D -N "c$i" >/dev/null 2>&1 &
  pids+=($!)
done
for _ in {1..150}; do
  idle=$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l) || idle=0
  ((idle < 4)) || break
  sleep 0.2
done
((idle == 4)) || fail "four nodes did not come up: $(sinfo -N -h 2>&1)"
echo "4 slurmd are idle" >&2

[[ ${BASH_SOURCE[0]} != "$0" ]] || "$@"
