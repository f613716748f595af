#!/usr/bin/env python3
"""Shortest job first, by the work that the walltime or the number of tasks announces."""

from heddle_policy import Policy, run


class ShortestJobFirst(Policy):
    def decide(self, step):
        def work(request):
            job = step.cluster.jobs[request.job]
            tasks = sum(phase["tasks"] * phase["cores"] for phase in job.phases)
            return tasks * (job.walltime_s or 1)

        step.place(key=lambda request: (work(request), request.order), fixed=True)


if __name__ == "__main__":
    run(ShortestJobFirst)
