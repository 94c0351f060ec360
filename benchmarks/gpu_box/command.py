"""Another program's run within a time limit: its output goes to a log, its failure becomes one line."""
import os
import re
import signal
import subprocess
import time

ERROR = re.compile(r": error:|: fatal error:|^CMake Error|undefined reference|cannot find -l|^(plume-bench|plume-compute|benchmark_training|training|ninja): |^[\w.]*Error: |^\[  FAILED  \]")
LONGEST_LINE = 300


class Failed(Exception):
    """One line: what failed; and what is known all the same."""

    def __init__(self, line, facts=None):
        super().__init__(line)
        self.facts = facts or {}


class Clock:
    """What is left of a step's time."""

    def __init__(self, seconds):
        self.limit = seconds
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()

    def check(self, what):
        if self.left() <= 0:
            raise Failed(f"{what}: not done within the step's {self.limit:g} s (--limit)")


def cause_in(text):
    """The line that says most: the first that looks like an error (of CMake, whose sentence stands below it, with that), else the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("$ ")]  # "$ ": ours, in start()
    first = next((i for i, line in enumerate(lines) if ERROR.search(line)), len(lines) - 1)
    below = 3 if lines and lines[first].startswith("CMake Error") else 1
    return " ".join(lines[first:first + below])[:LONGEST_LINE] if lines else "it printed nothing"


def end_group(process, number=signal.SIGKILL):
    """Ends what `start` began, with all that it began itself."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
    process.wait()


def start(arguments, log, **settings):
    """A process with a group of its own; its output is appended to the open file `log`."""
    log.write(f"$ {' '.join(map(str, arguments))}\n")
    log.flush()
    try:
        return subprocess.Popen(list(map(str, arguments)), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                start_new_session=True, **settings)
    except OSError as error:
        raise Failed(f"{arguments[0]}: {error.strerror}") from None


def finish(process, what, log, begun_at, clock, allowed=(0,)):
    """Waits for it; returns what it printed since the position `begun_at` of the log. Throws Failed."""
    try:
        process.wait(timeout=max(clock.left(), 0))
    except subprocess.TimeoutExpired:
        end_group(process)
        clock.check(what)
        raise
    except BaseException:  # Ctrl-C: nothing of it is left running
        end_group(process)
        raise
    printed = text_since(log, begun_at)
    if process.returncode not in allowed:
        ended = f"status {process.returncode}" if process.returncode >= 0 else f"signal {-process.returncode}"
        raise Failed(f"{what} ended with {ended}: {cause_in(printed)}")
    return printed


def text_since(log, position):
    with open(log.name, "rb") as file:
        file.seek(position)
        return file.read().decode(errors="replace")


def run(arguments, what, log, clock, allowed=(0,), **settings):
    """start() and finish()."""
    clock.check(what)
    log.flush()
    begun_at = log.tell()
    process = start(arguments, log, **settings)
    return finish(process, what, log, begun_at, clock, allowed)


def answer_of(arguments, seconds=60, with_errors=False):
    """The standard output of a program that is asked something; "" where it is not there, fails or is too slow."""
    try:
        return subprocess.run(list(map(str, arguments)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=seconds,
                              stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
