#!/usr/bin/env bash
# What a newcomer runs: the Go tests, one notebook and one page of charts in a browser. It installs nothing: what this
# machine has no programs for is left out, and named at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh
start_checks

kernel_here() { have jupyter && have gonb && [[ -f $(jupyter --data-dir)/kernels/gonb/kernel.json ]]; }

check "go test" go test -timeout 30m "${tested[@]}" # the time for busy machines
if kernel_here; then
  check "the first notebook" tools/notebooks.sh out/quickstart notebooks/01-quickstart.ipynb
else
  echo "the first notebook (no Jupyter with the Go kernel: make setup)" >>"$work/left"
fi
if chromium_here; then
  check "demo" go run ./cmd/mpcvm demo --out out/demo
  check "charts in Chromium" look_at out/demo/report.html
else
  echo "charts in a browser (no Chromium)" >>"$work/left"
fi
echo "long tests, linters, race detector, arm64, the other notebooks, live notebooks, the site (make check)" >>"$work/left"
end_checks
