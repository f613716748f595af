#!/usr/bin/env python3
"""EASY backfilling that speaks Batsim's protocol, version 4, as schedulers for Batsim do.

    heddle simulate scenarios/rigid-jobs.yaml --policy batsim:exec:python/examples/batsim_easy.py

The first job that can't start gets a reservation at the time at which enough running jobs reach
their walltimes. A later job can start if it does not delay the reservation.
"""

import json
import os
import sys

import zmq


class Easy:
    def __init__(self, count):
        self.free = set(range(count))
        self.queue = []  #: jobs that wait, in the order of their submission
        self.running = {}  #: id: (expected end, resources)
        self.jobs = {}

    def handle(self, now, event):
        data = event["data"]
        if event["type"] == "JOB_SUBMITTED":
            self.jobs[data["job_id"]] = data["job"]
            self.queue.append(data["job_id"])
        elif event["type"] == "JOB_COMPLETED":
            self.free |= self.running.pop(data["job_id"], (0, set()))[1]

    def start(self, now, job):
        taken = set(sorted(self.free)[: self.jobs[job]["res"]])
        self.free -= taken
        self.running[job] = (now + self.jobs[job].get("walltime", float("inf")), taken)
        return {"timestamp": now, "type": "EXECUTE_JOB",
                "data": {"job_id": job, "alloc": " ".join(map(str, sorted(taken)))}}

    def schedule(self, now):
        started = []
        while self.queue and self.jobs[self.queue[0]]["res"] <= len(self.free):
            started.append(self.start(now, self.queue.pop(0)))
        if not self.queue:
            return started
        room = len(self.free)
        shadow, extra = float("inf"), 0
        for end, taken in sorted(self.running.values(), key=lambda pair: pair[0]):
            room += len(taken)
            if room >= self.jobs[self.queue[0]]["res"]:
                # All jobs that end by then count.
                room = len(self.free) + sum(len(t) for e, t in self.running.values() if e <= end)
                shadow, extra = end, room - self.jobs[self.queue[0]]["res"]
                break
        for job in self.queue[1:]:
            res = self.jobs[job]["res"]
            ends_before = now + self.jobs[job].get("walltime", float("inf")) <= shadow
            if res > len(self.free) or not (ends_before or res <= extra):
                continue
            extra -= 0 if ends_before else res
            self.queue.remove(job)
            started.append(self.start(now, job))
        return started


def main(endpoint):
    socket = zmq.Context.instance().socket(zmq.REP)
    socket.bind(endpoint)
    easy = None
    while True:
        message = json.loads(socket.recv())
        for event in message["events"]:
            if event["type"] == "SIMULATION_BEGINS":
                easy = Easy(event["data"]["nb_compute_resources"])
            else:
                easy.handle(message["now"], event)
        reply = {"now": message["now"], "events": easy.schedule(message["now"])}
        socket.send(json.dumps(reply).encode())


if __name__ == "__main__":
    main(os.environ.get("HEDDLE_POLICY_ENDPOINT") or sys.argv[1])
