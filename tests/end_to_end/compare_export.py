"""Holds every array of FOLDER/results.h5 against the CSV files beside it, by a reader that is not ours:

    compare_export.py FOLDER

Prints how many values it compared; any difference is an error.
"""
import csv
import math
import sys

import h5py
import numpy

ROUND = {"f": float, "i": int}


def read_csv(file):
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return rows


def texts_of(array):
    """As a CSV would have them, to be compared: numbers as numbers, nothing as None."""
    if h5py.check_string_dtype(array.dtype):
        assert h5py.check_string_dtype(array.dtype).encoding == "utf-8", array.name
        return [text or None for text in array.asstr()[:]]
    assert array.dtype in (numpy.dtype("<f8"), numpy.dtype("<i8")), array.name
    return [None if math.isnan(value) else value for value in array[:]]


def compare(array, column):
    """Returns the number of values."""
    values = texts_of(array)
    assert len(values) == len(column), f"{array.name}: {len(values)} values, {len(column)} lines"
    is_text = h5py.check_string_dtype(array.dtype) is not None
    for i, (value, text) in enumerate(zip(values, column)):
        expected = (text or None) if is_text else (None if text in ("", "nan") else ROUND[array.dtype.kind](text))
        assert value == expected, f"{array.name}[{i}]: {value!r} in the array, {text!r} in the CSV"
    for attribute in ("unit", "description"):
        assert isinstance(array.attrs[attribute], str), f"{array.name}: {attribute}"
    assert array.attrs["description"], array.name
    return len(values)


def compare_group(group, rows, jobs, of_job):
    """Columns that a file repeats of the job, and those that are arrays of their own."""
    index = group["job"][:]
    assert (numpy.diff(index) >= 0).all(), "jobs in their order"
    assert len(index) == len(rows), f"{group.name}: {len(index)} values, {len(rows)} lines"
    for i, row in zip(index, rows):
        for column in of_job:
            assert row[column] == jobs[i][column], f"{group.name}: {column} of {row} is not that of {jobs[i]}"
    arrays = set(group) - {"job"}
    assert rows == [] or arrays == set(rows[0]) - set(of_job), f"{group.name}: {arrays}"
    return sum(compare(group[name], [row[name] for row in rows]) for name in arrays)


def main(folder):
    jobs = read_csv(folder + "/jobs.csv")
    common = ["key", "dataset", "class", "method", "setting", "seed", "weights"]
    with h5py.File(folder + "/results.h5") as file:
        assert file.attrs["format"] == "plume-bench results" and file.attrs["version"] == 1
        assert set(file) == {"jobs", "epochs", "shares"}
        assert set(file["jobs"]) == set(jobs[0])
        compared = sum(compare(file["jobs"][name], [job[name] for job in jobs]) for name in file["jobs"])
        compared += compare_group(file["epochs"], read_csv(folder + "/epochs.csv"), jobs, common + ["outcome"])
        compared += compare_group(file["shares"], read_csv(folder + "/shares.csv"), jobs, common)
    print(f"{compared} values are the same")


main(sys.argv[1])
