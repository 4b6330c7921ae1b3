#!/usr/bin/env bash
# Runs a program for WebAssembly with the tag simd128 in node, as go test -exec.
set -euo pipefail
vectors=$(dirname "$0")/../../mpcvm/internal/cpu/node.mjs
exec node --stack-size=8192 --import "$(realpath "$vectors")" "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$@"
