#!/usr/bin/env bash
# Executes notebooks without a browser. Fails if a cell fails, a notebook is missing or has more than 450 kB.
# Usage: scripts/notebooks.sh OUT NOTEBOOK...   writes OUT/NAME.ipynb and OUT/NAME.html; the originals do not change
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

out=$1
shift
[[ $# -ge 1 ]] || die "no notebooks given"
executed=()
for notebook; do
  [[ -f $notebook ]] || die "there is no $notebook"
  executed+=("$out/${notebook##*/}")
done
mkdir -p "$out"

# One process each for all notebooks, as Jupyter takes two seconds to start.
# Failed cells do not end it: nberrors shows them. Without times of execution, equal results are equal files.
jupyter nbconvert --to notebook --execute "$@" --output-dir="$out" --allow-errors \
  --ExecutePreprocessor.timeout=600 --ExecutePreprocessor.record_timing=False
# Without addresses of scripts: Debian's are files of this machine, others need the network.
jupyter nbconvert --to html "${executed[@]}" --output-dir="$out" \
  --HTMLExporter.require_js_url= --HTMLExporter.jquery_url= --HTMLExporter.mathjax_url=
GOBIN=$bin go -C scripts install ./nberrors
nberrors "${executed[@]}" && small_notebooks "${executed[@]}"
