#!/usr/bin/env bash
# Submits a study to Slurm: a job array for the tuning, one for the test, which waits for the first, and a job that
# merges what they made. Submit it again to go on with what is missing; see cluster/README.md.
#
#   cluster/slurm/submit.sh DIR FLAG...
#
# DIR is a folder that all nodes share; the results are in DIR/merged at the end, the logs in DIR/slurm. The flags are
# those of `mpcvm study run` but --out, --shard, --only, --jobs, --wait, --dry-run and --json, which are set here.
# These variables may be set, and all that sbatch itself reads, such as SBATCH_PARTITION and SBATCH_ACCOUNT:
#
#   SHARDS    tasks of each array, 8 by default
#   CPUS      cores of a task, and runs that it makes at a time, 1 by default
#   MEMORY    memory of a core, 2G by default
#   TIME      limit of a task, 04:00:00 by default; two minutes before it, a task stops and queues again
#   RESTARTS  how often a task may be started again, 20 by default
#   LOCKED    how long a task waits for the files of its shard when its last process seems alive, 10m by default
#   MPCVM     the command; by default it is built from this checkout into DIR/slurm, without cgo
set -euo pipefail

die() { printf 'error: %s\n' "$*" >&2; exit 1; }

[[ $# -ge 2 ]] || { sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/slurm"
dir=$(cd "$1" && pwd)
shift
for flag; do
  case $flag in
    --out | --out=* | --shard | --shard=* | --only | --only=* | --jobs | --jobs=* | --wait | --wait=* | --dry-run | --json)
      die "${flag%%=*} is set by this script"
      ;;
  esac
done

mpcvm=${MPCVM:-}
if [[ -z $mpcvm ]]; then
  mpcvm=$dir/slurm/mpcvm # one build for all tasks; those of an earlier submission keep theirs
  CGO_ENABLED=0 go -C "$here/../.." build -o "$mpcvm.new" ./cmd/mpcvm
  mv "$mpcvm.new" "$mpcvm"
fi
[[ -x $mpcvm ]] || die "no command $mpcvm"
mpcvm=$(cd "$(dirname "$mpcvm")" && pwd)/$(basename "$mpcvm")

# todo FLAG...: how many runs are to be made; it fails where the flags are wrong, before anything is queued.
todo() { "$mpcvm" study run "$@" --out "$dir" --dry-run | sed -n '$s/ runs$//p'; }
all=$(todo "$@") && tuning=$(todo "$@" --only tune) || exit

export SHARDS=${SHARDS:-8} RESTARTS=${RESTARTS:-20} LOCKED=${LOCKED:-10m}
common=(--parsable --chdir="$dir" --requeue --open-mode=append --cpus-per-task="${CPUS:-1}" --mem-per-cpu="${MEMORY:-2G}"
  --time="${TIME:-04:00:00}" --signal=B:USR1@120)

# array PHASE SBATCH-FLAG... -- FLAG...: queues the shards of a phase and prints the number of the job.
array() {
  local phase=$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  sbatch "${common[@]}" "${options[@]}" --job-name="study-$phase" --array="1-$SHARDS" --output="$dir/slurm/$phase-%A-%a.log" \
    "$here/task.sh" "$mpcvm" "$dir" "$phase" "$@"
}

before=()
if [[ $tuning != 0 ]]; then
  tune=$(array tune -- "$@")
  tune=${tune%%;*} # a cluster's name may follow
  before=(--dependency="afterany:$tune")
fi
test=$(array test "${before[@]}" -- "$@")
test=${test%%;*}
merge=$(sbatch "${common[@]}" --cpus-per-task=1 --dependency="afterany:$test" --job-name=study-merge \
  --output="$dir/slurm/merge-%j.log" "$here/merge.sh" "$mpcvm" "$dir" "$@")
printf '%s runs to be made: jobs %stest %s, merge %s; results: %s\n' "$all" "${tune:+tune $tune, }" "$test" "${merge%%;*}" "$dir/merged"
