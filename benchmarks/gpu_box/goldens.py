"""Step goldens: the tests against fixtures, several processes side by side; with a card those of the device too."""
import json
import os

from gpu_box import pack
from gpu_box.command import Failed, end_group, finish, start

PROGRAM = "plume_tests"
ON_DEVICE = "cuda_tests"  # built where there is a GPU engine, and run where there is a card: the device against the CPU
MOST_PROCESSES = 8  # a full-size test needs some 4 GB


def cases(files):
    """(name, result, first failure) of every test that ran; result is "passed", "failed" or "skipped"."""
    for file in files:
        report = json.loads(file.read_text())
        for suite in report["testsuites"]:
            for case in suite["testsuite"]:
                if case["status"] != "RUN":
                    continue
                failures = case.get("failures", [])
                result = "failed" if failures else "skipped" if case["result"] == "SKIPPED" else "passed"
                yield f"{suite['name']}.{case['name']}", result, failures[0]["failure"].splitlines()[0] if failures else None


def weights(box):
    """Where the archive brought the published weights along."""
    file = box.root / pack.PACKED / pack.WEIGHTS
    return {"PLUME_EFFICIENTNET_LITE0_WEIGHTS": str(file)} if file.is_file() else {}


def run_shards(box, name, pattern, count):
    """The files of their results. A test that fails is no failure of this function, a process that dies is."""
    files = [box.scratch / f"{name}-{i}.json" for i in range(count)]
    for file in files:
        file.unlink(missing_ok=True)
    begun_at = box.log.tell()
    processes = []
    try:
        for i, file in enumerate(files):
            environment = box.environment(**weights(box), OMP_NUM_THREADS="1", GTEST_TOTAL_SHARDS=str(count), GTEST_SHARD_INDEX=str(i),
                                          GTEST_OUTPUT=f"json:{file}")
            brief = ["--gtest_brief=1"] if count > 1 else []  # of one that dies the log is to say how far it came
            processes.append(start([box.build / name, f"--gtest_filter={pattern}", *brief], box.log, env=environment))
        for process in processes:
            finish(process, name, box.log, begun_at, box.clock, allowed=(0, 1))
    finally:
        for process in processes:
            if process.poll() is None:
                end_group(process)
    return [file for file in files if file.is_file()]


def outcome(box, name, pattern, count):
    """Of one program's tests. Throws Failed where none is called so."""
    all_cases = list(cases(run_shards(box, name, pattern, count)))
    if not all_cases:
        raise Failed(f"{name}: no test is called like {pattern}")
    numbers = {result: sum(case[1] == result for case in all_cases) for result in ("passed", "failed", "skipped")}
    return {**numbers, "failed_tests": [{"test": case, "failure": failure} for case, result, failure in all_cases if result == "failed"]}


def step(box):
    if not (box.build / PROGRAM).is_file():
        raise Failed(f"{PROGRAM} is not built: run the step build first")
    programs = [(PROGRAM, box.goldens, min(len(os.sched_getaffinity(0)), MOST_PROCESSES))]
    if box.cards and (box.build / ON_DEVICE).is_file():
        programs.insert(0, (ON_DEVICE, "*", 1))  # what only such a machine can say
    facts, broken = {"programs": {}}, []
    for program in programs:
        try:
            facts["programs"][program[0]] = outcome(box, *program)
        except Failed as failure:
            facts["programs"][program[0]] = {"failure": str(failure).replace(str(box.root), "."), "failed_tests": []}
            broken.append(failure)
    if broken:
        raise Failed(str(broken[0]), facts)
    failed = [test for program in facts["programs"].values() for test in program["failed_tests"]]
    if failed:
        raise Failed(f"{len(failed)} tests failed, first {failed[0]['test']}: {failed[0]['failure']}", facts)
    return facts
