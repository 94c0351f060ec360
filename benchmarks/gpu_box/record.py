"""The one JSON: what the machine is and what came of each step. Kept in the build folder, so that steps may be run one by one."""
import datetime
import json
import os
import pathlib

FORMAT = 1
STEPS = ["build", "goldens", "training", "sweep"]
NAME = "plume-bench-gpu.json"
ON_CPU = "no GPU: nothing here is a GPU figure"
UNUSED = "a GPU is here, but nothing was computed on it: nothing here is a GPU figure"
MIXED = "what says device cpu is no GPU figure"
TINY = "tiny sizes (--quick): no speed"
NOTHING = "nothing was computed: no figure here"


def fresh(facts):
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"format": FORMAT, "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "device": None, "note": NOTHING, **facts,
            "steps": {name: {"status": "not run"} for name in STEPS}}


def opened(file, facts):
    """That of earlier steps, where it is of the same commit and machine; else a new one."""
    try:
        record = json.loads(file.read_text())
        if record["format"] == FORMAT and all(record[name] == value for name, value in facts.items()):
            return record
    except (OSError, ValueError, KeyError):
        pass
    return fresh(facts)


def devices(record):
    """Where the results of the steps were computed, as the programs themselves say."""
    return sorted({device for step in record["steps"].values() for device in step.get("devices", [])})


def note_on(used, present):
    if not used:
        return NOTHING
    if used == ["cpu"]:
        return UNUSED if present else ON_CPU
    name = present[0]["name"] if present else "a GPU that nvidia-smi does not show"
    return f"computed on {name}" + (f"; {MIXED}" if "cpu" in used else "")


def settle_device(record):
    """The device is what the programs say that they computed on; a card in the machine alone is no GPU figure."""
    used = devices(record)
    record["device"] = "+".join(used) or None
    record["note"] = note_on(used, record["cards"])
    if any(step.get("quick") for step in record["steps"].values() if step.get("devices")):
        record["note"] += f"; {TINY}"


def write(record, *files):
    settle_device(record)
    text = json.dumps(record, indent=1) + "\n"
    for file in files:
        part = pathlib.Path(f"{file}.part")
        part.write_text(text)
        os.replace(part, file)
