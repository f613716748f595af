"""Checks the scenarios that chaos.py draws. HEDDLE is the program."""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import chaos


class Scenarios(unittest.TestCase):
    def test_every_policy_takes_what_is_drawn_for_it(self):
        heddle = os.environ["HEDDLE"]
        with tempfile.TemporaryDirectory(prefix="heddle-chaos-") as directory:
            path = pathlib.Path(directory) / "scenario.yaml"
            for policy in chaos.policies_of(heddle):
                for seed in range(3):
                    with self.subTest(policy=policy, seed=seed):
                        path.write_text(json.dumps(chaos.make_scenario(random.Random(seed), 1, [policy], [], True)))
                        done = subprocess.run([heddle, "validate", path], capture_output=True, text=True, check=False)
                        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
