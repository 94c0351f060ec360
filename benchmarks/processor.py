"""Which processor a benchmark ran on."""
import pathlib
import platform


def processor():
    """Its name as Linux says it, e.g. "AMD EPYC"; elsewhere the machine's kind."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(text.split(":", 1)[1].strip() for text in lines if text.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
