"""The measurements of `heddle bench external`: bench/scripts/external.py."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench/scripts"))
import external  # noqa: E402


class Measurements(unittest.TestCase):
    def test_percentiles_are_values(self):
        self.assertEqual(external.percentiles([3, 1, 2, 4]), {"p50": 2, "p99": 4, "max": 4})
        self.assertEqual(external.percentiles(range(1, 101)), {"p50": 50, "p99": 99, "max": 100})
        self.assertEqual(external.percentiles([]), {"p50": None, "p99": None, "max": None})

    def test_an_echo_answers_every_size(self):
        with tempfile.TemporaryDirectory() as directory:
            us = external.measure_echo([(8, 0), (100, 5000)], f"ipc://{directory}/echo")
        self.assertGreater(us["p50"], 0)
        self.assertLess(us["max"], 10e6)


if __name__ == "__main__":
    unittest.main()
