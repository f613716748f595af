#!/usr/bin/python3
"""Starts and interrupts runs of many small nodes without containers, for `heddle bench start`.

start.py HEDDLE NODES DIRECTORY [OPTION...]

HEDDLE is the program, and gets the options. The first run is interrupted when all workers have
registered, the second after half of that time. Prints the row of the results, in real seconds and
MiB; memory_mib is the memory of this host that the run added. Files go to DIRECTORY, a new one."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time


def scenario(nodes):
    """Returns a scenario whose only job comes after a day. The heartbeats of all nodes together need
    a quarter of a CPU, as one takes half a millisecond."""
    heartbeat = max(1, nodes * 0.002)
    size = {"cores": 0.05, "memory": "64MiB"}
    return {
        "heddle": 1,
        "name": "bench-start",
        "emulation": {"time_scale": 1, "core_fraction": min(max(1 / (nodes * 0.05), 0.001), 0.05),
                      "memory_scale": 1 / 32},
        # Registered workers wait for workers that still start. After that, each worker has to read
        # the addresses of all other workers.
        "cluster": {"heartbeat": f"{heartbeat}s", "node_timeout": f"{max(60, 5 * heartbeat)}s",
                    "nodes": [{"count": nodes, "name": "n", **size, "allowance": size}]},
        "jobs": [{"name": "later", "submit": "86400s",
                  "phases": [{"name": "sleep", "tasks": 1, "request": size, "sleep": "60s"}]}]}


def memory_mib():
    with open("/proc/meminfo") as file:
        kib = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return (kib["MemTotal"] - kib["MemAvailable"]) / 1024


class Run:
    """A run, which is interrupted at the end at the latest."""

    def __init__(self, heddle, nodes, directory, options):
        os.makedirs(directory)
        with open(directory + "/scenario.yaml", "w") as file:
            json.dump(scenario(nodes), file)
        self.out = directory + "/out"
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            [heddle, "run", file.name, "--out", self.out, "--derived=later", "--quiet", *options],
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.interrupt()

    def wait(self, seconds=0.0):
        """Waits, and ends this program with the run's status if the run has ended."""
        time.sleep(seconds)
        if self.process.poll() is not None:
            sys.exit(3)

    def all_registered(self):
        """Returns whether the run's clock is running, that is, the last worker has registered."""
        try:
            with open(self.out + "/journal.jsonl") as file:
                return '"node_registered"' in file.read()
        except FileNotFoundError:
            return False

    def interrupt(self):
        """Returns the seconds until the run has ended."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            sys.exit("a run did not end within a minute of an interrupt")
        return time.monotonic() - begin


def main(heddle, nodes, directory, *options):
    nodes = int(nodes)
    before = memory_mib()
    with Run(heddle, nodes, directory + "/whole", options) as run:
        while not run.all_registered():
            run.wait(0.05)
            if time.monotonic() - run.begin > 60 + 0.2 * nodes:
                sys.exit("not all workers registered in time")
        start = time.monotonic() - run.begin
        memory = memory_mib() - before
        end = run.interrupt()
    with Run(heddle, nodes, directory + "/half", options) as run:
        run.wait(start / 2)
        early_end = run.interrupt()
    print(json.dumps({"nodes": nodes, "start_s": round(start, 6), "memory_mib": round(memory, 6),
                      "node_mib": round(memory / nodes, 6), "end_s": round(end, 6),
                      "early_end_s": round(early_end, 6)}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("interrupted")
