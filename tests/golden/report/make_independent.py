#!/usr/bin/env python3
"""Computes the numbers of the table "lambda" from journal.jsonl without a line of plume-bench: Python 3, NumPy, SciPy.

    python3 make_independent.py journal.jsonl ../../../sweeps/paper/tables.json > independent.json
"""
import json
import sys

import numpy as np
from scipy import stats

CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog"]
PRINTED = {"airplane": "plane", "automobile": "car"}
MODES = ["best", "last", "last-10", "gap"]
SEEDS = range(3)


def number(aucs, mode):
    percent = 100 * np.array(aucs)
    return {"best": percent.max(), "last": percent[-1], "last-10": percent[-10:].mean(),
            "gap": percent.max() - percent[-1]}[mode]


def read(path):
    """(row, class, lambda, seed) -> AUROC of the epochs, of finished runs."""
    runs = {}
    for line in open(path):
        entry = json.loads(line)
        if entry["type"] != "done" or entry["result"]["outcome"] != "finished":
            continue
        job = entry["job"]
        if job.get("semantics") == "paper" or job["method"] == "knn" or job.get("perturbation") == "gaussian":
            continue
        row = "plad" if job["method"] == "plad" else "plume"
        runs[row, job["class"], job["lambda"], job["seed"]] = [e["auc"] for e in entry["result"]["epochs"]]
    return runs


def cell(runs, row, name, lam, mode):
    """By seed."""
    return {s: number(runs[row, name, lam, s], mode) for s in SEEDS if (row, name, lam, s) in runs}


def best_lambda(runs, name, mode):
    complete = [lam for lam in (5, 10, 20) if len(cell(runs, "plume", name, lam, mode)) == len(SEEDS)]
    return max(complete, key=lambda lam: (np.mean(list(cell(runs, "plume", name, lam, mode).values())), -lam))


def summary(values):
    values = list(values)
    return {"n": len(values), "mean": float(np.mean(values)),
            "std": float(np.std(values, ddof=1)) if len(values) > 1 else None}


def row_cells(runs, row, mode):
    """Class -> (lambda, by seed)."""
    choosing = "best" if mode == "gap" else mode
    if row == "PLAD, run again":
        return {c: (5, cell(runs, "plad", c, 5, mode)) for c in CLASSES}
    if row == "PLUME, best lambda":
        return {c: (lam, cell(runs, "plume", c, lam, mode)) for c in CLASSES for lam in [best_lambda(runs, c, choosing)]}
    lam = int(row.split()[-1])
    return {c: (lam, cell(runs, "plume", c, lam, mode)) for c in CLASSES}


def welch(ours, theirs, n):
    v1, v2 = ours["std"] ** 2 / ours["n"], theirs["std"] ** 2 / n
    df = (v1 + v2) ** 2 / (v1**2 / (ours["n"] - 1) + v2**2 / (n - 1))
    half = stats.t.ppf(0.975, df) * np.sqrt(v1 + v2)
    difference = ours["mean"] - theirs["mean"]
    return {"difference": difference, "low": difference - half, "high": difference + half}


def holm(p_values):
    order = np.argsort(p_values)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def main():
    runs = read(sys.argv[1])
    tables = {t["id"]: t for t in json.load(open(sys.argv[2]))["tables"]}
    printed = {r["id"]: r for r in tables["cifar10-lambda"]["rows"]}
    published = {"PLAD, run again": "plad-rerun", "PLUME, lambda 5": "plume-l5", "PLUME, lambda 10": "plume-l10",
                 "PLUME, best lambda": "plume-best"}
    out = {"rows": {}, "comparisons": []}
    for row in published:
        out["rows"][row] = {}
        for mode in MODES:
            cells = row_cells(runs, row, mode)
            by_class = {c: dict(summary(v.values()), chosen=lam) for c, (lam, v) in cells.items()}
            if mode == "best":
                for c in CLASSES:
                    theirs = printed[published[row]]["cells"][PRINTED.get(c, c)]
                    by_class[c]["verdict"] = welch(by_class[c], theirs, 5)
            complete = [s for s in SEEDS if all(s in v for _, v in cells.values())]
            means = [np.mean([v[s] for _, v in cells.values()]) for s in complete]
            out["rows"][row][mode] = {"classes": by_class, "mean": summary(means) if means else None}
    maxima = {c: max(max(cell(runs, "plume", c, lam, "best").values()) for lam in (5, 10, 20)) for c in CLASSES}
    out["maxima"] = {"classes": maxima, "mean": float(np.mean(list(maxima.values())))}
    rows = list(published)
    for mode in ("best", "last"):
        tests = []
        for i, first in enumerate(rows):
            for second in rows[i + 1:]:
                if first.startswith("PLUME, lambda") and second == "PLUME, best lambda":
                    continue  # its own runs
                one, two = row_cells(runs, first, mode), row_cells(runs, second, mode)
                differences = [np.mean([one[c][1][s] - two[c][1][s] for s in one[c][1] if s in two[c][1]])
                               for c in CLASSES]
                nonzero = [d for d in differences if d != 0]
                ties = len(set(map(abs, nonzero))) < len(nonzero)
                test = stats.wilcoxon(nonzero, method="approx" if ties else "exact", correction=ties) if nonzero else None
                tests.append({"mode": mode, "first": first, "second": second,
                              "mean_difference": float(np.mean(differences)),
                              "p": float(test.pvalue) if test else 1.0})
        for test, p in zip(tests, holm([t["p"] for t in tests])):
            test["p_holm"] = p
        out["comparisons"] += tests
    json.dump(out, sys.stdout, indent=1)
    print()


main()
