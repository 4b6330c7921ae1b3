#!/usr/bin/env bash
# Runs study.yaml: applies it and sets its Jobs going, each when the one before has ended, well or not. It can be
# stopped and run again; Jobs that have ended must be deleted first to be made again (kubectl delete job -l app=mpcvm-study).
set -euo pipefail
cd "$(dirname "$0")"

# ended JOB: whether it is complete or failed, and which.
ended() {
  kubectl get job "$1" -o 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type}{"\n"}{end}' | grep -xE 'Complete|Failed'
}

kubectl get job mpcvm-study-tune >/dev/null 2>&1 || kubectl apply -f study.yaml
for job in mpcvm-study-tune mpcvm-study-test mpcvm-study-merge; do
  kubectl patch job "$job" --type=merge -p '{"spec":{"suspend":false}}'
  until state=$(ended "$job"); do sleep "${POLL:-5}"; done
  echo "$job: $state"
done
[[ $state == Complete ]]
