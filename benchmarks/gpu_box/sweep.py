"""Step sweep: a small sweep that is killed after its first result and goes on; its bits are those of a run that nobody disturbed."""
import json
import os
import shutil
import signal
import time

from gpu_box.command import Failed, end_group, finish, run, start

PROGRAM = "plume-bench"
TABLE = "gpu-box"
WEIGHTS = "efficientnet-lite0=random:0"
# The first try of the second seed stands still after its first epoch, so that the run is under way when it is killed, however fast.
STANDS_STILL = "hang@attempt=1,seed=1,epoch=0"


def results(folder):
    """Of each job: the journal's line. A last line that is not whole is none."""
    try:
        lines = (folder / "journal.jsonl").read_text().split("\n")[:-1]
    except OSError:
        return {}
    entries = [json.loads(line) for line in lines]
    return {entry["key"]: entry for entry in entries if entry["type"] == "done"}


def arguments(box, folder):
    sweep = box.root / "benchmarks/gpu_box/sweep.json"
    scale = ["--scale", "quick"] if box.quick else []
    return [box.build / PROGRAM, "run", sweep, "--out", folder, "--cache", box.scratch / "cache", "--weights", WEIGHTS, *scale]


def killed_run(box, folder):
    """Kills the coordinator by SIGKILL once a result is in the journal; returns how many there were."""
    begun_at = box.log.tell()
    process = start(arguments(box, folder), box.log, cwd=box.scratch, env=box.environment(PLUME_FAULT=STANDS_STILL))
    try:
        while not results(folder):
            if process.poll() is not None:
                finish(process, "plume-bench run", box.log, begun_at, box.clock)
                raise Failed("plume-bench run ended before it could be killed")
            box.clock.check("the first result of plume-bench run")
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        end_group(process)
    return len(results(folder))


def same_bits(one, other):
    return one.keys() == other.keys() and all(one[key]["result"] == other[key]["result"] for key in one)


def trainings(done):
    """Of each job: what, on which device, with how many threads, how many seconds."""
    return [{**{name: entry["job"][name] for name in ("method", "perturbation", "class", "seed", "epochs") if name in entry["job"]},
             "device": entry["result"]["device"], "threads": entry["result"]["threads"], "seconds": entry["timing"]["wall_seconds"]}
            for entry in done.values()]


def step(box):
    if not (box.build / PROGRAM).is_file():
        raise Failed(f"{PROGRAM} is not built: run the step build first")
    for name in ("killed", "undisturbed", "cache"):
        shutil.rmtree(box.scratch / name, ignore_errors=True)
    killed, undisturbed = box.scratch / "killed", box.scratch / "undisturbed"
    before = killed_run(box, killed)
    for folder in (killed, undisturbed):
        run(arguments(box, folder), "plume-bench run", box.log, box.clock, cwd=box.scratch, env=box.environment())
    run([box.build / PROGRAM, "report", killed], "plume-bench report", box.log, box.clock, cwd=box.scratch, env=box.environment())
    done, expected = results(killed), results(undisturbed)
    facts = {"devices": sorted({entry["result"]["device"] for entry in done.values()}), "results_when_killed": before,
             "results": len(done), "same_bits_as_undisturbed": same_bits(done, expected), "trainings": trainings(expected),
             "table": json.loads((killed / f"report/tables/{TABLE}.json").read_text())}
    if not facts["same_bits_as_undisturbed"]:
        raise Failed("the results of the killed run and of the undisturbed one differ", facts)
    return facts
