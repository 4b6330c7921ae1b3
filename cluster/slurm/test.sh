#!/usr/bin/env bash
# A Slurm cluster of two nodes on this machine, in a temporary folder, with ports, keys and sockets of its own, on which
# a study runs while one node and then the other is killed. The results must be those of one process, byte for byte
# but for their times, none lost and none twice. It needs slurm-wlm and munge of Debian, and root, as each node is a
# process namespace, of which a kill -9 leaves nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh

[[ $EUID == 0 ]] || die "a node is a process namespace, and only root can make one: run it as root"
{ have slurmctld && have slurmd && have munged; } || apt_install slurm-wlm munge

work=$(mktemp -d)
declare -A node # process of each node
controller='' munge=''
# stop PID: kills a process started here, as when its power fails.
stop() {
  kill -9 "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
tidy() {
  local status=$? pid
  trap - EXIT INT TERM
  for pid in "${node[@]}" $controller $munge; do stop "$pid"; done
  if [[ $status != 0 && ${KEEP:-} != "" ]]; then echo "kept: $work"; else rm -rf "$work"; fi
  exit "$status"
}
trap tidy EXIT
trap 'exit 1' INT TERM

# until SECONDS WHAT COMMAND...: waits for a command to succeed.
until_true() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < end)) || { tail -n 20 "$work"/*.log || true; squeue -a || true; die "in vain: $what"; }
    sleep 0.2
  done
}

# free_port: a port that nobody listens to.
free_port() {
  local port
  while port=$((20000 + RANDOM % 20000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

configure() {
  cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
# How soon a task may start again after its node was lost: the life of its credential.
AuthInfo=socket=$work/munge.socket,cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
# A node that is silent so long is down, in seconds.
SlurmdTimeout=6
KillWait=3
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SlurmctldPidFile=$work/controller.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/controller.log
SlurmdLogFile=$work/%n.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2 RealMemory=2000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2 RealMemory=2000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
  mkdir -p "$work/state" "$work/spool.n1" "$work/spool.n2"
}

start_node() {
  unshare --pid --fork --kill-child --mount-proc slurmd -D -N "$1" >"$work/$1.out" 2>&1 &
  node[$1]=$!
}

# kill_node NODE: all processes of the node at once.
kill_node() {
  stop "${node[$1]}"
  unset "node[$1]"
}

start_cluster() {
  head -c 1024 /dev/urandom >"$work/munge.key"
  chmod 711 "$work" # munged asks for it
  chmod 600 "$work/munge.key"
  munged --foreground --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" \
    --log-file="$work/munge.log" --seed-file="$work/munge.seed" >"$work/munge.out" 2>&1 &
  munge=$!
  configure
  export SLURM_CONF=$work/slurm.conf
  until_true 10 "munge" test -S "$work/munge.socket"
  slurmctld -D >"$work/controller.out" 2>&1 &
  controller=$!
  start_node n1
  start_node n2
  until_true 60 "two idle nodes" nodes_are 2 idle
}
# nodes_are N STATE
nodes_are() { [[ $(sinfo -N -h -o %T 2>/dev/null | grep -cx "$2") == "$1" ]]; }

# made FILES: lines that the shards have written to such files.
made() { cat "$work/shards/$1"-*-of-* 2>/dev/null | wc -l; }
# under_way NODE PHASE FILES RUNS: a task of the phase runs on the node, and a fifth of its runs is made, but not all.
under_way() {
  local lines
  lines=$(made "$3")
  ((lines < $4)) || die "the $2 was over before $1 could be killed"
  ((lines >= $4 / 5)) && squeue -h -t R -w "$1" -n "study-$2" -o %i 2>/dev/null | grep -q .
}
started() { (($(made tuning) > 0)) && squeue -h -t R -n study-tune -o %A 2>/dev/null | grep -q .; }
finished() { ! squeue -h -o %i 2>/dev/null | grep -q . && squeue -h >/dev/null 2>&1; }

# bare FILE...: the lines without their times, sorted.
bare() { cat "$@" | sed -E 's/"(fit|predict)_s":[^,]*,//g' | LC_ALL=C sort; }

# same WHAT NAME EXT: the shards' lines and the merged ones are those of one process.
same() {
  bare "$work/one/$2$3" >"$work/one.$2"
  bare "$work"/shards/"$2"-*-of-*"$3" >"$work/shards.$2"
  bare "$work/shards/merged/$2$3" >"$work/merged.$2"
  { cmp "$work/one.$2" "$work/shards.$2" && cmp "$work/one.$2" "$work/merged.$2"; } || die "$1: not those of one process"
  echo "$1: $(wc -l <"$work/one.$2") lines of one process, $(wc -l <"$work/shards.$2") of the cluster, the same"
}

# shellcheck disable=SC2054 # the commas are the command's
study=(--data iris,wine,glass --systems mpcvm1,mpcvm2,svm)
CGO_ENABLED=0 go build -o "$work/mpcvm" ./cmd/mpcvm
say "the study in one process"
start=$SECONDS
"$work/mpcvm" study run "${study[@]}" --jobs 1 --out "$work/one" 2>/dev/null
echo "-- $((SECONDS - start)) s"
tuning=$(wc -l <"$work/one/tuning.ndjson") results=$(wc -l <"$work/one/results.jsonl")

say "the study on a cluster of two nodes"
start_cluster
start=$SECONDS
mkdir -p "$work/shards"
MPCVM=$work/mpcvm SHARDS=6 MEMORY=400M TIME=30 LOCKED=60s cluster/slurm/submit.sh "$work/shards" "${study[@]}"
lose() { # NODE PHASE FILES RUNS
  until_true 300 "$2 in the middle" under_way "$@"
  kill_node "$1"
  echo "$((SECONDS - start)) s: $1 killed after $(made "$3") of $4 runs of the $2"
  until_true 60 "$1 is down" nodes_are 1 'down\*'
  back=$(grep -c "requeue.*due to failure of node $1" "$work/controller.log" || true)
  echo "$((SECONDS - start)) s: Slurm has noticed; back to the queue: $back tasks"
  ((back > 0)) || die "no task was put back"
}
until_true 300 "a task of the tuning" started
late=$(squeue -h -t R -n study-tune -o %A | head -n 1)
timeout 2 scancel --batch --signal=USR1 "$late" || true # it would go on until the task runs again
echo "$((SECONDS - start)) s: told a task of the tuning that its time is nearly up"
lose n1 tune tuning "$tuning"
start_node n1
until_true 60 "n1 is back" bash -c '! sinfo -N -h -o %T | grep -q down'
echo "$((SECONDS - start)) s: n1 is back"
lose n2 test results "$results"
until_true 600 "end of the study" finished
echo "$((SECONDS - start)) s: all jobs have ended"
grep -q "time is up: queued again" "$work"/shards/slurm/tune-*.log || die "the task whose time was up did not queue again"
cat "$work"/shards/slurm/merge-*.log

say "the same results"
same "tuning" tuning .ndjson
same "results" results .jsonl
[[ ! -s $work/shards/merged/failures.ndjson ]] || die "runs failed"
grep -q . "$work/shards/merged/tables.md" || die "no tables"
