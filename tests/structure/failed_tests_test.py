"""tools/failed_tests.py: what failed tests complained of, at the end of a log."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/failed_tests.py"


def case(name, output, status="fail", message=""):
    failure = f'<failure message="{message}"/>' if status == "fail" else ""
    return f'<testcase name="{name}" time="161.2" status="{status}">{failure}<system-out>{escape(output)}</system-out></testcase>'


class FailedTests(unittest.TestCase):
    def printed(self, *cases):
        with tempfile.TemporaryDirectory() as folder:
            junit = pathlib.Path(folder) / "tests.xml"
            junit.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
            return subprocess.run([sys.executable, TOOL, junit], check=True, capture_output=True, text=True).stdout

    def test_shows_the_complaint_of_a_failed_test_and_not_what_its_program_printed_before(self):
        output = "started\nchain_test.cpp:29: Failure\nExpected equality\n  0\n  4\n\ngoing on\n[  FAILED  ] Chain.Ends\n"
        self.assertEqual(self.printed(case("chain", output)),
                         "failed: chain, after 161 s\n  chain_test.cpp:29: Failure\n  Expected equality\n    0\n    4\n")

    def test_is_silent_of_tests_that_passed(self):
        self.assertEqual(self.printed(case("chain", "a.cpp:1: Failure\n", status="run")), "")

    def test_shows_the_end_of_what_a_test_printed_that_complains_in_a_way_of_its_own(self):
        self.assertEqual(self.printed(case("fuzz", "\n".join(f"line {i}" for i in range(20)), message="Timeout")).splitlines(),
                         ["failed: fuzz, after 161 s: Timeout"] + [f"  line {i}" for i in range(12, 20)])

    def test_cuts_long_complaints_and_says_so(self):
        lines = self.printed(case("table", "a.cpp:1: Failure\n" + "x" * 1000 + "\n" + "row\n" * 50)).splitlines()
        self.assertEqual((len(lines), len(lines[2]), lines[-1]), (12, 246, "  ... and 42 lines more"))

    def test_counts_the_complaints_that_it_leaves_out(self):
        output = "".join(f"a.cpp:{i}: Failure\nwrong\n\n" for i in range(5))
        self.assertEqual(self.printed(case("many", output)).splitlines()[-1], "  ... and 2 complaints more")

    def test_shows_a_traceback_of_a_python_test(self):
        output = "..F\nTraceback (most recent call last):\n  File \"a.py\", line 3\nAssertionError: 1 != 2\n\nRan 3 tests\n"
        self.assertIn("  AssertionError: 1 != 2\n", self.printed(case("page", output)))


if __name__ == "__main__":
    unittest.main()
