"""Prints what each failed test of a ctest run complained of, so that the end of a long log says it: failed_tests.py JUNIT.xml"""
import sys
import xml.etree.ElementTree as ElementTree

LINES_A_COMPLAINT = 10  # of a comparison that prints whole tables
COMPLAINTS_A_TEST = 3
LINES_WITHOUT = 8  # of a test that says nothing in GoogleTest's or unittest's way
WIDTH = 240
BEGINS = (": Failure", "Traceback (most recent call last)", "==ERROR:")
ENDS = ("[  FAILED", "[       OK", "[ RUN", "[----------", "Ran ")


def complaints_of(output: str) -> list[list[str]]:
    """Each from the line that begins it to an empty line, or to the next test of the program."""
    found: list[list[str]] = []
    under_way = False
    for line in output.splitlines():
        if any(mark in line for mark in BEGINS):
            found.append([])
            under_way = True
        elif not line.strip() or line.startswith(ENDS):
            under_way = False
        if under_way:
            found[-1].append(line)
    return found


def words_of(case: ElementTree.Element) -> list[str]:
    output = case.findtext("system-out") or ""
    found = complaints_of(output)
    if not found:
        return output.rstrip().splitlines()[-LINES_WITHOUT:]
    lines = []
    for complaint in found[:COMPLAINTS_A_TEST]:
        lines += complaint[:LINES_A_COMPLAINT]
        if len(complaint) > LINES_A_COMPLAINT:
            lines.append(f"... and {len(complaint) - LINES_A_COMPLAINT} lines more")
    if len(found) > COMPLAINTS_A_TEST:
        lines.append(f"... and {len(found) - COMPLAINTS_A_TEST} complaints more")
    return lines


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        if case.get("status") != "fail":
            continue
        why = case.find("failure")
        message = why.get("message") if why is not None else ""
        print(f"failed: {case.get('name')}, after {float(case.get('time') or 0):.0f} s{': ' + message if message else ''}")
        for line in words_of(case):
            print("  " + (line if len(line) <= WIDTH else line[:WIDTH] + " ..."))


if __name__ == "__main__":
    main()
