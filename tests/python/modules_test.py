"""Tests the modules heddle and heddle_policy, and the environment for learning."""

import json
import os
import re
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

    def test_compare(self):
        compared = heddle.compare(SCENARIO, ["fifo", "drf"], repeat=2)
        self.assertEqual([policy["name"] for policy in compared["policies"]], ["fifo", "drf"])


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


class Environment(unittest.TestCase):
    def setUp(self):
        self.env = HeddleEnv(SCENARIO, slots=3)
        self.addCleanup(self.env.close)

    def test_the_interface_is_gymnasiums(self):
        observation, info = self.env.reset(seed=1)
        self.assertEqual((len(observation), len(observation[0])), (3, len(FEATURES)))
        self.assertEqual(info["choices"], 1)
        self.assertEqual(observation[0], [1.0, 1.0, 3.0, 3.0, 3.0, 0.0, 2.0])
        self.assertEqual(observation[1], [0.0] * len(FEATURES))
        observation, reward, terminated, truncated, info = self.env.step(0)
        self.assertEqual((reward, terminated, truncated), (0.0, False, False))

    # The sum of the rewards is minus the completion times: a takes 20 s and b 14 s (see above).
    def test_an_episode_of_first_choices_is_fifo(self):
        self.env.reset(seed=1)
        total, over = 0.0, False
        while not over:
            _, reward, over, _, info = self.env.step(0)
            total += reward
        self.assertEqual(info["summary"]["mean_completion_s"], 17)
        self.assertEqual(total, -34)

    # At 10 s, the agent launches b, then a: the second request in the order is b.
    def test_actions_choose(self):
        self.env.reset(seed=1)
        self.env.step(0)
        self.env.step(0)
        observation, _, over, _, info = self.env.step(1)
        self.assertFalse(over)
        self.assertEqual(info["now"], 10)

    def test_many_episodes_one_process(self):
        pid = self.env._process.pid
        for seed in range(5):
            over = False
            self.env.reset(seed=seed)
            while not over:
                _, _, over, _, info = self.env.step(0)
            self.assertEqual(info["summary"]["seed"], seed)
        self.assertEqual(self.env._process.pid, pid)

    def test_an_episode_can_be_given_up(self):
        self.env.reset(seed=1)
        _, info = self.env.reset(seed=2)
        self.assertEqual(info["now"], 0)

    def test_a_step_after_the_end_is_an_error(self):
        self.env.reset(seed=1)
        over = False
        while not over:
            _, _, over, _, _ = self.env.step(0)
        with self.assertRaisesRegex(heddle.HeddleError, "expected reset"):
            self.env.step(0)


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
