#!/usr/bin/env bash
# Checks format, go vet, golangci-lint (which holds staticcheck and the rules on imports) and the scripts themselves.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

shopt -s extglob
modules=(. scripts/look)
failed=0
step "golangci-lint: build" go_tools scripts/lint
step "gofmt" gofmt -d !(out)/ || failed=1
for module in "${modules[@]}"; do
  cd "$root/$module"
  step "go vet in $module" go vet ./... || failed=1
  step "golangci-lint in $module" golangci-lint run ./... || failed=1
done
cd "$root"
if have shellcheck; then
  step "shellcheck" shellcheck -x scripts/*.sh notebooks/setup.sh .ci/run || failed=1
else
  say "SKIPPED shellcheck: not installed"
fi
exit $failed
