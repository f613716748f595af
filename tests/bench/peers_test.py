"""Other launchers in `heddle bench launch --peers`: bench/scripts/peers.py, with scripts in place of
the launchers."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PEERS = pathlib.Path(__file__).parents[2] / "bench/scripts/peers.py"
sys.path.insert(0, str(PEERS.parent))
import peers  # noqa: E402


class Groups(unittest.TestCase):
    def test_groups_as_cgexec_names_them(self):
        self.assertEqual(
            peers.group_words("v1", ["/sys/fs/cgroup/cpu,cpuacct/a/b", "/sys/fs/cgroup/memory/b"]),
            ["-g", "cpu,cpuacct:/a/b", "-g", "memory:/b"])
        self.assertEqual(peers.group_words("v2", ["/sys/fs/cgroup/a/b"]), ["-g", "cpu,memory:a/b"])
        for version, directory in (("v2", "/mnt/a"), ("v1", "/sys/fs/cgroup/memory")):
            with self.assertRaisesRegex(SystemExit, "mounted elsewhere"):
                peers.group_words(version, [directory])


class Looks(unittest.TestCase):
    def test_looks_again_when_half_of_the_rest_should_be_over(self):
        for elapsed, tasks, left, seconds in ((1, 100, 80, 0.5), (4, 100, 10, 0.2222),
                                              (4, 1000, 1, 0.02),
                                              (0, 100, 100, 0.02)):
            self.assertAlmostEqual(peers.until_next_look(elapsed, tasks, left), seconds, places=4)


class Programs(unittest.TestCase):
    """Replaces the launchers by scripts."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)
        self.play("scontrol", "echo 'Slurmctld(primary) at here is UP'")
        self.play("sbatch", f'echo "$@" > {self.path}/submitted; echo 7')
        self.play("scancel", f"echo $1 > {self.path}/canceled")

    def play(self, program, script):
        (self.path / program).write_text("#!/bin/sh\n" + script + "\n")
        (self.path / program).chmod(0o755)

    def start(self, way, task="/opt/it's/heddle-task", groups=(), path="/usr/bin:/bin"):
        return subprocess.Popen(
            [sys.executable, PEERS, way, "2", "1", task, self.path / "files", *groups],
            env={"PATH": f"/nowhere:{self.path}:{path}"}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def run_way(self, *arguments, **options):
        output, errors = self.start(*arguments, **options).communicate()
        return json.loads(output) if output else errors.strip()

    def canceled(self):
        return (self.path / "canceled").exists()

    def test_waits_until_all_jobs_have_ended(self):
        looks = self.path / "looks"
        self.play("squeue", f'echo "$@" >> {looks}; echo "FAILED              32000   "; '
                            f'[ $(wc -l < {looks}) -ge 3 ] && echo FAILED 32000 || echo PENDING 0')
        said = self.run_way("slurm")
        self.assertGreater(said["seconds"], 0.06)
        self.assertEqual(said["ms"], [])
        self.assertFalse(self.canceled())
        submitted = (self.path / "submitted").read_text()
        self.assertIn("--array=1-2%1", submitted)
        self.assertIn("""--wrap=exec '/opt/it'"'"'s/heddle-task' 1""", submitted)
        self.assertIn("--jobs=7", looks.read_text())

    def test_the_job_that_was_submitted(self):
        self.play("squeue", "echo COMPLETING 32000 >> /dev/null")
        self.play("sbatch", "echo '17;east'")
        self.assertEqual(self.run_way("slurm")["ms"], [])
        for said in ("", "Submitted batch job 17"):
            self.play("sbatch", f"echo '{said}'")
            self.assertEqual(self.run_way("slurm"), f'sbatch says "{said}"')

    def test_jobs_that_have_not_ended(self):
        self.play("squeue", "cat " + str(self.path / "lines"))
        os.environ["PATH"] = f"{self.path}:{os.environ['PATH']}"
        for lines, count in (("", 0), ("PENDING 0\nRUNNING 0\nFAILED 32000\nFAILED 32000\n", 2),
                             ("COMPLETING 32000\n", 1)):
            (self.path / "lines").write_text(lines)
            self.assertEqual(peers.jobs_under_way("7"), count)

    def test_cancels_if_a_job_ends_otherwise(self):
        for state in ("CANCELLED 0", "COMPLETED 0", "FAILED 32512", "NODE_FAIL 0"):
            self.play("squeue", "echo FAILED 32000; echo " + state)
            self.assertEqual(self.run_way("slurm"), "a job of the array ended as "
                             + state.replace(" ", ", status "))
        self.assertTrue(self.canceled())
        self.play("squeue", "echo no such thing")
        self.assertEqual(self.run_way("slurm"), 'squeue says "no such thing"')

    def test_cancels_if_the_user_interrupts(self):
        self.play("squeue", f"touch {self.path}/looked; echo PENDING 0")
        process = self.start("slurm")
        while not (self.path / "looked").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate()[1].strip(), "interrupted")
        self.assertTrue(self.canceled())

    def test_shows_the_last_line_of_sbatch(self):
        self.play("sbatch", "echo 'sbatch: error: first' >&2; echo 'sbatch: error: No partition' >&2;"
                            " exit 1")
        self.assertEqual(self.run_way("slurm"), "sbatch: error: No partition")

    def test_needs_a_controller_that_answers(self):
        self.play("scontrol", "echo 'Slurmctld(primary) at here is DOWN'")
        self.assertEqual(self.run_way("slurm"), "the Slurm controller does not answer: "
                                                "Slurmctld(primary) at here is DOWN")
        self.play("scontrol", "exit 1")
        self.assertIn("scontrol", self.run_way("slurm"))

    def test_peers_that_are_not_installed(self):
        for way in ("slurm", "cgexec", "crun"):
            (self.path / "sbatch").unlink(missing_ok=True)
            self.assertEqual(self.run_way(way, path="/nowhere"), "not installed")

    def test_one_time_for_each_program(self):
        self.play("cgexec", f'echo "$@" >> {self.path}/started; exit 125')
        said = self.run_way("cgexec", task="/task", groups=("v2", "/sys/fs/cgroup/a"))
        self.assertEqual(len(said["ms"]), 2)
        self.assertGreater(said["seconds"] * 1e3, max(said["ms"]))
        self.assertEqual((self.path / "started").read_text(), "-g cpu,memory:a /task\n" * 2)
        self.play("cgexec", "exit 3")
        self.assertEqual(self.run_way("cgexec", task="/task", groups=("v2", "/sys/fs/cgroup/a")),
                         "a process ended with status 3")


if __name__ == "__main__":
    unittest.main()
