#!/usr/bin/env python3
"""Many short real runs with random faults, and what must hold of each however it went.

    tests/chaos/chaos.py [--faults N] [--seed S] [--heddle FILE] [--keep DIR]

Draws scenarios from the seed until N faults (default 1000) have happened in all: those that a scenario can ask
for (docs/faults.md), and SIGKILL from outside for `heddle run`, the master, a worker or a task. A run that was
aborted is gone on with by `heddle resume`. Of each run it is held

- that it ends;
- that every job has ended once, completed or failed, and a completed one has completed each of its tasks, again
  only where what it had handed over was lost (with its node, or for a reader that could not have it);
- that the journal is readable and has each worker's reports without a gap, and so all that was acknowledged;
- that a replay decides the same;
- that no process, control group or directory of the run is left.

Exit status 1: something did not hold. The directory of such a run is kept in --keep (default ./chaos-findings),
with its scenario and what was wrong.
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
import subprocess
import sys
import tempfile
import time

import leftovers

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ["fifo", "fair", "drf", "capacity", "fifo+reserve=false", "dress", "haste", "ikayak", "estimation"]
OUTSIDE = ["heddle", "heddle-master", "heddle-worker", "heddle-task"]
CRASHED = 122  # heddle-task's exit status for crash-task
LIMIT_S = 180  # a run that takes longer, in real seconds, hangs


def make_job(draw, name):
    request = {"cores": 1, "memory": "1GiB"}
    job = {"name": name, "submit": f"{draw.randint(0, 10)}s", "max_attempts": 20}
    kind = draw.choice(["maps", "mapreduce", "mapreduce", "spark"])
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


def make_fault(draw, kind, nodes, jobs):
    fault = {"fault": kind}
    if kind in ("crash-task", "straggle"):
        job = draw.choice(jobs)
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


def make_scenario(draw, number):
    nodes = [f"n{i + 1}" for i in range(draw.randint(3, 5))]
    jobs = [make_job(draw, f"j{i + 1}") for i in range(draw.randint(1, 3))]
    kinds = draw.choices(["kill-worker", "freeze-worker", "partition", "slow-node", "full-disk", "lose-heartbeats",
                          "delay-heartbeats", "duplicate-heartbeats", "crash-task", "straggle"],
                         k=draw.randint(5, 12))
    if draw.random() < 0.3:
        kinds.append("kill-master")
    faults, taken = [], set()
    for fault in (make_fault(draw, kind, nodes, jobs) for kind in kinds):
        key = tuple(str(fault.get(part)) for part in ("fault", "job", "phase", "task", "attempt", "node"))
        if key not in taken or fault["fault"] not in ("crash-task", "straggle"):
            taken.add(key)
            faults.append(fault)
    return {"heddle": 1, "name": f"chaos-{number}", "seed": draw.randrange(1 << 30),
            "emulation": {"time_scale": 0.2, "core_fraction": 0.05, "memory_scale": "1/64"},
            "cluster": {"node_timeout": "5s",
                        "dispatch": draw.choice(["heartbeat", "immediate"]),
                        "nodes": [{"name": name, "cores": draw.choice([2, 3, 4]), "memory": "6GiB"} for name in nodes]},
            "storage": {"replicas": 2}, "policy": draw.choice(POLICIES), "jobs": jobs, "faults": faults}


def processes(program):
    """Pids of the living processes whose executable is this file."""
    found = []
    for path in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(path) == program and open(path[:-3] + "stat").read().split(")")[1].split()[0] != "Z":
                found.append(int(path.split("/")[2]))
        except OSError:
            continue
    return found


def look_for_leftovers(directory, status, wrong):
    """Before anything else may remove them."""
    journal = directory / "out/journal.jsonl"
    try:
        run_id = json.loads(journal.open().readline())["run"]
    except (OSError, ValueError):  # it had not begun
        return
    found = leftovers.leftovers(run_id, killed=status == -signal.SIGKILL)
    wrong += [f"left after status {status}: {what}" for what in found]


def end(child, wrong):
    try:
        return child.wait(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        wrong.append(f"did not end within {LIMIT_S} s")
        child.kill()
        return child.wait()


def kill_from_outside(draw, heddle, child, counts):
    """Some processes of the run that `child` is, at random moments."""
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        time.sleep(draw.uniform(0.2, 3))
        name = draw.choices(OUTSIDE, weights=[2, 1, 3, 6])[0]
        pids = [child.pid] if name == "heddle" else processes(str(heddle.parent / name))
        if child.poll() is not None or not pids:
            return
        try:
            os.kill(draw.choice(sorted(pids)), signal.SIGKILL)
            counts[f"SIGKILL from outside to {name}"] += 1
        except ProcessLookupError:
            pass


def run(draw, heddle, scenario, directory, counts, wrong):
    path = directory / "scenario.yaml"
    path.write_text(json.dumps(scenario, indent=1))
    words = [heddle, "run", path, "--out", directory / "out", "--quiet", "--no-derived"]
    with open(directory / "log", "w") as log:
        child = subprocess.Popen(words, stdout=log, stderr=log)
        kill_from_outside(draw, heddle, child, counts)
        status = end(child, wrong)
        look_for_leftovers(directory, status, wrong)
        for _ in range(4):
            if status in (0, 1) or wrong or not (directory / "out/journal.jsonl").exists():
                break
            print(f"== status {status}: clean, resume", file=log, flush=True)
            subprocess.run([heddle, "clean"], stdout=log, stderr=log)
            words = [heddle, "resume", directory / "out", "--quiet", "--no-derived"]
            status = end(subprocess.Popen(words, stdout=log, stderr=log), wrong)
            look_for_leftovers(directory, status, wrong)
            counts["heddle resume"] += 1
    counts[f"runs that ended with status {status}"] += 1
    if status not in (0, 1):
        wrong.append(f"status {status}")


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
    launched, completed, finished = {}, collections.defaultdict(list), collections.Counter()
    reports, gone, unread, states = {}, collections.defaultdict(list), collections.defaultdict(list), {}
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
        elif kind == "container_ended":
            what = launched[line["container"]]
            counts[f"attempts {line['outcome']}"] += 1
            counts["crash-task"] += line["exit_code"] == CRASHED
            if line["outcome"] == "completed":
                completed[what["job"], what["phase"], what["task"]].append((at, what["node"]))
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
        for phase, tasks in enumerate(p["tasks"] for p in scenario["jobs"][job["id"]].get("phases", [])):
            for task in range(tasks):
                times = completed[job["id"], phase, task]
                if state == "completed" and not times:
                    wrong.append(f"job {job['name']} completed without task {phase}/{task}")
                for (first, node), (again, _) in zip(times, times[1:]):
                    if not any(first < at < again for at in gone[node] + unread[job["id"], task]):
                        wrong.append(f"task {job['name']}/{phase}/{task} completed twice, journal line {again + 1}")
    return max(line.get("t", 0) for line in journal)


def check(heddle, directory, scenario, counts, wrong):
    path = directory / "out/journal.jsonl"
    if not path.exists():  # killed before it began
        counts["runs killed before their journal began"] += 1
        wrong[:] = [text for text in wrong if not text.startswith("status")]
        return 0
    journal = read_journal(path, wrong)
    wrong += [f"left: {what}" for what in leftovers.leftovers(journal[0]["run"])]
    emulated = check_journal(journal, scenario, counts, wrong)
    replay = subprocess.run([heddle, "replay", directory / "out"], capture_output=True, text=True)
    if replay.returncode != 0:
        wrong.append(f"replay: {replay.stdout}{replay.stderr}")
    return emulated


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/bin/heddle")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("chaos-findings"))
    options = parser.parse_args()
    heddle = options.heddle.resolve()
    counts, happened, runs, findings, emulated = collections.Counter(), 0, 0, 0, 0.0
    while happened < options.faults:
        runs += 1
        draw = random.Random(f"{options.seed} {runs}")
        scenario, mine, wrong = make_scenario(draw, runs), collections.Counter(), []
        directory = pathlib.Path(tempfile.mkdtemp(prefix="chaos-"))
        began = time.monotonic()
        run(draw, heddle, scenario, directory, mine, wrong)
        emulated += check(heddle, directory, scenario, mine, wrong)
        # A straggle has no line; it counts as it is asked for.
        mine["straggle"] += sum(fault["fault"] == "straggle" for fault in scenario["faults"])
        mine = +mine
        names = {fault["fault"] for fault in scenario["faults"]} | {"straggle"}
        happened += sum(n for what, n in mine.items() if what in names or what.startswith("SIGKILL"))
        counts += mine
        print(f"run {runs}: {scenario['policy']}, {time.monotonic() - began:.0f} s, {happened} faults so far"
              + "".join(f"\n  WRONG: {text}" for text in wrong), flush=True)
        if wrong:
            findings += 1
            (directory / "wrong").write_text("\n".join(wrong) + "\n")
            options.keep.mkdir(exist_ok=True)
            shutil.move(directory, options.keep / f"{options.seed}-{runs}")
        else:
            shutil.rmtree(directory)
    for what, number in sorted(counts.items()):
        print(f"{number:6} {what}")
    print(f"{runs} runs, {emulated / 60:.0f} emulated minutes, {happened} faults, {findings} runs where something did not hold")
    sys.exit(findings > 0)


main()
