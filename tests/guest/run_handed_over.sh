#!/bin/sh
# Needs root. Checks that a user without control groups of their own cannot run Heddle and is shown
# the commands for root to type. After root has typed them word for word, a whole run of that user's
# shell must succeed.
work=$(mktemp -d)
chmod 777 "$work"
mkfifo -m 666 "$work/told" "$work/go"
fail() {
  echo "handed over: $*"
  cat "$work/said"
  kill $user 2>/dev/null
  exit 1
}

setpriv --reuid 65534 --regid 65534 --clear-groups /bin/sh -c "
  build/bin/heddle run scenarios/guest-smoke.yaml --out /tmp/none 2>$work/said
  echo \$? >$work/told
  read -r go <$work/go
  exec tests/guest/run_smoke.sh" &
user=$!
[ "$(cat "$work/told")" = 3 ] || fail "not status 3"
grep -q 'no usable control group' "$work/said" || fail "it is not said what is missing"
[ ! -e /tmp/none ] || fail "results of a run that could not begin"

sed -n '/^  # as root$/,/^  # then/s/^  //p' "$work/said" >"$work/typed"
grep -q chown "$work/typed" || fail "it is not said what to do"
sh -e "$work/typed" || fail "what root was to type does not work: $(cat "$work/typed")"
echo go >"$work/go"
wait $user || fail "the run failed"
rmdir /sys/fs/cgroup/heddle.nobody/shell /sys/fs/cgroup/heddle.nobody || fail "groups are left"
rm -r "$work"
