"""benchmarks/gpu run: the steps on programs that are built, at tiny sizes; what fails is said in one line, and the next step runs.

Usage: gpu_run_test.py FOLDER (of plume-bench, plume_tests, benchmark_training)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from gpu_box import build, command, training  # noqa: E402
from gpu_box.box import Box  # noqa: E402

BUILT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else sys.exit(__doc__)).resolve()
PROGRAMS = ["plume-bench", "plume_tests", "benchmark_training"]
SCRIPT = "#!/bin/sh\n"


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build = self.folder / "build"
        self.build.mkdir()
        for program in PROGRAMS:
            (self.build / program).symlink_to(BUILT / program)

    def stand_in(self, file, script):
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_text(SCRIPT + script)
        file.chmod(0o755)

    def path_with_a_card(self):
        self.stand_in(self.folder / "bin/nvidia-smi", 'echo "NVIDIA H100 80GB HBM3, 580.1, 81559 MiB, 9.0"\n')
        return f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def run_steps(self, *arguments, **variables):
        """The process, and the JSON that it left."""
        environment = dict(os.environ, OUT=str(self.folder / "results"), **variables)
        command = [str(ROOT / "benchmarks/gpu"), "run", "--quick", "--build-dir", str(self.build), *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder)
        file = self.folder / "results/plume-bench-gpu.json"
        return ran, json.loads(file.read_text()) if file.is_file() else None

    def test_measures_and_says_that_a_cpu_is_no_gpu(self):
        ran, report = self.run_steps("goldens", "training", "sweep", "--goldens", "GoldenAuroc*",
                                     "--limit", "goldens=200", "--limit", "training=200", "--limit", "sweep=200")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        note = "no GPU: nothing here is a GPU figure; tiny sizes (--quick): no speed"
        self.assertEqual((report["device"], report["note"]), ("cpu", note))
        self.assertIn(note, ran.stdout)
        self.assertEqual(report["steps"]["build"], {"status": "not run"})
        goldens, training, sweep = (report["steps"][name] for name in ("goldens", "training", "sweep"))
        tests = goldens["programs"]["plume_tests"]
        self.assertGreater(tests["passed"], 0)
        self.assertEqual((tests["failed"], tests["skipped"]), (0, 0))
        self.assertGreater(training["benchmark"]["steps"]["ours"]["median"], 0)
        self.assertGreaterEqual(sweep["results_when_killed"], 1)
        self.assertLess(sweep["results_when_killed"], sweep["results"])
        self.assertTrue(sweep["same_bits_as_undisturbed"])
        self.assertEqual(sweep["devices"], ["cpu"])
        self.assertEqual(sweep["results"], len(sweep["trainings"]))
        self.assertEqual(len(sweep["table"]["rows"]), 3)
        self.assertNotIn(str(self.folder), json.dumps(report))

    def test_a_card_alone_makes_no_gpu_figure(self):
        ran, report = self.run_steps("sweep", "--limit", "sweep=200", PATH=self.path_with_a_card())
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(report["cards"], [{"name": "NVIDIA H100 80GB HBM3", "driver": "580.1", "memory": "81559 MiB",
                                            "compute_capability": "9.0"}])
        self.assertEqual(report["device"], "cpu")
        self.assertIn("a GPU is here, but nothing was computed on it: nothing here is a GPU figure", report["note"])

    def test_what_fails_is_one_line_each_and_the_rest_runs(self):
        self.stand_in(self.build / "plume_tests", 'echo "plume_tests: libcudart.so.13: cannot open"; exit 127\n')
        self.stand_in(self.build / "benchmark_training", "sleep 600\n")
        (self.build / "plume-bench").unlink()
        ran, report = self.run_steps("goldens", "training", "sweep", "--limit", "training=1")
        self.assertEqual(ran.returncode, 1)
        failures = {name: report["steps"][name]["failure"] for name in ("goldens", "training", "sweep")}
        self.assertEqual(failures["goldens"], "plume_tests ended with status 127: plume_tests: libcudart.so.13: cannot open")
        self.assertEqual(failures["training"], "benchmarks/training.py: not done within the step's 1 s (--limit)")
        self.assertEqual(failures["sweep"], "plume-bench is not built: run the step build first")
        self.assertEqual([line.split()[:2] for line in ran.stdout.splitlines()[:3]], [[name, "failed"] for name in failures])
        self.assertEqual((report["device"], report["note"]), (None, "nothing was computed: no figure here"))

    def stand_in_tests(self, program, *failures):
        """A program of as many tests as there are failures (None: passes), and of one that its filter leaves out."""
        tests = [{"name": f"Test{i}", "status": "RUN", "result": "COMPLETED", **({"failures": [{"failure": failure}]} if failure else {})}
                 for i, failure in enumerate(failures)]
        tests.append({"name": "Elsewhere", "status": "NOTRUN", "result": "SUPPRESSED"})
        report = json.dumps({"testsuites": [{"name": "GoldenStep", "testsuite": tests}]})
        write = f"[ $GTEST_SHARD_INDEX = 0 ] && cat > ${{GTEST_OUTPUT#json:}} <<'J'\n{report}\nJ\n"
        self.stand_in(self.build / program, f"{write}exit {any(failures):d}\n")

    def test_a_failed_golden_test_is_named(self):
        self.stand_in_tests("plume_tests", "a.cpp:7\nValue of: x", None)
        ran, report = self.run_steps("goldens")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(report["steps"]["goldens"]["failure"], "1 tests failed, first GoldenStep.Test0: a.cpp:7")
        self.assertEqual(report["steps"]["goldens"]["programs"], {"plume_tests": {
            "passed": 1, "failed": 1, "skipped": 0, "failed_tests": [{"test": "GoldenStep.Test0", "failure": "a.cpp:7"}]}})

    def test_with_a_card_the_tests_of_the_device_run_too(self):
        self.stand_in_tests("plume_tests", None)
        self.stand_in_tests("cuda_tests", None, "b.cpp:9")
        without_card, report = self.run_steps("goldens")
        self.assertEqual((without_card.returncode, list(report["steps"]["goldens"]["programs"])), (0, ["plume_tests"]))
        with_card, report = self.run_steps("goldens", PATH=self.path_with_a_card())
        self.assertEqual(with_card.returncode, 1)
        self.assertEqual(report["steps"]["goldens"]["failure"], "1 tests failed, first GoldenStep.Test1: b.cpp:9")

    def test_a_program_of_tests_that_dies_does_not_take_the_others_results_along(self):
        self.stand_in_tests("plume_tests", None)
        self.stand_in(self.build / "cuda_tests", 'echo "cuda_tests: libcudart.so.13: cannot open"; exit 127\n')
        ran, report = self.run_steps("goldens", PATH=self.path_with_a_card())
        goldens = report["steps"]["goldens"]
        why = "cuda_tests ended with status 127: cuda_tests: libcudart.so.13: cannot open"
        self.assertEqual((ran.returncode, goldens["failure"], goldens["programs"]["cuda_tests"]["failure"]), (1, why, why))
        self.assertEqual(goldens["programs"]["plume_tests"]["passed"], 1)

    def test_a_benchmark_that_is_late_leaves_what_it_has_measured(self):
        def late(arguments, *_, **__):
            pathlib.Path(arguments[arguments.index("--json") + 1]).write_text('{"devices": ["cuda"], "steps": {}}')
            raise command.Failed("not done")

        box = Box(ROOT, self.build, self.folder, torch=None, cards=[], quick=True, targets=None, goldens="*")
        with unittest.mock.patch.object(training, "run", late), self.assertRaises(command.Failed) as failed:
            training.step(box)
        self.assertEqual(failed.exception.facts, {"devices": ["cuda"], "benchmark": {"devices": ["cuda"], "steps": {}}})

    def test_a_card_that_gets_no_engine_fails_the_build(self):
        def configures(arguments, *_, **__):
            (self.build / "CMakeCache.txt").write_text("PLUME_WITH_CUDA:BOOL=OFF\n")

        libtorch = self.folder / "torch"
        (libtorch / "share/cmake/Torch").mkdir(parents=True)
        card = {"compute_capability": "9.0"}
        box = Box(ROOT, self.build, self.folder, {"folder": str(libtorch)}, [card], True, None, "*", command.Clock(60))
        with unittest.mock.patch.object(build, "run", configures), self.assertRaises(command.Failed) as failed:
            build.step(box)
        self.assertRegex(str(failed.exception), "^a GPU is here, and what was built computes on the CPU alone: ")

    def test_steps_run_one_by_one_come_into_one_json(self):
        (self.build / "plume-bench").unlink()
        self.run_steps("goldens", "--goldens", "GoldenAuroc*", "--limit", "goldens=200")
        ran, report = self.run_steps("sweep")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual({name: step["status"] for name, step in report["steps"].items()},
                         {"build": "not run", "goldens": "passed", "training": "not run", "sweep": "failed"})

    def test_told_to_end_it_ends_what_it_has_started(self):
        alive = self.folder / "alive"
        os.mkfifo(alive)
        self.stand_in(self.build / "benchmark_training", f"exec 3> {alive}; echo here >&3; sleep 600\n")
        command = [str(ROOT / "benchmarks/gpu"), "run", "training", "--quick", "--build-dir", str(self.build)]
        with subprocess.Popen(command, env=dict(os.environ, OUT=str(self.folder / "results"))) as process, open(alive) as reader:
            self.assertEqual(reader.readline(), "here\n")
            process.terminate()
            reader.read()  # ends when nobody has the other end any more
        self.assertEqual(process.returncode, 143)

    def test_wrong_usage_is_one_line(self):
        for arguments, line in ((["bild"], "gpu: argument STEP: 'bild': expected one of build, goldens, training, sweep"),
                                (["--limit", "build"], "gpu: argument --limit: 'build': expected STEP=SECONDS, e.g. build=1800")):
            ran, report = self.run_steps(*arguments)
            self.assertEqual((ran.returncode, ran.stderr, report), (2, f"{line} (benchmarks/gpu --help)\n", None))


if __name__ == "__main__":
    unittest.main()
