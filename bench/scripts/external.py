#!/usr/bin/python3
"""Measures an external policy, for `heddle bench external`.

external.py HEDDLE SCENARIO DIRECTORY POLICY RELAYED OPTIONS TARGET...

POLICY is the policy for `heddle simulate`. RELAYED is the same with Python as its program, which
runs this script between Heddle and TARGET, and so measures each exchange (external.py relay
TARGET...). TARGET is an endpoint, or the program and its arguments. OPTIONS is a JSON list of
further options. The echo gets messages of the same sizes. Prints the row of the results. Files go
to DIRECTORY, a new one."""

import ctypes
import json
import math
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import time

import zmq

MOST_ECHOES = 20_000


def percentiles(values):
    """Returns the same as wire::percentiles."""
    values = sorted(values)
    ranks = {name: max(math.ceil(p * len(values) - 1e-9), 1)
             for name, p in (("p50", 0.5), ("p99", 0.99), ("max", 1))}
    return {name: round(values[rank - 1], 6) if values else None for name, rank in ranks.items()}


def exchange(socket, request):
    """Returns the reply, and the microseconds until it was there."""
    begin = time.perf_counter()
    socket.send(request)
    reply = socket.recv()
    return reply, (time.perf_counter() - begin) * 1e6


def relay(*target):
    """Passes Heddle's requests to the target. Prints the measurements before the last one."""
    outer, inner = (zmq.Context.instance().socket(kind) for kind in (zmq.REP, zmq.REQ))
    endpoint = os.environ["HEDDLE_POLICY_ENDPOINT"]
    outer.bind(endpoint)
    if "://" not in target[0]:
        os.environ["HEDDLE_POLICY_ENDPOINT"] = endpoint + "-relayed"
        subprocess.Popen(target)
    inner.connect(target[0] if "://" in target[0] else endpoint + "-relayed")
    sizes, trips, outside = [], [], []
    while request := outer.recv():
        if b'"type":"bye"' in request:
            bytes_ = sum(size for size, _ in sizes) // max(1, len(sizes))
            print(json.dumps({"requests": len(sizes), "request_bytes": bytes_,
                              "round_trip_us": percentiles(trips),
                              "outside_us": percentiles(outside), "sizes": sizes[:MOST_ECHOES]}),
                  flush=True)
        reply, us = exchange(inner, request)
        if b'"type":"step"' in request:
            sizes.append((len(request), len(reply)))
            trips.append(us)
            took = json.loads(reply).get("took_us")
            outside += [] if took is None else [us - took]
        outer.send(reply)


def serve_echo(endpoint):
    """Serves requests whose first eight bytes say how long the reply is."""
    socket = zmq.Context().socket(zmq.REP)
    socket.bind(endpoint)
    while request := socket.recv():
        socket.send(b"x" * struct.unpack("=Q", request[:8])[0])


def measure_echo(sizes, endpoint):
    """Returns the percentiles of exchanges of these sizes, in microseconds."""
    echo = multiprocessing.Process(target=serve_echo, args=(endpoint,), daemon=True)
    echo.start()
    socket = zmq.Context.instance().socket(zmq.REQ)
    socket.connect(endpoint)
    times = [exchange(socket, struct.pack("=Q", reply).ljust(request, b"x"))[1]
             for request, reply in sizes[:1] + sizes]
    echo.kill()
    return percentiles(times[1:])  # the first connects


def simulate(*words):
    """Runs `heddle simulate` and returns how long it took, in seconds."""
    process = subprocess.Popen(
        [*words, "--json", "--quiet", "--derived=later", "--journal=none"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG
    try:
        summary, error = process.communicate()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.wait(10)
        raise
    if process.returncode not in (0, 1):
        reason = error.removeprefix("heddle: ").rstrip() or json.loads(summary)["reason"]
        print(reason, file=sys.stderr)
        sys.exit(3 if process.returncode == 3 else 1)
    return round(json.loads(summary)["overhead"]["wall_s"], 6)


def main(heddle, scenario, directory, policy, relayed, options, *target):
    os.makedirs(directory)
    def arguments(words):
        return ["--policy-arg=" + word for word in words] + json.loads(options)
    def run(name, policy, *words):
        return simulate(heddle, "simulate", scenario, "--policy", policy, "--out",
                        f"{directory}/{name}", *words)
    seconds = run("direct", policy, *arguments(target[1:]))
    run("relayed", relayed, *arguments([__file__, "relay", *target]))
    with open(directory + "/relayed/logs/policy.log") as file:
        # The program can also have written to this file.
        row = json.loads([line for line in file if line.startswith('{"requests": ')][-1])
    row["echo_us"] = measure_echo(row.pop("sizes"), f"ipc://{directory}/echo")
    outside = row["outside_us"]["p50"] or row["round_trip_us"]["p50"]
    own_seconds = run("fifo", "fifo+reserve=false+reduce_early_start=1")
    print(json.dumps({**row, "x": round(outside / row["echo_us"]["p50"], 6), "seconds": seconds,
                      "own_seconds": own_seconds}))


if __name__ == "__main__":
    try:
        relay(*sys.argv[2:]) if sys.argv[1] == "relay" else main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("interrupted")
