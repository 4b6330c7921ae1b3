#!/usr/bin/env bash
# Long checks that `make check` leaves out. Usage: scripts/long.sh PART...
#   faults      damaged files, full disks, signals, kills (6 minutes; as root: full disks)
#   fuzz        each fuzz test for FUZZTIME (30s)
#   cover       the share of statements that tests run; fails below 90 %
#   wild        what tables.Open makes of files in the wild (the files: out/wild)
#   browsers    the playground and all notebooks of the site in Chromium and Firefox (npm; an hour)
#   beam        the Beam pipelines on Prism
#   vuln        known vulnerabilities (needs the network)
set -euo pipefail
cd "$(dirname "$0")/.."

faults() {
  export MPCVM_FAULTS=1
  go test -tags long -count=1 -timeout 60m -v ./data ./tables/parquet ./mpcvm ./mpcvm/study ./cmd/mpcvm \
    -run 'Spoilt|ReadingMemory|ReadResultsMemory|ManyPredict|ManyFits|Signals|FullDisk|ReadOnlyFolder|FullOutput|KilledOften'
  go test -count=1 -timeout 60m -v -run Shuttle ./mpcvm/search
  go test -count=1 -race -run 'ManyPredict|ManyFits' ./mpcvm
  go -C scripts/look test -count=1 -timeout 60m -v -run Hostile .
}

browsers() {
  npm ci --prefix scripts/site --ignore-scripts --no-audit --no-fund
  MPCVM_FIREFOX=1 MPCVM_BROWSERS=1 go -C scripts test -count=1 -v -timeout 3h -run 'TestPlayground|TestNotebooksInPage' ./site
}

[[ $# -gt 0 ]] || { sed -n '3,9s/^#//p' "$0" >&2; exit 2; }
for part; do
  case $part in
    faults) faults ;;
    fuzz) scripts/fuzz.sh "${FUZZTIME:-30s}" ;;
    cover) scripts/cover.sh ;;
    wild) go test ./tables -v -count 1 -run '^TestWild$' -args -wild "$PWD/out/wild" ;;
    browsers) browsers ;;
    beam) go -C cluster/beam vet ./... && go -C cluster/beam test -count=1 -v ./... ;;
    vuln) go -C notebooks/tools run golang.org/x/vuln/cmd/govulncheck -C "$PWD" ./... ;;
    *) echo "scripts/long.sh: no part $part" >&2; exit 2 ;;
  esac
done
