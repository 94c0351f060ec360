"""Step build: configures and compiles, with the libraries of the archive where there are some, and without MPI."""
import pathlib
import re

from gpu_box import goldens, machine, sweep, training
from gpu_box.command import Failed, run

TARGETS = [sweep.PROGRAM, goldens.PROGRAM, training.PROGRAM]
NO_CARD = "9.0"  # compute capability where there is no card: asked for none, LibTorch's CMake would look for a card by a program


def nvrtc(toolkit, torch_folder):
    """LibTorch's CMake links CUDA's run-time compiler; where the toolkit has none, that of the wheels beside LibTorch."""
    in_toolkit = [found for folder in ("lib64", "lib", "targets/*/lib") for found in pathlib.Path(toolkit).glob(f"{folder}/libnvrtc.so")]
    in_wheels = sorted(pathlib.Path(torch_folder).parent.glob("nvidia/*/lib/libnvrtc.so.*"))
    return [f"-DCUDA_nvrtc_LIBRARY={in_wheels[0]}"] if in_wheels and not in_toolkit else []


def cuda_settings(box):
    """Options of CMake and variables. For this card's kind alone: LibTorch would have its kernels compiled for every kind there is."""
    toolkit = machine.cuda_toolkit()
    if not toolkit:
        return [], {}
    options = [f"-DCMAKE_CUDA_COMPILER={toolkit}/bin/nvcc", f"-DCUDAToolkit_ROOT={toolkit}", f"-DCUDA_TOOLKIT_ROOT_DIR={toolkit}",
               *nvrtc(toolkit, box.torch["folder"])]
    capability = box.cards[0]["compute_capability"] if box.cards else NO_CARD
    return options, {"TORCH_CUDA_ARCH_LIST": capability}


def cached(build, name):
    """The value of a CMake variable; None where it has none."""
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else None


def is_on(value):
    return (value or "").upper() in ("1", "ON", "YES", "TRUE")


def step(box):
    if box.torch is None:
        raise Failed("no LibTorch: no Python here can import torch; give TORCH_DIR=<folder that holds share/cmake/Torch>,"
                     " or PLUME_PYTHON=FILE")
    if not (pathlib.Path(box.torch["folder"]) / "share/cmake/Torch").is_dir():
        raise Failed(f"TORCH_DIR={box.torch['folder']}: expected the folder that holds share/cmake/Torch")
    options, variables = cuda_settings(box)
    packed = box.root / "packed"
    if packed.is_dir():
        options.append(f"-DPLUME_DEPENDENCIES={packed}")
    environment = box.environment(**variables)
    run(["cmake", "-S", box.root, "-B", box.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPLUME_WITH_MPI=OFF",
         f"-DTORCH_DIR={box.torch['folder']}", *options], "cmake", box.log, box.clock, env=environment)
    configured = box.clock.limit - box.clock.left()
    engine = is_on(cached(box.build, "PLUME_WITH_CUDA"))
    targets = box.targets or [*TARGETS, *([goldens.ON_DEVICE] if engine else [])]
    # One that fails does not keep the others from the steps that need them.
    run(["cmake", "--build", box.build, "--target", *targets, "--", "-k", "0"], "the build", box.log, box.clock, env=environment)
    if box.cards and not engine:
        raise Failed("a GPU is here, and what was built computes on the CPU alone:"
                     + (" no nvcc" if not machine.nvcc() else " its LibTorch has no CUDA"), {"cuda_engine": False})
    return {"configure_seconds": round(configured, 1), "targets": targets, "libraries": "packed" if packed.is_dir() else "of the system",
            "cuda_engine": engine}
