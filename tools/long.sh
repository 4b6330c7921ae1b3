#!/usr/bin/env bash
# Long checks that `make check` leaves out. Usage: tools/long.sh PART...
#   faults      damaged files, full disks, signals, kills (6 minutes; as root: full disks)
#   fuzz        each fuzz test for FUZZTIME (30s)
#   cover       the share of statements that tests run; fails below 90 %
#   wild        what tables.Open makes of files in the wild (the files: out/wild)
#   browsers    the playground and all notebooks of the site in Chromium and Firefox (npm; an hour)
#   beam        the Beam pipelines on Prism
#   vuln        known vulnerabilities (needs the network)
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

faults() {
  export MPCVM_FAULTS=1
  go test -tags long -count=1 -timeout 60m -v ./data ./tables/parquet ./mpcvm ./experiments/study ./experiments/cmd/study ./cmd/mpcvm \
    -run 'Spoilt|ReadingMemory|ReadResultsMemory|ManyPredict|ManyFits|Signals|FullDisk|ReadOnlyFolder|FullOutput|StudyKilled'
  go test -count=1 -timeout 60m -v -run Shuttle ./mpcvm/search
  go test -count=1 -race -run 'ManyPredict|ManyFits' ./mpcvm
  go test -count=1 -timeout 60m -v -run Hostile ./tools/look
}

fuzz() {
  local package dir names name failed=0
  while read -r package dir; do
    names=$(grep -hoP '^func \KFuzz\w+' "$dir"/*_test.go) || continue
    for name in $names; do
      step "$package $name" go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-30s}" -fuzzminimizetime 5s </dev/null || failed=1
    done
  done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' "${tested[@]}")
  return $failed
}

# cover leaves out packages that are only for tests.
cover() {
  local packages out=out/cover.txt
  mkdir -p out
  mapfile -t packages < <(go list ./mpcvm/... ./data ./tables/... ./internal/... ./nbhelpers ./experiments/study | grep -vE '/(checks|testkit/[a-z]+|truth)$')
  go test -tags long -timeout 60m -cover "${packages[@]}" | tee "$out"
  if awk 'match($0, /coverage: [0-9.]+%/) && substr($0, RSTART + 10) + 0 < 90' "$out" | grep .; then die "tests run less than 90 % of these packages"; fi
}

browsers() {
  npm ci --prefix site/build --ignore-scripts --no-audit --no-fund
  MPCVM_FIREFOX=1 MPCVM_BROWSERS=1 go test -count=1 -v -timeout 3h -run 'TestPlayground|TestNotebooksInPage' ./site/build
}

[[ $# -gt 0 ]] || { sed -n '3,9s/^#//p' "$0" >&2; exit 2; }
for part; do
  case $part in
    faults) faults ;;
    fuzz) fuzz ;;
    cover) cover ;;
    wild) go test ./tables -v -count 1 -run '^TestWild$' -args -wild "$PWD/out/wild" ;;
    browsers) browsers ;;
    beam) GOWORK=off go -C experiments/beam vet ./... && GOWORK=off go -C experiments/beam test -count=1 -v ./... ;;
    vuln) GOWORK=off go -C notebooks/tools run golang.org/x/vuln/cmd/govulncheck -C "$PWD" ./... ;;
    *) echo "tools/long.sh: no part $part" >&2; exit 2 ;;
  esac
done
