#!/usr/bin/env bash
# A hundred jobs, planned, resumed and reported by the real program; wrong usage is answered by status 2.
# Usage: plans_test.sh benchmark_plans plume-bench
set -euo pipefail
program=$(realpath "$1")
product=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

table=$("$program" "$product" --jobs 100 --epochs 2)
for step in expanded: 'planned anew' 'the journal written' 'expanded and compared' 'one job left' 'resumed and finished' reported:; do
  if ! grep -qE "^\| .*$step.* \| [0-9.]+ \| [0-9.]+ \| [0-9]*[1-9][0-9]* \|$" <<< "$table"; then
    printf 'plans_test: no row "%s" in:\n%s\n' "$step" "$table" >&2
    exit 1
  fi
done
status=0
"$program" "$product" --jobs none 2> /dev/null || status=$?
if [ "$status" -ne 2 ]; then
  echo "plans_test: wrong usage ended with status $status, expected 2" >&2
  exit 1
fi
