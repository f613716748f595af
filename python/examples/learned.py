#!/usr/bin/env python3
"""Learns a policy for rigid jobs, and compares it with shortest job first on other workloads.

    python3 python/examples/learned.py             trains for ten minutes, then compares
    python3 python/examples/learned.py --trained   compares with the weights that are in this file

Jobs are drawn by the model of Lublin and Feitelson ("The workload on parallel supercomputers",
Journal of Parallel and Distributed Computing 63(11), 2003): most are short, some take hours. Shortest
job first starts every job that fits. If a few long jobs hold all cores, short ones wait for hours.

The policy gives each job a score, a weighted sum of its features. The job with the highest score
starts if this score is above 0; otherwise cores stay free for jobs that come later. The
cross-entropy method searches for the weights: it draws weights from a normal distribution, simulates
episodes with them, and moves the distribution to the best fifth. What it makes small is the sum of
two figures, each divided by that of shortest job first: the mean bounded slowdown (the completion
time of a job divided by its running time, of at least 10 s) and the mean completion time.
"""

import argparse
import math
import random
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import heddle  # noqa: E402
from heddle.env import HeddleEnv  # noqa: E402

NODES, CORES = 4, 8
JOBS = 100
#: The weights that a training has found, for --trained.
TRAINED = [0.75, -0.12, -0.32, -0.43, 1.46, 0.39, -1.56]
FEATURES = ("one", "walltime", "width", "left", "walltime x left", "waited", "walltime x width")


def draw_job(drawn, cores):
    """Draws the width and the running time of a job, with the parameters of the model for jobs of
    all kinds."""
    width = 1
    kind = drawn.random()
    if kind > 0.244:  # the others are serial
        largest = math.log2(cores)
        medium = largest - 2.5
        power = drawn.uniform(0.8, medium) if drawn.random() < 0.86 else drawn.uniform(medium, largest)
        width = round(2 ** (round(power) if kind <= 0.244 + 0.576 else power))
    short = 0.78 - 0.0054 * width
    while True:
        log = drawn.gammavariate(4.2, 0.94) if drawn.random() < short else drawn.gammavariate(312, 0.03)
        if log <= 12:
            return width, max(1, round(math.exp(log)))


def workload(seed):
    """Returns a scenario of jobs that need as many cores as the cluster has, on average. They come
    at random times (a Poisson process), and know their running times."""
    drawn = random.Random(seed)
    jobs = [draw_job(drawn, NODES * CORES) for _ in range(JOBS)]
    gap = sum(width * time_s for width, time_s in jobs) / JOBS / (NODES * CORES)
    submits = [0.0]
    while len(submits) < JOBS:
        submits.append(submits[-1] + drawn.expovariate(1 / gap))
    return {
        "name": "lublin",
        "simulation": {"ideal": True},
        # Heartbeats decide nothing here. Rare ones make the simulation faster.
        "cluster": {"dispatch": "immediate", "heartbeat": "1h", "node_timeout": "2h",
                    "nodes": [{"name": "n", "count": NODES, "cores": CORES, "memory": "64GiB"}]},
        "jobs": [{"name": f"j{i}", "submit": f"{submit:.0f}s", "walltime": f"{time_s}s",
                  "phases": [{"name": "rank", "tasks": width, "gang": True, "sleep": f"{time_s}s",
                              "request": {"cores": 1, "memory": "1GiB"}}]}
                 for i, ((width, time_s), submit) in enumerate(zip(jobs, submits))],
    }


def features(env, request, free, now):
    """Returns the features of a job, each near 1. `free`: cores that are free now."""
    walltime_s = env.cluster.jobs[request.job].walltime_s
    long = max(0, math.log10(walltime_s) - 2) / 2
    width = math.log(request.pending, NODES * CORES)
    left = (free - request.pending) / (NODES * CORES)  # of the cores, after the start
    waited = math.log1p((now - request.submitted) / walltime_s)
    return 1, long, width, left, long * left, waited, long * width


def learned(weights):
    def choose(env, now):
        free = sum(node.free.cores for node in env.cluster.nodes)
        scores = [sum(w * x for w, x in zip(weights, features(env, request, free, now)))
                  for request in env.requests]
        best = max(range(len(scores)), key=scores.__getitem__)
        # An idle cluster always starts a job, so that no run gets stuck.
        return best if scores[best] > 0 or free == NODES * CORES else env.slots
    return choose


def shortest_job_first(env, now):
    walltimes = [env.cluster.jobs[request.job].walltime_s for request in env.requests]
    return min(range(len(walltimes)), key=walltimes.__getitem__)


def figures(summary):
    """Returns the mean bounded slowdown and the mean completion time of a run."""
    slowdowns = [max(1, job["completion_s"] / max(job["completion_s"] - job["waiting_s"], 10))
                 for job in summary["jobs"]]
    return statistics.mean(slowdowns), summary["mean_completion_s"]


_env = None


def play(job):
    """Plays an episode in this process: a seed, and the weights of a policy or None for shortest job
    first. Returns its figures."""
    global _env
    _env = _env or HeddleEnv(workload, slots=JOBS)
    seed, weights = job
    choose = learned(weights) if weights else shortest_job_first
    _, info = _env.reset(seed=seed)
    over = False
    while not over:
        _, _, over, _, info = _env.step(choose(_env, info["now"]))
    return figures(info["summary"])


def train(pool, seconds, population=24, episodes=8):
    """Searches for weights. Each generation plays episodes of its own seeds, from 1000 on."""
    began = time.monotonic()
    drawn = random.Random(1)
    mean, spread = [0.0] * len(FEATURES), [1.0] * len(FEATURES)
    generation = 0
    while time.monotonic() - began < seconds:
        seeds = range(1000 + generation * episodes, 1000 + (generation + 1) * episodes)
        some = [[drawn.gauss(m, s) for m, s in zip(mean, spread)] for _ in range(population)]
        played = list(pool.map(play, [(seed, weights) for weights in [None, *some] for seed in seeds],
                               chunksize=episodes))
        means = [[statistics.mean(column) for column in zip(*played[i:i + episodes])]
                 for i in range(0, len(played), episodes)]
        values = [slowdown / means[0][0] + completion_s / means[0][1]
                  for slowdown, completion_s in means[1:]]
        best = [weights for _, weights in sorted(zip(values, some))[: population // 5]]
        mean = [statistics.mean(column) for column in zip(*best)]
        spread = [statistics.pstdev(column) + 0.05 for column in zip(*best)]
        generation += 1
        print(f"generation {generation}: {min(values):.2f} at best, shortest job first 2.00; "
              f"{time.monotonic() - began:.0f} s", flush=True)
    return [round(weight, 2) for weight in mean]


def interval(values):
    """Returns the mean and half of its 95 % interval (Student's t, 29 degrees of freedom)."""
    return statistics.mean(values), 2.045 * statistics.stdev(values) / len(values) ** 0.5


def compare(pool, weights, seeds=range(1, 31)):
    """Compares policies on seeds that the training has not seen. Returns the difference of the
    learned policy from shortest job first, with half of its interval, for each figure."""
    results = {name: [figures(heddle.simulate(workload(seed), policy=name,
                                              options=["--journal", "none"]).summary) for seed in seeds]
               for name in ("fifo", "easy")}
    for name, own in (("shortest job first", None), ("learned", weights)):
        results[name] = list(pool.map(play, [(seed, own) for seed in seeds]))
    print(f"{len(seeds)} other seeds        slowdown  against SJF        completion s  against SJF")
    differences = []
    for name, runs in results.items():
        line = f"{name:20}"
        differences = []
        for i, width in ((0, 8), (1, 14)):
            values = [run[i] for run in runs]
            base = [run[i] for run in results["shortest job first"]]
            differences.append(interval([v - b for v, b in zip(values, base)]))
            line += f"{statistics.mean(values):{width}.1f}  {differences[-1][0]:+7.1f} +- {differences[-1][1]:5.1f}"
        print(line)
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trained", action="store_true", help="use the weights in this file")
    parser.add_argument("--seconds", type=float, default=600, help="how long to train (default: 600)")
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        weights = TRAINED if options.trained else train(pool, options.seconds)
        print("weights:", ", ".join(f"{name} {w:+.2f}" for name, w in zip(FEATURES, weights)))
        (slowdown, half), _ = compare(pool, weights)
    return 0 if slowdown + half < 0 else 1


if __name__ == "__main__":
    sys.exit(main())
