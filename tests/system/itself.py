#!/usr/bin/env python3
"""Compares a policy with itself in real runs, and counts how often a difference is reported.

    tests/system/itself.py [--comparisons N] [--repeat N] [--policy P] [--heddle FILE] [--out DIR]

Runs `heddle compare itself.yaml --policies P,P` N times (default 20) with 5 repeats each. A comparison counts as
wrong if it calls any headline metric (makespan, mean waiting, mean completion) better or worse. The interval's
level is chosen so that at most 5 of 100 are. With that chance, N comparisons have at most `allowed` wrong ones
with probability 95 % or more (binomial distribution; 3 of 20).

One run takes about 5 s, so that 20 comparisons of 2 x 5 runs take about 20 minutes. The machine should do nothing
else meanwhile. A directory --out (default results/itself) that has some of the comparisons already is resumed.

Exit status: 0 at most `allowed` comparisons are wrong, 1 more are, 2 a comparison could not be made.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CHANCE = 0.05
SURE = 0.95


def allowed(comparisons):
    """The smallest k with P(X <= k) >= SURE, where X is binomial of `comparisons` and CHANCE."""
    sum_so_far = 0.0
    for k in range(comparisons + 1):
        ways = math.comb(comparisons, k)
        sum_so_far += ways * CHANCE**k * (1 - CHANCE) ** (comparisons - k)
        if sum_so_far >= SURE:
            return k
    return comparisons


def different(comparison):
    """The headline metrics in which the comparison calls the policies different."""
    return [
        f"{metric['title']} {against['relative']:+.1%}"
        for metric in comparison["metrics"]
        if metric["headline"]
        for against in metric["against"]
        if against["verdict"] in ("less", "more")
    ]


def compare(options, out):
    done = subprocess.run(
        [options.heddle, "compare", str(HERE / "itself.yaml"), "--policies",
         f"{options.policy},{options.policy}", "--repeat", str(options.repeat), "--out", str(out),
         "--json", "--quiet"],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"{out}: heddle compare ended with status {done.returncode}", file=sys.stderr)
        sys.exit(2)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comparisons", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--policy", default="fifo")
    parser.add_argument("--heddle", default=str(HERE.parent.parent / "build/bin/heddle"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results/itself"))
    options = parser.parse_args()
    wrong = 0
    for number in range(1, options.comparisons + 1):
        found = different(compare(options, options.out / str(number)))
        wrong += bool(found)
        print(f"{number} of {options.comparisons}: " + (", ".join(found) or "no difference"),
              flush=True)
    most = allowed(options.comparisons)
    print(f"{wrong} of {options.comparisons} comparisons called a policy different from itself; "
          f"allowed: {most}")
    sys.exit(wrong > most)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
