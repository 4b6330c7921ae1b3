#!/usr/bin/env bash
# The last job: merge.sh MPCVM DIR FLAG... puts the results of all shards into DIR/merged, writes their tables, and fails
# if runs are missing.
set -euo pipefail
mpcvm=$1 dir=$2
shift 2

"$mpcvm" study merge --from "$dir" --out "$dir/merged"
"$mpcvm" study tables --from "$dir/merged" --format md >"$dir/merged/tables.md.new"
mv "$dir/merged/tables.md.new" "$dir/merged/tables.md"
left=$("$mpcvm" study run "$@" --out "$dir/merged" --dry-run | tail -n 1)
[[ $left == "0 runs" ]] || { echo "still to be made: $left; submit the study again" >&2; exit 1; }
