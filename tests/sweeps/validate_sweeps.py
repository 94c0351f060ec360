"""Holds every sweep file that comes with the product, and every example of sweeps/README.md, against sweeps/sweep.schema.json."""

import json
import pathlib
import re
import sys

import jsonschema

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "sweeps/sweep.schema.json").read_text())
validator = jsonschema.Draft202012Validator
validator.check_schema(schema)

files = [p for p in sorted((root / "sweeps").glob("**/*.json")) if p.name not in ("tables.json", "sweep.schema.json")]
if len(files) < 13:
    sys.exit(f"only {len(files)} sweep files found below {root / 'sweeps'}")
sweeps = {str(p.relative_to(root)): p.read_text() for p in files}

readme = (root / "sweeps/README.md").read_text()
examples = re.findall(r"(?:^|\n\n)((?:    .*\n?)+)", readme)
whole = [example for example in examples if '"version"' in example]
if not whole:
    sys.exit("sweeps/README.md: no example of a whole sweep found")
sweeps.update({f"sweeps/README.md, example {i}": text for i, text in enumerate(whole, 1)})

faults = []
for name, text in sweeps.items():
    for error in validator(schema).iter_errors(json.loads(text)):
        faults.append(f"{name}: {'.'.join(map(str, error.absolute_path))}: {error.message}")

wrong = {"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "lamda": 5}]}
if validator(schema).is_valid(wrong):
    faults.append("the schema lets a mistyped key through")
if faults:
    sys.exit("\n".join(faults))
print(f"{len(sweeps)} sweeps are valid")
