#!/bin/sh
# Needs root. Checks a run that is alone in a group as systemd makes one for a unit with
# Delegate=yes and User=: the group belongs to the user and holds nothing but the run.
group=/sys/fs/cgroup/unit
mkdir $group
chown nobody $group $group/cgroup.procs $group/cgroup.threads $group/cgroup.subtree_control
out=$(mktemp -d)
chown nobody "$out"
(echo 0 >$group/cgroup.procs && exec setpriv --reuid 65534 --regid 65534 --clear-groups \
  build/bin/heddle run scenarios/guest-smoke.yaml --out "$out/run") || exit
ls -d $group/*/ 2>/dev/null && echo "groups are left" && exit 1
rmdir $group
