#!/usr/bin/env python3
"""Makes many short real runs with random faults, and checks each of them.

    tests/chaos/chaos.py [--faults N | --seconds S] [--seed S] [--heddle FILE] [--keep DIR] [--only KIND,…]

Draws scenarios from the seed until N faults (default 1000) have happened, or until S seconds are over. The faults
are those of scenarios (docs/how-to/faults.md), and these from outside:

- kill: SIGKILL to `heddle run`, the master, a worker or a task;
- stop: SIGSTOP to one of these, for up to 8 s;
- outage: SIGSTOP to all workers, for twice the time after which a node is lost;
- fill: a full disk below the results (a tmpfs in a mount namespace of its own; needs root);
- clean, beside: `heddle clean`, and a second run, at the same time;
- move, remove: the directory of the results is moved or removed;
- flood: a peer with a key floods the master with messages and is killed (if heddle-flood is built).

Some runs use TCP with keys and stand-alone workers, some have commands, and some sync their journal. Some have a
hostile command (the kind hostile, which needs the small disk): it makes empty files until there are no more, or keeps
removed files open until the disk is full. --only chooses kinds of this list, and leaves out the faults of scenarios.
Aborted runs are resumed with `heddle resume`. For each run, the program checks that:

- the run ends; if its results were removed, it ends with status 4, and that is all that is checked;
- results that were moved are whole at their new place;
- every attempt of a hostile command ends, fails, and costs no other job anything;
- every job ended once, completed or failed; a completed job completed each of its tasks, and a task ran again only
  if its output was lost (with its node, or for a reader that could not read it);
- the journal is readable and has each worker's reports without a gap, and so all acknowledged ones;
- a replay makes the same decisions;
- no process, control group or directory of the run is left, even before `heddle clean`. Only a run whose first
  process was killed, or a stand-alone worker, may leave groups and directories for `heddle clean`.

Exit status 1: a check failed. The directory of that run is kept in --keep (default ./chaos-findings), with its
scenario and the failed checks.
"""
import argparse
import collections
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import leftovers

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUSPENDING = ["haste", "ikayak"]  # Heddle itself stops and continues their tasks
RIGID_ONLY = ["easy", "conservative", "slurm"]  # they take only jobs that are one gang
OUTSIDE = ["heddle", "heddle-master", "heddle-worker", "heddle-task"]
CRASHED = 122  # heddle-task's exit status for crash-task
LIMIT_S = 180  # in real seconds; a run that takes longer hangs
LONGEST_STOP_S = 8
DISK = "32m"  # size of the disk below the results
FILES = 4000  # how many files the disk can have
KINDS = {"kill": 5, "stop": 4, "outage": 1, "fill": 2, "clean": 3, "beside": 1, "move": 1, "remove": 0.3, "flood": 2}
PRIVATE = "HEDDLE_CHAOS_MOUNTS"  # environment variable; if set, the mounts are this program's own
COMMAND = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; sleep 0.3 & echo {task}; wait"
# Both wait when they can do no more, so only Heddle can end them.
HOSTILE = ["i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); true > f$i; done; sleep 1000",
           "exec 3> f; rm f; while :; do head -c 65536 /dev/zero >&3; done; sleep 1000"]
NODE_TIMEOUT_S, TIME_SCALE, LEAST_SILENCE_S = 5, 0.2, 2
SHORT = {"heddle": 1, "name": "beside", "emulation": {"time_scale": 0.1, "core_fraction": 0.05, "memory_scale": "1/64"},
         "cluster": {"nodes": [{"name": "n", "cores": 1, "memory": "2GiB"}]},
         "jobs": [{"name": "j", "phases": [{"name": "map", "tasks": 2, "request": {"cores": 1, "memory": "1GiB"},
                                            "cpu": "2s"}]}]}


def make_job(draw, name, rigid):
    request = {"cores": 1, "memory": "1GiB"}
    job = {"name": name, "submit": f"{draw.randint(0, 10)}s", "max_attempts": 20}
    if rigid:
        job.update(walltime=f"{draw.randint(10, 60)}s",
                   phases=[{"name": "p", "tasks": draw.randint(1, 6), "gang": True, "request": request,
                            "cpu": f"{draw.randint(2, 15)}s"}])
        return job
    kind = draw.choice(["maps", "mapreduce", "mapreduce", "spark", "commands"])
    if kind == "commands":
        job["phases"] = [{"name": "c", "kind": "command", "tasks": draw.randint(2, 8), "request": request,
                          "command": ["sh", "-c", COMMAND]}]
        return job
    if kind == "spark":
        job.update(framework="spark", max_am_attempts=20, executors={"count": draw.randint(1, 4), **request},
                   stages=[{"tasks": draw.randint(2, 8), "cpu": f"{draw.randint(2, 6)}s"}
                           for _ in range(draw.randint(1, 2))])
        return job
    maps = {"name": "map", "tasks": draw.randint(4, 14), "request": request, "cpu": f"{draw.randint(2, 10)}s",
            "memory": "300MiB"}
    job["phases"] = [maps]
    if kind == "mapreduce":
        maps.update(input="64MiB", shuffle="32MiB")
        job["phases"].append({"name": "reduce", "kind": "reduce", "after": ["map"], "tasks": draw.randint(1, 4),
                              "request": request, "cpu": f"{draw.randint(2, 6)}s", "output": "16MiB"})
    return job


def make_hostile(draw):
    """A job whose only task misuses the disk of the results."""
    return {"name": "hostile", "submit": "1s", "max_attempts": 1,
            "phases": [{"name": "c", "kind": "command", "tasks": 1, "request": {"cores": 1, "memory": "1GiB"},
                        "command": ["sh", "-c", draw.choice(HOSTILE)]}]}


def has_commands(job):
    return any(phase.get("kind") == "command" for phase in job.get("phases", []))


def make_fault(draw, kind, nodes, jobs):
    fault = {"fault": kind}
    if kind in ("crash-task", "straggle"):
        job = draw.choice([job for job in jobs if not has_commands(job)])
        fault["job"] = job["name"]
        if "phases" in job:
            phase = draw.choice(job["phases"])
            fault.update(phase=phase["name"], task=draw.randrange(phase["tasks"]))
        else:
            fault.update(phase="executor", task=draw.randrange(job["executors"]["count"]))
        if kind == "straggle":
            return {**fault, "factor": draw.choice([1.5, 3, 5])}
        return {**fault, "attempt": draw.randint(1, 2), "progress": round(draw.random(), 2)}
    fault["at"] = f"{draw.uniform(0, 30):.1f}s"
    if kind == "kill-master":
        return fault
    fault["node"] = draw.choice(nodes)
    if kind == "kill-worker":
        if draw.random() < 0.85:
            fault["restart_after"] = f"{draw.uniform(0, 20):.1f}s"
        return fault
    fault["for"] = f"{draw.choice([draw.uniform(0.5, 5), draw.uniform(5, 25)]):.1f}s"
    if kind == "slow-node":
        fault["factor"] = draw.choice([0.2, 0.5, 0.8])
    if kind.endswith("-heartbeats"):
        fault["share"] = draw.choice([0.2, 0.5, 0.9])
    if kind == "delay-heartbeats":
        fault["delay"] = f"{draw.uniform(0.5, 5):.1f}s"
    return fault


def policies_of(heddle):
    """The presets: the first table of `heddle policies`, below its heading; and one without reservations."""
    table = subprocess.run([heddle, "policies"], capture_output=True, text=True, check=True).stdout.split("\n\n")[0]
    return [line.split()[0] for line in table.splitlines()[1:]] + ["fifo+reserve=false"]


def make_scenario(draw, number, policies, only, small_disk):
    nodes = [f"n{i + 1}" for i in range(draw.randint(3, 5))]
    policy = draw.choice(policies)
    rigid = policy in RIGID_ONLY
    jobs = [make_job(draw, f"j{i + 1}", rigid) for i in range(draw.randint(3, 6) if rigid else draw.randint(1, 3))]
    if small_disk and not rigid and ("hostile" in only if only else draw.random() < 0.1):
        jobs.append(make_hostile(draw))
    kinds = draw.choices(["kill-worker", "freeze-worker", "partition", "slow-node", "full-disk", "lose-heartbeats",
                          "delay-heartbeats", "duplicate-heartbeats", "crash-task", "straggle"],
                         k=draw.randint(5, 12))
    if all(has_commands(job) for job in jobs):
        kinds = [kind for kind in kinds if kind not in ("crash-task", "straggle")]
    if draw.random() < 0.3:
        kinds.append("kill-master")
    if only:
        kinds = []
    faults, taken = [], set()
    for fault in (make_fault(draw, kind, nodes, jobs) for kind in kinds):
        key = tuple(str(fault.get(part)) for part in ("fault", "job", "phase", "task", "attempt", "node"))
        if key not in taken or fault["fault"] not in ("crash-task", "straggle"):
            taken.add(key)
            faults.append(fault)
    return {"heddle": 1, "name": f"chaos-{number}", "seed": draw.randrange(1 << 30),
            "emulation": {"time_scale": TIME_SCALE, "core_fraction": 0.05, "memory_scale": "1/64"},
            "cluster": {"node_timeout": f"{NODE_TIMEOUT_S}s",
                        "dispatch": draw.choice(["heartbeat", "immediate"]),
                        "nodes": [{"name": name, "cores": draw.choice([2, 3, 4]), "memory": "6GiB"} for name in nodes]},
            "storage": {"replicas": 2}, "policy": policy, "jobs": jobs, "faults": faults}


def stat_of(pid):
    """State and start time of a process, or nothing."""
    try:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return fields[0], fields[19]
    except OSError:
        return None


def parent_of(pid):
    try:
        return int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def living(program, roots):
    """Pids of the living processes whose executable is this file and that descend from one of the roots."""
    found = []
    for path in glob.glob("/proc/[0-9]*/exe"):
        pid = int(path.split("/")[2])
        try:
            if os.readlink(path) != program:
                continue
        except OSError:
            continue
        up = pid
        while up > 1 and up not in roots:
            up = parent_of(up)
        state = stat_of(pid)
        if up in roots and state and state[0] != "Z":
            found.append(pid)
    return sorted(found)


class Run:
    """One run, what befalls it from outside, and what is wrong with it."""

    def __init__(self, draw, heddle, number, scenario, directory, full_disks, only):
        self.draw, self.heddle, self.number, self.scenario, self.directory = draw, heddle, number, scenario, directory
        self.only, self.flood = only, heddle.parent / "heddle-flood"
        self.counts, self.wrong = collections.Counter(), []
        self.commands = any(has_commands(job) for job in scenario["jobs"])
        # Stand-alone workers keep the files of commands on a large disk, which a hostile command does not fill.
        hostile = any(job["name"] == "hostile" for job in scenario["jobs"])
        self.tcp = ("flood" in only or draw.random() < 0.25) and not hostile
        self.fsync = draw.random() < 0.2
        self.full_disks = full_disks
        self.killed_first = self.disk_was_full = self.removed = False
        self.run = None  # the run's id, once it is known
        self.killed_worker = any(fault["fault"] == "kill-worker" for fault in scenario["faults"])
        self.main, self.workers, self.over = None, {}, threading.Event()
        self.place = directory / "disk"
        self.out = self.place / "out"
        self.log = open(directory / "log", "w")

    # Processes of the run.

    def start(self, words):
        return subprocess.Popen([str(word) for word in words], stdout=self.log, stderr=self.log)

    def call(self, *words):
        return subprocess.run([str(word) for word in words], stdout=self.log, stderr=self.log, check=False).returncode

    def options(self):
        words = ["--quiet", "--derived=later"]
        if self.fsync:
            words += ["--durability", "fsync"]
        if self.commands:
            words += ["--allow-commands"]
        if self.tcp:
            words += ["--bind", self.address, "--keys", self.directory / "keys"]
        return words

    def prepare(self):
        self.place.mkdir()
        if self.full_disks:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK},nr_inodes={FILES}", "none", self.place], check=True)
        (self.directory / "scenario.yaml").write_text(json.dumps(self.scenario, indent=1))
        if not self.tcp:
            return
        self.counts["runs over TCP"] += 1
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        (self.directory / "command-logs").mkdir()
        if self.call(self.heddle, "keys", "make", "--keys", self.directory / "keys") != 0:
            self.wrong.append("no keys were made")

    def start_worker(self, node):
        words = [self.heddle.parent / "heddle-worker", "--connect", self.address, "--keys", self.directory / "keys",
                 "--node", node, "--host", "h", "--patience", "30"]
        if self.commands:
            words += ["--allow-commands", "--command-logs", self.directory / "command-logs"]
        self.workers[node] = self.start(words)

    def keep_workers(self):
        """Those that nobody started for a run are started again when they end, as a service manager does."""
        while not self.over.wait(1):
            for node in self.scenario["cluster"]["nodes"]:
                worker = self.workers.get(node["name"])
                if worker is None or worker.poll() is not None:
                    self.start_worker(node["name"])

    def end_workers(self):
        for worker in self.workers.values():
            if worker.poll() is None:
                worker.send_signal(signal.SIGCONT)
                worker.terminate()
        for node, worker in self.workers.items():
            try:
                worker.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.wrong.append(f"the worker of {node} does not end")
                worker.kill()
                worker.wait()

    # Faults from outside.

    def pick(self, weights):
        """A living process of the run: its program and pid."""
        name = self.draw.choices(OUTSIDE, weights=weights)[0]
        main, workers = self.main, list(self.workers.values())
        if main is None or main.poll() is not None:
            return name, None
        if name == "heddle":
            return name, main.pid
        pids = living(str(self.heddle.parent / name), {main.pid, *(worker.pid for worker in workers)})
        return name, self.draw.choice(pids) if pids else None

    def kill(self):
        name, pid = self.pick([2, 1, 3, 6])
        if pid is None:
            return
        self.killed_first |= name == "heddle"
        self.killed_worker |= name == "heddle-worker"
        try:
            os.kill(pid, signal.SIGKILL)
            self.counts[f"SIGKILL from outside to {name}"] += 1
        except ProcessLookupError:
            pass

    def stop(self):
        """SIGSTOP, and SIGCONT later to the same process."""
        tasks = 0 if self.scenario["policy"] in SUSPENDING else 2
        name, pid = self.pick([1, 2, 3, tasks])
        before = stat_of(pid) if pid else None
        if before is None:
            return
        try:
            os.kill(pid, signal.SIGSTOP)
            self.counts[f"SIGSTOP from outside to {name}"] += 1
            self.over.wait(self.draw.uniform(0.1, LONGEST_STOP_S))
            now = stat_of(pid)
            if now and now[1] == before[1]:
                os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def outage(self):
        """SIGSTOP to all workers, until their nodes are lost, and SIGCONT to those that are still there."""
        roots = {self.main.pid, *(worker.pid for worker in self.workers.values())} if self.main else set()
        stopped = {pid: stat_of(pid) for pid in living(str(self.heddle.parent / "heddle-worker"), roots)}
        if not stopped:
            return
        self.counts["outage of all workers"] += 1
        for pid in stopped:
            try:
                os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:
                pass
        self.over.wait(2 * max(NODE_TIMEOUT_S * TIME_SCALE, LEAST_SILENCE_S))
        for pid, before in stopped.items():
            now = stat_of(pid)
            if now and before and now[1] == before[1]:
                os.kill(pid, signal.SIGCONT)

    def move(self):
        """Moves the results. The run goes on and ends at the new place."""
        if not self.began() or self.main.poll() is not None:
            return
        place = self.place / f"moved-{self.counts['results moved']}"
        self.out.rename(place)
        self.out = place
        self.counts["results moved"] += 1

    def remove(self):
        """Removes the results, so that nothing can be resumed."""
        if not self.began() or self.main.poll() is not None:
            return
        self.run = self.run_of(self.out)
        self.removed = True
        self.counts["results removed"] += 1
        while self.out.exists():  # the run makes files meanwhile
            shutil.rmtree(self.out, ignore_errors=True)

    def flood_master(self):
        """A peer with a key sends as many messages as it can, and its connection ends in the middle of one."""
        if not self.tcp or not self.flood.exists() or not self.began():
            return
        self.counts["flooding peer killed"] += 1
        peer = self.start([self.flood, "messages", self.address, self.directory / "keys", "worker", "60"])
        self.over.wait(self.draw.uniform(0.2, 2))
        peer.kill()
        peer.wait()

    def fill_disk(self):
        if not self.full_disks:
            return
        self.disk_was_full = True
        self.counts["full disk below the results"] += 1
        ballast = self.place / "ballast"
        try:
            with open(ballast, "wb", buffering=0) as file:
                for size in (1 << 16, 1 << 10, 1):
                    try:
                        while True:
                            file.write(b"x" * size)
                    except OSError:
                        continue
        except OSError:
            pass
        self.over.wait(self.draw.uniform(0.3, 4))
        ballast.unlink(missing_ok=True)

    def clean(self):
        self.counts["heddle clean at the same time"] += 1
        status = self.call(self.heddle, "clean")
        # `heddle clean` may fail on a run whose processes are dying at this moment.
        if status != 0 and not (self.killed_first or self.killed_worker):
            self.wrong.append(f"heddle clean at the same time: status {status}")

    def run_beside(self):
        self.counts["a second run at the same time"] += 1
        path = self.directory / "beside.yaml"
        path.write_text(json.dumps(SHORT))
        out = self.directory / f"beside-{self.counts['a second run at the same time']}"
        status = self.call(self.heddle, "run", path, "--out", out, "--quiet", "--derived=later")
        if status != 0:
            self.wrong.append(f"a second run at the same time: status {status}")
        else:
            found = leftovers.leftovers(self.run_of(out))
            self.wrong += [f"left of a second run at the same time: {what}" for what in found]

    def troubles(self):
        while self.only and not self.began() and not self.over.wait(0.2):
            pass  # most of the kinds need a run that goes on
        for _ in range(self.draw.choice([1, 2, 3] if self.only else [0, 1, 1, 2, 2, 3])):
            if self.over.wait(self.draw.uniform(0.2, 3)):
                return
            kinds = self.only or list(KINDS)
            kind = self.draw.choices(kinds, weights=[KINDS.get(kind, 0) + 1e-9 for kind in kinds])[0]
            if not self.removed and kind in KINDS:
                {"kill": self.kill, "stop": self.stop, "outage": self.outage, "fill": self.fill_disk,
                 "clean": self.clean, "beside": self.run_beside, "move": self.move, "remove": self.remove,
                 "flood": self.flood_master}[kind]()

    # Course of the run.

    def end(self, words):
        self.main = self.start(words)
        try:
            return self.main.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"did not end within {LIMIT_S} s")
            self.main.kill()
            return self.main.wait()

    def began(self):
        """The journal has its first line."""
        try:
            with open(self.out / "journal.jsonl") as file:
                return json.loads(file.readline() or "null") is not None
        except (OSError, ValueError):
            return False

    def go(self):
        self.prepare()
        helpers = [threading.Thread(target=self.troubles)]
        if self.tcp:
            helpers.append(threading.Thread(target=self.keep_workers))
        for helper in helpers:
            helper.start()
        status = self.end([self.heddle, "run", self.directory / "scenario.yaml", "--out", self.out, *self.options()])
        for _ in range(6):
            self.check_leftovers(status)
            if status in (0, 1) or self.wrong or self.removed or not self.began():
                break
            helpers[0].join()  # waits until no more faults come
            print(f"== status {status}: clean, resume", file=self.log, flush=True)
            self.call(self.heddle, "clean")
            status = self.end([self.heddle, "resume", self.out, *self.options()])
            self.counts["heddle resume"] += 1
        self.over.set()
        for helper in helpers:
            helper.join()
        self.end_workers()
        self.counts[f"runs that ended with status {status}"] += 1
        if self.removed:
            # A run can have ended, or its first process can have been killed, before it noticed that.
            if status not in (0, 1, 4, -signal.SIGKILL):
                self.wrong.append(f"status {status} after its results were removed; expected 4")
            self.check_cleaned()
        elif not self.began():
            self.counts["runs that ended before their journal began"] += 1
            if not (self.killed_first or self.disk_was_full):
                self.wrong.append(f"status {status} before the journal began")
        elif status not in (0, 1):
            self.wrong.append(f"status {status}")
        else:
            self.check_cleaned()

    @staticmethod
    def run_of(out):
        with open(out / "journal.jsonl") as file:
            return json.loads(file.readline())["run"]

    def check_leftovers(self, status):
        """Before `heddle clean`: of a run that ended by itself nothing is there."""
        # Stand-alone workers continue after the run and wait for their master.
        if self.tcp or not (self.run or self.began()):
            return
        found = leftovers.leftovers(self.run or self.run_of(self.out), killed=status == -signal.SIGKILL)
        self.wrong += [f"left after status {status}: {what}" for what in found]

    def check_cleaned(self):
        """At the very end. What a worker leaves that was killed, and that nobody started for the run, is its next
        one's to remove, or heddle clean's."""
        if (self.killed_worker and self.tcp) or (self.removed and self.killed_first):
            self.call(self.heddle, "clean")
        self.wrong += [f"left: {what}" for what in leftovers.leftovers(self.run or self.run_of(self.out))]

    def finish(self):
        """Puts the directory away, or keeps it."""
        self.log.close()
        if self.full_disks:
            if self.wrong:
                shutil.copytree(self.place, self.directory / "kept", symlinks=True)
            subprocess.run(["umount", self.place], check=False)


def read_journal(path, wrong):
    lines = []
    for number, text in enumerate(open(path), 1):
        try:
            lines.append(json.loads(text))
        except ValueError:
            wrong.append(f"journal line {number} is not JSON")
    return lines


def check_journal(journal, scenario, counts, wrong):
    """Returns how much emulated time it is of, in seconds."""
    launched, killed, broken_in = {}, set(), set()
    completed, finished = collections.defaultdict(list), collections.Counter()
    reports, gone, unread, states = {}, collections.defaultdict(list), collections.defaultdict(list), {}
    broken = collections.defaultdict(list)  # by job and phase: when attempts did not complete
    for at, line in enumerate(journal):
        kind = line["type"]
        if "report" in line:
            node, number = line["report"]
            if number != reports.get(node, 0) + 1:
                wrong.append(f"journal line {at + 1}: report {number} of node {node} after {reports.get(node, 0)}")
            reports[node] = number
        if kind in ("node_registered", "node_lost"):
            reports[line["node"]] = 0
            gone[line["node"]].append(at)
        elif kind == "launch":
            launched[line["container"]] = line
        elif kind == "kill":
            killed.add(line["container"])
        elif kind == "container_ended":
            what = launched[line["container"]]
            counts[f"attempts {line['outcome']}"] += 1
            counts["crash-task"] += line["exit_code"] == CRASHED
            if line["outcome"] == "completed":
                completed[what["job"], what["phase"], what["task"]].append((at, what["node"]))
            # A task of a broken gang can complete before its kill reaches it, or be reported together with the
            # failure of another one, and then it runs again too.
            in_step = what["job"], what["phase"], line["step"]
            if line["outcome"] != "completed":
                broken_in.add(in_step)
            if in_step in broken_in or line["container"] in killed:
                broken[what["job"], what["phase"]].append(at)
        elif kind == "input_lost":
            unread[launched[line["container"]]["job"], line["source"]].append(at)
        elif kind == "job_finished":
            finished[line["job"]] += 1
            states[line["job"]] = line["state"]
        elif kind == "fault" and not line.get("ends", False):
            counts[line["kind"]] += 1
    ends = [line for line in journal if line["type"] == "end"]
    if not ends or ends[-1]["status"] not in ("done", "failed"):
        wrong.append(f"the journal's last end is {ends[-1:]}")
    jobs = next(line for line in journal if line["type"] == "run")["jobs"]
    for job in jobs:
        if finished[job["id"]] != 1:
            wrong.append(f"job {job['name']} ended {finished[job['id']]} times")
        state = states.get(job["id"])
        counts[f"jobs {state}"] += 1
        if job["name"] == "hostile":
            counts["hostile command"] += 1
            if state != "failed":
                wrong.append(f"the hostile command {state}; expected its attempts to be ended")
        for phase, spec in enumerate(scenario["jobs"][job["id"]].get("phases", [])):
            # A gang of which a task is lost starts again as a whole.
            again_with = broken[job["id"], phase] if spec.get("gang") else []
            for task in range(spec["tasks"]):
                times = completed[job["id"], phase, task]
                if state == "completed" and not times:
                    wrong.append(f"job {job['name']} completed without task {phase}/{task}")
                for (first, node), (again, _) in zip(times, times[1:]):
                    if not any(first <= at < again for at in gone[node] + unread[job["id"], task] + again_with):
                        wrong.append(f"task {job['name']}/{phase}/{task} completed twice, journal line {again + 1}")
    return max(line.get("t", 0) for line in journal)


def check(run):
    """Returns how much emulated time the run is of, in seconds."""
    if run.removed or not run.began():
        return 0
    journal = read_journal(run.out / "journal.jsonl", run.wrong)
    emulated = check_journal(journal, run.scenario, run.counts, run.wrong)
    replay = subprocess.run([run.heddle, "replay", run.out], capture_output=True, text=True, check=False)
    if replay.returncode != 0:
        run.wrong.append(f"replay: {replay.stdout}{replay.stderr}")
    return emulated


def with_mounts_of_our_own():
    """Starts this program again in a mount namespace of its own, for small disks. False: that takes root."""
    if os.environ.get(PRIVATE):
        return True
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    os.environ[PRIVATE] = "1"
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])


def is_fault(what, scenario_faults):
    outside = ("SIGKILL", "SIGSTOP", "full disk", "heddle clean", "a second run", "outage", "results", "flooding",
               "hostile")
    return what in scenario_faults or what.startswith(outside)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="stop after this many seconds instead of after --faults faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/bin/heddle")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("chaos-findings"))
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    if unknown := set(options.only) - {*KINDS, "hostile"}:
        parser.error(f"--only: no kind is called {', '.join(sorted(unknown))}; expected {', '.join(KINDS)} or hostile")
    full_disks = with_mounts_of_our_own()
    if not full_disks:
        print("full disks are not tested: this needs root", flush=True)
    heddle = options.heddle.resolve()
    policies = policies_of(heddle)
    totals, happened, runs, findings, emulated = collections.Counter(), 0, 0, 0, 0.0
    started = time.monotonic()
    while time.monotonic() < started + options.seconds if options.seconds else happened < options.faults:
        runs += 1
        draw = random.Random(f"{options.seed} {runs}")
        scenario = make_scenario(draw, runs, policies, options.only, full_disks)
        directory = pathlib.Path(tempfile.mkdtemp(prefix="chaos-"))
        run = Run(draw, heddle, runs, scenario, directory, full_disks, options.only)
        began = time.monotonic()
        run.go()
        emulated += check(run)
        # No journal line records a straggle, so each that the scenario asks for counts.
        run.counts["straggle"] += sum(fault["fault"] == "straggle" for fault in scenario["faults"])
        counts = +run.counts
        names = {fault["fault"] for fault in scenario["faults"]} | {"straggle"}
        happened += sum(n for what, n in counts.items() if is_fault(what, names))
        totals += counts
        print(f"run {runs}: {scenario['policy']}{', TCP' if run.tcp else ''}, {time.monotonic() - began:.0f} s, "
              f"{happened} faults so far" + "".join(f"\n  WRONG: {text}" for text in run.wrong), flush=True)
        run.finish()
        if run.wrong:
            findings += 1
            (directory / "wrong").write_text("\n".join(run.wrong) + "\n")
            options.keep.mkdir(exist_ok=True)
            shutil.move(directory, options.keep / f"{options.seed}-{runs}")
        else:
            shutil.rmtree(directory)
    for what, number in sorted(totals.items()):
        print(f"{number:6} {what}")
    print(f"{runs} runs, {emulated / 60:.0f} emulated minutes, {happened} faults, {findings} runs where something did not hold")
    sys.exit(findings > 0)


if __name__ == "__main__":
    main()
