#!/usr/bin/env bash
# Runs tests five times a round beside two processes that only use a processor, with one, two and eight threads in turn.
# Stops at the first failure. Usage: scripts/soak.sh [ROUNDS (10)] [PACKAGE...]   (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

rounds=${1:-10}
shift || true
[[ $# -gt 0 ]] || set -- ./...
burners=()
trap 'kill "${burners[@]}" 2>/dev/null || true' EXIT
for _ in 1 2; do
  (while :; do :; done) &
  burners+=($!)
done
threads=(8 1 2)
for ((round = 1; round <= rounds; round++)); do
  n=${threads[round % 3]}
  step "round $round, $n threads" env GOMAXPROCS="$n" go test -vet=off -count 5 -timeout 60m "$@"
done
say "$rounds rounds without a failure in $SECONDS s"
