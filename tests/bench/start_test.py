"""The scenario of `heddle bench start`: bench/scripts/start.py."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench/scripts"))
import start  # noqa: E402


class Scenarios(unittest.TestCase):
    def test_heartbeats_take_a_quarter_of_a_cpu_at_most(self):
        self.assertEqual(start.scenario(100)["cluster"]["heartbeat"], "1s")
        self.assertEqual(start.scenario(2000)["cluster"]["heartbeat"], "4.0s")


if __name__ == "__main__":
    unittest.main()
