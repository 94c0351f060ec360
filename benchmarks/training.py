"""How long is a training step, beside LibTorch's and Python's, and what is the least that this machine could need?

Starts the programs (benchmark_training in several ways, reference_step.py), lets them take turns, two steps each of which
the second counts, and prints tables; --json FILE writes every number. Knows no LibTorch itself.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from processor import processor

PAUSE_SECONDS = 0.05  # until the last one's threads have stopped spinning
ROUNDS_OF_THROUGHPUT = 3
LARGEST_DIFFERENCE = 1e-3  # of the first losses: all programs compute the same
BYTES = {"forward": 4, "input gradient": 4, "update": 24}  # a parameter: read; read; three read and three written
HELD_TO_AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}  # LibTorch, the libraries below it
PROGRAMS = {  # arguments of benchmark_training, or two of reference_step.py: what it is
    "ours": "plume-bench",
    "fused": "LibTorch: autograd and fused AdamW",
    "adamw": "LibTorch: autograd and torch::optim::AdamW",
    "rank-one fused": "Python: x + a (b . x), fused AdamW",
    "rank-one adamw": "Python: x + a (b . x), AdamW",
    "explicit adamw": "Python: explicit maps, AdamW",
}


class Program:
    """A process that answers each line with one of JSON."""

    def __init__(self, command, threads):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        if "reference_step.py" not in " ".join(command):
            environment["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"  # as a trainer gets it; Python as a user would start it
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.greeting = None

    def greet(self):
        """Waits until it is ready."""
        self.greeting = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"training: ended with status {self.process.wait()}: {' '.join(map(str, self.process.args))}")
        return json.loads(line)

    def ask(self):
        time.sleep(PAUSE_SECONDS)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.answer()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def sizes_of(arguments, threads):
    return [str(threads), str(arguments.dimension), str(arguments.batch), arguments.device]


def own_sizes_of(arguments, threads):
    """As benchmark_training reads them."""
    sizes = sizes_of(arguments, threads)
    return [*sizes[:-1], f"cpu:{arguments.vectors}"] if arguments.vectors else sizes


def start(arguments):
    sizes, own_sizes = sizes_of(arguments, arguments.threads), own_sizes_of(arguments, arguments.threads)
    reference = pathlib.Path(__file__).with_name("reference_step.py")
    programs = {}
    for name in PROGRAMS:
        if " " not in name:
            command = [str(arguments.program), name, *own_sizes]
        elif arguments.without_python:
            continue
        else:
            command = [str(arguments.python), "-W", "ignore", str(reference), *name.split(), *sizes]
        programs[name] = Program(command, arguments.threads)
    programs["limits"] = Program([str(arguments.program), "limits", *own_sizes], arguments.threads)
    greet_all(programs.values())
    return programs


def greet_all(programs):
    """They have started side by side: on a GPU each needs seconds for that."""
    for program in programs:
        program.greet()


def check_losses(first):
    for name in first.keys() - {"ours", "limits"}:
        ours, theirs = first["ours"]["loss"], first[name]["loss"]
        if not abs(ours - theirs) <= LARGEST_DIFFERENCE * abs(ours):
            sys.exit(f"training: the first loss of {name} is {theirs}, ours {ours}: they do not compute the same")


def measure(programs, rounds):
    """The answers of each round, by program. The first round is not counted."""
    first = {name: program.ask() for name, program in programs.items()}
    check_losses(first)
    answers = {name: [] for name in programs}
    names = [name for name in programs if name != "limits"]
    order = random.Random(0)
    for _ in range(rounds):
        order.shuffle(names)  # so that nobody always comes after the same one
        for name in names:
            programs[name].ask()  # unmeasured: what another program has displaced comes back
            answers[name].append(programs[name].ask())
    for _ in range(rounds):
        answers["limits"].append(programs["limits"].ask())
    return answers


def part_times(answers):
    """None for the parts of a step that has no clock in it (on a GPU ours is one graph), and for what a program does not do."""
    return {part: statistics.median(answer[part] for answer in answers) if answers[0].get(part) else None
            for part in ("forward", "gradient", "both", "update")}


def best_rates(rounds):
    """Of each layer and kind of product: the fastest of each maker in any round; our own update's product by the difference of two batches."""
    layers = []
    for i, layer in enumerate(rounds[0]["layers"]):
        seen = [answer["layers"][i] for answer in rounds]
        rates = {kind: {maker: max(one[kind][maker] for one in seen) for maker in seen[0][kind]}
                 for kind in ("forward", "input_gradient", "weight_gradient")}
        folded = min(one["folded_seconds_of_two_batches"] for one in seen) - min(one["folded_seconds"] for one in seen)
        layers.append({"in": layer["in"], "out": layer["out"], "layers": layer["layers"], "passes": layer["passes"],
                       "input_gradients": layer["input_gradients"], **rates, "weights": layer["weights"],
                       "own_weight_gradient_seconds": folded if folded > 0 else None})
    return layers


def own_rate(layer, batch):
    seconds = layer["own_weight_gradient_seconds"]
    return 2 * batch * layer["in"] * layer["out"] * layer["weights"] / seconds if seconds else 0


def floor_of(limits, batch, peak):
    """Seconds of each part: the larger of its bytes by the copy rate and its operations by the best rates (no faster than the peak)."""
    operations = {"forward": 0.0, "input gradient": 0.0, "update": 0.0}
    parameters = {"forward": 0, "input gradient": 0, "update": 0}
    for layer in limits["layers"]:
        size = layer["in"] * layer["out"]
        rates = {"forward": max(layer["forward"].values()), "input gradient": max(layer["input_gradient"].values()),
                 "update": max(*layer["weight_gradient"].values(), own_rate(layer, batch))}
        passes = {"forward": layer["passes"], "input gradient": layer["input_gradients"], "update": layer["passes"]}
        for part, count in passes.items():
            parameters[part] += size * layer["layers"] if count else 0
            operations[part] += 2 * batch * size * count / min(rates[part], peak)
    floor = {}
    for part, seconds in operations.items():
        by_bytes = BYTES[part] * parameters[part] / limits["copy"]
        floor[part] = {"by_bytes": by_bytes, "by_operations": seconds, "seconds": max(by_bytes, seconds)}
    floor["seconds"] = sum(floor[part]["seconds"] for part in BYTES)
    return floor


def summary_of(answers, batch):
    rounds = answers.pop("limits")
    limits = {"copy": max(one["copy"] for one in rounds), "layers": best_rates(rounds)}
    if "multiply_add" in rounds[0]:
        limits["multiply_add"] = max(one["multiply_add"] for one in rounds)
    floor = floor_of(limits, batch, limits.get("multiply_add", float("inf")))
    steps = {}
    for name, all_answers in answers.items():
        times = [answer["whole"] for answer in all_answers]
        ratios = [theirs / ours["whole"] for theirs, ours in zip(times, answers["ours"])]
        steps[name] = {"median": statistics.median(times), "least": min(times), "parts": part_times(all_answers),
                       "times_ours": statistics.median(ratios), "times_ours_range": [min(ratios), max(ratios)],
                       "times_floor": statistics.median(times) / floor["seconds"],
                       "peak_bytes": all_answers[-1]["peak_bytes"],
                       "peak_device_bytes": all_answers[-1].get("peak_device_bytes"), "all": all_answers}
    return {"limits": limits, "floor": floor, "steps": steps}


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(heads, rows):
    print(line(heads), line(["---"] + ["---:"] * (len(heads) - 1)), *map(line, rows), sep="\n", end="\n\n")


def ms(seconds):
    return "-" if seconds is None else f"{1000 * seconds:.1f}" if seconds >= 0.001 else f"{1000 * seconds:.3f}"


def gib(step):
    """Of the host, and of the device where there is one."""
    sizes = [step["peak_bytes"], step["peak_device_bytes"]]
    return " + ".join(f"{size / 2**30:.1f}" for size in sizes if size is not None)


def print_steps(summary):
    rows = []
    for name, step in summary["steps"].items():
        parts = step["parts"]
        low, high = step["times_ours_range"]
        rows.append([PROGRAMS[name], ms(step["median"]), ms(step["least"]), *map(ms, parts.values()),
                     f"{step['times_ours']:.2f} ({low:.2f} to {high:.2f})", f"{step['times_floor']:.2f}",
                     gib(step)])
    floor = summary["floor"]
    of_parts = {"forward": "forward", "gradient": "input gradient", "update": "update"}
    rows.append(["floor", ms(floor["seconds"]), "", *(ms(floor[of_parts[part]]["seconds"]) if part in of_parts else "-" for part in parts),
                 "", "", ""])
    of_device = " of host + device" if summary["devices"] != ["cpu"] else ""
    table(["a step, ms", "median", "least", "forward", "gradient", "both", "update", "/ ours (range)", "/ floor", "peak GiB" + of_device], rows)


def rates_in_words(rates, peak):
    """GFLOP/s of each maker and, of the best, its share of the peak."""
    each = " / ".join(f"{rates[maker] / 1e9:.1f}" if rates.get(maker) else "-" for maker in ("libtorch", "onednn", "own"))
    return f"{each} ({max(rates.values()) / peak:.0%})" if peak else each


def print_limits(limits, batch):
    peak = limits.get("multiply_add")
    rows = []
    for layer in limits["layers"]:
        update = layer["weight_gradient"] | {"own": own_rate(layer, batch)}
        rows.append([f"{layer['in']} to {layer['out']}",
                     *(rates_in_words(rates, peak) for rates in (layer["forward"], layer["input_gradient"], update))])
    print(f"copy {limits['copy'] / 1e9:.1f} GB/s" + (f"; multiply-adds in registers {peak / 1e9:.1f} GFLOP/s" if peak else ""))
    table([f"GFLOP/s, batch {batch}: LibTorch / oneDNN / ours (best of the peak)", "y = x W^T", "dX = dY W", "dW = dY^T X"], rows)


def steps_a_second(workers, count):
    """Of workers that all work at the same time, `count` answers each, which may be of several steps."""
    start = time.perf_counter()
    for worker in workers:
        worker.process.stdin.write("\n" * count)
        worker.process.stdin.flush()
    steps = sum(worker.answer()["steps"] for worker in workers for _ in range(count))
    return steps / (time.perf_counter() - start)


def throughput(arguments):
    """Trainings side by side, a thread each, beside one with all threads: steps a second of each, in turn. On a GPU one
    and two that share it."""
    pairs = ((1, arguments.threads), (arguments.threads, 1)) if arguments.device == "cpu" else ((1, 1), (2, 1))
    ways = {}
    for count, threads in pairs:
        ways[f"{count} of {threads}"] = [Program([str(arguments.program), "ours", *own_sizes_of(arguments, threads)], threads)
                                         for _ in range(count)]
    greet_all(worker for workers in ways.values() for worker in workers)
    for workers in ways.values():
        steps_a_second(workers, 2)  # the first ones make threads and memory
    rates = {way: [] for way in ways}
    for _ in range(ROUNDS_OF_THROUGHPUT):
        for way, workers in ways.items():
            time.sleep(PAUSE_SECONDS)
            rates[way].append(steps_a_second(workers, arguments.rounds))
    for workers in ways.values():
        for worker in workers:
            worker.stop()
    return {way: {"median": statistics.median(all_rates), "all": all_rates} for way, all_rates in rates.items()}


def print_throughput(rates):
    first = next(iter(rates.values()))["median"]
    table(["workers, each of so many threads", "steps/s", "/ one worker"],
          [[way, f"{rate['median']:.2f}", f"{rate['median'] / first:.2f}"] for way, rate in rates.items()])


def around(arguments):
    rows = f"around:{arguments.rows}:{arguments.rows_of_auroc}"
    program = Program([str(arguments.program), rows, *own_sizes_of(arguments, arguments.threads)], arguments.threads)
    program.greet()
    answer = program.ask()
    program.stop()
    return answer


def between_trainings(arguments):
    """Seconds from a training's end to the first step of the next, by what that one needs; medians of three."""
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix="features-") as folder:
        program = Program([str(arguments.program), f"next:{arguments.rows}:{folder}", *own_sizes_of(arguments, arguments.threads)], arguments.threads)
        program.greet()
        answers = [program.ask() for _ in range(3)]
        program.stop()
    return {name: statistics.median(answer[name] for answer in answers) for name in answers[0]}


def counted(number, scale):
    return float(number.replace(",", "")) * {"": 1, " million": 1e6, " billion": 1e9}[scale or ""]


def whole_paper(arguments, report):
    """Hours of one worker for every training of the paper, from what was measured: an extrapolation, and an upper bound,
    since every step is taken as this one and most variants are smaller."""
    sweep = pathlib.Path(__file__).parent.parent / "sweeps" / "paper" / "all.json"
    plan = subprocess.run([str(arguments.runner), "plan", str(sweep)], capture_output=True, text=True, check=True).stdout
    number = "([0-9.,]+?)( million| billion)?"
    found = re.search(f"trainings: {number}; optimiser steps: {number}; rows scored: {number}(,|$)", plan, re.MULTILINE)
    if not found:
        sys.exit(f"training: {arguments.runner} plan {sweep} does not say how many steps there are")
    groups = found.groups()
    trainings, steps, rows = (counted(*groups[i:i + 2]) for i in (0, 2, 4))
    times = report["around"]
    parts = {"steps": steps * report["steps"]["ours"]["median"],
             "evaluation": rows / arguments.rows * times[f"evaluation of {arguments.rows} rows"],
             "starts": trainings * times["task to its first step"]}
    return {"trainings": trainings, "optimiser_steps": steps, "rows_scored": rows, "seconds": parts,
            "hours": sum(parts.values()) / 3600}


def print_whole_paper(paper, worker):
    shares = ", ".join(f"{name} {seconds / 3600:.1f}" for name, seconds in paper["seconds"].items())
    print(f"The whole paper, EXTRAPOLATED from these times and `plan` ({paper['trainings']:.0f} trainings, {paper['optimiser_steps'] / 1e6:.2f}"
          f" million steps, {paper['rows_scored'] / 1e9:.2f} billion rows scored; at most, since most variants are smaller):"
          f" {paper['hours']:.1f} hours of one worker {worker} ({shares}), features not included")


def where_of(arguments):
    held = f" held to {arguments.vectors.upper()}" if arguments.vectors else ""
    return "on the GPU" if arguments.device == "cuda" else f"{arguments.threads} threads{held}"


def load():
    try:
        return pathlib.Path("/proc/loadavg").read_text().strip()
    except OSError:
        return "unknown"


def keep(report, file):
    """What there is so far: whoever is ended later keeps it."""
    if file:
        part = file.with_name(file.name + ".part")
        part.write_text(json.dumps(report, indent=1) + "\n")
        part.replace(file)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the built benchmark_training")
    parser.add_argument("--python", default=sys.executable, help="a Python that has torch, for reference_step.py")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="what the steps are made on")
    parser.add_argument("--vectors", choices=["avx2"], help="all programs as on a processor without faster vectors than these")
    parser.add_argument("--dimension", type=int, default=3072)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=9, help="steps of each")
    parser.add_argument("--rows", type=int, default=10_000, help="that are evaluated")
    parser.add_argument("--rows-of-auroc", type=int, default=1_000_000)
    parser.add_argument("--without-python", action="store_true", help="no reference_step.py")
    parser.add_argument("--without-around", action="store_true", help="steps and limits alone")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="on a disk, for feature files of the time between two trainings: 1.5 GB (that of the program)")
    parser.add_argument("--runner", type=pathlib.Path, help="the built plume-bench, for what the whole paper would take")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: whether it works, not how fast it is")
    parser.add_argument("--json", type=pathlib.Path, help="file for every number")
    arguments = parser.parse_args()
    if arguments.vectors and arguments.device != "cpu":
        parser.error("--vectors: the CPU's; leave it out with --device cuda")
    if not arguments.folder:
        arguments.folder = arguments.program.resolve().parent
    if not arguments.without_around and not os.access(arguments.folder, os.W_OK):
        parser.error(f"--folder {arguments.folder}: nothing can be written there; give a folder on a disk")
    if arguments.quick:
        arguments.dimension, arguments.rounds, arguments.rows, arguments.rows_of_auroc = 96, 2, 100, 1000
    return arguments


def main():
    arguments = parse()
    if arguments.vectors:
        os.environ.update(HELD_TO_AVX2)
    report = {"date": datetime.date.today().isoformat(), "processor": processor(), "cores": os.cpu_count(),
              "devices": [arguments.device], "vectors": arguments.vectors, "threads": arguments.threads, "dimension": arguments.dimension, "batch": arguments.batch,
              "rounds": arguments.rounds, "load_before": load()}
    programs = start(arguments)
    answers = measure(programs, arguments.rounds)
    report["versions"] = {name: program.greeting for name, program in programs.items()}
    for program in programs.values():
        program.stop()
    report["load_after_steps"] = load()
    report |= summary_of(answers, arguments.batch)
    print(f"{report['processor']}, {report['cores']} cores, {report['date']}; D = {arguments.dimension}, batch {arguments.batch},"
          f" float32, {where_of(arguments)}; {arguments.rounds} steps of each in turn; load before {report['load_before']},"
          f" after {report['load_after_steps']}\n")
    keep(report, arguments.json)
    print_steps(report)
    print_limits(report["limits"], arguments.batch)
    if arguments.threads > 1 or arguments.device != "cpu":
        report["throughput"] = throughput(arguments)
        keep(report, arguments.json)
        print_throughput(report["throughput"])
    if not arguments.without_around:
        report["around"] = around(arguments)
        rows = [[name, f"{seconds:.3f}"] for name, seconds in report["around"].items() if name != "peak_bytes"]
        table(["beside the steps", "seconds"], rows)
        print(f"peak memory of that: {report['around']['peak_bytes'] / 2**30:.1f} GiB\n")
        report["between"] = between_trainings(arguments)
        table(["between two trainings of a worker", "seconds"],
              [[name, f"{seconds:.3f}"] for name, seconds in report["between"].items() if not name.startswith("peak_")])
        print(f"peak memory of that: {report['between']['peak_bytes'] / 2**30:.1f} GiB\n")
        if arguments.runner:
            report["paper"] = whole_paper(arguments, report)
            print_whole_paper(report["paper"], f"of {arguments.threads} thread(s)" if arguments.device == "cpu" else "on this GPU")
    keep(report, arguments.json)


if __name__ == "__main__":
    main()
