#!/usr/bin/python3
"""Starts empty tasks in another way than Heddle does, for `heddle bench launch --peers`.

peers.py cgexec|crun|slurm TASKS AT_ONCE TASK_PROGRAM DIRECTORY [v1|v2 GROUP_DIRECTORY...]

Each task is heddle-task without its page (the shared memory with its order), so it ends at once.
Prints {seconds, ms}: the time from the first start to the last end, and one time per task if they
are known. Ends with a message if a peer is not installed or does not work. Files go to DIRECTORY."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

EXIT = 125  # exit status of heddle-task without its page
UNDER_WAY = {"PENDING", "CONFIGURING", "RUNNING", "STAGE_OUT", "COMPLETING", "SUSPENDED"}
PATIENCE_S = 20  # longest time in which no job of an array ends


def installed(name):
    return shutil.which(name) or sys.exit("not installed")


def last_line(text):
    return text.rstrip("\n").split("\n")[-1]


def start_programs(words_of, tasks, at_once):
    """Starts words_of(number) for each task. Returns the milliseconds until each one's end."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("a process did not end within 10 s"))
    begun, times, started = {}, [], 0
    try:
        while len(times) < tasks:
            while started < tasks and len(begun) < at_once:
                words = words_of(started)
                begin = time.monotonic()
                begun[os.posix_spawn(words[0], words, os.environ, file_actions=quiet)] = begin
                started += 1
            signal.alarm(10)
            pid, status = os.wait()
            times.append((time.monotonic() - begun.pop(pid)) * 1e3)
            if os.waitstatus_to_exitcode(status) != EXIT:
                sys.exit(f"a process ended with status {os.waitstatus_to_exitcode(status)}")
    finally:
        for pid in begun:
            os.kill(pid, signal.SIGKILL)
    return times


def group_words(version, directories):
    """Returns the arguments that tell cgexec where the group with these directories is."""
    words = []
    for directory in directories:
        match = re.fullmatch(r"/sys/fs/cgroup/(([^/]+)(/.*)?)", directory)
        if not match or version == "v1" and not match[3]:
            sys.exit("control groups are mounted elsewhere")
        words += ["-g", f"cpu,memory:{match[1]}" if version == "v2" else f"{match[2]}:{match[3]}"]
    return words


def make_bundle(bundle, task):
    for below in ("proc", "dev"):
        os.makedirs(f"{bundle}/rootfs/{below}", exist_ok=True)
    shutil.copy(task, f"{bundle}/rootfs/task")
    config = {
        "ociVersion": "1.0.0",
        "process": {"terminal": False, "user": {"uid": 0, "gid": 0}, "args": ["/task"], "cwd": "/"},
        "root": {"path": "rootfs", "readonly": True},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                   {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"}],
        "linux": {"namespaces": [{"type": one} for one in ("mount", "pid", "ipc", "uts")]}}
    with open(f"{bundle}/config.json", "w") as file:
        json.dump(config, file, indent=2)


def output_of(*words):
    """Runs a program of Slurm and returns its output."""
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(last_line(ended.stderr)
                 or f"{words[0]}: a process ended with status {ended.returncode}")
    return ended.stdout


def jobs_under_way(job):
    """Returns how many jobs of the array have not ended."""
    lines = output_of("squeue", "--noheader", "--array", "--states=all",
                      "--Format=State,exit_code", "--jobs=" + job)
    count = 0
    for line in lines.splitlines():
        match = re.fullmatch(r"(\w+)\s+(\d+)\s*", line) or sys.exit(f'squeue says "{line}"')
        if match[1] in UNDER_WAY:
            count += 1
        elif match.groups() != ("FAILED", str(EXIT << 8)):
            sys.exit(f"a job of the array ended as {match[1]}, status {match[2]}")
    return count


def until_next_look(elapsed, tasks, left):
    """Returns half of the time that the remaining jobs are expected to take, in seconds."""
    return min(max(elapsed * left / max(tasks - left, 1) / 2, 0.02), 0.5)


def run_array(task, tasks, at_once):
    """Runs one job array. Cancels it after an error."""
    answer = output_of("scontrol", "ping")
    if " is UP" not in answer:
        sys.exit("the Slurm controller does not answer: " + last_line(answer))
    begin = progress = time.monotonic()
    said = output_of("sbatch", "--parsable", "--job-name=heddle-bench",
                     f"--array=1-{tasks}%{at_once}", "--ntasks=1", "--no-requeue", "--chdir=/",
                     "--output=/dev/null", f"--wrap=exec {shlex.quote(task)} 1")
    match = re.fullmatch(r"(\d+)(;.*)?\n", said) or sys.exit(f'sbatch says "{last_line(said)}"')
    left = tasks
    try:
        while left:
            time.sleep(until_next_look(time.monotonic() - begin, tasks, left))
            before, left = left, jobs_under_way(match[1])
            progress = time.monotonic() if left < before else progress
            if time.monotonic() - progress > PATIENCE_S:
                sys.exit("no job of the array ends")
    except BaseException:
        subprocess.run(["scancel", match[1]])
        raise


def main(way, tasks, at_once, task, directory, *groups):
    tasks, at_once, times = int(tasks), int(at_once), []
    program = installed({"slurm": "sbatch"}.get(way, way))
    if way == "crun":
        if os.geteuid():
            sys.exit("needs root")
        make_bundle(directory + "/bundle", task)
    words = {"cgexec": lambda: [program, *group_words(groups[0], groups[1:]), task],
             "crun": lambda: [program, "--root", directory + "/crun", "--cgroup-manager=cgroupfs",
                              "run", "--bundle", directory + "/bundle"]}.get(way, list)()
    begin = time.monotonic()
    if way == "slurm":
        run_array(task, tasks, at_once)
    else:
        name = f"heddle-bench-{os.getpid()}-"
        times = start_programs(lambda number: words + [name + str(number)] * (way == "crun"), tasks,
                               at_once)
    print(json.dumps({"seconds": time.monotonic() - begin, "ms": times}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("interrupted")
