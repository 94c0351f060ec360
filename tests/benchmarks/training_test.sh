#!/usr/bin/env bash
# The training benchmark at tiny sizes: every program computes the same loss (it refuses otherwise), the tables have their rows
# and the JSON its numbers; wrong usage is answered by status 2. Usage: training_test.sh benchmark_training PYTHON_WITH_TORCH plume-bench
set -euo pipefail
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
table=$("$2" "$root/benchmarks/training.py" "$program" --runner "$3" --quick --threads 2 --json "$folder/step.json")
for row in 'plume-bench' 'LibTorch: autograd and fused AdamW' 'Python: explicit maps, AdamW' 'floor' '96 to 192' 'AUROC of 1000 rows' \
  'evaluation of 100 rows' 'task to its first step' 'to one on others, read in advance' '1 of 2' '2 of 1'; do
  if ! grep -qF "| $row |" <<< "$table"; then
    printf 'training_test: no row "%s" in:\n%s\n' "$row" "$table" >&2
    exit 1
  fi
done
grep -q '^The whole paper, EXTRAPOLATED ' <<< "$table"
python3 - "$folder/step.json" <<'PYTHON'
import json
import sys

report = json.load(open(sys.argv[1]))
for name in ("ours", "fused", "adamw", "rank-one fused", "rank-one adamw", "explicit adamw"):
    step = report["steps"][name]
    assert len(step["all"]) == 2 and step["median"] >= step["least"] > 0 and step["times_ours"] > 0, (name, step)
    parts = dict(step["parts"])
    assert parts.pop("both") is None, "layers as small as these are not updated in autograd's sweep"
    assert all(seconds > 0 for seconds in parts.values()) and step["peak_bytes"] > 0, (name, step)
assert report["steps"]["ours"]["times_ours"] == 1
assert report["limits"]["copy"] > 0 and report["limits"]["multiply_add"] > 0, report["limits"]
for layer in report["limits"]["layers"]:
    for kind in ("forward", "input_gradient", "weight_gradient"):
        assert layer[kind]["libtorch"] > 0 and layer[kind]["onednn"] > 0, layer
assert all(len(rate["all"]) == 3 and rate["median"] > 0 for rate in report["throughput"].values()), report["throughput"]
D = 96
parameters = 6 * D * D + D * D // 3 + D * D // 18 + D // 6  # of the VAE and the classifier, without biases
assert abs(report["floor"]["update"]["by_bytes"] * report["limits"]["copy"] - 24 * parameters) < 1, report["floor"]
assert len(report["between"]) == 6 and all(seconds > 0 for seconds in report["between"].values()), report["between"]
paper = report["paper"]
assert paper["trainings"] == 820 and paper["optimiser_steps"] == 15.69e6 and paper["rows_scored"] > 1e9, paper
assert paper["hours"] == sum(paper["seconds"].values()) / 3600 > 0, paper
assert 0 < report["floor"]["seconds"] and report["load_before"], report
PYTHON
if "$2" "$root/benchmarks/training.py" "$program" --quick --folder "$folder/none" 2> "$folder/errors"; then
  printf 'training_test: a folder that is not there was taken\n' >&2
  exit 1
fi
grep -q -- '--folder .*/none: nothing can be written there' "$folder/errors"
for wrong in 'ours' 'ours 1 96 4 cpu:avx3' 'ours 1 96 4 tpu'; do
  status=0
  "$program" $wrong < /dev/null 2> "$folder/errors" || status=$?
  if [ "$status" -ne 2 ] || ! grep -q '^       WHAT: ours' "$folder/errors"; then
    printf 'training_test: "%s" ended with status %s, expected 2 and the usage:\n%s\n' "$wrong" "$status" "$(cat "$folder/errors")" >&2
    exit 1
  fi
done
if grep -q avx2 /proc/cpuinfo; then
  held=$("$2" "$root/benchmarks/training.py" "$program" --quick --threads 1 --vectors avx2 --without-python --without-around)
  grep -q '1 threads held to AVX2;' <<< "$held"
fi
