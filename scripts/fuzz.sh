#!/usr/bin/env bash
# Runs every fuzz test of the module, one after the other. Usage: scripts/fuzz.sh [TIME (30s)]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

found=0 failed=0
while read -r package dir; do
  names=$(grep -hoE '^func Fuzz\w+' "$dir"/*_test.go 2>/dev/null | cut -c6-) || true
  for name in $names; do
    found=$((found + 1))
    step "$package $name" go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "${1:-30s}" -fuzzminimizetime 5s </dev/null || failed=1
  done
done < <(go list -f '{{.ImportPath}} {{.Dir}}' ./...)
echo "$found fuzz tests"
exit $failed
