#!/usr/bin/env bash
# Executes notebooks without a browser. Fails if a cell fails, a notebook is missing or has more than 900 kB.
# Usage: tools/notebooks.sh OUT NOTEBOOK...
# Writes OUT/NAME.ipynb and OUT/NAME.html, those of solutions into OUT/solutions. The originals do not change.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

# run_cells FOLDER NOTEBOOK...: failed cells do not end it: nb shows them. It fails if a kernel ends or does not answer.
# Without times of execution, equal results are equal files.
run_cells() {
  local folder=$1
  shift
  jupyter nbconvert --to notebook --execute "$@" --output-dir="$folder" --allow-errors \
    --ExecutePreprocessor.timeout=600 --ExecutePreprocessor.record_timing=False
}

# execute FOLDER NOTEBOOK...: one process each for all, as Jupyter takes two seconds to start.
execute() {
  local folder=$1 notebook executed=()
  shift
  for notebook; do executed+=("$folder/${notebook##*/}"); done
  mkdir -p "$folder"
  run_cells "$folder" "$@" ||
    { echo "Jupyter failed, perhaps because another process took a port of its kernel: once more"; run_cells "$folder" "$@"; } &&
    { nb pictures "${executed[@]}" || echo "charts have no PNG for forges that show no SVG"; } &&
    # Without addresses of scripts: Debian's are files of this machine, others need the network.
    jupyter nbconvert --to html "${executed[@]}" --output-dir="$folder" \
      --HTMLExporter.require_js_url= --HTMLExporter.jquery_url= --HTMLExporter.mathjax_url= &&
    nb errors "${executed[@]}" && small_notebooks "${executed[@]}"
}

out=$1
shift
[[ $# -ge 1 ]] || die "no notebooks given"
lessons=() solutions=()
for notebook; do
  [[ -f $notebook ]] || die "there is no $notebook"
  if [[ $notebook == */solutions/* ]]; then solutions+=("$notebook"); else lessons+=("$notebook"); fi
done
GOBIN=$bin go install ./tools/nb

# Side by side: a kernel leaves a core idle for a quarter of the time.
processes=()
if [[ ${#solutions[@]} -gt 0 ]]; then execute "$out/solutions" "${solutions[@]}" & processes+=($!); fi
if [[ ${#lessons[@]} -gt 0 ]]; then execute "$out" "${lessons[@]}" & processes+=($!); fi
status=0
for process in "${processes[@]}"; do wait "$process" || status=1; done
exit $status
