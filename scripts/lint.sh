#!/usr/bin/env bash
# Checks format, go vet, golangci-lint (which holds staticcheck and the rules on imports) and the scripts themselves.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

shopt -s extglob
modules=(. scripts/look scripts/avo)
failed=0

# shellcheck disable=SC2317 # step calls it
# generated: the assembly and probit's table are what their generators make of them.
generated() {
  local before files=(mpcvm/*/*_amd64.* mpcvm/internal/*/*_amd64.* mpcvm/probit/normal_values.go)
  before=$(sha256sum "${files[@]}")
  go generate ./mpcvm/... || return
  [[ $before == "$(sha256sum "${files[@]}")" ]] || {
    echo "go generate has changed a file; commit what it made"
    return 1
  }
}

step "golangci-lint: build" go_tools scripts/lint
step "gofmt" gofmt -d !(out)/ || failed=1
for module in "${modules[@]}"; do
  cd "$root/$module"
  step "go vet in $module" go vet ./... || failed=1
  step "golangci-lint in $module" golangci-lint run ./... || failed=1
done
cd "$root"
step "go mod tidy" go mod tidy -diff || failed=1
step "generated files" generated || failed=1
step "go vet without assembly" go vet -tags purego ./... || failed=1
step "go vet for arm64" env GOARCH=arm64 CGO_ENABLED=0 go vet ./mpcvm/... ./data/... || failed=1
if have shellcheck; then
  step "shellcheck" shellcheck -x scripts/*.sh scripts/echarts/build.sh notebooks/setup.sh cluster/*/*.sh .ci/run || failed=1
else
  say "SKIPPED shellcheck: not installed"
fi
exit $failed
