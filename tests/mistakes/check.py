#!/usr/bin/python3
"""Holds the list of mistakes against `heddle validate` and against the schema: each gets an error that names file and
line, and says what is wrong and what was expected; the schema refuses what a schema can.

    check.py HEDDLE      exit status 1: a mistake is not told, or not well; 77: Python's yaml or jsonschema is missing
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

here = Path(__file__).resolve().parent
root = here.parent.parent


def main(heddle):
    listed = yaml.safe_load((here / "mistakes.yaml").read_text())
    schema = jsonschema.Draft7Validator(json.loads((root / "docs/scenario.schema.json").read_text()))
    wrong = []

    def validate(text):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "s.yaml"
            file.write_text(text)
            done = subprocess.run([heddle, "validate", "s.yaml"], cwd=directory, capture_output=True, text=True)
        return done.returncode, done.stderr

    status, said = validate(listed["base"])
    if status != 0 or not schema.is_valid(yaml.safe_load(listed["base"])):
        wrong.append(f"the base is refused: {said}")
    for number, change in enumerate(listed["accepted"], 1):
        text = listed["base"]
        for one in [change, *filter(None, [change.get("also")])]:
            assert one["replace"] in text, one
            text = text.replace(one["replace"], one["by"], 1)
        status, said = validate(text)
        refused = [error.message[:200] for error in schema.iter_errors(yaml.safe_load(text))]
        if status != 0 or refused:
            wrong.append(f"accepted {number}, {change['by']!r}: {said.strip()}\n    schema: {refused}")
    for number, mistake in enumerate(listed["mistakes"], 1):
        assert mistake["replace"] in listed["base"], mistake
        text = listed["base"].replace(mistake["replace"], mistake["by"], 1)
        status, said = validate(text)
        for part in mistake["says"]:
            if part not in said:
                wrong.append(f"mistake {number}, {mistake['by']!r}: says\n    {said.strip()}\n  without {part!r}")
        if status != 2 or not re.search(r"^(heddle: )?s\.yaml:\d+(:\d+)?: \S", said, re.MULTILINE):
            wrong.append(f"mistake {number}, {mistake['by']!r}: status {status}\n    {said.strip()}")
        if mistake["schema"] and schema.is_valid(yaml.safe_load(text)):
            wrong.append(f"mistake {number}, {mistake['by']!r}: the schema accepts it")
    shipped = 0
    for file in sorted((root / "scenarios").rglob("*.yaml")):
        if "experiments" in file.parts:
            continue
        shipped += 1
        for error in schema.iter_errors(yaml.safe_load(file.read_text())):
            wrong.append(f"{file.relative_to(root)}: the schema refuses it: {error.message[:200]}")
    print("\n".join(wrong + [f"{len(listed['mistakes'])} mistakes, {shipped} scenarios, {len(wrong)} faults"]))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
