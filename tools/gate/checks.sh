# The checks that tools/gate runs, as functions. A check goes on after a failure, so that it reports all of them.
# shellcheck shell=bash
. tools/lib.sh
export GOBIN=$bin
shopt -s nullglob

tested=(./... ./experiments/...) # the packages whose tests run on every machine
report=out/demo/report.html
failed=0 # whether a command of this check has failed

# try COMMAND...: runs a command; if it fails, the check goes on and fails at its end.
try() { "$@" || { echo "$1 failed: exit status $?"; failed=1; }; }

# step NAME COMMAND...: runs a command as try does, and prints its name, its result and its time.
step() {
  local name=$1 before=$failed start=$SECONDS verdict=passed
  printf '\n== %s\n' "$name"
  failed=0
  try "${@:2}"
  [[ $failed == 0 ]] || verdict=FAILED
  printf -- '-- %s: %s, %d s\n' "$name" "$verdict" $((SECONDS - start))
  failed=$((before | failed))
}

# files PATTERN...: lists the files of the checkout that match, also those that are not tracked yet.
files() {
  git ls-files --cached --others --exclude-standard --deduplicate "$@" |
    while read -r file; do [[ ! -e $file ]] || echo "$file"; done
}

# The folders of the modules in go.work, and the patterns of all their packages.
modules() { sed -n 's|^\t\(\./.*\)$|\1|p' go.work; }
packages() { modules | sed 's|/*$|/...|'; }

# go_test ARGUMENT...: without vet, which lint runs, and without debug information, which slows down linking. The time
# is for busy machines; the tests of the site wait for browsers.
go_test() { try go test -vet=off -ldflags=-w -timeout=80m "$@"; }

# What a check may need.
kernel_here() { have gonb && [[ -f $(jupyter --data-dir)/kernels/gonb/kernel.json ]]; }
chromium_here() {
  have chromium || have google-chrome || have chromium-browser ||
    have '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome' ||
    have /Applications/Chromium.app/Contents/MacOS/Chromium
}
compiler_here() { have gcc || have clang; }
live_here() { [[ $(jupyter notebook --version) == 6.* ]] && chromium_here; }

# set_up installs what make check needs. Without npm, the tests report what they skip.
set_up() {
  rm -rf out/notebooks out/demo out/look
  try notebooks/setup.sh
  if have apt-get; then
    have gcc || try apt_install gcc libc6-dev # for go test -race
    have shellcheck || try apt_install shellcheck
    chromium_here || try apt_install chromium fonts-dejavu-core
  fi
  ! have npm || node_packages
}

# node_packages installs the npm packages that check the site and run exported models.
node_packages() {
  local folder
  for folder in site/build tools/onnx; do [[ -d $folder/node_modules ]] || npm_ci "$folder"; done
}
npm_ci() { try npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund; }

# lint checks the format, go vet, golangci-lint (which includes staticcheck), generated files and scripts.
lint() {
  local all
  read -ra all <<<"$(packages | xargs)"
  step gofmt format
  step 'go vet' go vet -tags=long "${all[@]}"
  step 'go vet without assembly' go vet -tags=purego ./mpcvm/kernel ./mpcvm/probit ./mpcvm/internal/...
  step 'go vet for WebAssembly' env GOOS=js GOARCH=wasm go vet -tags=simd128 ./mpcvm/...
  step 'go vet for arm64' env GOARCH=arm64 CGO_ENABLED=0 go vet ./mpcvm/... ./internal/...
  step 'golangci-lint: build' go_tools tools/lint tool
  step golangci-lint golangci-lint run --allow-parallel-runners "${all[@]}"
  step 'API, layers, prose' go_test -count=1 "-run=$linted" ./tools/checks
  step lines go_test -count=1 -v '-run=Lines' ./tools/checks
  step 'go.mod files' tidy -diff
  step 'generated files' generated
  if have npm; then
    step "types of the site's JavaScript" types
  else
    printf '\n== SKIPPED types of the site'\''s JavaScript: npm is not installed\n'
  fi
  if have shellcheck; then
    step shellcheck scripts
  else
    printf '\n== SKIPPED shellcheck: not installed\n'
  fi
}
linted='API|Layer|Prose' # tests of tools/checks

format() { files '*.go' | xargs gofmt -d; }
types() { node_packages && site/build/node_modules/.bin/tsc -p site/build; }
scripts() { files '*.sh' .ci/run | xargs shellcheck -x; }

# tidy [-diff]: tidies the go.mod of each module.
tidy() {
  local module
  for module in $(modules); do GOWORK=off try go -C "$module" mod tidy "$@"; done
}

# generated fails if the generators produce files that differ from the committed ones. It runs them in a copy,
# because other checks may be compiling the files.
generated() {
  local copy file
  copy=$(mktemp -d)
  files '*.go' '*.s' '*.mod' '*.sum' go.work data | tar -cf - -T - | tar -xf - -C "$copy"
  try go -C "$copy" generate ./mpcvm/...
  for file in $(files 'mpcvm/*.go' 'mpcvm/*.s' 'mpcvm/*.wasm'); do
    cmp -s "$file" "$copy/$file" || { echo "$file differs from the output of its generator: run make generate"; failed=1; }
  done
  rm -rf "$copy"
}

# notebooks OUT NOTEBOOK...: executes notebooks without a browser. Writes OUT/NAME.ipynb and OUT/NAME.html, with
# solutions in OUT/solutions, and leaves the originals unchanged. Fails if a cell fails or a notebook is missing.
notebooks() {
  local out=$1 file second lessons=() solutions=()
  for file in "${@:2}"; do
    [[ -f $file ]] || die "$file does not exist"
    if [[ $file == */solutions/* ]]; then solutions+=("$file"); else lessons+=("$file"); fi
  done
  go install ./tools/nb || die "tools/nb does not compile"
  # Run both concurrently, because a kernel leaves a core idle for a quarter of the time.
  execute "$out/solutions" ${solutions[@]+"${solutions[@]}"} &
  second=$!
  try execute "$out" ${lessons[@]+"${lessons[@]}"}
  try wait "$second"
}

# execute FOLDER [NOTEBOOK]...: runs notebooks in a single process of Jupyter, which takes two seconds to start.
execute() {
  local folder=$1 file made=()
  shift
  [[ $# -gt 0 ]] || return 0
  mkdir -p "$folder"
  for file; do made+=("$folder/${file##*/}"); done
  # Failed cells do not stop the execution; nb reports them. Jupyter fails if a kernel dies or does not respond.
  # Without execution times, equal results give equal files.
  local run=(jupyter nbconvert --to notebook "--output-dir=$folder" --execute --allow-errors
    --ExecutePreprocessor.timeout=600 --ExecutePreprocessor.record_timing=False "$@")
  if ! "${run[@]}"; then
    echo 'Jupyter failed, perhaps because another process took a port of its kernel; trying again'
    "${run[@]}" || return
  fi
  nb pictures "${made[@]}" || echo 'no PNGs of charts were added for forges, which do not run scripts'
  # Omit addresses of scripts, because Debian's refer to files of this machine and others need the network, and the
  # code of pictures, which Jupyter and the live pages fold.
  jupyter nbconvert --to html "--output-dir=$folder" --HTMLExporter.require_js_url= --HTMLExporter.jquery_url= \
    --HTMLExporter.mathjax_url= --TagRemovePreprocessor.enabled=True \
    --TagRemovePreprocessor.remove_input_tags=hide-input "${made[@]}" || return
  nb errors "${made[@]}"
}

# charts PAGE...: writes the report of mpcvm demo and checks the charts of pages in Chromium.
charts() {
  try go run ./cmd/mpcvm demo --out out/demo
  look -out out/look "$@"
}
look() { try go run ./tools/look "$@"; }

# lessons executes all notebooks, compares the outputs with the committed ones, and checks the charts.
lessons() {
  local files=(notebooks/*.ipynb notebooks/solutions/*.ipynb)
  [[ ${#files[@]} -ge 20 ]] || die "${#files[@]} notebooks, expected at least 20" # half of them are solutions
  notebooks out/notebooks "${files[@]}"
  try nb changed out/notebooks "${files[@]}"
  charts out/notebooks/*.html "$report"
  look -out out/look/solutions -min 0 out/notebooks/solutions/*.html
}

# live_notebook tests a real Jupyter server in a browser.
live_notebook() {
  mkdir -p out/look
  LOOK_OUT=../../out/look MPCVM_LIVE=1 go_test -count=1 -v '-run=^TestLive' ./tools/look
}

tests() { go_test "${tested[@]}"; }
tests_of_the_tools() { go_test -count=1 "-skip=$linted|Lines" ./tools/...; }
tests_of_the_site() {
  go_test -count=1 -tags=long ./site/build
  go_test ./site/internal/...
}
without_assembly() {
  go_test -tags=purego '-skip=Memory|Spoilt|Fuzz' ./mpcvm/kernel ./mpcvm/probit ./mpcvm/internal/...
}

node_here() { have node; }
in_webassembly() {
  GOOS=js GOARCH=wasm go_test -tags=simd128 "-exec=$PWD/tools/gate/wasm.sh" ./mpcvm/kernel ./mpcvm/probit \
    ./mpcvm/internal/...
}

# data_races runs, with the race detector, all tests of the packages that compute for the learners, the laws of the
# contract on concurrency and cancellation for each learner, and the tests called TestConcurrent.
data_races() {
  racing ./mpcvm/internal/... ./mpcvm/kernel ./mpcvm/probit ./internal/... ./nbhelpers/...
  go_test -race '-run=^Test/^/^(cores|cancelled|observers|concurrent)' ./mpcvm/baseline
  go_test -race '-run=^TestConcurrent' ./mpcvm ./cmd/mpcvm ./experiments/cmd/study ./tools/checks
}

# racing PATTERN...: runs, with the race detector, the tests of the packages with concurrent code: they start
# goroutines or are safe for concurrent use. Tests that call watch.SkipUnderRace are skipped.
racing() {
  local folder list=()
  while read -r folder; do
    ! grep -qE '^[[:space:]]*go \w+|"sync(/atomic)?"$|(internal/par|testkit/contract)"$' "$folder"/*.go ||
      list+=("$folder")
  done < <(go list -f '{{.Dir}}' "$@")
  go_test -race "${list[@]}"
}

# The parts of make long.
long_tests() { go_test -tags=long '-run=^TestLong' ./... ./experiments/... ./site/...; }
long_race() { racing ./mpcvm/... ./data/... ./internal/... ./nbhelpers/... ./notebooks/...; }
long_purego() { go_test -tags=purego '-run=Golden|Against|Exact|Determinism' ./mpcvm ./mpcvm/gp; }
long_faults() {
  export MPCVM_FAULTS=1
  local verbose=(-count=1 -v -timeout=60m)
  go_test "${verbose[@]}" -tags=long '-run=Spoilt|Memory|Concurrent|Signals|Full|ReadOnly|Killed' ./data \
    ./tables/parquet ./mpcvm ./experiments/study ./experiments/cmd/study ./cmd/mpcvm
  go_test "${verbose[@]}" -run=Shuttle ./mpcvm/search
  go_test -count=1 -race '-run=^TestConcurrent' ./mpcvm
  go_test "${verbose[@]}" -run=Hostile ./tools/look
}
long_fuzz() {
  local folder name
  while read -r folder <&3; do
    while read -r name <&4; do
      step "$folder $name" go test "$folder" '-run=^$' "-fuzz=^$name\$" "-fuzztime=${FUZZTIME:-30s}" \
        -fuzzminimizetime=5s
    done 4< <(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+).*/\1/p' "$folder"/*_test.go /dev/null)
  done 3< <(go list -f '{{.Dir}}' "${tested[@]}")
}
long_cover() { # by all tests together; without the packages that only tests use
  local list data
  list=$(go list ./mpcvm/... ./data ./tables/... ./internal/... ./nbhelpers ./experiments/study |
    grep -vE '/(testkit/.*|truth)$' | paste -sd,)
  data=$(mktemp -d)
  mkdir -p out
  ! have npm || node_packages # for exported models
  go_test -tags=long "-coverpkg=$list" ./... ./experiments/study ./tools/nb -args "-test.gocoverdir=$data"
  go tool covdata percent "-i=$data" | tee out/coverage.txt
  rm -rf "$data"
  ! grep -E 'coverage: [0-8]?[0-9]\.[0-9]%' out/coverage.txt || die 'the coverage of these packages is below 90 %'
}
long_browsers() {
  npm_ci site/build
  MPCVM_FIREFOX=1 MPCVM_BROWSERS=1 try go test -count=1 -v -timeout=3h '-run=TestPlayground|TestNotebooksInPage|TestElsewhere' \
    ./site/build
}
long_blanks() { # executes the blank notebooks with functions to write, and checks that these stop what uses them
  local files made
  notebooks/setup.sh
  read -ra files <<<"$(grep -lF 'lesson.Unwritten(' notebooks/blank/*.ipynb | xargs)"
  [[ ${#files[@]} -ge 5 ]] || die "${#files[@]} blank notebooks, expected at least 5"
  notebooks out/notebooks/blank "${files[@]}"
  made=("${files[@]##*/}")
  try nb gated "${made[@]/#/out/notebooks/blank/}"
}
long_beam() {
  export GOWORK=off
  try go -C experiments/beam vet ./...
  try go -C experiments/beam test -count=1 -v -timeout=80m ./...
}
long_vuln() {
  local module
  for module in $(modules); do
    GOWORK=off try go -C notebooks/tools run golang.org/x/vuln/cmd/govulncheck -C "../../$module" ./...
  done
}
