#!/usr/bin/env bash
# Sets up what the checks need, runs all of them and names those that failed. Two lanes of about the same length run side by
# side: Go tests, and what leaves pictures of the charts and executed notebooks in out/, with the tests of other processors. With CI=true nothing may be left out.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

min_notebooks=20 # half of them are solutions
start_checks

# Debian's packages for the checks. Other systems must have the programs already.
debian_packages() {
  have apt-get || return 0
  have gcc || apt_install gcc libc6-dev # for go test -race
  have shellcheck || apt_install shellcheck
  have svm-train || apt_install libsvm-tools # mpcvm/baseline/svm is compared with it
  chromium_here || apt_install chromium fonts-dejavu-core
}

# go_test ARGUMENT...: without vet, which lint runs, and without tables for debuggers, which take time to link.
go_test() { go test -vet=off -ldflags=-w -timeout 20m "$@"; }

# The tests of files with `//go:build long`.
long_tests() {
  local files
  mapfile -t files < <(git grep -l '^//go:build .*long' -- '*_test.go')
  mapfile -t files < <(printf './%s\n' "${files[@]%/*}" | sort -u)
  go_test -tags long -run '^TestLong' "${files[@]}"
}

# Left out are packages that start no goroutine, and tests that call watch.SkipUnderRace.
data_races() {
  local packages
  mapfile -t packages < <(go list ./mpcvm/... ./internal/testkit/contract ./nbhelpers | grep -vE '/(score|ranktest|exact|truth|laws|args)$')
  go_test -race "${packages[@]}" &&
    go_test -race -run 'PredictInBatches|StudyKilled|StudyJobs|CancelledFit|NoGoroutineLeft' ./cmd/mpcvm ./experiments/cmd/study ./tools/checks
}

# All tests of the packages with assembly, and of the learners those that compare with known figures.
without_assembly() {
  go_test -tags purego -skip 'Memory|Spoilt|Fuzz' ./mpcvm/kernel ./mpcvm/probit ./mpcvm/internal/... ./internal/testkit/... &&
    go_test -tags purego -run 'Golden|Against|Exact|IrisAndWine|Determinism|Float32|Candidates$|Weight' ./mpcvm ./mpcvm/gp
}

run_notebooks() {
  local notebooks=(notebooks/*.ipynb notebooks/solutions/*.ipynb)
  [[ ${#notebooks[@]} -ge $min_notebooks ]] || die "${#notebooks[@]} notebooks, expected at least $min_notebooks"
  tools/notebooks.sh out/notebooks "${notebooks[@]}" && nb changed out/notebooks "${notebooks[@]}"
}

# A real Jupyter server, driven through a browser.
live_notebook() {
  mkdir -p out/look
  LOOK_OUT=$root/out/look MPCVM_LIVE=1 go test -count=1 -v -run 'TestLive|TestServeIsClosed' ./tools/look
}
classic_notebook_here() { [[ $(jupyter notebook --version 2>/dev/null) == 6.* ]]; }

look_at_charts() {
  look_at out/notebooks/*.html out/demo/report.html &&
    look -out out/look/solutions -min 0 out/notebooks/solutions/*.html
}

go_lane() {
  check "go test" go test -timeout 30m "${tested[@]}" # as make test does: what it ran is in Go's cache
  check "long tests" long_tests
  if have gcc || have clang; then
    check "data races" data_races
  else
    missing "data races" "C compiler"
  fi
  # These read files that go test does not watch.
  check "go test of the site and the tools" go test -vet=off -count=1 -timeout 30m ./site/... ./tools/...
}

page_lane() {
  check "lint" tools/lint.sh
  check "size of the notebooks" small_notebooks notebooks/*.ipynb notebooks/solutions/*.ipynb
  check "notebooks" run_notebooks
  check "demo" go run ./cmd/mpcvm demo --out out/demo
  if chromium_here; then
    check "charts in Chromium" look_at_charts
  else
    missing "charts in a browser" "Chromium"
  fi
  check "go test without assembly" without_assembly
}

rm -rf out/notebooks out/demo out/look
notebooks/setup.sh
step "set up: Debian packages for the checks" debian_packages
if have npm; then step "set up: npm packages for the checks" node_packages; fi # without npm, tests say what they skip

set -m # each lane gets a process group of its own, which ends with this script
go_lane &
lanes=($!)
page_lane &
lanes+=($!)
set +m
trap 'kill -- "${lanes[@]/#/-}" 2>/dev/null || true; rm -rf "$work"' EXIT
for lane in "${lanes[@]}"; do
  wait "$lane" || echo "a lane, which ended early" >>"$work/failed"
done
# Alone, as it waits for answers of a browser and a server.
if chromium_here && classic_notebook_here; then
  check "a live notebook" live_notebook
else
  missing "a live notebook" "Chromium with Jupyter's classic notebook 6"
fi

end_checks
