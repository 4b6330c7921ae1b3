#!/bin/bash
# Runs the measurements of docs/performance.md and writes them to out/large. Usage: experiments/large.sh [letter] [mixture] [read]
# [curve]. K and SEEDS are the numbers of candidates and the seeds for letter, EPOCHS is the limit on epochs for mixture. For curve,
# CURVE lists the sets and sizes and LEARNERS the learners; fits that take more than LIMIT seconds are skipped. Peers need
# PEERS_PYTHON, a Python with scikit-learn.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOMAXPROCS=${GOMAXPROCS:-2}
out=out/large
mkdir -p "$out"
go build -o "$out/bench" ./experiments/bench

[[ $# -gt 0 ]] || set -- letter mixture read curve
for part in "$@"; do
  rm -f "$out/$part.jsonl"
  case $part in
  letter)
    for seed in ${SEEDS:-1}; do
      "$out/bench" large -set letter -k "${K:-500,1000,2000,4000,8000,16000}" -seed "$seed" -kernel rbf -theta 0.1 -widths 1500 \
        -evidence 1000 -additions 4 -epochs 100 >> "$out/$part.jsonl"
    done
    "$out/bench" table "$out/$part.jsonl"
    ;;
  mixture)
    for n in 100000 200000 400000 1000000; do
      "$out/bench" large -set mixture -n "$n" -k 1000 -kernel rbf -theta 0.1 -single -epochs "${EPOCHS:-100}" >> "$out/$part.jsonl"
    done
    "$out/bench" table "$out/$part.jsonl"
    ;;
  read)
    for n in 100000 1000000; do
      "$out/bench" write -n "$n" -data "$out/mixture.csv"
      "$out/bench" read -data "$out/mixture.csv" | tee -a "$out/$part.jsonl"
    done
    rm "$out/mixture.csv"
    ;;
  curve)
    export GOMAXPROCS=1
    : "${CURVE:=letter:1000 letter:2000 letter:4000 letter:8000 letter:16000 shuttle:1000 shuttle:4000 shuttle:16000
      shuttle:58000 mixture:10000 mixture:100000 mixture:1000000}"
    for run in $CURVE; do
      set=large-${run%:*} n=${run#*:}
      "$out/bench" data -rows "$n" "$out" "$set"
      for learner in ${LEARNERS:-auto svc forest boosting}; do
        [[ $run != mixture:* || $learner != svc || $n -le 20000 ]] || continue # takes hours
        fit=("${PEERS_PYTHON:-/usr/bin/python3}" experiments/peers/one.py --large "$learner" "$out" "$set")
        [[ $learner != auto ]] || fit=("$out/bench" fit -learner Auto -set "$set" -rows "$n")
        timeout "${LIMIT:-3600}" "${fit[@]}" >> "$out/$part.jsonl" || echo "large.sh: $learner failed or timed out on $run" >&2
      done
      rm "$out/$set".*.csv
    done
    "$out/bench" curve "$out/$part.jsonl"
    ;;
  *)
    echo "large.sh: unknown part $part" >&2
    exit 2
    ;;
  esac
done
