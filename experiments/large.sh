#!/bin/bash
# Runs the measurements of docs/performance.md and writes them to out/large. Usage: experiments/large.sh [letter] [mixture].
# K and SEEDS are the numbers of candidates and the seeds for letter, EPOCHS is the limit on epochs for mixture.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOMAXPROCS=${GOMAXPROCS:-2}
out=out/large
mkdir -p "$out"
go build -o "$out/bench" ./experiments/bench

[[ $# -gt 0 ]] || set -- letter mixture
for part in "$@"; do
  rm -f "$out/$part.jsonl"
  case $part in
  letter)
    for seed in ${SEEDS:-1}; do
      "$out/bench" large -set letter -k "${K:-500,1000,2000,4000,8000,16000}" -seed "$seed" -theta 0.1 -widths 1500 \
        -evidence 1000 -additions 4 -epochs 100 >> "$out/$part.jsonl"
    done
    "$out/bench" table "$out/$part.jsonl"
    ;;
  mixture)
    for n in 100000 200000 400000 1000000; do
      "$out/bench" large -set mixture -n "$n" -k 1000 -theta 0.1 -single -epochs "${EPOCHS:-100}" >> "$out/$part.jsonl"
    done
    "$out/bench" table "$out/$part.jsonl"
    ;;
  *)
    echo "large.sh: unknown part $part" >&2
    exit 2
    ;;
  esac
done
