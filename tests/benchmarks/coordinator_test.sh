#!/usr/bin/env bash
# A few simulated workers for two seconds behind the coordinator's loop, and a hundred jobs through it: tables and verdicts come out,
# a limit that nothing can keep is said to be broken by status 1, and wrong usage is answered by status 2.
# Usage: coordinator_test.sh benchmark_coordinator
set -euo pipefail
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "coordinator_test: $1" >&2
  exit 1
}
expect() {  # status, pattern of a line of the output, arguments
  local status=0 output
  output=$("$program" "${@:3}" 2>&1) || status=$?
  [ "$status" -eq "$1" ] || fail "${*:3}: ended with status $status, expected $1: $output"
  grep -qE "$2" <<< "$output" || fail "${*:3}: no line like $2 in: $output"
}

small=(keep-up --workers 20 --rate 5 --seconds 2 --epochs 5)
expect 0 '^kept up: oldest message [0-9.]+ s' "${small[@]}" --limit 60
expect 0 '^  results made durable +[0-9]*[1-9][0-9]* ' "${small[@]}" --limit 60
expect 1 '^fell behind: oldest message' "${small[@]}" --limit 1e-9
expect 0 '^\| 5 workers \| [0-9]*[1-9][0-9]* \|' dispatch --tasks 100 --workers 5 --jobs 100 --epochs 2
expect 2 '^benchmark_coordinator: --limt: unknown; these are known' keep-up --limt 1
expect 2 '^benchmark_coordinator: usage: '
[ -z "$(ls)" ] || fail "it left files behind: $(ls)"
