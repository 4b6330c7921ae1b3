#!/usr/bin/env bash
# Prints the share of the statements of each package that its own tests run. Fails if one is below the bound.
# Usage: scripts/cover.sh [PER CENT (90)]
set -euo pipefail
cd "$(dirname "$0")/.."
least=${1:-90}
# The packages left out are for tests alone.
mapfile -t packages < <(go list ./mpcvm/... ./data ./tables/... ./internal/... ./nbhelpers |
  grep -vE '/(checks|testkit/[a-z]+|truth)$')
out=$(mktemp)
trap 'rm -f "$out"' EXIT
go test -tags long -timeout 60m -cover "${packages[@]}" >"$out" || { cat "$out"; exit 1; }
awk -v least="$least" '
  /no statements/ { next }
  match($0, /coverage: [0-9.]+%/) {
    share = substr($0, RSTART + 10, RLENGTH - 11)
    name = $2 == "coverage:" ? $1 : $2
    sub(/^[^\/]*\/[^\/]*\/[^\/]*\//, "", name)
    low = share + 0 < least + 0
    printf "%-28s %5.1f %%%s\n", name, share, low ? "  below " least " %" : ""
    if (low) bad = 1
  }
  END { exit bad }' "$out"
