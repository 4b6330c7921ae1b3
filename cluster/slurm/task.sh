#!/usr/bin/env bash
# A task of the array: task.sh MPCVM DIR PHASE FLAG... makes the runs of a shard. It can be killed at any moment and
# started again: what is finished has its line on the disk and is skipped.
set -u
mpcvm=$1 dir=$2 phase=$3
shift 3

"$mpcvm" study run "$@" --out "$dir" --only "$phase" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" --wait "$LOCKED" &
study=$!
late=0
trap 'kill -TERM $study' TERM
trap 'late=1; kill -TERM $study' USR1 # Slurm's word that time is nearly up

wait $study
status=$?
while [[ $status -gt 128 ]] && kill -0 $study 2>/dev/null; do # it was the trap that ended the wait
  wait $study
  status=$?
done
if [[ $late == 1 && $status != 0 && ${SLURM_RESTART_COUNT:-0} -lt $RESTARTS ]]; then
  echo "time is up: queued again"
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
  sleep 60 # until Slurm ends this one
fi
exit $status
