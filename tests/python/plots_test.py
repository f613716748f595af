"""Tests the data behind figures, and the files of figures."""

import csv
import json
import struct
import tempfile
import unittest
from pathlib import Path

import heddle
from heddle.plot import data as figures
from heddle.plot import make_data
from modules_test import SCENARIO

try:
    from heddle.plot import draw
except ImportError:
    draw = None

needs_matplotlib = unittest.skipUnless(draw, "python3-matplotlib is not installed")

#: As SCENARIO, with work: a and b use a core and 512 MiB for each task.
WORK = json.loads(json.dumps(SCENARIO).replace('"sleep"', '"memory": "512MiB", "cpu"'))


def metric(key, values, unit="s", kind="all", name=""):
    return {"key": key, "title": key.replace("_", " "), "unit": unit,
            "group": {"kind": kind, "name": name},
            "policies": [{"name": policy, "values": some} for policy, some in values.items()]}


def comparison(values, *more):
    """The parts of compare.json that figures need."""
    return {"kind": "compare",
            "policies": [{"name": policy, "runs": [{"dir": f"{policy}-1"}]} for policy in values],
            "metrics": [metric("mean_completion_s", values), *more]}


def sweep(over, points):
    """The parts of sweep.json that figures need."""
    return {"kind": "sweep", "over": [{"key": key} for key in over],
            "points": [{"values": values, "runs": [],
                        "metrics": {"mean_completion_s": {"title": "mean completion", "unit": "s",
                                                          "values": of_repeats}}}
                       for values, of_repeats in points]}


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # At 10 s, both cores become free: a's third task and b start. b ends at 15 s, a at 20 s.
        cls.result = heddle.simulate(WORK, policy="fifo+reserve=false")

    def test_gantt(self):
        data = make_data("gantt", self.result)
        self.assertEqual(data.columns, ["node", "lane", "job", "phase", "task", "attempt", "state",
                                        "from_s", "until_s"])
        self.assertEqual(data.rows, [["n", 0, "a", "map", 0, 1, "completed", 0, 10],
                                     ["n", 1, "a", "map", 1, 1, "completed", 0, 10],
                                     ["n", 0, "a", "map", 2, 1, "completed", 10, 20],
                                     ["n", 1, "b", "map", 0, 1, "completed", 10, 15]])
        self.assertEqual((data.series, data.facts["rest"]), (["a", "b"], 0))

    def test_gantt_with_chosen_jobs(self):
        data = make_data("gantt", self.result, series=["b"])
        self.assertEqual((data.series, data.facts["rest"]), (["b"], 1))

    def test_gantt_with_labels(self):
        data = make_data("gantt", self.result, series=["b"], labels={"b": "short"})
        self.assertEqual([row[2] for row in data.rows], ["a", "a", "a", "short"])
        self.assertEqual(data.series, ["short"])
        with self.assertRaisesRegex(heddle.HeddleError, 'two series would be called "a"'):
            make_data("gantt", self.result, series=["b"], labels={"b": "a"})
        with self.assertRaisesRegex(heddle.HeddleError, '--label: unknown "a"'):
            make_data("usage", self.result, labels={"a": "b"})

    def test_gantt_fills_the_jobs_that_held_containers_for_longest(self):
        jobs = [{"name": f"j{i}", "phases": [{"name": "map", "tasks": 1, "sleep": f"{10 + i % 7}s",
                                              "request": {"cores": 1, "memory": "1GiB"}}]}
                for i in range(8)]  # 10, 11, … 16 and 10 s
        data = make_data("gantt", heddle.simulate({**SCENARIO, "jobs": jobs}))
        self.assertEqual((data.series, data.facts["rest"]), (["j2", "j3", "j4", "j5", "j6"], 3))

    def test_usage(self):
        data = make_data("usage", self.result)
        self.assertEqual(data.columns, ["t_s", "cores_allocated", "cores_used",
                                        "memory_allocated_gib", "memory_used_gib"])
        at = {row[0]: row[1:] for row in data.rows}
        self.assertEqual(at[15.0][::2], [1, 1])
        self.assertEqual(at[20.0][:3], [0, 0, 0])
        changes = [(row[0], row[1], row[3]) for i, row in enumerate(data.rows)
                   if i == 0 or row[1::2] != data.rows[i - 1][1::2]]
        self.assertEqual(changes, [(0, 2, 2), (15, 1, 1), (20, 0, 0)])
        used = sum(row[2] * (after[0] - row[0]) for row, after in zip(data.rows, data.rows[1:]))
        # 2 cores for 15 s, then 1 until the last heartbeat, at 19 s.
        self.assertAlmostEqual(used, 34, 3)
        self.assertEqual(max(row[4] for row in data.rows), 1)
        self.assertEqual(data.facts, {"cores": 2, "memory": 4, "measured": True})

    def test_usage_has_the_means_of_the_summary(self):
        data = make_data("usage", self.result)
        for name, key, total in (("cores_allocated", "cpu", 2),
                                 ("memory_allocated_gib", "memory", 4)):
            of = data.column(name)
            area = sum(value * (after - t) for value, t, after
                       in zip(of, data.column("t_s"), data.column("t_s")[1:]))
            self.assertAlmostEqual(area / 20 / total, self.result.summary["allocation"][key], 6)

    def test_usage_without_samples(self):
        result = heddle.simulate(WORK, options=["--journal", "decisions"])
        if (result.directory / "samples.jsonl").exists():
            (result.directory / "samples.jsonl").write_text("")
        data = make_data("usage", result)
        self.assertEqual(data.columns, ["t_s", "cores_allocated", "memory_allocated_gib"])
        self.assertEqual(data.notes, ["the run has no samples, so the figure shows no use"])

    def test_a_suspended_container_holds_no_cores(self):
        class Suspended:
            def rows(self, name):
                return {"attempts": [{"id": 3, "cores": 2, "memory": 2**30, "allocated_s": 0,
                                      "released_s": 9}],
                        "suspensions": [{"attempt_id": 3, "from_s": 4, "until_s": 6}]}[name]

        steps = [figures._steps([figures._allocated(Suspended(), resource)])
                 for resource in ("cores", "memory")]
        self.assertEqual(steps, [[[0, 2], [4, 0], [6, 2], [9, 0]], [[0, 1], [9, 0]]])

    def test_a_lost_node_uses_nothing(self):
        class Lost:
            def rows(self, name):
                return {"samples": [{"t_s": 2, "node": "n", "cores": 1, "memory": 2**30},
                                    {"t_s": 9, "node": "n", "cores": 2, "memory": 2**31}],
                        "node_events": [{"t_s": 5, "node": "n", "event": "lost"},
                                        {"t_s": 0, "node": "n", "event": "registered"}]}[name]

        self.assertEqual(figures._steps([figures._used_cores(Lost())]),
                         [[0, 1], [2, 0], [5, 2], [9, 0]])
        self.assertEqual(figures._steps([figures._used_memory(Lost())]),
                         [[0, 0], [2, 1], [5, 0], [9, 2]])

    def test_long_curves_are_averaged(self):
        # 4 for 1 s, 0 for 2 s, 6 for 1 s: the halves are 2 and 3 on average.
        self.assertEqual(figures._averaged([[0, 4], [1, 0], [3, 6], [4, 0]], 2),
                         [[0, 2], [2, 3], [4, 0]])

    def test_cdf(self):
        data = make_data("cdf", self.result)
        self.assertEqual(data.columns, ["series", "waiting_s", "share"])
        self.assertEqual(data.rows, [["fifo", 0, 0.5], ["fifo", 9, 1]])
        self.assertEqual(data.axes, {"x": "waiting time (s)", "y": "share of jobs"})

    def test_cdf_of_several_runs(self):
        other = heddle.simulate(WORK, policy="drf")
        data = make_data("cdf", [self.result, other], figure="tasks")
        self.assertEqual(data.rows, [["fifo", 1, 0.5], ["fifo", 3, 1],
                                     ["drf", 1, 0.5], ["drf", 3, 1]])
        self.assertEqual(data.axes["x"], "tasks")
        same = make_data("cdf", [self.result, heddle.simulate(WORK)], figure="running_s")
        self.assertEqual(len(set(same.series)), 2)
        self.assertEqual(sorted(row[1] for row in same.of(same.series[0])), [5, 20])

    def test_box_of_jobs(self):
        data = make_data("box", self.result)
        self.assertEqual(data.columns, ["series", "repeat", "job", "completion_s"])
        self.assertEqual(data.rows, [["fifo", 1, "a", 20], ["fifo", 1, "b", 14]])


class Batches(unittest.TestCase):
    def test_intervals_are_students(self):
        for freedom, t in ((1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622),
                           (10, 2.2281), (29, 2.0452), (100, 1.9840)):  # from a table
            self.assertAlmostEqual(figures.student_t(0.95, freedom), t, 4)
        self.assertAlmostEqual(figures.student_t(0.99, 5), 4.0321, 4)
        self.assertEqual(figures.interval([3.0]), (3, 3, 3))
        self.assertEqual(figures.interval([0.0, 1.0], 1.0), (0.5, 0, 1))

    def test_bars(self):
        # The standard deviation is 2, so the interval is 12 +- 4.302653 * 2 / sqrt(3).
        contents = comparison({"fifo": [10.0, 12.0, None, 14.0], "drf": [7.0], "none": [None]})
        data = make_data("bars", contents)
        self.assertEqual(data.columns, ["series", "repeats", "mean", "low", "high"])
        self.assertEqual(data.rows[0][:3], ["fifo", 3, 12])
        self.assertAlmostEqual(data.rows[0][3], 12 - 4.968275, 5)
        self.assertAlmostEqual(data.rows[0][4], 12 + 4.968275, 5)
        self.assertEqual(data.rows[1:], [["drf", 1, 7, 7, 7], ["none", 0, "", "", ""]])
        self.assertEqual(data.caption, "Mean completion s. Bars are means of 1 to 3 repeats, with "
                                       "95 % confidence intervals (Student's t).")

    def test_shares_are_percentages_and_groups_have_names(self):
        share = metric("locality", {"fifo": [0.25], "drf": [0.5]}, "share", "class", "small")
        data = make_data("bars", comparison({"fifo": [1.0], "drf": [1.0]}, share),
                         figure="class.small.locality", series=["drf"])
        self.assertEqual(data.rows, [["drf", 1, 50, 50, 50]])
        self.assertEqual(data.axes["x"], "class small: locality (%)")

    def test_labels_rename_series(self):
        contents = comparison({"fifo": [3.0], "own+x=1": [4.0], "own": [5.0]})
        texts = ["own+x=1=mine, x = 1", "fifo=FIFO"]
        for labels in (texts, {"own+x=1": "mine, x = 1", "fifo": "FIFO"}):
            data = make_data("bars", contents, labels=labels)
            self.assertEqual(data.series, ["FIFO", "mine, x = 1", "own"])
            self.assertEqual([row[0] for row in data.rows], data.series)
        chosen = make_data("bars", contents, series=["own"], labels={"own": "A"})
        self.assertEqual(chosen.rows, [["A", 1, 5, 5, 5]])
        for labels, words in (({"fif": "x"}, '--label: unknown "fif"; did you mean "fifo"'),
                              ({"fifo": "own"}, 'two series would be called "own"'),
                              (["fifo"], "--label: expected OLD=NEW"),
                              (["fifo="], "--label: expected OLD=NEW")):
            with self.subTest(labels), self.assertRaisesRegex(heddle.HeddleError, words):
                make_data("bars", contents, labels=labels)

    def test_box_of_repeats(self):
        data = make_data("box", comparison({"fifo": [3.0, 4.0], "drf": [5.0]}),
                         figure="mean_completion_s")
        self.assertEqual(data.columns, ["series", "repeat", "mean_completion_s"])
        self.assertEqual(data.rows, [["fifo", 1, 3], ["fifo", 2, 4], ["drf", 1, 5]])

    def test_sweep_over_numbers(self):
        data = make_data("sweep", sweep(["cluster.heartbeat"], [(["1s"], [4.0]), (["10s"], [5.0])]))
        self.assertEqual(data.columns, ["series", "cluster.heartbeat", "repeats", "mean", "low",
                                        "high"])
        self.assertEqual(data.rows, [["", "1s", 1, 4, 4, 4], ["", "10s", 1, 5, 5, 5]])
        self.assertEqual(data.axes, {"x": "cluster.heartbeat (s)", "y": "mean completion (s)"})
        self.assertTrue(data.facts["numeric"])

    def test_sweep_over_a_grid(self):
        points = [([policy, n], [float(n)]) for policy in ("fifo", "drf") for n in ("1", "2")]
        data = make_data("sweep", sweep(["policy", "x"], points), series=["drf"])
        self.assertEqual(data.rows, [["drf", "1", 1, 1, 1, 1], ["drf", "2", 1, 2, 2, 2]])
        self.assertEqual((data.axes["x"], data.facts["numeric"]), ("x", True))

    def test_sweep_over_words(self):
        data = make_data("sweep", sweep(["x"], [(["1s"], [4.0]), (["auto"], [5.0])]))
        self.assertFalse(data.facts["numeric"])
        self.assertEqual(figures.numbers(["1", "2.5", "-1e3"]), ([1, 2.5, -1000], ""))
        self.assertEqual(figures.numbers(["1GiB", "2 GiB"]), ([1, 2], "GiB"))
        for words in (["1s", "1min"], ["1/64", "1/32"], ["a", "1"]):
            self.assertIsNone(figures.numbers(words), words)

    def test_points_of_a_sweep_have_names(self):
        contents = sweep(["policy", "cluster.heartbeat"], [(["fifo", "1s"], [4.0])])
        self.assertEqual(make_data("bars", contents).series, ["policy=fifo, heartbeat=1s"])

    def test_a_comparison_by_heddle(self):
        with tempfile.TemporaryDirectory() as directory:
            scenario, out = Path(directory) / "s.yaml", Path(directory) / "c"
            scenario.write_text(json.dumps({"heddle": 1, "name": "s", **WORK}))
            heddle._call(["compare", str(scenario), "--simulate", "--quiet", "--policies",
                          "fifo+reserve=false,drf", "--out", str(out)])
            waiting = make_data("cdf", out)
            self.assertEqual(waiting.of("fifo+reserve=false"),
                             [["fifo+reserve=false", 0, 0.5], ["fifo+reserve=false", 9, 1]])
            means = make_data("bars", out, figure="makespan_s")
            self.assertEqual(means.rows[0], ["fifo+reserve=false", 1, 20, 20, 20])


class Errors(unittest.TestCase):
    def refuse(self, words, kind, results, status=2, **options):
        with self.assertRaisesRegex(heddle.HeddleError, words) as raised:
            make_data(kind, results, **options)
        self.assertEqual(raised.exception.status, status)

    def test_wrong_kinds_of_results(self):
        one = comparison({"fifo": [1.0]})
        swept = sweep(["x"], [(["1"], [4.0])])
        result = heddle.simulate(SCENARIO)
        self.refuse("--kind gantt: expected the directory of one run, got a comparison", "gantt",
                    one)
        self.refuse("--kind usage: expected the directory of one run, got a sweep", "usage", swept)
        self.refuse("--kind gantt: expected the directory of one run, got 2 runs", "gantt",
                    [result, result])
        self.refuse("--kind bars: expected the directory of a comparison or a sweep, got a run",
                    "bars", result)
        self.refuse("--kind sweep: expected the directory of a sweep, got a comparison", "sweep",
                    one)
        self.refuse('unknown kind "pie"; expected one of gantt, cdf, bars', "pie", one)

    def test_directories(self):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            self.refuse(f"{root}/none: no such directory", "cdf", root / "none")
            self.refuse(f"{root}: not a directory of results; heddle ls DIR", "cdf", root)
            (root / "scenario.yaml").write_text("")
            self.refuse("the run has no summary.json; expected a run that has ended", "cdf", root)
            (root / "scenario.yaml").unlink()
            (root / "a").mkdir()
            (root / "a" / "compare.json").write_text("{")
            self.refuse(f"an experiment; expected one of its comparisons: {root}/a", "bars", root)
            self.refuse("a/compare.json: the file is damaged; expected JSON", "bars", root / "a", 4)
            (root / "a" / "compare.json").write_text(json.dumps(comparison({"fifo": [1.0]})))
            self.refuse("a/fifo-1/summary.json: no such file; .*--keep first", "cdf", root / "a")
            self.refuse("a: a comparison; expected it alone, or only runs", "cdf",
                        [root / "a", root / "a"])

    def test_names(self):
        one = comparison({"fifo": [1.0], "drf": [1.0]})
        self.refuse('--figure: unknown figure "mean_completion"; did you mean "mean_completion_s"',
                    "bars", one, figure="mean_completion")
        self.refuse('--series: unknown "fif"; did you mean "fifo"\\? \\(known: fifo, drf\\)',
                    "bars", one, series=["fif"])
        result = heddle.simulate(SCENARIO)
        self.refuse('--figure: unknown figure "x" \\(known: submit_s, .*waiting_s', "cdf", result,
                    figure="x")
        self.refuse('--series: unknown "c" \\(known: a, b\\)', "gantt", result, series=["c"])
        self.refuse('--node: unknown "m" \\(known: n\\)', "gantt", result, nodes=["m"])

    def test_a_figure_of_runs_for_jobs(self):
        with tempfile.TemporaryDirectory() as directory:
            heddle.compare(SCENARIO, ["fifo"], repeat=1, out=f"{directory}/c",
                           options=["--keep", "first"])
            self.refuse("--figure: mean_completion_s is a figure of runs; expected one of jobs "
                        "\\(submit_s, ", "cdf", heddle.load(f"{directory}/c"),
                        figure="mean_completion_s")

    def test_too_many(self):
        many = comparison({f"p{i}": [1.0] for i in range(7)})
        self.refuse("there are 7 to show, and a figure shows at most 6; expected --series NAME up "
                    "to 6 times", "bars", many)
        self.assertEqual(len(make_data("bars", many, series=["p6", "p0"]).rows), 2)
        nodes = {"nodes": [{"name": "n", "count": 65, "cores": 2, "memory": "4GiB"}]}
        self.refuse("there are 65 to show, and a figure shows at most 64; expected --node NAME up "
                    "to 64 times \\(known: n1, .* n12, and 53 more\\)", "gantt",
                    heddle.simulate({**SCENARIO, "cluster": nodes}))

    def test_jobs_without_a_value(self):
        result = heddle.simulate(SCENARIO)
        summary = result.directory / "summary.json"
        contents = json.loads(summary.read_text())
        contents["jobs"][1]["completion_s"] = None
        summary.write_text(json.dumps(contents))
        data = make_data("cdf", result, figure="completion_s")
        self.assertEqual(data.notes, ["fifo: 1 of 2 jobs have no completion_s and are left out"])
        contents["jobs"][0]["completion_s"] = None
        summary.write_text(json.dumps(contents))
        self.refuse('unknown figure "completion_s"', "cdf", result, figure="completion_s")


@needs_matplotlib
class Files(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.out = Path(directory.name)
        self.plot = heddle.plot.bars(comparison({"fifo": [1.0, 2.0], "=drf": [3.0]}))

    def save(self, name, command=("heddle", "plot", "a b")):
        self.assertEqual(self.plot.save(self.out / name, command),
                         [self.out / name, self.out / "fig.csv"])
        return (self.out / name).read_bytes()

    def test_pdf(self):
        pdf = self.save("fig.pdf")
        self.assertTrue(pdf.startswith(b"%PDF-"))
        self.assertIn(b"/MediaBox [ 0 0 237.6 ", pdf)  # 3.3 inches of 72 points
        self.assertIn(b"heddle plot 'a b'", pdf)
        self.assertIn(b"/FontFile2", pdf)  # TrueType
        self.assertNotIn(b"/Type3", pdf)
        self.assertEqual(self.save("fig.pdf"), pdf)

    def test_svg(self):
        svg = self.save("fig.svg").decode()
        self.assertIn('width="237.6pt"', svg)
        self.assertIn("heddle plot 'a b'", svg)
        self.assertEqual(self.save("fig.svg").decode(), svg)

    def test_png(self):
        png = self.save("fig.png")
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">I", png[16:20])[0], 990)  # 3.3 inches at 300 dots
        self.assertIn(b"heddle plot 'a b'", png)

    def test_csv(self):
        self.save("fig.pdf")
        with open(self.out / "fig.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["series", "repeats", "mean", "low", "high"])
        # 12.706205 * 0.707107 / sqrt(2) = 6.353102; no value is below 0.
        self.assertEqual(rows[1], ["fifo", "2", "1.5", "0", "7.853102"])
        self.assertEqual(rows[2], ["'=drf", "1", "3", "3", "3"])

    def test_files_of_others_stay(self):
        for name in ("fig.pdf", "fig.csv"):
            with self.subTest(name):
                (self.out / name).write_text("mine\n")
                with self.assertRaisesRegex(heddle.HeddleError, f"{name}: exists and is not"):
                    self.plot.save(self.out / "fig.pdf")
                self.assertEqual([path.name for path in self.out.iterdir()], [name])
                (self.out / name).unlink()
        with self.assertRaisesRegex(heddle.HeddleError, "expected a name that ends in .pdf, .svg"):
            self.plot.save(self.out / "fig.gif")

    def test_every_kind_has_a_picture(self):
        result = heddle.simulate(WORK)
        one = comparison({f"policy-{i}": [1.0, 2.0 + i] for i in range(6)})
        grid = sweep(["x", "y"], [([x, y], [1.0, 2.0]) for x in ("1", "2") for y in ("a", "b")])
        words = sweep(["x"], [(["a"], [1.0]), (["b"], [None])])
        for kind, results in (("gantt", result), ("usage", result), ("cdf", result),
                              ("box", result), ("bars", one), ("sweep", grid), ("sweep", words)):
            with self.subTest(kind):
                plot = heddle.plot.plot(kind, results, width=7, height=3)
                plot.save(self.out / f"{kind}.png")
                png = (self.out / f"{kind}.png").read_bytes()
                self.assertEqual(struct.unpack(">II", png[16:24]), (2100, 900))

    def test_series_differ_without_color(self):
        self.assertEqual(len({style[1:] for style in draw.FILLS + [draw.REST_FILL]
                              if style[1]}), 4)
        plain = [style for style in draw.FILLS + [draw.REST_FILL] if not style[1]]
        lightness = sorted(int(style[0][1:3], 16) for style in plain)
        self.assertTrue(all(b - a >= 16 for a, b in zip(lightness, lightness[1:])), lightness)
        self.assertEqual(len({(str(style), marker) for _, style, marker in draw.LINES}),
                         figures.MOST_SERIES)

    def test_long_names_stay_different(self):
        names = [f"application_1763{i}" + "0" * 20 + f"_014{i}" for i in range(3)]
        short = draw.shortened(names, 14)
        self.assertEqual(len(set(short)), 3)
        self.assertEqual({len(name) for name in short}, {14})
        self.assertEqual(draw.shortened(["application_176399999_0149"], 14), ["applic…99_0149"])
        self.assertEqual(draw.shortened(["a", "b" * 14], 14), ["a", "b" * 14])


if __name__ == "__main__":
    unittest.main()
