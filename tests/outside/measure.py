#!/usr/bin/env python3
"""Measures real runs from outside and compares the result with what Heddle reports.

    tests/outside/measure.py [--repeat N] [--keep DIR] [SCENARIO…]
        default: five shipped scenarios, then quickstart with two busy loops beside it

Reads, about 50 times a second, the kernel's counters of the groups of all containers: CPU
(cpuacct.usage, or usage_usec of cpu.stat), memory (usage_in_bytes, or memory.current), and the states
of the tasks' processes (/proc/PID/stat). Uses nothing of Heddle but the names of groups and programs.
External load of a node runs in such a group too, so scenarios with it cannot be measured.
Prints a line for each comparison. Exit status 1: one of them is out of its bound.
The machine must have nothing else to do. Needs root.
"""
import argparse
import collections
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = ROOT / "build/bin/heddle"
SCENARIOS = ["lone-task", "quickstart", "short-tasks", "two-queues", "lessons/sharing"]
PERIOD_S = 0.02
CONTAINERS = "c[0-9]*"  # groups of containers, below that of a node
# Largest differences: CPU of each node and highest memory of each node as shares, ends of runs as a
# share of the run and 0.1 s, and the makespan with busy loops beside.
CPU, MEMORY, SPAN, BESIDE = 0.02, 0.03, 0.01, 0.01
SLACK_S = 0.1


def text_of(path):
    try:
        return open(path, errors="replace").read()
    except OSError:
        return ""


def number_in(path, key=None):
    """Returns the number in a file, or after `key` in a file of lines "key number"; None if none."""
    for line in text_of(path).splitlines():
        words = line.split()
        if key is None or words[0] == key:
            return int(words[-1])
    return None


class Machine:
    """The mounts of the two controllers."""

    def __init__(self):
        v1 = pathlib.Path("/sys/fs/cgroup/cpuacct").is_dir()
        base = "/sys/fs/cgroup"
        self.cpu_root, self.memory_root = (f"{base}/cpuacct", f"{base}/memory") if v1 else (base, base)
        self.v1 = v1

    def cpu_s(self, group):
        if self.v1:
            used = number_in(f"{group}/cpuacct.usage")
            return None if used is None else used / 1e9
        used = number_in(f"{group}/cpu.stat", "usage_usec")
        return None if used is None else used / 1e6

    def memory(self, group):
        name, cache = ("memory.usage_in_bytes", "total_inactive_file") if self.v1 else (
            "memory.current", "inactive_file")
        used = number_in(f"{group}/{name}")
        return None if used is None else used - (number_in(f"{group}/memory.stat", cache) or 0)


def groups_of_run(root, run):
    """Returns the directories of the run's nodes, by the nodes' names."""
    for directory, children, _ in os.walk(root):
        for child in children:
            if child == f"heddle-{run}":
                top = os.path.join(directory, child)
                return {entry.name: entry.path for entry in os.scandir(top) if entry.is_dir()}
    return {}


class Watch:
    """Samples a run until its process ends."""

    def __init__(self, machine, process, out):
        self.machine, self.process, self.out = machine, process, out
        self.cpu_s = {}                                  # by group of a container
        self.memory = collections.Counter()              # highest, by node
        self.first_s = self.last_s = None                # when tasks ran
        self.paths, self.whole = None, False             # groups of nodes, for CPU and for memory

    def run(self):
        while self.process.poll() is None:
            begin = time.monotonic()
            self.look(begin)
            time.sleep(max(0.0, PERIOD_S - (time.monotonic() - begin)))
        return self

    def look(self, now):
        if not self.whole:  # workers make the groups of their nodes one after the other
            first = text_of(self.out / "journal.jsonl").partition("\n")[0]
            if not first:
                return
            begin = json.loads(first)
            self.paths = [groups_of_run(root, begin["run"])
                          for root in (self.machine.cpu_root, self.machine.memory_root)]
            self.whole = all(len(paths) == len(begin["nodes"]) for paths in self.paths)
        any_task = False
        for node, path in self.paths[0].items():
            for entry in glob.glob(f"{path}/{CONTAINERS}/"):
                used = self.machine.cpu_s(entry)
                if used is not None:
                    self.cpu_s[entry] = (node, used)
                any_task |= bool(text_of(f"{entry}/cgroup.procs").strip())
        for node, path in self.paths[1].items():
            charged = [self.machine.memory(entry) or 0 for entry in glob.glob(f"{path}/{CONTAINERS}/")]
            self.memory[node] = max(self.memory[node], sum(charged))
        if any_task:
            self.first_s = self.first_s or now
            self.last_s = now


def lines_of(path):
    for line in open(path, errors="replace"):
        yield json.loads(line)


class Report:
    """What Heddle says about the same run, in real units."""

    def __init__(self, out):
        summary = json.loads((out / "summary.json").read_text())
        factors = summary["emulation"]
        time_scale, cores, memory = (factors[key] for key in ("time_scale", "core_fraction", "memory_scale"))
        nodes = [line["name"] for line in self.nodes(out)]
        self.cpu_s, self.memory = collections.Counter(), collections.Counter()
        place, begun, ended = {}, [], []
        for line in lines_of(out / "journal.jsonl"):
            if line["type"] == "launch":
                place[line["container"]] = nodes[line["node"]]
            elif line["type"] == "container_started":
                begun.append(line["t"])
            elif line["type"] == "container_ended":
                self.cpu_s[place[line["container"]]] += line["cpu_core_s"] * time_scale * cores
                ended.append(line["t"])
        for line in lines_of(out / "samples.jsonl"):
            node = nodes[line["node"]] if isinstance(line["node"], int) else line["node"]
            held = sum(one[2] for one in line["containers"])
            self.memory[node] = max(self.memory[node], held * memory)
        self.span_s = (max(ended) - min(begun)) * time_scale
        self.makespan_s = summary["makespan_s"]
        self.disturbance = summary.get("disturbance")

    @staticmethod
    def nodes(out):
        first = next(lines_of(out / "journal.jsonl"))
        return first["nodes"]


def heddle_run(scenario, out):
    return subprocess.Popen([HEDDLE, "run", scenario, "--out", out, "--quiet", "--derived", "later"],
                            stdout=subprocess.DEVNULL)


class Judge:
    def __init__(self):
        self.wrong = 0

    def compare(self, what, outside, inside, share, slack=0.0):
        off = abs(outside - inside)
        good = off <= share * max(outside, inside) + slack
        self.wrong += not good
        relative = off / inside if inside else 0
        print(f"{'ok  ' if good else 'BAD '} {what}: outside {outside:.4g}, Heddle {inside:.4g} "
              f"({100 * relative:.2f} % off)", flush=True)


def measure(name, machine, judge, keep):
    out = keep / name.replace("/", "-")
    watch = Watch(machine, heddle_run(ROOT / f"scenarios/{name}.yaml", out), out).run()
    told = Report(out)
    seen = collections.Counter()
    for node, used in watch.cpu_s.values():
        seen[node] += used
    for node in sorted(told.cpu_s):
        judge.compare(f"{name}, {node}: CPU, s", seen[node], told.cpu_s[node], CPU)
    for node in sorted(told.memory):
        judge.compare(f"{name}, {node}: highest memory, MiB", watch.memory[node] / 2**20,
                      told.memory[node] / 2**20, MEMORY, 1)
    judge.compare(f"{name}: first start to last end, s", watch.last_s - watch.first_s, told.span_s, SPAN, SLACK_S)


def beside_loops(machine, judge, keep, repeat):
    """The same run alone and beside two busy loops, in turn."""
    spans = {False: [], True: []}
    for i in range(repeat):
        for loops in (False, True):
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * loops)]
            try:
                out = keep / f"{'beside' if loops else 'alone'}-{i + 1}"
                heddle_run(ROOT / "scenarios/quickstart.yaml", out).wait()
                spans[loops].append(Report(out).makespan_s)
            finally:
                for process in busy:
                    process.kill()
                    process.wait()
    judge.compare(f"quickstart beside two busy loops: makespan, s (medians of {repeat})",
                  statistics.median(spans[True]), statistics.median(spans[False]), BESIDE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs alone and beside loops; 0: none")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("scenarios", nargs="*", default=SCENARIOS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep or pathlib.Path(scratch)
        keep.mkdir(parents=True, exist_ok=True)
        machine, judge = Machine(), Judge()
        for name in options.scenarios:
            measure(name, machine, judge, keep)
        if options.repeat > 0:
            beside_loops(machine, judge, keep, options.repeat)
    print(f"{judge.wrong} comparisons are out of their bounds")
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
