#!/usr/bin/env bash
# Checks everything, from nothing: sets up what it needs, then runs all checks, and names those that failed.
# Pictures of the charts and the executed notebooks are left in out/. With CI=true nothing may be skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

min_notebooks=10
failed=() skipped=()

# check NAME COMMAND...: a step whose failure does not keep the later ones from running.
check() { step "$@" || failed+=("$1"); }

# missing CHECK WHAT: a check cannot run on this machine.
missing() {
  say "!!! NOT CHECKED: $1, as there is no $2"
  if [[ ${CI:-} == true ]]; then failed+=("$1 (no $2)"); else skipped+=("$1 (no $2)"); fi
}

# Debian's packages for the checks; elsewhere what is there must do.
debian_packages() {
  have apt-get || return 0
  have gcc || apt_install gcc libc6-dev # for go test -race
  have shellcheck || apt_install shellcheck
  have svm-train || apt_install libsvm-tools # what mpcvm/rival/svm is held against
  chromium_here || apt_install chromium fonts-dejavu-core
}
chromium_here() {
  have chromium || have google-chrome || have chromium-browser ||
    [[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" || -x /Applications/Chromium.app/Contents/MacOS/Chromium ]]
}

run_notebooks() {
  local notebooks=(notebooks/*.ipynb)
  [[ -f ${notebooks[0]} ]] || notebooks=()
  [[ ${#notebooks[@]} -ge $min_notebooks ]] || die "${#notebooks[@]} notebooks in notebooks/, expected at least $min_notebooks"
  scripts/notebooks.sh out/notebooks "${notebooks[@]}"
}

# Ten times as slow as without: not what is long and no more parallel than the rest.
data_races() {
  local long='Memory|Computed|Choice|CandidatesCancelled|Auto|Widths|Exact|Harsh|//harsh|Spoilt'
  go test -race -timeout 20m -skip "$long" . ./data/... ./mpcvm/... ./nbhelpers/... &&
    go test -race -timeout 20m -run 'PredictInBatches|StudyKilled|StudyJobs|CancelledFit' ./cmd/mpcvm
}

# A real Jupyter server, driven through a browser.
live_notebook() {
  mkdir -p out/look
  LOOK_OUT=$root/out/look MPCVM_LIVE=1 go -C scripts/look test -count=1 -v -run 'TestLiveNotebook|TestServeIsClosed' .
}
classic_notebook_here() { [[ $(jupyter notebook --version 2>/dev/null) == 6.* ]]; }

look_at_charts() {
  GOBIN=$bin go -C scripts/look install . || return
  look -out out/look out/notebooks/*.html out/demo/report.html
}

rm -rf out/notebooks out/demo out/look
notebooks/setup.sh
step "set up: Debian packages for the checks" debian_packages

check "lint" scripts/lint.sh
check "go test" go test -timeout 20m ./...
if have gcc || have clang; then
  check "data races" data_races
else
  missing "data races" "C compiler"
fi
check "go test without assembly" go test -tags purego ./mpcvm/kernel ./mpcvm/probit ./mpcvm/internal/... ./mpcvm
check "go test for arm64" scripts/test-arm64.sh short
check "size of the notebooks" small_notebooks notebooks/*.ipynb
check "notebooks" run_notebooks
check "demo" go run ./cmd/mpcvm demo --out out/demo
if chromium_here; then
  check "the checker of charts" go -C scripts/look test ./...
  check "charts in Chromium" look_at_charts
else
  missing "charts in a browser" "Chromium"
fi
if chromium_here && classic_notebook_here; then
  check "a live notebook" live_notebook
else
  missing "a live notebook" "Chromium with Jupyter's classic notebook 6"
fi

say "checked in $SECONDS s"
[[ ${#skipped[@]} == 0 ]] || printf 'not checked: %s\n' "${skipped[@]}"
[[ ${#failed[@]} == 0 ]] || { printf 'FAILED: %s\n' "${failed[@]}"; exit 1; }
