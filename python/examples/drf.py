#!/usr/bin/env python3
"""Dominant resource fairness among queues and their jobs: Heddle's `drf` for queues without
children."""

from heddle_policy import Policy, Resources, run


class Drf(Policy):
    def decide(self, step):
        cluster, whole = step.cluster, step.cluster.total

        def key(request):
            job = cluster.jobs[request.job]
            place = next(i for i, q in enumerate(cluster.queues) if q["name"] == job.queue)
            queue, used = cluster.queues[place], Resources()
            for other, held in cluster.held.items():
                if cluster.jobs[other].queue == job.queue:
                    used.add(held)
            share = used.dominant_share(whole)
            least = Resources(**queue["min"]).dominant_share(whole)
            queue_key = (0, share / least) if share < least else (1, share / queue["weight"])
            held = cluster.held.get(request.job, Resources())
            return (queue_key, place, held.dominant_share(whole) / job.weight, request.order)

        step.place(key, reason="dominant share")


if __name__ == "__main__":
    run(Drf)
