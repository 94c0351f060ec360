"""Prints the minutes per test label, and the longest tests, of a ctest run: label_minutes.py JUNIT.xml BUILD_DIR"""
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree


def main() -> None:
    junit, build = sys.argv[1:3]
    seconds = {case.get("name"): float(case.get("time") or 0) for case in ElementTree.parse(junit).getroot().iter("testcase")}
    listing = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout)
    per_label: dict[str, list[float]] = {}
    for test in listing["tests"]:
        labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), ["(none)"])
        for label in labels:
            if test["name"] in seconds:
                per_label.setdefault(label, []).append(seconds[test["name"]])
    print("label        tests   minutes")
    for label, times in sorted(per_label.items()):
        print(f"{label:<12} {len(times):>5} {sum(times) / 60:>9.2f}")
    print("longest:", ", ".join(f"{name} {t:.0f} s" for name, t in sorted(seconds.items(), key=lambda item: -item[1])[:5]))


if __name__ == "__main__":
    main()
