#!/usr/bin/env python3
"""Writes inference.json and delong.json: inputs, and what R, SciPy and pROC say of them (README.md). Needs SciPy, and R with pROC."""
import json
import math
import pathlib
import subprocess

import numpy as np
import scipy
from scipy import stats

HERE = pathlib.Path(__file__).parent
PRELUDE = "suppressMessages(library(pROC))\nsay <- function(x) cat(sprintf('%.17g', x), '\\n')\n"


def run_r(expressions):
    """The numbers that R expressions give, in order; a vector gives several."""
    text = PRELUDE + "".join(f"say({expression})\n" for expression in expressions)
    done = subprocess.run(["Rscript", "-"], input=text, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def vector(values):
    return "c(" + ",".join(repr(float(v)) for v in values) + ")"


def welch_cases(rng):
    shapes = [(5, 5, 1, 1), (5, 5, 1, 1e-9), (2, 2, 3, 0.5), (2, 30, 1, 4), (30, 2, 0.1, 2), (6, 10, 2, 2), (5, 5, 0.3, 0.7),
              (5, 4, 10, 1e-3), (100, 7, 5, 5)]
    for n1, n2, s1, s2 in shapes:
        yield rng.normal(80, s1, n1), rng.normal(79.5, s2, n2)
    yield np.array([84.5, 84.5, 84.5]), np.array([84.0, 85.0, 83.0])  # one side without a spread
    yield rng.normal(0, 1e-12, 3), rng.normal(1e-12, 1e-12, 5)


def welch(rng):
    cases, asked = [], []
    for first, second in welch_cases(rng):
        test = f"t.test({vector(first)},{vector(second)})"
        asked += [f"{test}$conf.int", f"unname({test}$parameter)"]
        result = stats.ttest_ind(first, second, equal_var=False)
        interval = result.confidence_interval(0.95)
        by_scipy = {"low": float(interval.low), "high": float(interval.high), "degrees_of_freedom": float(result.df)}
        cases.append({"first": first.tolist(), "second": second.tolist(), "scipy": by_scipy})
    answers = run_r(asked)
    for i, case in enumerate(cases):
        case["r"] = dict(zip(("low", "high", "degrees_of_freedom"), answers[3 * i:3 * i + 3]))
    return cases


def wilcoxon_cases(rng):
    for n in list(range(1, 11)) + [15, 20, 24, 25, 26, 30, 49, 60]:
        yield rng.normal(0.4, 1, n)
    for n in (6, 10, 15, 25):  # zeros, which are dropped first
        values = rng.normal(-0.8, 1, n)
        values[::3] = 0
        yield values
    for n in (2, 6, 8, 10, 20, 25, 30):  # ties; ties and zeros
        yield rng.integers(1, 5, n) * rng.choice([-1.0, 1.0], n) / 4
        yield rng.integers(-3, 5, n) / 8
    yield np.array([0.5] * 6)
    yield -np.arange(1.0, 26.0)
    yield np.arange(1.0, 31.0)
    yield np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0]) * 1e-12
    yield np.array([1.0, 2.0, -3.0])  # in the middle: p = 1
    yield np.array([1.0, -1.0, 2.0, -2.0])
    yield np.array([0.0, 0.0])


def wilcoxon(rng):
    cases, asked, tested = [], [], []
    for values in wilcoxon_cases(rng):
        kept = values[values != 0]
        exact = len(kept) <= 25 and len(set(np.abs(kept))) == len(kept)
        cases.append({"differences": values.tolist(), "n": len(kept), "exact": exact, "statistic": 0, "r": 1, "scipy": 1})
        if len(kept) == 0:
            continue
        tested.append(cases[-1])
        test = f"suppressWarnings(wilcox.test({vector(kept)},exact={'TRUE' if exact else 'FALSE'},correct=TRUE))"
        asked += [f"unname({test}$statistic)", f"{test}$p.value"]
        result = stats.wilcoxon(kept, method="exact" if exact else "asymptotic", correction=True)
        cases[-1]["scipy"] = float(result.pvalue)
    answers = run_r(asked)
    for i, case in enumerate(tested):
        case["statistic"], case["r"] = answers[2 * i:2 * i + 2]
        assert math.isclose(case["scipy"], case["r"], rel_tol=1e-10), case
    return cases


def holm(rng):
    cases = [[0.04, 0.01, 0.03], [0.5], [], [0.01, 0.01, 0.01], [0.9, 0.8, 0.02], [0, 1, 0.5, 0.5], [1, 1]]
    cases += [rng.uniform(0, 0.2, n).tolist() for n in (2, 5, 8, 21)]
    answers = iter(run_r([f"p.adjust({vector(case)},'holm')" for case in cases if case]))
    return [{"p": case, "r": [next(answers) for _ in case]} for case in cases]


def delong_cases(rng):
    """Scores, and how many of them, from the first on, are positive."""
    def draw(positives, negatives, shift, digits=3):
        scores = np.concatenate([rng.normal(shift, 1, positives), rng.normal(0, 1, negatives)])
        return np.round(scores, digits).tolist(), positives

    yield [3, 1, 2, 0], 2
    yield [1, 1, 1, 1], 2           # all tied
    yield [5, 4, 3, 2, 1, 0], 3     # separated
    yield [0, 1, 2, 3, 4, 5], 3     # separated the wrong way round
    yield [2, 2, 1, 2, 1, 1, 0], 3  # ties across the classes
    yield [1, 0.5, 0.5, 0], 2
    for positives, negatives, shift in [(2, 2, 0.5), (2, 40, 1), (40, 2, 1), (10, 15, 0.3), (25, 25, 2.5), (7, 13, -1)]:
        yield draw(positives, negatives, shift)
    yield draw(30, 60, 0.7, 0)      # many ties
    yield draw(50, 50, 3, 1)        # the upper bound is cut
    yield draw(200, 800, 0.8, 2)
    yield draw(1000, 1500, 0.2, 3)


def delong(rng):
    cases, asked = [], []
    for scores, positives in delong_cases(rng):
        labels = [1] * positives + [0] * (len(scores) - positives)
        roc = f"roc({vector(labels)},{vector(scores)},levels=c(0,1),direction='<',quiet=TRUE)"
        asked += [f"as.numeric(auc({roc}))", f"sqrt(var({roc},method='delong'))"]
        asked += [f"suppressWarnings(ci.auc({roc},method='delong'))[c(1,3)]"]
        cases.append({"scores": scores, "positives": positives})
    answers = run_r(asked)
    for i, case in enumerate(cases):
        case["proc"] = dict(zip(("auc", "std_error", "low", "high"), answers[4 * i:4 * i + 4]))
    return cases


def write(name, value):
    (HERE / name).write_text(json.dumps(value, allow_nan=False, separators=(",", ":")).replace("},{", "},\n{") + "\n")


def main():
    rng = np.random.default_rng(20220714)
    write("inference.json", {"welch": welch(rng), "wilcoxon": wilcoxon(rng), "holm": holm(rng)})
    write("delong.json", delong(rng))
    versions = subprocess.run(["Rscript", "-e", "cat(R.version.string, ', pROC', format(packageVersion('pROC')), '\\n')"],
                              capture_output=True, text=True, check=True).stdout
    print(versions.strip(), "SciPy", scipy.__version__, "NumPy", np.__version__)


if __name__ == "__main__":
    main()
