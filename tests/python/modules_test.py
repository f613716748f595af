"""Tests the modules heddle and heddle_policy, and the environment for learning."""

import dataclasses
import gc
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest
from pathlib import Path

import heddle
import heddle_policy
from heddle.env import FEATURES, HeddleEnv

ROOT = Path(__file__).resolve().parents[2]

#: One node of two cores. Job a has three tasks of 10 s, and job b, which comes 1 s later, one of 5 s.
SCENARIO = {
    "simulation": {"ideal": True},
    "cluster": {"dispatch": "immediate",
                "nodes": [{"name": "n", "cores": 2, "memory": "4GiB"}]},
    "jobs": [{"name": "a", "phases": [{"name": "map", "tasks": 3, "sleep": "10s",
                                       "request": {"cores": 1, "memory": "1GiB"}}]},
             {"name": "b", "submit": "1s",
              "phases": [{"name": "map", "tasks": 1, "sleep": "5s",
                          "request": {"cores": 1, "memory": "1GiB"}}]}],
}


def rows(table):
    """Returns the rows of a table, with pandas or without."""
    return table if isinstance(table, list) else table.to_dict("records")


class LastFirst(heddle_policy.Policy):
    """Prefers the job that came last."""

    def decide(self, step):
        step.place(key=lambda request: -request.job)


class Broken(heddle_policy.Policy):
    def decide(self, step):
        raise ValueError("no idea")


class Aged(heddle_policy.Policy):
    """Prefers a job, unless it waits for too long.

    The second paragraph is not part of the description."""

    options = {"ageing": heddle_policy.Option(0.1, min=0, unit="1/s", help="weight of waiting"),
               "last": heddle_policy.Option(False, help="begin with the last job"),
               "job": heddle_policy.Option(0, min=0, max=9),
               "mode": heddle_policy.Option("fast", words=["fast", "slow"])}
    seen: list = []

    def begin(self, hello):
        Aged.seen.append(dict(self.options))

    def key(self, request):
        return -request.job if self.options["last"] else request.job


#: One node of 4 cores with 2 licences. Each of three tasks of 10 s needs one, so the third waits.
LICENSED = {
    "simulation": {"ideal": True},
    "cluster": {"dispatch": "immediate", "resources": {"licence": {}},
                "nodes": [{"name": "n", "cores": 4, "memory": "8GiB", "licence": 2}]},
    "jobs": [{"name": "a", "phases": [{"name": "map", "tasks": 3, "sleep": "10s", "request":
                                       {"cores": 1, "memory": "1GiB", "licence": 1}}]}],
}


class CountedResources(unittest.TestCase):
    """A resource that only the scenario names is in everything that is made of a run."""

    def check(self, result):
        # Two tasks run from 0 to 10 s, and one from 10 to 20 s: 30 of 40 licence-seconds.
        self.assertEqual(result.summary["makespan_s"], 20)
        self.assertEqual(result.summary["allocation"]["licence"], 0.75)

    def test_results_and_replay(self):
        result = heddle.simulate(LICENSED, policy="fifo")
        self.check(result)
        self.assertEqual([row["licence"] for row in rows(result.attempts)], [1, 1, 1])
        node = rows(result.table("nodes"))[0]
        self.assertEqual([node["licence"], node["allowance_licence"], node["system_licence"]],
                         [2, 2, 0])
        self.assertEqual([row["licence"] for row in rows(result.table("phases"))], [1])
        journal = (result.directory / "journal.jsonl").read_text().splitlines()
        launches = [json.loads(line) for line in journal if '"type":"launch"' in line]
        self.assertEqual([line["counts"] for line in launches], [[1], [1], [1]])
        heddle._call(["replay", str(result.directory)])
        heddle._call(["why", str(result.directory), "a"])
        heddle._call(["report", str(result.directory)])
        html = (result.directory / "report.html").read_text()
        data = re.search('<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)
        page = json.loads(data[1])["runs"][0]
        self.assertEqual(page["capacity"]["licence"], 2)
        self.assertEqual(page["bars"]["licence"], [1, 1, 1])
        self.assertEqual(page["allocated"]["cluster"]["licence"]["v"], [2, 1, 0])

    def test_every_scheduler(self):
        for policy in ("fifo", "fair", "drf", "capacity", "ffd-dp", "haste", "haste-a", "dress",
                       "fifo+estimation", "ikayak"):
            with self.subTest(policy):
                self.check(heddle.simulate(LICENSED, policy=policy))

    def test_a_policy_of_ones_own(self):
        self.check(heddle.simulate(LICENSED, policy=LastFirst))

    def test_a_trace_and_its_import(self):
        result = heddle.simulate(LICENSED, policy="fifo")
        trace, scenario = result.directory / "trace.jsonl", result.directory / "imported.yaml"
        heddle._call(["trace", str(result.directory)])
        heddle._call(["import", "heddle-trace", str(trace), "--out", str(scenario)])
        self.check(heddle.simulate(scenario, policy="fifo"))

    def test_many_jobs_are_a_table(self):
        job = {**LICENSED["jobs"][0], "count": 2001, "submit": {"every": "20s"}}
        result = heddle.simulate({**LICENSED, "jobs": [job]}, policy="fifo")
        text = (result.directory / "scenario.yaml").read_text()
        self.assertIn("jobs: {table: 2001}", text)
        again = heddle.simulate(result.directory / "scenario.yaml", policy="fifo")
        self.assertEqual(again.summary["makespan_s"], 2001 * 20)

    def test_wrong_names_and_amounts(self):
        def refuse(change, words):
            scenario = json.loads(json.dumps(LICENSED))
            change(scenario)
            with self.assertRaisesRegex(heddle.HeddleError, words):
                heddle.simulate(scenario)

        def names(value):
            return lambda scenario: scenario["cluster"].update(resources=value)

        refuse(names({"speed": {}}), "speed: can't be the name of a resource")
        refuse(names(["licence"]), "a map of names such as {gpu: {devices: true}}")
        refuse(names({"licence": {"count": 2}}), "count is of the whole cluster")
        refuse(names({f"r{i}": {} for i in range(17)}), "has 17 resources; expected at most 16")
        refuse(names({}), "unknown key; expected one of name, count, cores")
        request = ["jobs", 0, "phases", 0, "request"]

        def asks(**amounts):
            def change(scenario):
                place = scenario
                for key in request:
                    place = place[key]
                place.update(amounts)
            return change

        refuse(asks(licence=3), "requests 1 cores, 1GiB and 3 licence per task; that fits no node: "
                                "the nearest node n gives tasks 4 cores, 8GiB and 2 licence")
        refuse(asks(licence="much"), "request.licence")
        refuse(asks(license=1), 'unknown key; .*did you mean "licence"')


#: One node with 2 devices. Each of three tasks of 10 s needs 0.6 of one, so the third waits.
DEVICES = {
    "simulation": {"ideal": True},
    "cluster": {"dispatch": "immediate",
                "resources": {"gpu": {"devices": True}, "seat": {"scope": "cluster", "count": 5}},
                "nodes": [{"name": "n", "cores": 4, "memory": "8GiB", "gpu": 2,
                           "labels": {"model": "V100"}}]},
    "jobs": [{"name": "a", "phases": [
        {"name": "map", "tasks": 3, "sleep": "10s", "where": {"model": ["V100", "A100"]},
         "request": {"cores": 1, "memory": "1GiB", "gpu": 0.6, "seat": 1}}]}],
}


class Devices(unittest.TestCase):
    """Devices, labels and what the cluster has as a whole are in everything made of a run."""

    def check(self, result):
        # Parts of 1.2 devices from 0 to 10 s, and of 0.6 from 10 to 20 s: 18 of 40 device-seconds.
        # 2 and 1 of 5 seats: 30 of 100 seat-seconds.
        self.assertEqual(result.summary["makespan_s"], 20)
        self.assertEqual(result.summary["allocation"]["gpu"], 0.45)
        self.assertEqual(result.summary["allocation"]["seat"], 0.3)

    def test_results_and_replay(self):
        result = heddle.simulate(DEVICES, policy="fifo")
        self.check(result)
        journal = (result.directory / "journal.jsonl").read_text().splitlines()
        launches = [json.loads(line) for line in journal if '"type":"launch"' in line]
        self.assertEqual([line["counts"] for line in launches], [[0.6, 1]] * 3)
        self.assertEqual([line["devices"] for line in launches], [[[0]], [[1]], [[0]]])
        for command in ("replay", "report"):
            heddle._call([command, str(result.directory)])
        again = heddle.simulate(result.directory / "scenario.yaml", policy="fifo")
        self.check(again)

    def test_every_scheduler(self):
        for policy in ("fifo", "fair", "drf", "capacity", "ffd-dp", "haste", "haste-a", "dress",
                       "fifo+estimation", "ikayak", "fifo+node_order=fgd"):
            with self.subTest(policy):
                self.check(heddle.simulate(DEVICES, policy=policy))

    def test_a_policy_of_ones_own(self):
        self.check(heddle.simulate(DEVICES, policy=LastFirst))

    def test_a_policy_that_launches_itself(self):
        held = []

        class HighestFirst(heddle_policy.Policy):
            """Gives each task the device with the highest number that has room."""

            def decide(self, step):
                held.extend(c.devices for c in self.cluster.containers.values())
                for request in step.pending():
                    for node in step.nodes():
                        while request.pending and step.free(node, request):
                            free = node.free_devices["gpu"]
                            fits = [i for i, share in enumerate(free) if share >= 0.6]
                            step.launch(request, node, devices={"gpu": fits[-1:]})
                if step.now < 5:
                    step.wake_at(5)

        result = heddle.simulate(DEVICES, policy=HighestFirst)
        self.check(result)
        devices = rows(result.table("attempt_devices"))
        self.assertEqual([(row["attempt_id"], row["device"], row["share"]) for row in devices],
                         [(0, 1, 0.6), (1, 0, 0.6), (2, 1, 0.6)])
        self.assertEqual(held[:2], [{"gpu": [1]}, {"gpu": [0]}])
        self.assertNotIn("action_refused", [row["type"] for row in rows(result.table("decisions"))])

    def test_labels_and_amounts_of_the_cluster_bind_a_policy_of_ones_own(self):
        scenario = json.loads(json.dumps(DEVICES))
        scenario["cluster"]["resources"]["seat"]["count"] = 1
        scenario["cluster"]["nodes"].insert(
            0, {"name": "t", "cores": 4, "memory": "8GiB", "gpu": 2, "labels": {"model": "T4"}})

        class FirstFit(heddle_policy.Policy):
            def decide(self, step):
                for request in step.pending():
                    for node in step.nodes():
                        while request.pending and step.free(node, request):
                            step.launch(request, node)

        result = heddle.simulate(scenario, policy=FirstFit)
        self.assertEqual(result.summary["makespan_s"], 30)  # one seat: one task after the other
        self.assertEqual({row["node"] for row in rows(result.attempts)}, {"n"})

    def test_a_trace_and_its_import(self):
        result = heddle.simulate(DEVICES, policy="fifo")
        trace, scenario = result.directory / "trace.jsonl", result.directory / "imported.yaml"
        heddle._call(["trace", str(result.directory)])
        heddle._call(["import", "heddle-trace", str(trace), "--out", str(scenario)])
        text = scenario.read_text()
        self.assertIn("resources: {gpu: {devices: true}, seat: {scope: cluster, count: 5}}", text)
        self.assertIn("labels: {model: V100}", text)
        self.assertIn("where: {model: [V100, A100]}", text)
        self.check(heddle.simulate(scenario, policy="fifo"))

    def test_many_jobs_are_a_table(self):
        job = {**DEVICES["jobs"][0], "count": 2001, "submit": {"every": "20s"}}
        result = heddle.simulate({**DEVICES, "jobs": [job]}, policy="fifo")
        self.assertIn("jobs: {table: 2001}",
                      (result.directory / "scenario.yaml").read_text())
        again = heddle.simulate(result.directory / "scenario.yaml", policy="fifo")
        self.assertEqual(again.summary["makespan_s"], 2001 * 20)

    def test_wrong_amounts(self):
        def refuse(words, **amounts):
            scenario = json.loads(json.dumps(DEVICES))
            scenario["jobs"][0]["phases"][0]["request"].update(amounts)
            with self.assertRaisesRegex(heddle.HeddleError, words):
                heddle.simulate(scenario)

        refuse("request.gpu: 1.5 is no number of devices; expected a part of one device, below 1, "
               "or whole devices", gpu=1.5)
        refuse("that fits no node", gpu=3)
        refuse("that fits no node", seat=6)


class Simulate(unittest.TestCase):
    # At 10 s, both cores become free. Under fifo, a's third task and b start then. b ends at 15 s,
    # a at 20 s; b has waited for 9 s.
    def test_a_dict_with_a_policy_in_text(self):
        result = heddle.simulate(SCENARIO, policy="fifo+reserve=false", seed=2)
        self.assertEqual(result.summary["makespan_s"], 20)
        self.assertEqual(result.summary["seed"], 2)
        self.assertEqual([job["waiting_s"] for job in rows(result.jobs)], [0, 9])
        self.assertEqual(len(rows(result.attempts)), 4)
        self.assertGreater(len(rows(result.samples)), 0)
        with self.assertRaisesRegex(KeyError, "no table 'nothing'"):
            result.table("nothing")

    def test_with_sets_an_option_of_the_policy(self):
        result = heddle.simulate(SCENARIO, policy="fifo", options=["--with", "reserve=false"])
        self.assertEqual(result.summary["policy"]["reserve"], "false")
        own = Aged.simulate(SCENARIO, options=["--with", "arg.last=true", "--with", "arg.job=3"])
        self.assertEqual((own.summary["policy"]["arg.last"], own.summary["policy"]["arg.job"]),
                         ("true", "3"))
        with self.assertRaisesRegex(heddle.HeddleError, "option damping does not apply to fifo"):
            heddle.simulate(SCENARIO, policy="fifo", options=["--with", "damping=0.2"])

    def test_a_policy_that_is_a_class(self):
        result = heddle.simulate(SCENARIO, policy=LastFirst,
                                 options=["--set", "policy.reserve=false"])
        lines = (result.directory / "journal.jsonl").read_text().splitlines()
        launches = [json.loads(line) for line in lines if '"type":"launch"' in line]
        self.assertEqual([(line["t"], line["job"]) for line in launches],
                         [(0, 0), (0, 0), (10, 1), (10, 0)])
        self.assertGreater(result.summary["overhead"]["policy_requests"], 2)

    def test_a_policy_that_raises_ends_the_run_with_its_traceback(self):
        with self.assertRaisesRegex(heddle.HeddleError, "the program failed:\nTraceback") as raised:
            heddle.simulate(SCENARIO, policy=Broken)
        self.assertEqual(raised.exception.status, 4)
        self.assertIn("in decide\n    raise ValueError(\"no idea\")", str(raised.exception))
        self.assertTrue(str(raised.exception).endswith("ValueError: no idea"))

    def test_wrong_scenarios_are_named(self):
        with self.assertRaisesRegex(heddle.HeddleError, "cluster"):
            heddle.simulate({"jobs": []})

    def test_columns_have_their_units(self):
        result = heddle.simulate(SCENARIO)
        attempt = rows(result.attempts)[0]
        self.assertEqual((attempt["memory_bytes"], attempt["cpu_core_s"]), (2**30, 0))
        self.assertIn("t_s", rows(result.samples)[0])
        # Columns of numbers end with a unit, or count something.
        counts = {"id", "number", "cores", "allowance_cores", "system_cores", "speed", "task",
                  "attempt", "contended", "exit_code", "suspensions", "job_id", "phase", "position",
                  "tasks", "gang", "attempts", "am_attempts", "oom_kills", "priority", "weight"}
        units = ("_s", "_ms", "_bytes", "_core_s", "_byte_s", "_bytes_per_s", "_bits_per_s")
        for table in ("nodes", "jobs", "phases", "attempts"):
            for name, value in rows(result.table(table))[0].items():
                if isinstance(value, (int, float)) and name not in counts:
                    self.assertTrue(name.endswith(units), f"{table}.{name}")

    def test_an_interrupt_ends_heddle_first(self):
        seen = []

        class Interrupting(heddle_policy.Policy):
            def decide(self, step):
                seen.extend(self.children())
                signal.raise_signal(signal.SIGINT)
                time.sleep(0.2)

            def children(self):
                for path in Path("/proc/self/task").glob("*/children"):
                    yield from path.read_text().split()

        with self.assertRaises(KeyboardInterrupt):
            heddle.simulate(SCENARIO, policy=Interrupting)
        self.assertGreater(len(seen), 0)
        self.assertEqual([child for child in seen if Path(f"/proc/{child}").exists()], [])


#: Lengths are drawn, so repeats differ. The second job is shorter.
DRAWN = {
    "simulation": {"ideal": True},
    "cluster": {"dispatch": "immediate", "nodes": [{"name": "n", "cores": 1, "memory": "4GiB"}]},
    "jobs": [{"name": name, "phases": [{"name": "map", "tasks": 1, "sleep": {"dist": "lognormal", "mean": mean, "cv": 0.1},
                                        "request": {"cores": 1, "memory": "1GiB"}}]}
             for name, mean in (("long", "100s"), ("short", "10s"))],
}


class Batches(unittest.TestCase):
    # Under fifo, the jobs end at 100 and 110 s, so the mean is 105 s. The other order gives 10 and
    # 110 s, so 60 s.
    def test_compare_with_classes(self):
        compared = heddle.compare(DRAWN, ["fifo+reserve=false", LastFirst, (Aged, {"last": True})],
                                  repeat=4, seed=5)
        names = ["fifo+reserve=false", "LastFirst", "Aged+last=true"]
        self.assertEqual([policy["name"] for policy in compared.data["policies"]], names)
        metrics = {row["policy"]: row for row in rows(compared.metrics)
                   if row["metric"] == "mean_completion_s" and row["group"] == "all"}
        for name, mean_s in zip(names, (105, 60, 60)):
            self.assertAlmostEqual(metrics[name]["median"], mean_s, delta=15)
            self.assertEqual(metrics[name]["unit"], "s")
        self.assertEqual([metrics[name]["verdict"] for name in names], [None, "less", "less"])
        self.assertLess(metrics["LastFirst"]["difference_high"], 0)
        self.assertEqual(metrics["LastFirst"]["median"], metrics["Aged+last=true"]["median"])
        runs = rows(compared.runs)
        self.assertEqual([(row["policy"], row["repeat"], row["seed"]) for row in runs[3:5]],
                         [(names[0], 4, 8), (names[1], 1, 5)])
        self.assertIn("mean_completion_s", runs[0])
        self.assertIn("utilisation_cpu_share", runs[0])

    def test_an_option_that_is_not_set_has_its_declared_default(self):
        class Plain(LastFirst):
            pass

        compared = heddle.compare(SCENARIO, [Aged, (Aged, {"last": True, "ageing": 0.1}),
                                             (Aged, {"mode": "slow"}), Plain, "fifo"], repeat=1)
        options = {row["key"]: row["values"] for row in compared.data["options"]}
        self.assertEqual(options["arg.last"], ["false", "true", "false", None, None])
        self.assertEqual(options["arg.mode"], ["fast", "fast", "slow", None, None])
        self.assertEqual(options["arg.ageing"], ["0.1", "0.1", "0.1", None, None])
        self.assertNotIn("arg.job", options)  # nobody sets it
        # Printed again, without the classes.
        again = json.loads(heddle._call(["compare", str(compared.directory), "--json"]))
        self.assertEqual(again["options"], compared.data["options"])

    def test_relative_differences_are_percentages(self):
        def against(name, **more):
            return {"policy": name, "baseline": "fifo", "difference": None, "interval": None,
                    "relative": None, "relative_interval": None, "verdict": "too few", **more}

        contents = {"scenario": "s", "variants": [], "policies": [], "metrics": [{
            "key": "makespan_s", "unit": "s", "group": {"kind": "class", "name": "small"},
            "policies": [{"name": name, "median": 80.0, "low": 70.0, "high": 90.0}
                         for name in ("fifo", "drf", "fair")],
            "against": [against("drf", difference=-20.0, interval=[-30.0, -10.0], relative=-0.2,
                                relative_interval=[-0.31, -0.084375], verdict="less"),
                        against("fair")]}]}
        metrics = rows(heddle.Comparison(contents, ".").metrics)
        self.assertEqual(metrics[1], {
            "metric": "makespan_s", "group": "class small", "unit": "s", "policy": "drf",
            "median": 80, "low": 70, "high": 90, "difference": -20, "difference_low": -30,
            "difference_high": -10, "relative_percent": -20, "relative_low_percent": -31,
            "relative_high_percent": -8.4375, "verdict": "less"})
        page = (ROOT / "docs" / "how-to" / "from-python.md").read_text()
        table = page[page.index("| column |"):page.index("`comparison.data`")]
        self.assertEqual(set(re.findall(r"`(\w+)`", " ".join(
            line.split("|")[1] for line in table.splitlines() if line.startswith("|")))),
            set(metrics[1]))

    def test_wrong_policies(self):
        for policies, words in (("fifo", "policies: expected a list such as"),
                                ([], "policies: expected a list such as"),
                                ([3], "policies: expected texts, classes, or pairs .* got 3"),
                                ([("fifo", {"x": 1})], "arg: expected a policy that is a class"),
                                (["fifo", "fifoo"], "fifoo")):
            with self.subTest(policies), self.assertRaisesRegex(heddle.HeddleError, words):
                heddle.compare(DRAWN, policies)

    # Node n has one core, so the jobs end at 10 and 20 s. With two cores, both end at 10 s.
    def test_sweep(self):
        scenario = json.loads(json.dumps(DRAWN))
        for job in scenario["jobs"]:
            job["phases"][0]["sleep"] = "10s"
        swept = heddle.sweep(scenario, {"cluster.nodes.n.cores": [1, 2]}, policy=LastFirst,
                             repeat=1)
        points = [row for row in rows(swept.points) if row["metric"] == "makespan_s"]
        self.assertEqual([(row["cluster.nodes.n.cores"], row["median"], row["unit"])
                          for row in points], [("1", 20, "s"), ("2", 10, "s")])
        self.assertEqual([row["makespan_s"] for row in rows(swept.runs)], [20, 10])

    def test_wrong_sweeps(self):
        for over, words in (({"cluster.heartbeat": "1s"}, "over: cluster.heartbeat: expected a list"),
                            ({"cluster.heartbeet": ["1s"]}, "cluster.heartbeet")):
            with self.subTest(over), self.assertRaisesRegex(heddle.HeddleError, words):
                heddle.sweep(DRAWN, over)

    def test_load(self):
        with tempfile.TemporaryDirectory() as directory:
            heddle.compare(DRAWN, ["fifo", "fair"], repeat=2, out=f"{directory}/c")
            heddle.sweep(DRAWN, {"cluster.heartbeat": ["1s", "2s"]}, repeat=1, out=f"{directory}/s")
            heddle.simulate(SCENARIO, out=f"{directory}/r")
            found = [heddle.load(f"{directory}/{name}") for name in "csr"]
            self.assertEqual([type(one) for one in found],
                             [heddle.Comparison, heddle.Sweep, heddle.Result])
            self.assertEqual(repr(found[0]), "Comparison('python': fifo, fair)")
            self.assertEqual(found[2].summary["makespan_s"], 20)
            self.assertEqual(heddle.plot.make_data("bars", found[0]).series, ["fifo", "fair"])
            with self.assertRaisesRegex(heddle.HeddleError, "expected a directory of results"):
                heddle.load(directory)

    # Both cores are busy until 10 s, and b comes at 1 s.
    def test_why(self):
        result = heddle.simulate(SCENARIO, policy="fifo+reserve=false")
        answer = heddle.why(result, "b")
        self.assertIn("waited 9.00 s", str(answer))
        self.assertEqual(sum(row["s"] for row in rows(answer.table("causes"))), 9)
        with self.assertRaisesRegex(KeyError, "no list 'cause'; expected one of"):
            answer.table("cause")
        with self.assertRaisesRegex(heddle.HeddleError, "c.*a, b"):
            heddle.why(result, "c")

    def test_verify(self):
        scenario = {**SCENARIO, "emulation": {"time_scale": 0.02, "core_fraction": 0.05,
                                              "memory_scale": "1/64"}}
        del scenario["simulation"]
        try:
            result, own = heddle.run(scenario), heddle.run(scenario, policy=LastFirst)
        except heddle.HeddleError as error:
            if error.status != 3:
                raise
            self.skipTest(str(error))
        answer = heddle.verify(result)
        self.assertIn("makespan", str(answer))
        jobs = rows(answer.table("jobs"))
        self.assertEqual([job["name"] for job in jobs], ["a", "b"])
        for job, expected_s in zip(jobs, (20, 14)):
            self.assertAlmostEqual(job["completion_predicted_s"], expected_s, delta=2)
            self.assertAlmostEqual(job["completion_measured_s"] + job["completion_error_s"],
                                   job["completion_predicted_s"], 5)
        # Under LastFirst, b starts at 10 s too, before the third task of a.
        jobs = rows(heddle.verify(own, policy=LastFirst).table("jobs"))
        for job, expected_s in zip(jobs, (20, 14)):
            self.assertAlmostEqual(job["completion_predicted_s"], expected_s, delta=2)
        began = time.monotonic()
        with self.assertRaisesRegex(heddle.HeddleError, "the policy LastFirst of the run listened at "
                                    r"ipc://\S+, and nothing listens there now; .*give the class: "
                                    r"heddle.verify\(run, policy=LastFirst\)") as raised:
            heddle.verify(own)
        self.assertEqual(raised.exception.status, 2)
        self.assertLess(time.monotonic() - began, 5)  # less than policy_timeout, 10 s
        # The class of another run listens elsewhere, and is the same policy.
        other = heddle.run(scenario, policy=LastFirst)
        self.assertIn("makespan", str(heddle.verify(own, other, policy=LastFirst)))
        archived = subprocess.run([heddle.program(), "archive", str(own.directory), "-o", "a.tar.zst"],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(archived.returncode, 2)
        self.assertIn("nobody could start it again from an archive", archived.stderr)
        with self.assertRaisesRegex(heddle.HeddleError, "is a simulated run; expected a real one"):
            heddle.verify(heddle.simulate(SCENARIO, policy=LastFirst))
        with self.assertRaisesRegex(heddle.HeddleError, "--policy-arg needs an external policy"):
            heddle.verify(result, options=["--policy-arg", "x"])
        with self.assertRaisesRegex(heddle.HeddleError, "policy: expected results of a run under a "
                                                        "class"):
            heddle.verify(result, policy=LastFirst)

    # The log has one job, of 2 of 4 processors, for 10 s.
    def test_import_trace(self):
        with tempfile.TemporaryDirectory() as directory:
            trace = Path(directory) / "log.swf"
            trace.write_text(";MaxProcs: 4\n1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 -1 1 -1 -1 -1\n")
            imported = heddle.import_trace(trace)
            self.assertEqual((imported.report["jobs"], imported.report["tasks"]), (1, 2))
            self.assertEqual(heddle.simulate(imported, policy="easy").summary["makespan_s"], 10)
            kept = heddle.import_trace(trace, form="swf", out=f"{directory}/kept.yaml",
                                       options=["--work-scale", "2"])
            self.assertEqual(heddle.simulate(kept.path).summary["makespan_s"], 20)
            with self.assertRaisesRegex(heddle.HeddleError, "swff"):
                heddle.import_trace(trace, form="swff")


def launches_of(result):
    """Returns the time and the job of each launch."""
    lines = (result.directory / "journal.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines if '"type":"launch"' in line]
    return [(record["t"], record["job"]) for record in records]


class Options(unittest.TestCase):
    def test_have_the_types_of_their_declaration(self):
        Aged.seen.clear()
        result = Aged.simulate(SCENARIO, arg={"ageing": 0, "last": True, "job": "3"},
                               options=["--set", "policy.reserve=false"])
        self.assertEqual(Aged.seen, [{"ageing": 0.0, "last": True, "job": 3, "mode": "fast"}])
        self.assertEqual([type(value) for value in Aged.seen[0].values()], [float, bool, int, str])
        self.assertEqual(launches_of(result), [(0, 0), (0, 0), (10, 1), (10, 0)])
        policy = result.summary["policy"]
        self.assertEqual((policy["arg.ageing"], policy["arg.last"]), ("0", "true"))
        text = (result.directory / "scenario.yaml").read_text()
        self.assertIn('arg: {ageing: 0, job: 3, last: true}', text)
        heddle._call(["replay", str(result.directory)])

    def test_defaults(self):
        Aged.seen.clear()
        heddle.simulate(SCENARIO, policy=Aged)
        self.assertEqual(Aged.seen, [{"ageing": 0.1, "last": False, "job": 0, "mode": "fast"}])

    def test_wrong_ones_are_refused_before_the_run(self):
        for arg, words in [
                ({"agein": 1}, r'unknown option "agein"; did you mean "ageing"\? \(known: ageing, '
                               r'last, job, mode\)'),
                ({"ageing": -1}, 'arg.ageing: expected a number, at least 0 1/s, got "-1"'),
                ({"last": 3}, 'arg.last: expected true or false, got "3"'),
                ({"job": 2.5}, 'arg.job: expected a whole number, 0 to 9, got "2.5"'),
                ({"mode": "slw"}, 'arg.mode: expected one of fast, slow, got "slw"')]:
            with self.subTest(arg), self.assertRaisesRegex(heddle.HeddleError, words) as raised:
                heddle.simulate(SCENARIO, policy=Aged, arg=arg)
            self.assertEqual(raised.exception.status, 2)

    def test_the_page_has_their_parameters(self):
        page = (ROOT / "docs" / "tutorial" / "policy-in-python.md").read_text()
        table = page[page.index("| parameter |"):page.index("`self.options` has the values")]
        described = re.findall(r"`(\w+)`", " ".join(line.split("|")[1]
                                                    for line in table.strip().splitlines()))
        self.assertEqual(described,
                         [field.name for field in dataclasses.fields(heddle_policy.Option)])

    def test_a_function_makes_the_policy(self):
        result = heddle.simulate(SCENARIO, policy=lambda: LastFirst(),
                                 options=["--set", "policy.reserve=false"])
        self.assertEqual(launches_of(result), [(0, 0), (0, 0), (10, 1), (10, 0)])

    def test_a_policy_that_declares_none_gets_texts(self):
        seen = []

        class Plain(LastFirst):
            def begin(self, hello):
                seen.append(self.options)

        Plain.simulate(SCENARIO, arg={"list": "a,b+c", "x": 1})
        self.assertEqual(seen, [{"list": "a,b+c", "x": "1"}])

    def test_a_policy_in_text_has_its_own(self):
        with self.assertRaisesRegex(heddle.HeddleError, "arg: expected a policy that is a class"):
            heddle.simulate(SCENARIO, policy="fifo", arg={"x": 1})


class OneFunction(unittest.TestCase):
    """A policy of which one function decides."""

    #: Two nodes of one core, and a job of three tasks of 10 s.
    TWO = {"simulation": {"ideal": True},
           "cluster": {"dispatch": "immediate",
                       "nodes": [{"name": "n", "count": 2, "cores": 1, "memory": "4GiB"}]},
           "jobs": [{"name": "a", "phases": [{"name": "map", "tasks": 3, "sleep": "10s",
                                              "request": {"cores": 1, "memory": "1GiB"}}]}]}

    def test_key(self):
        class Last(heddle_policy.Policy):
            def key(self, request):
                return -request.job

        result = Last.simulate(SCENARIO, options=["--set", "policy.reserve=false"])
        self.assertEqual(launches_of(result), [(0, 0), (0, 0), (10, 1), (10, 0)])

    def nodes_of(self, policy):
        result = policy.simulate(self.TWO, options=["--set", "policy.reserve=false"])
        return [row["node"] for row in rows(result.attempts)]

    def test_node(self):
        class Highest(heddle_policy.Policy):
            def node(self, request, nodes):
                return max(nodes, key=lambda node: node.node)

        self.assertEqual(self.nodes_of(Highest), ["n2", "n1", "n2"])

    def test_no_node(self):
        class OnlyFirst(heddle_policy.Policy):
            def node(self, request, nodes):
                return nodes[0] if nodes[0].node == 0 else None

        self.assertEqual(self.nodes_of(OnlyFirst), ["n1", "n1", "n1"])

    def test_none_is_an_error(self):
        class Nothing(heddle_policy.Policy):
            pass

        with self.assertRaisesRegex(heddle.HeddleError, "Nothing decides nothing; expected a "
                                                        "function decide, key or node"):
            Nothing.simulate(self.TWO)


class Progress(unittest.TestCase):
    # At 10 s, two of three tasks of 10 s have ended, and none of the third is known. b's task takes
    # until 15 s, and nothing is known of its length until then.
    def test_of_jobs(self):
        seen = {}

        class Watching(heddle_policy.Policy):
            def decide(self, step):
                seen.setdefault(step.now, [self.cluster.progress(0), self.cluster.progress(1)])
                step.place(key=lambda request: request.order)
                if step.now < 12:
                    step.wake_at(12)

        Watching.simulate(SCENARIO, options=["--set", "policy.reserve=false"])
        progress = heddle_policy.Progress
        self.assertEqual(seen[0], [progress(3, 0, 0, 3, 0, None), progress(1, 0, 0, 1, 0, None)])
        self.assertEqual(seen[10], [progress(3, 2, 0, 1, 20, 10), progress(1, 0, 0, 1, 0, None)])
        self.assertEqual(seen[12], [progress(3, 2, 1, 0, 22, 8), progress(1, 0, 1, 0, 2, None)])
        self.assertEqual(seen[15][1], progress(1, 1, 0, 0, 5, 0))

    def test_of_an_oracle(self):
        seen = []

        class Watching(heddle_policy.Policy):
            def decide(self, step):
                seen.append(self.cluster.progress(0).work_left)
                step.place(key=lambda request: request.order)

        Watching.simulate(SCENARIO, options=["--set", "policy.policy_sees=durations"])
        self.assertEqual(seen[0], 30)


class Tutorial(unittest.TestCase):
    """The policies in docs/tutorial/policy-in-python.md that show one action each."""

    #: One node of two cores. Job low has two tasks of 20 s. Job high comes at 5 s.
    PRIORITIES = {
        "simulation": {"ideal": True},
        "cluster": {"dispatch": "immediate", "nodes": [{"name": "n", "cores": 2, "memory": "4GiB"}]},
        "jobs": [{"name": "low", "phases": [{"name": "map", "tasks": 2, "sleep": "20s",
                                             "request": {"cores": 1, "memory": "1GiB"}}]},
                 {"name": "high", "submit": "5s", "priority": 1,
                  "phases": [{"name": "map", "tasks": 1, "sleep": "10s",
                              "request": {"cores": 2, "memory": "1GiB"}}]}],
    }

    def simulate(self, name):
        page = (ROOT / "docs" / "tutorial" / "policy-in-python.md").read_text()
        blocks = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
                  if f"class {name}(" in block]
        self.assertEqual(len(blocks), 1, name)
        names = {"Policy": heddle_policy.Policy}
        exec(compile(blocks[0], name, "exec"), names)  # noqa: S102
        result = heddle.simulate(self.PRIORITIES, policy=names[name],
                                 options=["--set", "policy.reserve=false"])
        self.assertEqual(result.summary["status"], "done")
        lines = (result.directory / "journal.jsonl").read_text().splitlines()
        self.assertFalse(any('"type":"action_refused"' in line for line in lines))
        return [json.loads(line) for line in lines], result.summary["makespan_s"]

    def times_of(self, records, action):
        return [record["t"] for record in records if record["type"] == action]

    # high runs from 5 to 15 s, and low again from 15 to 35 s.
    def test_preemption(self):
        records, makespan = self.simulate("Preempting")
        self.assertEqual(self.times_of(records, "kill"), [5, 5])
        self.assertEqual(makespan, 35)

    # high runs from 5 to 15 s. A sleep goes on while its task is suspended, so low ends at 20 s.
    def test_suspension(self):
        records, makespan = self.simulate("Suspending")
        self.assertEqual(self.times_of(records, "suspend"), [5, 5])
        self.assertEqual(self.times_of(records, "resume"), [15, 15])
        self.assertEqual(makespan, 20)

    # The node is kept for high from 5 s on. low's tasks end at 20 s.
    def test_reservation(self):
        records, makespan = self.simulate("Reserving")
        self.assertEqual(self.times_of(records, "reserve"), [5])
        self.assertEqual(makespan, 30)

    # Nothing starts before 8 s. high is first then, and low starts at 18 s.
    def test_wake(self):
        records, makespan = self.simulate("Waking")
        self.assertEqual(self.times_of(records, "launch"), [8, 18, 18])
        self.assertEqual(makespan, 38)


class Events(unittest.TestCase):
    #: Fields that the page names once, for all events or for those of containers.
    COMMON = {"type", "t"}
    OF_CONTAINER = {"container", "job", "phase", "task", "attempt", "node"}

    def types(self):
        """Returns the type of each event by its name."""
        return {typing.get_args(typing.get_type_hints(one)["type"])[0]: one
                for one in typing.get_args(heddle_policy.Event)}

    def test_have_types(self):
        schema = (ROOT / "docs" / "external-policies.schema.json").read_text()
        names = json.loads(schema)["$defs"]["hello_reply"]["properties"]["events"]["items"]["enum"]
        self.assertEqual(set(self.types()), set(names) - {"policy_replied"})

    def test_the_page_has_the_fields_of_the_types(self):
        page = (ROOT / "docs" / "tutorial" / "policy-in-python.md").read_text()
        table = page[page.index("### Events"):page.index("## What a policy does")]
        found = {}
        for names, fields, _ in re.findall(r"^\| (`.*?) \|(.*?)\|(.*?)\|$", table, re.MULTILINE):
            for name in re.findall(r"`(\w+)`", names):
                found[name] = set(re.findall(r"`(\w+)`", fields))
        for name, of_type in self.types().items():
            fields = set(typing.get_type_hints(of_type)) - self.COMMON
            if "container" in fields:
                fields -= self.OF_CONTAINER
            self.assertEqual(found.pop(name), fields, name)
        self.assertEqual(found, {})

    def test_that_come_have_the_fields_of_their_types(self):
        seen = []

        class Watching(heddle_policy.Policy):
            events = list(self.types())

            def decide(self, step):
                seen.extend(step.events)
                step.place(self.key)

        # Nodes and containers are lost, memory kills tasks, and reduces fetch data.
        heddle.simulate(os.fspath(ROOT / "scenarios" / "faults" / "worker-crash.yaml"), policy=Watching)
        heddle.simulate(os.fspath(ROOT / "scenarios" / "quickstart.yaml"), policy=Watching)
        types = self.types()
        for event in seen:
            of_type = types[event["type"]]
            self.assertLessEqual(of_type.__required_keys__, set(event), event)
            self.assertLessEqual(set(event), set(typing.get_type_hints(of_type)), event)
        self.assertLessEqual({"job_submitted", "heartbeat", "container_started", "container_ended",
                              "node_registered"}, {event["type"] for event in seen})

    # A decision takes 30 s, so a's tasks start at 30 s. b's decision is made from 30 to 60 s. What has
    # started at 30 s and ended at 40 s is in the next request.
    def test_of_a_container_that_starts_and_ends_between_two_requests(self):
        seen, ended = [], []

        class Slow(heddle_policy.Policy):
            def decide(self, step):
                for event in step.events:
                    if event["type"] == "container_ended":
                        seen.append((step.now, event["t"], event["job"], event["phase"],
                                     event["task"], event["attempt"], event["node"]))
                        self_alive = event["container"] in self.cluster.containers
                        ended.append((self_alive, event["container"]
                                      in [one["container"] for one in step.ended]))
                step.place(self.key)

        scenario = json.loads(json.dumps(SCENARIO))
        scenario["jobs"] = scenario["jobs"][:1]
        scenario["jobs"].append({**scenario["jobs"][0], "name": "b", "submit": "31s"})
        scenario["jobs"][0]["phases"][0]["tasks"] = 1
        Slow.simulate(scenario, options=["--set", "policy.policy_cost=30"])
        now, at, *facts = seen[0]
        self.assertEqual((at, facts), (40, [0, 0, 0, 1, 0]))
        self.assertGreater(now, 40)
        self.assertEqual(ended[0], (False, True))


class Environment(unittest.TestCase):
    def setUp(self):
        self.env = self.make(SCENARIO, slots=3)

    def make(self, *arguments, **more):
        env = HeddleEnv(*arguments, **more)
        self.addCleanup(env.close)
        return env

    def play(self, env, seed=1, action=0):
        """Takes the same action until the end. Returns the rewards and the last info."""
        _, info = env.reset(seed=seed)
        rewards, over = [], False
        while not over:
            _, reward, over, _, info = env.step(action)
            rewards.append(reward)
        return rewards, info

    def refuse(self, words, call, *arguments, **more):
        with self.assertRaisesRegex(heddle.HeddleError, words) as raised:
            call(*arguments, **more)
        return raised.exception

    def test_the_interface_is_gymnasiums(self):
        observation, info = self.env.reset(seed=1)
        self.assertEqual((len(observation), len(observation[0])), (3, len(FEATURES)))
        self.assertEqual(info["choices"], 1)
        # cores, GiB, pending, of the job: tasks and cores left and walltime; waited, free cores.
        self.assertEqual(list(observation[0]), [1, 1, 3, 3, 3, 0, 0, 2])
        self.assertEqual(list(observation[1]), [0] * len(FEATURES))
        observation, reward, terminated, truncated, info = self.env.step(0)
        self.assertEqual((reward, terminated, truncated), (0.0, False, False))

    def test_spaces(self):
        observation, info = self.env.reset(seed=1)
        self.assertEqual(self.env.action_space.n, 4)
        self.assertEqual(tuple(self.env.observation_space.shape), (3, len(FEATURES)))
        self.assertTrue(self.env.observation_space.contains(observation))
        self.assertFalse(self.env.observation_space.contains(observation[:2]))
        self.assertEqual(list(info["action_mask"]), [1, 0, 0, 1])
        drawn = {int(self.env.action_space.sample(info["action_mask"])) for _ in range(100)}
        self.assertEqual(drawn, {0, 3})

    def test_spaces_of_its_own(self):
        space = heddle.env.Discrete(3)
        self.assertEqual({space.sample() for _ in range(200)}, {0, 1, 2})
        self.assertEqual([space.contains(x) for x in (0, 2, 3, -1, 1.0, True)],
                         [True, True, False, False, False, False])
        box = heddle.env.Box(0, 9, (1, 2))
        self.assertEqual([box.contains(x) for x in ([[0, 9]], [[0, 10]], [[1]], [])],
                         [True, False, False, False])

    # The sum of the rewards is minus the completion times: a takes 20 s and b 14 s (see above).
    def test_an_episode_of_first_choices_is_fifo(self):
        rewards, info = self.play(self.env)
        self.assertEqual(info["summary"]["mean_completion_s"], 17)
        self.assertEqual(sum(rewards), -34)

    def test_the_rewards_of_a_run_with_delays(self):
        env = self.make(os.fspath(ROOT / "scenarios" / "quickstart.yaml"))
        rewards, info = self.play(env)
        self.assertEqual(info["summary"]["status"], "done")
        self.assertAlmostEqual(sum(rewards), -sum(job["completion_s"]
                                                  for job in info["summary"]["jobs"]), 5)

    # At 10 s, the agent launches b, then a: the second request in the order is b.
    def test_actions_choose(self):
        self.env.reset(seed=1)
        self.env.step(0)
        self.env.step(0)
        self.assertEqual([request.job for request in self.env.requests], [0, 1])
        observation, _, over, _, info = self.env.step(1)
        self.assertFalse(over)
        self.assertEqual(info["now"], 10)
        self.assertEqual([request.job for request in self.env.requests], [0])

    #: Two nodes of two cores. The three containers of gang g start together. b needs a whole node.
    #: Each takes 10 s.
    GANG = {
        "simulation": {"ideal": True},
        "cluster": {"dispatch": "immediate",
                    "nodes": [{"name": "n", "count": 2, "cores": 2, "memory": "4GiB"}]},
        "jobs": [{"name": "g", "phases": [{"name": "map", "tasks": 3, "sleep": "10s", "gang": True,
                                           "request": {"cores": 1, "memory": "1GiB"}}]},
                 {"name": "b", "phases": [{"name": "map", "tasks": 1, "sleep": "10s",
                                           "request": {"cores": 2, "memory": "1GiB"}}]}],
    }

    # The job that is first leaves one core, or two, so the other one starts at 10 s.
    def test_gangs_start_together(self):
        env = self.make(self.GANG)
        for seed, first, completions in ((1, 0, [10, 20]), (2, 1, [20, 10])):
            env.reset(seed=seed)
            self.assertEqual([request.gang for request in env.requests], [True, False])
            _, reward, _, _, info = env.step(first)
            self.assertEqual((info["now"], info["choices"], reward), (10, 1, -20))
            _, reward, over, _, info = env.step(0)
            self.assertEqual((over, reward), (True, -10))
            self.assertEqual([job["completion_s"] for job in info["summary"]["jobs"]], completions)

    def test_gangs_with_heartbeats(self):
        scenario = json.loads(json.dumps(self.GANG))
        scenario["cluster"]["dispatch"] = "heartbeat"
        _, info = self.play(self.make(scenario))
        self.assertEqual([job["state"] for job in info["summary"]["jobs"]], ["completed"] * 2)

    def test_a_gang_that_waits_for_the_devices_of_others(self):
        scenario = json.loads(json.dumps(DEVICES))  # 2 devices, and tasks of 0.6: two fit at once
        scenario["jobs"][0]["phases"][0].update(gang=True, tasks=2)
        scenario["jobs"].append({**scenario["jobs"][0], "name": "b"})
        rewards, info = self.play(self.make(scenario))
        self.assertEqual([job["completion_s"] for job in info["summary"]["jobs"]], [10, 20])

    def test_many_episodes_one_process(self):
        for seed in range(5):
            _, info = self.play(self.env, seed)
            self.assertEqual(info["summary"]["seed"], seed)
            pid = self.env._process.pid if seed == 0 else pid
        self.assertEqual(self.env._process.pid, pid)

    def test_an_episode_that_is_given_up_ends_at_once(self):
        self.env.reset(seed=1)
        _, info = self.env.reset(seed=2)
        self.assertEqual(info["now"], 0)
        # The simulation of seed 1 has ended before any job did.
        self.assertEqual(self.env._summary["seed"], 1)
        self.assertEqual((self.env._summary["status"], self.env._summary["makespan_s"]),
                         ("aborted", None))
        self.assertIn("the episode was given up", self.env._summary["reason"])

    def test_a_step_after_the_end_is_an_error(self):
        self.play(self.env)
        self.refuse("expected reset", self.env.step, 0)

    def test_an_aborted_episode_raises(self):
        self.env.reset(seed=1)

        def wait():
            while True:
                self.env.step(3)

        error = self.refuse("the run of seed 1 was aborted: the run is stuck", wait)
        self.assertEqual(error.status, 4)
        self.refuse("the episode is over", self.env.step, 0)
        _, info = self.play(self.env, 2)
        self.assertEqual(info["summary"]["status"], "done")

    def test_wrong_actions(self):
        self.env.reset(seed=1)
        for action in (-1, 4, 1.5, "0", None, True):
            self.refuse(re.escape(f"action: expected a whole number from 0 to 3, got {action!r}"),
                        self.env.step, action)
        self.refuse("action: expected one of the 1 requests, from 0 to 0, or 3 to launch nothing "
                    "more now, got 1", self.env.step, 1)
        _, _, over, _, _ = self.env.step(0)  # nothing has happened
        self.assertFalse(over)

    def test_wrong_arguments(self):
        self.refuse("slots: expected a number of requests from 1, got 0", HeddleEnv, SCENARIO, 0)
        self.refuse("seed: expected a whole number from 0", self.env.reset, seed=-1)
        self.refuse('options: unknown "scenarios"; expected scenario', self.env.reset,
                    options={"scenarios": "x"})

    def test_an_environment_survives_a_wrong_scenario(self):
        self.refuse("cluster", self.env.reset, seed=1, options={"scenario": {"jobs": []}})
        self.assertEqual(self.play(self.env)[1]["summary"]["mean_completion_s"], 17)

    def test_seeds(self):
        other = self.make(SCENARIO)
        drawn = []
        for env in (self.env, other):
            env.reset(seed=7)
            drawn.append([env.reset()[1]["seed"] for _ in range(3)])
        self.assertEqual(drawn[0], drawn[1])
        self.assertEqual(len(set(drawn[0])), 3)

    def test_a_scenario_for_each_seed(self):
        def scenario(seed):
            return {**SCENARIO, "jobs": SCENARIO["jobs"][:1] * 1 if seed == 1 else SCENARIO["jobs"]}

        env = self.make(scenario)
        self.assertEqual([len(self.play(env, seed)[1]["summary"]["jobs"]) for seed in (1, 2)],
                         [1, 2])

    # Gymnasium is not a package of Debian. These are the parts of it that HeddleEnv uses.
    def test_with_gymnasium(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("python3-numpy is not installed")
        text = """
from gymnasium import Env
from heddle.env import HeddleEnv
import numpy
with HeddleEnv(%r, slots=3) as env:
    assert isinstance(env, Env)
    observation, info = env.reset(seed=5)
    assert env.seeds == [5], env.seeds
    assert observation.dtype == numpy.float32 and observation.shape == (3, 8)
    assert env.observation_space.shape == (3, 8) and env.action_space.n == 4
    assert info["action_mask"].dtype == numpy.int8 and list(info["action_mask"]) == [1, 0, 0, 1]
    observation, reward, terminated, truncated, info = env.step(numpy.int64(0))
    assert (reward, terminated, truncated) == (0, False, False)
""" % SCENARIO
        with tempfile.TemporaryDirectory() as directory:
            package = Path(directory) / "gymnasium"
            package.mkdir()
            (package / "__init__.py").write_text("""
class Env:
    seeds = []
    def reset(self, *, seed=None, options=None): self.seeds.append(seed)
    def __enter__(self): return self
    def __exit__(self, *error): self.close()
""")
            (package / "spaces.py").write_text("""
class Discrete:
    def __init__(self, n): self.n = n
class Box:
    def __init__(self, low, high, shape): self.shape = shape
""")
            path = f"{directory}:{os.environ['PYTHONPATH']}"
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": path}, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_heddle_ends_with_its_parent(self):
        text = ("import sys, time; from heddle.env import HeddleEnv\n"
                f"env = HeddleEnv({SCENARIO!r}); env.reset(seed=1)\n"
                "print(env._process.pid, flush=True); time.sleep(600)")
        # The parent is killed, so that it leaves its directory.
        directory = tempfile.TemporaryDirectory(prefix="heddle-")
        self.addCleanup(directory.cleanup)
        with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": directory.name}) as parent:
            child = Path("/proc") / parent.stdout.readline().strip()
            self.assertTrue(child.exists())
            parent.kill()
        until = time.monotonic() + 20
        while child.exists() and "\nState:\tZ" not in (child / "status").read_text():
            self.assertLess(time.monotonic(), until, "the simulation outlives its parent")
            time.sleep(0.05)

    def test_heddle_ends_with_an_environment_that_is_forgotten(self):
        env = HeddleEnv(SCENARIO)
        env.reset(seed=1)
        process = env._process
        del env
        gc.collect()
        self.assertEqual(process.wait(timeout=20), -signal.SIGKILL)


class ClusterState(unittest.TestCase):
    HELLO = {"cluster": {"heartbeat_s": 1, "dispatch": "immediate", "max_am_share": 1,
                         "reserve": True, "nodes": []},
             "queues": [],
             "jobs": [{"job": 0, "name": "a", "queue": "q", "user": "u", "priority": 0, "weight": 1,
                       "phases": [{"kind": "map"}]}]}
    CONTAINER = {"container": 7, "job": 0, "phase": 0, "task": 0, "attempt": 1, "node": 0,
                 "cores": 2, "memory": 1024}

    def test_a_suspended_container_holds_no_cores(self):
        cluster = heddle_policy.Cluster(self.HELLO)

        def held_after(containers=(), ended=()):
            cluster.update({"nodes": [], "requests": [], "ended": ended, "containers": containers,
                            "held_back": []})
            return cluster.held[0].cores, cluster.held[0].memory

        self.assertEqual(held_after([{**self.CONTAINER, "state": "running"}]), (2, 1024))
        self.assertEqual(held_after([{**self.CONTAINER, "state": "suspended"}]), (0, 1024))
        self.assertEqual(held_after([{**self.CONTAINER, "state": "running"}]), (2, 1024))
        self.assertEqual(held_after(ended=[{"container": 7}]), (0, 0))


class Schema(unittest.TestCase):
    def test_messages_follow_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema = json.loads((ROOT / "docs" / "external-policies.schema.json").read_text())
        seen = []

        class Recorded(heddle_policy.Policy):
            def decide(self, step):
                step.place(key=lambda request: request.order)
                if step.now < 1:
                    step.wake_at(step.now + 1, "again")
                    step.note("mine.value", number=1, text="one")

        def checked(messages):
            for message in messages:
                seen.append(json.loads(message))
                yield message

        original = heddle_policy.serve

        def serve(make, messages):
            for reply in original(make, checked(messages)):
                seen.append(json.loads(reply))
                yield reply

        heddle_policy.serve = serve
        try:
            heddle.simulate(os.fspath(ROOT / "scenarios" / "quickstart.yaml"), policy=Recorded)
            heddle.simulate(DEVICES, policy=Recorded)
        finally:
            heddle_policy.serve = original
        validator = jsonschema.Draft202012Validator(schema)
        self.assertGreater(len(seen), 20)
        for message in seen:
            if message:  # the reply to bye is empty
                self.assertEqual([e.message for e in validator.iter_errors(message)], [], message)


if __name__ == "__main__":
    unittest.main()
