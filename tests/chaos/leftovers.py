#!/usr/bin/env python3
"""Finds everything that a run has left on this machine.

    tests/chaos/leftovers.py RUN…      prints what it finds; exit status 1 if that is anything
    tests/chaos/leftovers.py --test    plants one thing of each kind and looks for it

Looks for the run's id in command lines, environments, control groups, working directories and open files of
processes; in names of groups in every cgroup mount; in names below the directories of runs and of temporary
files, shared memory and locks; and in names of sockets.
"""
import glob
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time


def text_of(path):
    try:
        return open(path, errors="replace").read()
    except OSError:
        return ""


def link_of(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def processes(run):
    found = []
    for path in glob.glob("/proc/[0-9]*"):
        state = text_of(f"{path}/stat").rpartition(")")[2].split()[:1]
        if int(path[6:]) == os.getpid() or state in ([], ["Z"], ["X"]):
            continue
        told = [text_of(f"{path}/{name}") for name in ("cmdline", "environ", "cgroup")]
        told += [link_of(link) for link in [f"{path}/cwd", *glob.glob(f"{path}/fd/*")]]
        if any(run in text for text in told):
            found.append(f"process {path[6:]} ({told[0].replace(chr(0), ' ').strip()})")
    return found


def groups(run):
    found = []
    for line in text_of("/proc/self/mounts").splitlines():
        point, kind = line.split()[1:3]
        if kind.startswith("cgroup"):
            for directory, children, _ in os.walk(point):
                found += [f"group {directory}/{child}" for child in children if run in child]
    return found


def run_directories():
    """The directories in which runs have theirs."""
    user = os.geteuid()
    return {"/run/heddle", f"/tmp/heddle-{user}", os.environ.get("XDG_RUNTIME_DIR", "/run/user/" + str(user)) + "/heddle"}


def files(run):
    found = set()
    for base in run_directories():
        found |= {path for path in glob.glob(f"{base}/*{run}*") + glob.glob(f"{base}/.*{run}*")}
    for directory in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock"):
        found |= {path for path in glob.glob(f"{directory}/*{run}*") + glob.glob(f"{directory}/.*{run}*")}
    names = (line.split()[-1] for line in text_of("/proc/net/unix").splitlines())
    return sorted(found) + sorted(f"socket {name}" for name in names if run in name)


def leftovers(run, patience=5.0, killed=False):
    """Everything, once nothing is left or the patience (seconds) has come to an end. A first process that was
    `killed` may leave groups for `heddle clean`, and the directory of the run, which records them."""
    until = time.monotonic() + patience
    bases = tuple(base + "/" for base in run_directories())
    while True:
        found = processes(run) + groups(run) + files(run)
        found = [what for what in found if not (killed and what.startswith(("group ", *bases)))]
        if not found or time.monotonic() >= until:
            return found
        time.sleep(0.05)


def test():
    run = f"{random.getrandbits(32):08x}"

    def expect(start):
        found = leftovers(run, 0)
        if start is None and found or start is not None and not any(what.startswith(start) for what in found):
            sys.exit(f"planted: {start}, found: {found}")

    expect(None)
    with tempfile.TemporaryDirectory(prefix=f"heddle-{run}", dir="/tmp") as directory:
        expect(directory)
        child = subprocess.Popen(["sleep", "1000"], cwd=directory)
        expect(f"process {child.pid} ")
        child.kill()
        child.wait()
    child = subprocess.Popen(["sleep", "1000"], env={"OF": run})
    expect(f"process {child.pid} ")
    child.kill()
    child.wait()
    memory = pathlib.Path("/dev/shm") / f"heddle-{run}"
    memory.write_text("")
    expect(str(memory))
    memory.unlink()
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("\0" + run)
        expect(f"socket @{run}")
    for line in text_of("/proc/self/cgroup").splitlines():
        controllers, own = line.split(":", 2)[1:]
        mounts = [mount.split() for mount in text_of("/proc/self/mounts").splitlines()]
        for point in [words[1] for words in mounts if words[2] == "cgroup" and words[3].endswith("," + controllers)]:
            group = pathlib.Path(point + own) / f"heddle-{run}"
            try:
                group.mkdir()
            except OSError:
                continue
            expect(f"group {group}")
            group.rmdir()
    expect(None)
    print("each thing that was planted was found")


def main():
    if sys.argv[1:] == ["--test"]:
        return test()
    if not all(sys.argv[1:]) or len(sys.argv) < 2:
        sys.exit("which run?")
    found = [what for run in sys.argv[1:] for what in leftovers(run)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
