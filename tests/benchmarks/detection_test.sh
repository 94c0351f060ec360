#!/usr/bin/env bash
# One fault of each kind that is named, under short deadlines: each gives a row with a time in it.
# Usage: detection_test.sh plume-bench FAULT...
set -euo pipefail
product=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

table=$(python3 "$root/benchmarks/detection.py" "$product" --rounds 1 --hang-deadline 2 --heartbeat-deadline 2 --folder "$folder" \
  --faults "${@:2}")
for fault in "${@:2}"; do
  row=$(grep "^| $fault |" <<< "$table" || true)
  if [[ $row == *"not measured: "*"Operation not permitted"* ]]; then
    continue  # namespaces are not for this user
  fi
  if ! grep -qE '^\| [^|]* \| [^|]* \| [0-9.]+ \([0-9.]+\) \|' <<< "$row"; then
    printf 'detection_test: no times of "%s" in:\n%s\n' "$fault" "$table" >&2
    exit 1
  fi
done
if [ -n "$(ls "$folder")" ]; then
  echo "detection_test: it left files behind: $(ls "$folder")" >&2
  exit 1
fi
