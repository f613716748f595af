#!/usr/bin/env python3
"""Learns which job goes next, and compares the result with fifo and shortest job first.

    python3 python/examples/learned.py [GENERATIONS]

The policy gives each request a score, a weighted sum of its features, and launches the one with the
highest score. The cross-entropy method searches for the weights: it draws weights from a normal
distribution, simulates episodes with them, and moves the distribution to the best tenth. The
training uses seeds from 1000 on; the comparison uses seeds 1 to 30.
"""

import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from heddle.env import FEATURES, HeddleEnv  # noqa: E402

#: Eight jobs of different sizes arrive faster than the cluster serves them. The seed draws the work
#: of their tasks.
SCENARIO = {
    "name": "learn",
    "simulation": {"ideal": True},
    "cluster": {"dispatch": "immediate",
                "nodes": [{"name": "n", "count": 4, "cores": 4, "memory": "16GiB"}]},
    "policy": "fifo",
    "jobs": [{"name": f"j{i}", "submit": f"{5 * i}s",
              "phases": [{"name": "map", "tasks": tasks,
                          "request": {"cores": cores, "memory": "1GiB"},
                          "cpu": {"dist": "lognormal", "mean": f"{cpu}s", "cv": 0.4}}]}
             for i, (tasks, cores, cpu) in enumerate(
                 [(30, 1, 10), (4, 2, 30), (60, 1, 5), (2, 1, 8), (12, 2, 20), (40, 1, 12),
                  (6, 1, 6), (20, 2, 25)])],
}
#: Scales that bring each feature near 1.
SCALES = dict(zip(FEATURES, (4, 16, 50, 50, 100, 100, 4)))


def play(env, seed, choose):
    """Plays an episode. Returns the mean completion time of its jobs."""
    observation, info = env.reset(seed=seed)
    over = info["choices"] == 0
    while not over:
        action = choose(observation[: info["choices"]])
        observation, _, over, _, info = env.step(action)
    return info["summary"]["mean_completion_s"]


def fifo(rows):
    return 0  # the requests are in this order


def shortest_job_first(rows):
    return min(range(len(rows)), key=lambda i: rows[i][FEATURES.index("job_work_left")])


def scored(weights):
    def choose(rows):
        return max(range(len(rows)), key=lambda i: sum(
            w * x / SCALES[name] for w, x, name in zip(weights, rows[i], FEATURES)))
    return choose


def train(env, generations, population=20, episodes=4):
    drawn = random.Random(1)
    mean, spread = [0.0] * len(FEATURES), [1.0] * len(FEATURES)
    for generation in range(generations):
        seeds = [1000 + generation * episodes + i for i in range(episodes)]
        results = []
        for _ in range(population):
            weights = [drawn.gauss(m, s) for m, s in zip(mean, spread)]
            results.append((statistics.mean(play(env, seed, scored(weights)) for seed in seeds),
                            weights))
        best = [weights for _, weights in sorted(results)[: population // 5]]
        mean = [statistics.mean(column) for column in zip(*best)]
        spread = [statistics.pstdev(column) + 0.05 for column in zip(*best)]
        print(f"generation {generation + 1}: mean completion {min(results)[0]:.1f} s")
    return mean


def interval(values):
    """Returns the mean and half of its 95 % interval (Student's t, 29 degrees of freedom)."""
    return statistics.mean(values), 2.045 * statistics.stdev(values) / len(values) ** 0.5


def main():
    env = HeddleEnv(SCENARIO)
    began = time.perf_counter()
    weights = train(env, int(sys.argv[1]) if len(sys.argv) > 1 else 12)
    print(f"trained for {time.perf_counter() - began:.0f} s:",
          ", ".join(f"{name} {w:+.2f}" for name, w in zip(FEATURES, weights)))
    seeds = range(1, 31)
    times = {name: [play(env, seed, choose) for seed in seeds]
             for name, choose in (("fifo", fifo), ("shortest job first", shortest_job_first),
                                  ("learned", scored(weights)))}
    for name, values in times.items():
        mean, half = interval(values)
        difference, half_difference = interval([v - f for v, f in zip(values, times["fifo"])])
        print(f"{name:20} mean completion {mean:6.1f} +- {half:.1f} s, "
              f"against fifo {difference:+6.1f} +- {half_difference:.1f} s")
    env.close()


if __name__ == "__main__":
    main()
