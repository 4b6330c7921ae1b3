#!/usr/bin/env bash
# Runs the study of docs/reproduction.md and records it in notebooks/results, or in the folder RESULTS. Recorded runs are
# skipped, so an interrupted study continues. Usage: experiments/study.sh [PART]..., for example benchmark letter.
# It downloads the data sets that are not embedded, unless the folder MPCVM_DATA contains them.
set -euo pipefail
cd "$(dirname "$0")/.."

results=${RESULTS:-notebooks/results}
# All sets except the largest. In heart, -9 marks a missing value.
# shellcheck disable=SC2054 # the commas are the command's
sets=(--data iris,wine,glass,breast,heart,vowel,wine-red --missing heart=-9)
jobs=${JOBS:-$(nproc)}
go build -o bin/study ./experiments/cmd/study

# run FOLDER FLAGS...: runs a study. If some of its runs fail, the script continues.
run() {
  local folder=$results/$1 start=$SECONDS
  shift
  echo "== $folder: $*"
  bin/study run --jobs "$jobs" --out "$folder" "$@" || echo "-- some runs failed, see above"
  echo "-- $((SECONDS - start)) s"
}

# Every system, with its parameters tuned by the paper's rule.
benchmark() {
  run benchmark "${sets[@]}"
  run benchmark --data wine-white
}

# The four sparse systems by the one-standard-error rule, with the tuning runs of benchmark.
one-se() {
  mkdir -p "$results/one-se"
  [[ -e $results/one-se/tuning.ndjson ]] || grep -E '"system":"m(pc|r)vm[12]"' "$results/benchmark/tuning.ndjson" >"$results/one-se/tuning.ndjson"
  run one-se --rule one-se "${sets[@]}" --systems mpcvm1,mpcvm2,mrvm1,mrvm2
  run one-se --rule one-se --data wine-white --systems mpcvm1,mpcvm2
}

# Variants that may explain or improve a cell of the tables.
variants() {
  local fixed=svm+default,svm+linear,mlr+free,dlsr+linear
  run variants "${sets[@]}" --systems "mrvm1+near,mpcvm2+bias,$fixed"
  run variants "${sets[@]}" --systems mpcvm1+laplace,mpcvm2+laplace --theta .03,.1,.3,.6,1
  run variants --data wine-white --systems "$fixed"
  run variants --data iris,wine,glass,breast,heart,wine-red --missing heart=-9 --systems mpcvm1+cv,mpcvm2+cv
}

# Heart with 16 columns, as in the paper.
heart-16() { run heart-16 --data heart-16 --missing heart-16=-9; }

# Accuracy against the number of classes, over the partitions TEST (5-49).
letter() {
  run letter --data letter --classes 2-10 --per-class 600 --split 1/3 --theta .01,.03,.1,.3,.5,1,2 --test "${TEST:-5-49}"
}
leaves() {
  run leaves --data leaves --classes 20,40,60,80,100 --split 1/2 --theta .001,.003,.01,.03,.1 --test "${TEST:-5-49}"
}

# Relevance vectors of fits to all points of the synthetic sets, theta = 1 as in the paper.
synthetic() { run synthetic --data overlap,overclass --whole --raw --theta 1 --systems mpcvm1,mpcvm2,mrvm1,mrvm2; }

# Auto with each of its preferences, for docs/method.md. There is nothing to tune.
beyond() {
  local auto=(--systems "auto,auto+accuracy,auto+sparsity")
  run beyond --data glass,heart,iris,wine,breast --missing heart=-9 "${auto[@]}"
  run beyond --data vowel "${auto[@]}" --test 5-19
  run beyond --data wine-red "${auto[@]}" --test 5-19
  run beyond --data letter --classes 10 --per-class 600 --split 1/3 --systems auto --test 5-19
  run beyond --data wine-white --systems auto --test 5-19
}

# Coverage of prediction sets, for docs/method.md.
coverage() {
  mkdir -p "$results/coverage"
  go run ./experiments/coverage >"$results/coverage/coverage.csv"
}

# Systems of scikit-learn on the same partitions; PEERS_PYTHON is a Python with scikit-learn.
peers() {
  local peers=("${PEERS_PYTHON:-/usr/bin/python3}" experiments/peers/study.py --out "$results/beyond")
  go run ./experiments/bench export out/peers
  "${peers[@]}" --sets iris,wine,glass,breast,heart,vowel
  "${peers[@]}" --sets wine-red --systems sk-svc,sk-forest,sk-logistic
  "${peers[@]}" --sets letter-10 --series letter --data out/peers --systems sk-svc,sk-forest,sk-logistic --test 5-24
  "${peers[@]}" --sets wine-red --systems sk-boosting --test 5-19
  "${peers[@]}" --sets wine-white --systems sk-svc --test 5-24
  "${peers[@]}" --sets wine-white --systems sk-logistic,sk-forest,sk-boosting --test 5-14
}

# Other random splits of Iris.
splits() {
  run splits --data iris --split .8 --repeats 200 --tune none --theta .1 --test 0-199 --systems mpcvm1,mpcvm2
}

parts=("$@")
[[ $# -gt 0 ]] || parts=(benchmark one-se variants heart-16 letter leaves synthetic splits beyond coverage)
for part in "${parts[@]}"; do
  case $part in
    letter | synthetic | splits) "$part" ;;
    benchmark | one-se | variants | heart-16 | leaves | beyond | coverage | peers)
      [[ -n ${MPCVM_DATA:-} ]] || go run ./cmd/mpcvm data fetch heart vowel wine-red wine-white leaves
      "$part"
      ;;
    *) echo "study.sh: unknown part $part" >&2; exit 2 ;;
  esac
done
