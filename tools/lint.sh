#!/usr/bin/env bash
# Checks the format, go vet, golangci-lint (which contains staticcheck), generated files, JavaScript and shell scripts.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

shopt -s extglob
failed=0

# shellcheck disable=SC2317 # step calls it
# generated: fails if the generators make other files than the committed ones. They run in a copy, as
# others may compile the files at the same moment.
generated() {
  local copy status=0
  copy=$(mktemp -d)
  if ! { cp -r go.* mpcvm internal data nbhelpers "${modules[@]:1}" "$copy" && go -C "$copy" generate ./mpcvm/... && diff -r mpcvm "$copy/mpcvm"; }; then
    echo "the committed files are not what their generators make: run make generate"
    status=1
  fi
  rm -rf "$copy"
  return "$status"
}

step "golangci-lint: build" go_tools tools/lint
step "gofmt" gofmt -d !(out)/ || failed=1
for module in "${modules[@]}"; do
  cd "$root/$module"
  step "go vet in $module" go vet -tags long ./... || failed=1
  step "golangci-lint in $module" golangci-lint run --allow-parallel-runners ./... || failed=1
done
cd "$root"
step "go.mod files" tools/tidy.sh -diff || failed=1
step "generated files" generated || failed=1
step "go vet without assembly" go vet -tags purego ./mpcvm/kernel ./mpcvm/probit ./mpcvm/internal/... || failed=1
step "go vet for arm64" env GOARCH=arm64 CGO_ENABLED=0 go vet "${tested[@]}" || failed=1
if have npm; then
  step "types of the site's JavaScript: tools" node_packages || failed=1
  step "types of the site's JavaScript" site/build/node_modules/.bin/tsc -p site/build || failed=1
else
  say "SKIPPED types of the site's JavaScript: there is no npm"
fi
if have shellcheck; then
  step "shellcheck" shellcheck -x tools/*.sh experiments/*.sh tools/echarts/build.sh notebooks/setup.sh .ci/run || failed=1
else
  say "SKIPPED shellcheck: not installed"
fi
exit $failed
