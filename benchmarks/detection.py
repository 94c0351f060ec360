#!/usr/bin/env python3
"""How long plume-bench takes to see that something broke: real faults on the real program.

Trainings that would take hours run under it. A process is killed or stopped, or a link is cut; the clock runs from then
until the line in DIR/logs/run.log that says so is there, and, where the worker lives on, until it trains again: another
trainer has started, loaded its data and reached an epoch. Deadlines are the program's defaults unless given here.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TWO_HOSTS = ROOT / "tests/end_to_end/two-hosts"
CLASSES, ROWS, LENGTH = 2, 32, 12
LOOK_EVERY = 0.002  # seconds between two looks at the log
STARTUP = 240  # seconds that a run may take until its trainings run

# What other runners need or do, from public reports; none of these numbers was measured here.
OTHERS = {
    "killed trainer": "Parsl: waited until the end of the allocation (Parsl/parsl#1245)",
    "hung trainer": "nothing that we know of sees it",
    "lost rank": "disBatch 121 s, Parsl 120 s; mpirun alone ends the whole run",
    "lost host": "disBatch 121 s, Parsl 120 s; HyperQueue's heartbeats come every 8 s",
}


class Broken(Exception):
    """The benchmark cannot go on; one line."""


def npy(dtype, shape, data):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def write_sweep(folder):
    """A few vectors of two classes and trainings on them that do not end by themselves."""
    draw = random.Random(0)
    vectors = folder / "vectors"
    vectors.mkdir()
    (vectors / "classes.txt").write_text("cat\ndog\n")
    rows = CLASSES * ROWS
    for split in ("train", "test"):
        numbers = [draw.gauss(0, 1) for _ in range(rows * LENGTH)]
        (vectors / f"{split}.npy").write_bytes(npy("<f4", f"({rows}, {LENGTH})", struct.pack(f"<{len(numbers)}f", *numbers)))
        labels = [i % CLASSES for i in range(rows)]
        (vectors / f"{split}_labels.npy").write_bytes(npy("<i8", f"({rows},)", struct.pack(f"<{rows}q", *labels)))
    sweep = {"version": 1, "name": "faults", "datasets": {"vectors": {"kind": "features"}},
             "blocks": [{"dataset": "vectors", "classes": ["cat"], "perturbation": "linear-map", "guidance": "full", "lambda": 5,
                         "dimension": 384, "lr": 0.001, "batch_size": 8, "epochs": 100000, "seeds": 40}]}
    (folder / "sweep.json").write_text(json.dumps(sweep))


def text_so_far(file):
    try:
        return file.read_text(errors="replace")
    except FileNotFoundError:
        return ""


class Run:
    """plume-bench at work in a folder of its own; ended with everything that it started."""

    def __init__(self, program, folder, prefix, more):
        self.folder = folder
        self.log_file = folder / "out/logs/run.log"
        self.errors_file = folder / "errors.txt"
        write_sweep(folder)
        command = prefix + [str(program), "run", str(folder / "sweep.json"), "--out", str(folder / "out"), "--cache",
                            str(folder / "cache"), "--data", f"vectors={folder / 'vectors'}", "--threads", "1", "--job-retries",
                            "1000", "--infrastructure-retries", "1000", "--only", "class=cat"] + more
        environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1")
        with open(self.errors_file, "wb") as errors:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=errors, env=environment, start_new_session=True)

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def lines(self):
        return text_so_far(self.log_file).split("\n")[:-1]

    def wait_for(self, pattern, since, limit):
        """When a line of the log, from line `since` on, was seen to have the pattern."""
        end = time.monotonic() + limit
        while True:
            lines = self.lines()
            now = time.monotonic()
            if any(re.search(pattern, line) for line in lines[since:]):
                return now
            if now > end or self.process.poll() is not None:
                raise Broken(f"no line like {pattern!r} in the log after {limit} s; its end: {lines[-3:]}; standard error: "
                             f"{text_so_far(self.errors_file)[-300:]!r}")
            time.sleep(LOOK_EVERY)

    def pid_of(self, worker):
        return int(re.search(rf"worker {worker}: host \S+, pid (\d+),", text_so_far(self.log_file))[1])

    def tasks(self):
        """Worker -> name and attempt of the training that went to it last."""
        found = {}
        for line in self.lines():
            if match := re.search(r"worker (\d+) starts (.*) \[[0-9a-f]{8}\] \(attempt (\d+)\)$", line):
                found[int(match[1])] = (match[2], int(match[3]))
        return found

    def wait_until_training(self, workers):
        """Until every worker's training has reached an epoch after it was handed out, which a line on standard error says."""
        end = time.monotonic() + STARTUP
        seen = {}
        while True:
            if self.process.poll() is not None or time.monotonic() > end:
                raise Broken(f"the trainings did not start: {text_so_far(self.errors_file)[-300:]!r}")
            tasks = self.tasks()
            with open(self.errors_file, "rb") as file:
                size = file.seek(0, os.SEEK_END)
                for worker in workers:
                    # What came before is of an earlier attempt.
                    seen.setdefault((worker, tasks.get(worker)), size)
                started = 0
                for worker in workers:
                    if worker not in tasks:
                        continue
                    file.seek(seen[worker, tasks[worker]])
                    started += tasks[worker][0].encode() + b" epoch" in file.read()
            if started == len(workers):
                return
            time.sleep(0.05)

    def trainers(self):
        """Worker -> process id of its trainer, by the file that its standard error goes to."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                match = entry.name.isdigit() and re.fullmatch(
                    re.escape(str(self.folder / "out/logs/worker-")) + r"(\d+)\.stderr", os.readlink(entry / "fd/2"))
                if match and b"\0trainer\0" in (entry / "cmdline").read_bytes():
                    found[int(match[1])] = int(entry.name)
        return found


class Times:
    """Of one kind of fault, in seconds from the fault on."""

    def __init__(self):
        self.seen, self.again = [], []

    def take(self, run, fault, pattern, limit):
        since = len(run.lines())
        start = time.monotonic()
        fault()
        self.await_line(run, since, start, pattern, limit)
        return start

    def await_line(self, run, since, start, pattern, limit):
        self.seen.append(run.wait_for(pattern, since, limit) - start)

    def await_training(self, run, worker, start):
        run.wait_until_training([worker])
        self.again.append(time.monotonic() - start)


@contextlib.contextmanager
def running(arguments, prefix, more):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="detection-", dir=arguments.folder)).resolve()
    run = Run(arguments.program, folder, prefix, more)
    try:
        yield run
    finally:
        run.end()
        shutil.rmtree(folder, ignore_errors=True)


def killed_trainer(arguments, times):
    with running(arguments, [], ["--workers", "2"]) as run:
        for round_ in range(arguments.rounds):
            run.wait_until_training([1, 2])
            worker = 1 + round_ % 2
            trainer = run.trainers()[worker]
            start = times.take(run, lambda: os.kill(trainer, signal.SIGKILL), rf"on worker {worker} .*ended without a result: signal", 60)
            times.await_training(run, worker, start)


def hung_trainer(arguments, times):
    """All workers' trainers are stopped at once: a round takes a minute however many there are."""
    more = ["--hang-deadline", str(arguments.hang_deadline)] if arguments.hang_deadline else []
    workers = [1, 2, 3]
    with running(arguments, [], ["--workers", str(len(workers))] + more) as run:
        run.wait_until_training(workers)
        trainers = run.trainers()
        since = len(run.lines())
        started = {}
        for worker in workers:
            started[worker] = time.monotonic()
            os.kill(trainers[worker], signal.SIGSTOP)
        for worker in workers:
            times.await_line(run, since, started[worker], rf"on worker {worker} .*ended without a result: hung", 300)
        times.await_training(run, workers[-1], started[workers[-1]])


def mpirun(ranks, more=()):
    return ["mpirun", "--allow-run-as-root", "--enable-recovery", "--bind-to", "none", *more, "-np", str(ranks)]


def lost_rank(arguments, times):
    """With --enable-recovery the other ranks live on, so a run of four workers has three to lose."""
    left = arguments.rounds
    while left > 0:
        with running(arguments, mpirun(5, ["--oversubscribe"]), []) as run:
            run.wait_until_training([1, 2, 3, 4])
            for worker in range(1, 1 + min(3, left)):
                rank = run.pid_of(worker)
                times.take(run, lambda: os.kill(rank, signal.SIGKILL), rf"worker {worker} .*is gone", 120)
                left -= 1


def lost_host(arguments, times):
    """Two hosts in namespaces of this machine; two workers on the one whose link is cut."""
    prefix = [str(TWO_HOSTS), "run"] + mpirun(4, ["--host", "hosta:2,hostb:2", "--mca", "plm_rsh_agent", "/run/agent", "--mca",
                                                  "btl_tcp_if_include", "10.77.0.0/24", "--mca", "oob_tcp_if_include",
                                                  "10.77.0.0/24"])
    more = ["--heartbeat-deadline", str(arguments.heartbeat_deadline)] if arguments.heartbeat_deadline else []
    with running(arguments, prefix, more) as run:
        run.wait_until_training([1, 2, 3])
        far = re.findall(r"worker (\d+): host hostb,", text_so_far(run.log_file))
        since = len(run.lines())
        start = time.monotonic()
        subprocess.run([str(TWO_HOSTS), "cut", str(run.process.pid)], check=True)
        for worker in far:
            times.await_line(run, since, start, rf"worker {worker} .*is gone", 300)


def why_no_two_hosts():
    permitted = subprocess.run([str(TWO_HOSTS), "permitted"], stderr=subprocess.PIPE, text=True)
    return "" if permitted.returncode == 0 else permitted.stderr.strip().split("\n")[-1]


FAULTS = {"killed trainer": killed_trainer, "hung trainer": hung_trainer, "lost rank": lost_rank, "lost host": lost_host}


def spread(seconds):
    if not seconds:
        return "-"
    return f"{statistics.median(seconds):.2f} ({max(seconds):.2f})"


def measure(arguments):
    print("| fault | how | seen after, s: median (longest) | its worker trains again, s | n | other runners |")
    print("|---|---|---|---|---|---|")
    how = {"killed trainer": "SIGKILL", "hung trainer": "SIGSTOP", "lost rank": "SIGKILL of a worker's rank, same host",
           "lost host": "its link cut"}
    for fault in arguments.faults:
        times = Times()
        reason = why_no_two_hosts() if fault == "lost host" else ""
        if reason:
            print(f"| {fault} | not measured: {reason} | - | - | 0 | {OTHERS[fault]} |", flush=True)
            continue
        FAULTS[fault](arguments, times)
        print(f"| {fault} | {how[fault]} | {spread(times.seen)} | {spread(times.again)} | {len(times.seen)} | {OTHERS[fault]} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path, help="build/release/plume-bench")
    parser.add_argument("--faults", nargs="+", choices=list(FAULTS), default=list(FAULTS), metavar="FAULT",
                        help=f"some of: {', '.join(FAULTS)}")
    parser.add_argument("--rounds", type=int, default=6, help="of a killed trainer and of a lost rank")
    parser.add_argument("--hang-deadline", type=int, help="in place of the program's default of 60 s")
    parser.add_argument("--heartbeat-deadline", type=float, help="in place of the program's default of 30 s")
    parser.add_argument("--folder", default=".", help="where the runs' folders are made")
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    try:
        measure(arguments)
    except Broken as broken:
        print(f"detection: {broken}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
