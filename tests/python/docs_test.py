"""Runs the Python in the documentation: each listing of the pages, and the cells of the notebook."""

import contextlib
import importlib
import io
import json
import math
import os
import random
import re
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import heddle

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

try:
    import matplotlib
    matplotlib.use("Agg")
except ImportError:
    matplotlib = None


def listings(page):
    """Returns the language and the text of each listing of a page."""
    return FENCE.findall((DOCS / page).read_text())


class Pages(unittest.TestCase):
    """A page is run in a directory that has scenarios/, as after a checkout."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="heddle-docs-")
        self.addCleanup(directory.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(directory.name)
        (Path(directory.name) / "scenarios").symlink_to(ROOT / "scenarios")

    def test_every_listing_in_python_is_on_a_page_that_is_run(self):
        pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")
                 if any(language in ("python", "py") for language, _ in
                        FENCE.findall(page.read_text()))}
        self.assertEqual(pages, {"how-to/from-python.md", "tutorial/policy-in-python.md"})

    @unittest.skipUnless(matplotlib, "python3-matplotlib is not installed")
    def test_from_python(self):
        Path("trace.swf").write_text(";MaxProcs: 4\n" + "".join(
            f"{i} {5 * i} -1 {10 + i % 7} {1 + i % 4} -1 -1 {1 + i % 4} 60 -1 1 1 1 -1 1 -1 -1 -1\n"
            for i in range(120)))
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            for language, text in listings("how-to/from-python.md"):
                if language == "python":
                    exec(compile(text, "from-python.md", "exec"), names)  # noqa: S102
        self.assertEqual(names["earlier"].summary["policy"]["preset"], "drf")
        self.assertEqual([policy["name"] for policy in names["comparison"].data["policies"]],
                         ["fifo", "drf", "LastFirst"])
        self.assertIn({"cause": "no room"}, [{"cause": row["cause"]} for row in
                                             names["answer"].data["causes"]])
        self.assertEqual(names["imported"].report["jobs"], 100)
        self.assertEqual(names["info"]["summary"]["status"], "done")
        self.assertEqual(len(names["info"]["summary"]["jobs"]), 4)

    # The page says which file a listing is: "Write this to `sjf.py`", or chmod +x after it.
    def test_policy_in_python(self):
        text = (DOCS / "tutorial" / "policy-in-python.md").read_text()
        bin_directory = Path(heddle.program()).resolve().parent
        # Another user may be unable to read the modules of this checkout.
        user = " --task-user root --allow-root-commands" if os.geteuid() == 0 else ""
        # The distribution's Python has python3-zmq.
        environment = {**os.environ, "PATH": f"{bin_directory}:/usr/sbin:/usr/bin:/sbin:/bin"}
        ran, name = [], "sjf.py"
        for language, listing in listings("tutorial/policy-in-python.md"):
            if language == "python" and "\nrun(" in listing or "self.options[" in listing:
                follows = re.search(r"chmod \+x (\S+)", text[text.index(listing):])
                name = follows[1] if listing.startswith("#!") and follows else "sjf.py"
                body = listing if listing.startswith("#!") else (
                    "#!/usr/bin/env python3\n" + listing + "\n\nrun(ShortestJobFirst)\n")
                Path(name).write_text(body)
                os.chmod(name, 0o755)
            if language != "sh":
                continue
            for command in re.sub(r"\\\n", " ", listing).strip().split("\n"):
                if "exec:" in command:
                    command += user
                # The page names the results of its day.
                for shown in re.findall(r"results/\S+-\d{8}-\d{6}", command):
                    made = sorted(Path("results").glob("quickstart-sjf-*"))
                    command = command.replace(shown, str(made[0]))
                done = subprocess.run(["bash", "-c", command], env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
                ran.append(command.split()[1])
        self.assertEqual(ran, ["+x", "simulate", "compare", "policies", "simulate", "sweep", "why",
                               "run", "+x", "simulate"])

    def test_the_loop_of_ones_own(self):
        loop = next(text for language, text in listings("tutorial/policy-in-python.md")
                    if language == "python" and text.startswith("    def decide"))
        names = {}
        exec(compile("from heddle_policy import Policy\nclass FirstFit(Policy):\n" + loop, "loop",
                     "exec"), names)  # noqa: S102
        # The quickstart has a gang.
        for dispatch in ("heartbeat", "immediate"):
            result = heddle.simulate("scenarios/quickstart.yaml", policy=names["FirstFit"],
                                     options=["--set", f"cluster.dispatch={dispatch}"])
            self.assertEqual(result.summary["status"], "done")
            journal = (result.directory / "journal.jsonl").read_text()
            self.assertNotIn('"type":"action_refused"', journal)


class Examples(unittest.TestCase):
    """The policies in python/examples run scenarios that have gangs."""

    def test_quickstart(self):
        scenario = os.fspath(ROOT / "scenarios" / "quickstart.yaml")
        for file, name in (("fifo", "Fifo"), ("drf", "Drf"), ("packing", "Packing"),
                           ("shortest_job_first", "ShortestJobFirst")):
            policy = runpy.run_path(str(ROOT / "python" / "examples" / f"{file}.py"))[name]
            for dispatch in ("heartbeat", "immediate"):
                with self.subTest(name, dispatch=dispatch):
                    result = heddle.simulate(scenario, policy=policy,
                                             options=["--set", f"cluster.dispatch={dispatch}"])
                    self.assertEqual([job["state"] for job in result.summary["jobs"]],
                                     ["completed"] * 4)


class Learned(unittest.TestCase):
    """python/examples/learned.py, which the page of learning describes."""

    def setUp(self):
        sys.path.insert(0, str(ROOT / "python" / "examples"))
        self.addCleanup(sys.path.remove, str(ROOT / "python" / "examples"))
        self.learned = importlib.import_module("learned")

    # The serial jobs are 24.4 %. Of the others, 0.576 / 0.756 have a power of two, and so have some
    # of the rest. At 1 core, 0.78 - 0.0054 of the times have a logarithm of mean 4.2 * 0.94, and the
    # others of 312 * 0.03: 0.7746 * 3.948 + 0.2254 * 9.36 = 5.168.
    def test_jobs_are_drawn_by_the_model(self):
        drawn = random.Random(1)
        jobs = [self.learned.draw_job(drawn, 32) for _ in range(20000)]
        self.assertAlmostEqual(sum(width == 1 for width, _ in jobs) / 20000, 0.244, delta=0.01)
        powers = sum(width in (2, 4, 8, 16, 32) for width, _ in jobs) / 20000
        self.assertGreater(powers, 0.57)
        self.assertLess(powers, 0.74)
        self.assertLessEqual(max(width for width, _ in jobs), 32)
        logs = [math.log(time_s) for width, time_s in jobs if width == 1]
        self.assertAlmostEqual(statistics.mean(logs), 5.168, delta=0.1)

    def test_a_workload_needs_the_whole_cluster(self):
        scenario = self.learned.workload(3)
        work = sum(job["phases"][0]["tasks"] * int(job["walltime"][:-1]) for job in scenario["jobs"])
        mean_gap_s = work / 100 / 32
        last_s = int(scenario["jobs"][-1]["submit"][:-1])
        self.assertAlmostEqual(last_s / 99 / mean_gap_s, 1, delta=0.5)
        self.assertEqual(scenario, self.learned.workload(3))

    # The interval of the slowdown against shortest job first is below 0 on seeds of no training.
    def test_the_table_of_the_page(self):
        page = (DOCS / "how-to" / "from-python.md").read_text()
        done = subprocess.run([sys.executable, str(ROOT / "python/examples/learned.py"), "--trained"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(done.stdout, page)

    def test_a_generation_of_training(self):
        said = io.StringIO()
        with ThreadPoolExecutor(1) as pool, contextlib.redirect_stdout(said):
            weights = self.learned.train(pool, 0.001, population=5, episodes=1)
        self.assertRegex(said.getvalue(),
                         r"^generation 1: \d+\.\d\d at best, shortest job first 2\.00; \d+ s\n$")
        self.assertEqual(len(weights), len(self.learned.FEATURES))
        self.assertEqual([round(weight, 2) for weight in weights], weights)


class Notebook(unittest.TestCase):
    PATH = DOCS / "tutorial" / "notebook.ipynb"

    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)

    @unittest.skipUnless(matplotlib, "python3-matplotlib is not installed")
    def test_the_cells(self):
        notebook = json.loads(self.PATH.read_text())
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        names = {}
        for cell in cells:
            self.assertEqual(cell["outputs"], [], "the file has no outputs, which would get old")
            exec(compile("".join(cell["source"]), "notebook.ipynb", "exec"), names)  # noqa: S102
        self.assertGreater(len(cells), 5)
        verdicts = {row["policy"]: row["verdict"] for row in names["rows"]}
        self.assertEqual(verdicts, {"SmallestFirst": "less"})

    # scripts/nightly runs this test if jupyter is there.
    @unittest.skipUnless(os.environ.get("HEDDLE_NIGHTLY"), "runs at night")
    def test_in_jupyter(self):
        self.assertTrue(shutil.which("jupyter"), "expected jupyter in PATH")
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(["jupyter", "nbconvert", "--to", "notebook", "--execute", self.PATH,
                            "--output-dir", directory], check=True)


if __name__ == "__main__":
    unittest.main()
