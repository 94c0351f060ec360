#!/usr/bin/env bash
# Fixtures of another seed by the PyTorch program beside the stored ones, then the golden tests on them: no test knows the
# stored numbers. Usage: golden_another_seed.sh TEST_PROGRAM. Python is $PLUME_PYTHON or the first below that has torch.
set -euo pipefail
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
python=
for candidate in "${PLUME_PYTHON:-}" "$root/.deps/venv/bin/python" python3; do
  if [ -n "$candidate" ] && "$candidate" -c 'import torch' 2>/dev/null; then python=$candidate && break; fi
done
if [ -z "$python" ]; then
  echo "golden_another_seed: no Python with torch; install one (pip install torch) and name it: PLUME_PYTHON=FILE" >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$root/tests/golden/make_method_fixtures.py" --out "$folder" --seed 20261128 --small
# The two full-size fixtures are copies with --small; backbones and real features have no seed.
PLUME_GOLDEN_DIR=$folder "$program" --gtest_filter='*Golden*-*FullSize*:*Plad*:*EndToEnd*:*Backbone*:*Cifar*:*Preprocess*' --gtest_brief=1
