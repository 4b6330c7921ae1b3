#!/usr/bin/env bash
# Tidies the go.mod of each module. The siblings need not be published: their folders are taken, as in go.work.
# Usage: tools/tidy.sh [-diff]   (-diff prints what would change and fails if anything would)
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

path_of() { [[ $1 == . ]] && echo github.com/mpcvm/mpcvm || echo "github.com/mpcvm/mpcvm/$1"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for module in "${modules[@]}"; do
  cp "$module/go.mod" "$work/go.mod"
  cp "$module/go.sum" "$work/go.sum"
  for sibling in "${modules[@]}"; do
    [[ $sibling == "$module" ]] || go mod edit -replace "$(path_of "$sibling")=$root/$sibling" "$work/go.mod"
  done
  GOWORK=off go -C "$module" mod tidy -modfile="$work/go.mod" "$@" || { status=1; continue; }
  for sibling in "${modules[@]}"; do go mod edit -dropreplace "$(path_of "$sibling")" "$work/go.mod"; done
  [[ $# -gt 0 ]] || { cp "$work/go.mod" "$module/go.mod"; cp "$work/go.sum" "$module/go.sum"; }
done
exit $status
