"""Measures heartbeats of a run over TCP in three alternating situations: an unauthenticated peer sends
garbage to the master's control port, the peer sends it to a port of its own (which takes the same CPU),
and no garbage is sent. Prints the medians of each.

    ninja -C build heddle heddle-master heddle-worker heddle-task heddle-flood
    python3 tests/garbage/measure.py [BUILD [FRAMES-PER-SECOND [FRAMES-PER-CONNECTION [STRETCHES [SECONDS]]]]]
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

arguments = sys.argv[1:] + [None] * 5
build = os.path.abspath(arguments[0] or "build")
rate, per_connection = int(arguments[1] or 10_000), int(arguments[2] or 10)
stretches, seconds = int(arguments[3] or 5), float(arguments[4] or 10)
nodes, period_ms = 4, 200
kinds = ["quiet", "garbage elsewhere", "garbage"]
total = len(kinds) * stretches * (seconds + 1) + 6


def program(name):
    return f"{build}/bin/{name}"


with tempfile.TemporaryDirectory(prefix="heddle-garbage-") as here:
    keys, out, log = f"{here}/keys", f"{here}/out", f"{here}/master.log"
    with open(f"{here}/s.yaml", "w", encoding="utf-8") as scenario:
        scenario.write(
            f"heddle: 1\nname: garbage\nemulation: {{time_scale: 1, core_fraction: 0.01, memory_scale: 1/64}}\n"
            f"cluster:\n  heartbeat: {period_ms}ms\n  nodes:\n"
            f"    - {{name: n, count: {nodes}, cores: 1, memory: 1GiB}}\n"
            f"    - {{name: probe, cores: 1, memory: 256MiB}}\n"
            f"jobs:\n  - name: sleepers\n    phases:\n      - {{name: map, kind: map, tasks: {nodes}, "
            f"request: {{cores: 1, memory: 512MiB}}, sleep: {total + 60:.0f}s, memory: 256MiB}}\n")
    subprocess.run([program("heddle"), "keys", "make", "--keys", keys], check=True, stdout=subprocess.DEVNULL)
    os.mkdir(out)
    processes = []

    def start(*words, **more):
        processes.append(subprocess.Popen(list(words), **more))
        return processes[-1]

    try:
        master = start(program("heddle-master"), f"{here}/s.yaml", "--out", out, "--run", "garbage", "--keys", keys,
                       "--bind", "tcp://127.0.0.1:*", "--log", log)
        while not os.path.exists(log) or "control at tcp://" not in open(log, encoding="utf-8").read():
            time.sleep(0.1)
        endpoint = open(log, encoding="utf-8").read().split("control at ")[1].split()[0]
        for n in range(nodes):
            start(program("heddle-worker"), "--connect", endpoint, "--keys", keys, "--run", "garbage", "--node",
                  f"n{n + 1}", "--log", f"{here}/worker{n + 1}.log")
        with open(f"{here}/probe", "w", encoding="utf-8") as probe:
            start(program("heddle-flood"), "probe", endpoint, keys, "worker", "garbage", "probe", str(period_ms),
                  str(total), stdout=probe)
            sink = start(program("heddle-flood"), "sink", str(int(total) + 10), stdout=subprocess.PIPE)
            elsewhere = sink.stdout.readline().decode().strip()
            time.sleep(4)
            windows = []
            offset = time.time() - time.monotonic()
            for i in range(len(kinds) * stretches):
                begin, kind = time.monotonic(), i % len(kinds)
                if kind:
                    port = endpoint.rsplit(":", 1)[1] if kind == 2 else elsewhere
                    done = subprocess.run([program("heddle-flood"), "garbage", port, str(rate), str(per_connection),
                                           str(seconds)], check=True, capture_output=True)
                    print(f"{kinds[kind]}: {done.stdout.decode().strip()}", flush=True)
                else:
                    time.sleep(seconds)
                windows.append((kind, begin, time.monotonic()))
                time.sleep(1)
        master.terminate()
        master.wait()
    finally:
        for process in reversed(processes):
            if process.poll() is None:
                process.terminate()
        for process in processes:
            process.wait()

    def sort_in(at, value, into):
        for kind, begin, end in windows:
            if begin + 0.5 <= at <= end:
                into[kind].append(value)

    trips, gaps, last = [[] for _ in kinds], [[] for _ in kinds], {}
    for line in open(f"{here}/probe", encoding="utf-8"):
        at, microseconds = map(float, line.split())
        sort_in(at, microseconds, trips)
    journal = [json.loads(line) for line in open(f"{out}/journal.jsonl", encoding="utf-8")]
    # Each heartbeat has a sample at the time when it came, in seconds since the run began.
    began = next(line["wall"] - line["t"] for line in journal if "wall" in line and line.get("t", 0) > 0) - offset
    for text in open(f"{out}/samples.jsonl", encoding="utf-8"):
        line = json.loads(text)
        if line["node"] in last:
            sort_in(began + line["t"], (line["t"] - last[line["node"]]) * 1e3, gaps)
        last[line["node"]] = line["t"]

    def tell(what, unit, values_of):
        for kind, values in zip(kinds, values_of):
            if not values:
                print(f"{what}, {kind}: nothing was measured")
                continue
            median = statistics.median(values)
            over = (median / statistics.median(values_of[0]) - 1) * 100 if values_of[0] else 0
            print(f"{what}, {kind}: median {median:.1f} {unit} ({over:+.1f} %), 99th percentile "
                  f"{sorted(values)[int(len(values) * 0.99)]:.1f} {unit}, of {len(values)}")

    tell("between two heartbeats of a node", "ms", gaps)
    tell("from a heartbeat to its reply", "us", trips)
    warnings = [line for line in open(log, encoding="utf-8") if "refused" in line]
    print(f"{len(warnings)} lines about refused peers in the master's log, the last: {warnings[-1].strip() if warnings else ''}")
    lost = [line for line in journal if line["type"] == "node_lost"]
    print(f"{len(lost)} nodes lost")
