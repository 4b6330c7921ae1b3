#!/usr/bin/env bash
# Checks the format, go vet, golangci-lint (which contains staticcheck), generated files, JavaScript and shell scripts.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

shopt -s extglob
modules=(. scripts scripts/avo)
failed=0

# shellcheck disable=SC2317 # step calls it
# generated: fails if the generators make other files than the committed ones. They run in a copy, as
# others may compile the files at the same moment.
generated() {
  local copy status=0
  copy=$(mktemp -d)
  if ! { cp -r go.mod go.sum mpcvm internal data tables scripts "$copy" && go -C "$copy" generate ./mpcvm/... && diff -r mpcvm "$copy/mpcvm"; }; then
    echo "the committed files are not what their generators make: run make generate"
    status=1
  fi
  rm -rf "$copy"
  return "$status"
}

step "golangci-lint: build" go_tools scripts/lint
step "gofmt" gofmt -d !(out)/ || failed=1
for module in "${modules[@]}"; do
  cd "$root/$module"
  step "go vet in $module" go vet -tags long ./... || failed=1
  step "golangci-lint in $module" golangci-lint run --allow-parallel-runners ./... || failed=1
  step "go mod tidy in $module" go mod tidy -diff || failed=1
done
cd "$root"
step "generated files" generated || failed=1
step "go vet without assembly" go vet -tags purego ./mpcvm/kernel ./mpcvm/probit ./mpcvm/internal/... || failed=1
step "go vet for arm64" env GOARCH=arm64 CGO_ENABLED=0 go vet ./... || failed=1
if have npm; then
  step "types of the site's JavaScript: tools" node_packages || failed=1
  step "types of the site's JavaScript" scripts/site/node_modules/.bin/tsc -p scripts/site || failed=1
else
  say "SKIPPED types of the site's JavaScript: there is no npm"
fi
if have shellcheck; then
  step "shellcheck" shellcheck -x scripts/*.sh scripts/echarts/build.sh notebooks/setup.sh .ci/run || failed=1
else
  say "SKIPPED shellcheck: not installed"
fi
exit $failed
