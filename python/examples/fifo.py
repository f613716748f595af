#!/usr/bin/env python3
"""First in, first out: what Heddle's `fifo` does."""

from heddle_policy import Policy, run


class Fifo(Policy):
    def decide(self, step):
        step.place(key=lambda request: request.order, fixed=True)


if __name__ == "__main__":
    run(Fifo)
