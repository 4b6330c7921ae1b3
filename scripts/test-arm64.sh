#!/usr/bin/env bash
# Runs tests for arm64, the processor of most laptops; on another one under QEMU's user mode, which is ten times as slow.
# "test-arm64.sh short" runs those of the numerical layer alone, in about a minute; without an argument it takes under ten.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

tests() { env GOARCH=arm64 CGO_ENABLED=0 go test -timeout 20m ${emulator[@]+"${emulator[@]}"} "$@"; }

emulator=()
if [[ $(go env GOHOSTARCH) != arm64 ]]; then
  have qemu-aarch64-static || apt_install qemu-user-static
  emulator=(-exec qemu-aarch64-static)
fi
tests ./mpcvm/kernel ./mpcvm/probit ./mpcvm/score ./mpcvm/internal/{cpu,dense} ./internal/{args,par} ./internal/testkit/{contract,exact}
[[ ${1:-} != short ]] || exit 0

# Alternatives with slashes come last: go test does not look at what follows them.
long='Memory|Computed|Choice|Chosen|Candidates|Auto|ARD|Exact|Harsh|Spoilt|Many|Phi|KernelPriorCores|RandomProblems|SlowTruth|candidates|TestMPCVM/Auto|//harsh'
tests -skip "$long" ./mpcvm ./mpcvm/gp ./mpcvm/ranktest ./mpcvm/baseline/... ./mpcvm/study ./data ./tables ./tables/parquet
