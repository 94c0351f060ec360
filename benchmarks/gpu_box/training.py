"""Step training: benchmarks/training.py on the built program."""
import json
import sys

from gpu_box import goldens
from gpu_box.command import Failed, run

PROGRAM = "benchmark_training"


def step(box):
    program, file = box.build / PROGRAM, box.scratch / "training.json"
    if not program.is_file():
        raise Failed(f"{PROGRAM} is not built: run the step build first")
    python = box.torch and box.torch["python"]
    options = ["--quick", "--without-around"] if box.quick else []
    options += ["--python", python] if python and not box.quick else ["--without-python"]
    if box.cards and (box.build / goldens.ON_DEVICE).is_file():
        options += ["--device", "cuda"]
    file.unlink(missing_ok=True)
    script = box.root / "benchmarks/training.py"
    try:
        run([sys.executable, script, program, "--json", file, *options], "benchmarks/training.py", box.log, box.clock, env=box.environment())
    except Failed as failure:
        raise Failed(str(failure), facts_of(file) if file.is_file() else {}) from None
    return facts_of(file)


def facts_of(file):
    """What the benchmark had measured, when it ended or was ended."""
    benchmark = json.loads(file.read_text())
    return {"devices": benchmark.get("devices", ["cpu"]), "benchmark": benchmark}
