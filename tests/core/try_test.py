"""Runs scripts/try with the scheduler and the test of docs/tutorial/write-a-policy.md."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Try(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="heddle-try-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        page = (ROOT / "docs" / "tutorial" / "write-a-policy.md").read_text()
        self.scheduler, self.test = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
        self.write("fewest_left.cc", self.scheduler)

    def write(self, name, text):
        (self.directory / name).write_text(text)

    def run_try(self, *words):
        return subprocess.run([ROOT / "scripts" / "try", *words], cwd=self.directory,
                              capture_output=True, text=True, check=False)

    def test_a_scenario(self):
        scenario = ROOT / "scenarios" / "quickstart.yaml"
        done = self.run_try("fewest_left.cc", scenario, "--quiet", "--out", "a")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"makespan \d+")
        self.assertIn("preset: fewest-left", (self.directory / "a/scenario.yaml").read_text())
        policy = "fewest-left+longest_first=true"
        done = self.run_try("fewest_left.cc", scenario, "--quiet", "--out", "b", "--policy", policy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("longest_first: true", (self.directory / "b/scenario.yaml").read_text())

    def test_a_test(self):
        self.write("fewest_left_test.cc", self.test)
        done = self.run_try("fewest_left.cc", "fewest_left_test.cc", "--gtest_brief=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("[  PASSED  ] 1 test.", done.stdout)
        # The other order is wrong, and the test says so: it runs this file, not an earlier one.
        self.write("fewest_left.cc", self.scheduler.replace("longest_first_ ? -left : left",
                                                            "longest_first_ ? left : -left"))
        done = self.run_try("fewest_left.cc", "fewest_left_test.cc", "--gtest_brief=1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("[  FAILED  ] FewestLeft.ASmallJobPassesALargeOne", done.stdout)

    def test_errors(self):
        self.write("none.cc", "int x;\n")
        self.write("two.cc", "const SchedulerPart kOne{};\nconst SchedulerPart kTwo{};\n")
        for words, said in (
                (["fewest_left.cc"], "try: expected SCHEDULER.cc and a scenario or test"),
                (["fewest.cc", "s.yaml"], "try: fewest.cc: no such file"),
                (["fewest_left.cc", "t.cc"], "try: t.cc: no such file; expected a scenario or"),
                (["none.cc", "s.yaml"], "none.cc: defines no scheduler; expected a line such as"),
                (["two.cc", "s.yaml"], "two.cc: defines several schedulers (kOne kTwo); expected one")):
            with self.subTest(words):
                done = self.run_try(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
