"""How many images a second do our backbones extract, beside the same networks in Python on the same LibTorch?

Starts ours (the program benchmark_extraction) and Python's (extraction_twin.py, in both memory layouts), checks that they
give the same features, lets them take turns, one forward pass each, and prints a table. Knows no LibTorch itself.
"""
import argparse
import array
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from processor import processor

BACKBONES = ["resnet50", "vgg16", "convnext-base", "efficientnet-lite0"]
LAYOUTS = ["contiguous", "channels-last"]
PAUSE_SECONDS = 0.05  # until the last one's threads have stopped spinning
LARGEST_DIFFERENCE = 1e-5


class Runner:
    """A process that answers each line with the seconds of a forward pass, by the clock and of processor time."""

    def __init__(self, command, threads, features_file, processor_time):
        self.column = 1 if processor_time else 0
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), GLIBC_TUNABLES="glibc.malloc.hugetlb=1")  # as a trainer has it
        self.features_file = features_file
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.greeting = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"extraction: {self.process.args[0]} ended with status {self.process.wait()}: {self.process.args}")
        return line.strip()

    def forward_seconds(self):
        time.sleep(PAUSE_SECONDS)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.answer().split()[self.column])

    def features(self):
        values = array.array("f")
        values.frombytes(self.features_file.read_bytes())
        return values

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def relative_difference(ours, theirs):
    if len(ours) != len(theirs):
        sys.exit(f"extraction: ours gave {len(ours)} numbers, Python {len(theirs)}")
    scale = sum(b * b for b in theirs)
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(ours, theirs)) / scale) if scale else math.inf


def write_images(file, arguments):
    numbers = random.Random(0)
    count = arguments.batch * 3 * arguments.side**2
    file.write_bytes(array.array("f", (numbers.uniform(-2, 2) for _ in range(count))).tobytes())


def start(backbone, threads, arguments, folder):
    """Ours first, then Python's."""
    images = folder / "images.f32"
    sizes = [str(threads), str(arguments.batch), str(arguments.side), str(images)]
    commands = {"ours": [str(arguments.program), backbone]}
    if not arguments.without_python:
        twin = pathlib.Path(__file__).with_name("extraction_twin.py")
        commands |= {layout: [sys.executable, str(twin), backbone, layout] for layout in LAYOUTS}
    runners = {}
    for name, command in commands.items():
        features = folder / f"{name}.f32"
        runners[name] = Runner([*command, *sizes, str(features)], threads, features, arguments.processor_time)
    return runners


def check_features(backbone, runners):
    for layout in runners.keys() - {"ours"}:
        difference = relative_difference(runners["ours"].features(), runners[layout].features())
        if not difference < LARGEST_DIFFERENCE:
            sys.exit(f"extraction: {backbone}: {layout} differs from ours by {difference:.1e}, allowed {LARGEST_DIFFERENCE}")


def measure(runners, rounds):
    """Seconds of each forward pass, by runner."""
    for runner in runners.values():
        runner.forward_seconds()
    seconds = {name: [] for name in runners}
    for _ in range(rounds):
        for name, runner in runners.items():
            seconds[name].append(runner.forward_seconds())
    return seconds


def row(backbone, threads, seconds, batch):
    speed = {name: batch / statistics.median(times) for name, times in seconds.items()}
    cells = [backbone, str(threads), f"{speed.pop('ours'):.1f}", *(f"{value:.1f}" for value in speed.values())]
    if speed:
        faster = max(speed, key=speed.get)
        ratios = [theirs / ours for ours, theirs in zip(seconds["ours"], seconds[faster])]
        cells.append(f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    return cells


def line(cells):
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the built benchmark_extraction")
    parser.add_argument("--backbones", default=",".join(BACKBONES))
    parser.add_argument("--threads", default="1,2", help="several, separated by commas")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--side", type=int, default=224, help="of the images, pixels")
    parser.add_argument("--rounds", type=int, default=5, help="forward passes of each")
    parser.add_argument("--processor-time", action="store_true",
                        help="count that instead of the clock's: for one thread on a machine that is not idle")
    parser.add_argument("--without-python", action="store_true", help="ours alone")
    arguments = parser.parse_args()

    clock = "processor time" if arguments.processor_time else "clock"
    print(f"{processor()}, {os.cpu_count()} cores; batch {arguments.batch}, {arguments.side}x{arguments.side}, float32;"
          f" images/s by {clock}, median of {arguments.rounds}; load before {os.getloadavg()[0]:.1f}\n")
    heads = ["backbone", "threads", "plume-bench"]
    if not arguments.without_python:
        heads += [f"Python, {layout}" for layout in LAYOUTS] + ["ours / faster Python (range)"]
    print(line(heads), line(["---"] * 2 + ["---:"] * (len(heads) - 2)), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        write_images(pathlib.Path(folder) / "images.f32", arguments)
        for backbone in arguments.backbones.split(","):
            for threads in map(int, arguments.threads.split(",")):
                runners = start(backbone, threads, arguments, pathlib.Path(folder))
                check_features(backbone, runners)
                seconds = measure(runners, arguments.rounds)
                for runner in runners.values():
                    runner.stop()
                print(line(row(backbone, threads, seconds, arguments.batch)), flush=True)
    print("", *sorted({runner.greeting for runner in runners.values()}), sep="\n")


if __name__ == "__main__":
    main()
