"""What this machine is: card, driver, CUDA, LibTorch, processor; which commit this tree is. Only asks; sets nothing."""
import os
import pathlib
import platform
import re
import shutil
import sys

from gpu_box.command import answer_of
from processor import processor

NVCC_FOLDERS = ["/usr/local/cuda/bin"]  # where it is when PATH does not say
CARD = ["name", "driver_version", "memory.total", "compute_cap"]
FIND_TORCH = "import importlib.util as u; print(u.find_spec('torch').origin)"
ASK_TORCH = "import torch; print(torch.cuda.is_available())"


def cards():
    """Of each GPU: name, driver, memory, compute capability, as nvidia-smi says."""
    lines = answer_of(["nvidia-smi", f"--query-gpu={','.join(CARD)}", "--format=csv,noheader"]).splitlines()
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    return [{"name": name, "driver": driver, "memory": memory, "compute_capability": capability}
            for name, driver, memory, capability in (row for row in rows if len(row) == len(CARD))]


def nvcc():
    """The compiler's path, or None."""
    return shutil.which("nvcc") or next((found for folder in NVCC_FOLDERS if (found := shutil.which("nvcc", path=folder))), None)


def nvcc_release():
    found = re.search(r"release ([\d.]+)", answer_of([nvcc(), "--version"])) if nvcc() else None
    return found.group(1) if found else None


def cuda_toolkit():
    """The folder of nvcc's include and lib, as nvcc itself says: what PATH has may be a script or a link."""
    said = answer_of([nvcc(), "--dryrun", "-E", "-x", "cu", "/dev/null"], with_errors=True) if nvcc() else ""
    found = re.search(r"^#\$ TOP=(.*)$", said, re.MULTILINE)
    return os.path.realpath(found.group(1)) if found else None


def python_with_torch(root):
    """The first Python that has torch, and torch's folder; (None, None) where none has. $PLUME_PYTHON comes first."""
    candidates = [os.environ.get("PLUME_PYTHON"), shutil.which("python3"), sys.executable, root / ".deps/venv/bin/python"]
    for python in dict.fromkeys(str(candidate) for candidate in candidates if candidate):
        found = answer_of([python, "-c", FIND_TORCH])
        if found:
            return python, os.path.dirname(found)
    return None, None


def version_of(folder):
    """LibTorch's, from the file of its archive or of its wheel, e.g. "2.11.0+cu130"; None where it has neither."""
    for name, form in (("build-version", r"(\S+)"), ("version.py", r"__version__ = '([^']+)'")):
        file = pathlib.Path(folder) / name
        found = re.search(form, file.read_text()) if file.is_file() else None
        if found:
            return found.group(1)
    return None


def cuda_of(version):
    """"13.0" of "2.11.0+cu130"; None of a LibTorch for the CPU."""
    found = re.search(r"\+cu(\d+)(\d)$", version or "")
    return f"{found.group(1)}.{found.group(2)}" if found else None


def libtorch(root):
    """Its folder, version and CUDA, and a Python that has torch; None where there is none. TORCH_DIR wins over Python's."""
    python, folder = python_with_torch(root)
    folder = os.environ.get("TORCH_DIR") or folder
    if not folder:
        return None
    version = version_of(folder)
    return {"folder": folder, "version": version, "cuda": cuda_of(version), "python": python}


def sees_gpu(torch):
    """Whether LibTorch can use the card, as Python says; None where nobody can be asked."""
    said = answer_of([torch["python"], "-W", "ignore", "-c", ASK_TORCH], seconds=120) if torch and torch["python"] else ""
    return {"True": True, "False": False}.get(said)


def commit(root):
    """Of an unpacked archive what it was packed from, else the checkout's, marked where tracked files differ."""
    packed = root / "packed/commit"
    if packed.is_file():
        return packed.read_text().strip()
    head = answer_of(["git", "-C", root, "rev-parse", "HEAD"])
    changed = answer_of(["git", "-C", root, "status", "--porcelain", "--untracked-files=no"])
    return (head + ("+changes" if changed else "")) or "unknown"


def facts(root, torch):
    """For the head of the JSON: no paths of this machine."""
    present = cards()
    shown = torch and {"version": torch["version"], "cuda": torch["cuda"], "sees_gpu": sees_gpu(torch) if present else None}
    return {"commit": commit(root), "cards": present, "cuda_compiler": nvcc_release(), "libtorch": shown, "processor": processor(),
            "cores": len(os.sched_getaffinity(0)), "python": platform.python_version(),
            "compiler": answer_of(["g++", "-dumpfullversion"]), "cmake": answer_of(["cmake", "--version"]).split("\n")[0]}
