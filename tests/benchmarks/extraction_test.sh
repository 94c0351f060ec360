#!/usr/bin/env bash
# One image of 32x32 pixels through the extraction benchmark, without Python's half, gives a row of its table; wrong usage is
# answered by status 2. Usage: extraction_test.sh benchmark_extraction
set -euo pipefail
program=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
table=$(python3 "$root/benchmarks/extraction.py" "$program" --without-python --backbones efficientnet-lite0 --threads 1 \
  --batch 1 --side 32 --rounds 1)
if ! grep -qE '^\| efficientnet-lite0 \| 1 \| [0-9.]*[1-9][0-9.]* \|$' <<< "$table"; then
  printf 'extraction_test: no row of efficientnet-lite0 in:\n%s\n' "$table" >&2
  exit 1
fi
status=0
"$program" efficientnet-lite0 2> /dev/null || status=$?
if [ "$status" -ne 2 ]; then
  echo "extraction_test: wrong usage ended with status $status, expected 2" >&2
  exit 1
fi
