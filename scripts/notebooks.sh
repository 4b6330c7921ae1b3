#!/usr/bin/env bash
# Executes notebooks without a browser; fails if a cell does, if a notebook is not there, or grows over 450 kB.
# Usage: scripts/notebooks.sh OUT NOTEBOOK...   leaves OUT/NAME.ipynb and OUT/NAME.html; the originals stay as they are
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

out=$1
shift
[[ $# -ge 1 ]] || die "no notebooks given"
mkdir -p "$out"

run() { # NOTEBOOK
  local name
  name=$(basename "$1" .ipynb)
  # Errors are let through for nberrors to show. Without times of execution, the same results are the same file.
  # Without addresses of scripts, as Debian's are files of this machine and others ask the network.
  jupyter nbconvert --log-level=WARN --to notebook --execute "$1" --output-dir="$out" --allow-errors \
    --ExecutePreprocessor.timeout=600 --ExecutePreprocessor.record_timing=False &&
    jupyter nbconvert --log-level=WARN --to html "$out/$name.ipynb" --output-dir="$out" \
      --HTMLExporter.require_js_url= --HTMLExporter.jquery_url= --HTMLExporter.mathjax_url= &&
    go run ./scripts/nberrors "$out/$name.ipynb" && small_notebooks "$out/$name.ipynb"
}

failed=0
for notebook; do
  [[ -f $notebook ]] || die "there is no $notebook"
  step "notebook $notebook" run "$notebook" || failed=$((failed + 1))
done
printf '\n%d notebooks executed, %d failed\n' $# $failed
[[ $failed == 0 ]]
