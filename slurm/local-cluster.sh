#!/usr/bin/env bash
# A real Slurm on this machine, to try batch files with: munged, slurmctld and slurmd in a folder of their
# own, without systemd, cgroups or files in /etc. tests/slurm.rs runs on it.
#
#   slurm/local-cluster.sh start DIR     starts it; prints `export SLURM_CONF=...` for sbatch and the like
#   slurm/local-cluster.sh status DIR    what runs; exit code 0 if it takes jobs
#   slurm/local-cluster.sh stop DIR      cancels its jobs and ends it; DIR stays, with the logs in DIR/log
#
# SLURM_NODES (2) and SLURM_CPUS (16) in the environment: how many nodes it pretends to have, with how many
# CPUs each. They are only counted: no job is bound to any, so 2 cores serve as 32 CPUs. The daemons run
# as whoever starts them, on ports of their own: several clusters can run side by side.
# On Debian: apt-get install slurmctld slurmd slurm-client munge

set -euo pipefail

fail() {
  printf 'local-cluster.sh: %s\n' "$1" >&2
  exit "${2:-3}"
}

# The processes of this cluster, daemons or those of its jobs. All have its SLURM_CONF in their environment,
# as the shell of a user may have, too, which is neither.
processes() {
  local pid kind
  grep -lsFxz "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ | cut -d/ -f3 | while read -r pid; do
    if grep -qsxE 'munged|slurmctld|slurmscriptd|slurmd' "/proc/$pid/comm"; then
      kind='daemons'
    elif grep -qsx slurmstepd "/proc/$pid/comm" || grep -qsz '^SLURM_JOB_ID=' "/proc/$pid/environ"; then
      kind='jobs'
    else
      continue
    fi
    if [ $kind = "$1" ] && [ "$pid" != $$ ]; then echo "$pid"; fi
  done
}

# Within so many seconds the command succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}
gone() { [ -z "$(processes "$1")" ]; }
idle() { [ -z "$(timeout 5 squeue --noheader 2>/dev/null)" ]; }
ready() {
  [ "$(timeout 5 sinfo --noheader --format=%D --states=idle,mixed,allocated 2>/dev/null)" = "$nodes" ]
}

stop() {
  local kind signal
  if ! gone daemons; then
    timeout 5 scancel --user="$(id -un)" 2>/dev/null || true
    within 15 idle || true
  fi
  # Daemons first: they would start more.
  for kind in daemons jobs; do
    for signal in TERM KILL; do
      # shellcheck disable=SC2046
      kill -$signal $(processes $kind) 2>/dev/null || true
      if within 5 gone $kind; then break; fi
    done
  done
  if ! gone daemons || ! gone jobs; then fail 'some processes do not end'; fi
}

[[ $#:${1:-} =~ ^2:(start|stop|status)$ ]] || fail 'usage: local-cluster.sh start|stop|status DIR' 2
PATH=$PATH:/usr/sbin:/sbin
if [ "$1" = start ]; then mkdir -p "$2"; fi
dir=$(cd "$2" && pwd -P)
export SLURM_CONF=$dir/slurm.conf

case $1 in
stop)
  stop
  exit
  ;;
status)
  nodes=$(grep -cs ^NodeName= "$SLURM_CONF") || fail "there is no cluster in $dir" 1
  gone daemons || ps -o pid,etime,args -p "$(processes daemons | paste -sd,)"
  ready || fail "the cluster in $dir takes no jobs" 1
  sinfo
  exit
  ;;
esac

for name in munged slurmctld slurmd sbatch; do
  command -v $name >/dev/null || fail "$name is missing; on Debian: apt-get install slurmctld slurmd slurm-client munge"
done
gone daemons || fail "a cluster runs in $dir already" 2
# The name of a socket holds 107 characters; slurm.conf knows no quotes.
[[ $dir =~ ^[A-Za-z0-9_./+-]{2,90}$ ]] || fail "$dir: up to 90 letters, digits and _ . / + - are allowed" 2

nodes=${SLURM_NODES:-2}
[[ $nodes =~ ^[1-9]$ ]] || fail "SLURM_NODES=$nodes: 1 to 9 are allowed" 2
host=$(hostname -s)

# Ports that nobody listens on, below those that the system hands out: one a daemon.
taken() {
  local i
  for i in $(seq 0 "$nodes"); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$((port + i))") 2>/dev/null; then return 0; fi
  done
  return 1
}
port=$((20000 + RANDOM % 1200 * 10))
while taken; do port=$((20000 + RANDOM % 1200 * 10)); done

chmod 755 "$dir"
rm -rf "$dir"/{state,munge.key}
mkdir -p "$dir"/{log,state}
(umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
{
  cat <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmdLogFile=$dir/log/slurmd-%n.log
SlurmdSpoolDir=$dir/spool-%n
# PMIx makes folders here, named by the number of the job: one for each node of each cluster.
TmpFS=$dir/tmp-%n
TaskProlog=$dir/task-prolog
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobs.txt
# What needs neither root nor cgroups.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MailProg=/bin/true
# CPUs are believed, not looked for.
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
JobRequeue=1
KillWait=5
MinJobAge=3600
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  for i in $(seq "$nodes"); do
    printf 'NodeName=node%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=%s\n' \
      "$i" "$host" $((port + i)) "${SLURM_CPUS:-16}"
  done
} >"$SLURM_CONF"

# Two nodes on one machine must not use the same names for the memory that the ranks of a node share.
cat >"$dir/task-prolog" <<SCRIPT
#!/bin/sh
echo "export OMPI_MCA_btl_vader_backing_directory=$dir/tmp-\$SLURMD_NODENAME"
SCRIPT
chmod 755 "$dir/task-prolog"

start() {
  local i
  munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
    --seed-file="$dir/munge.seed" --log-file="$dir/log/munged.log" --num-threads=2 || return
  slurmctld || return
  for i in $(seq "$nodes"); do
    mkdir -p "$dir/spool-node$i" "$dir/tmp-node$i"
    slurmd -N "node$i" || return
  done
  within 20 ready
}
if ! start >&2; then
  stop || true
  tail -qn 5 "$dir"/log/*.log >&2 || true
  fail "the cluster in $dir does not start"
fi
printf 'export SLURM_CONF=%s\n' "$SLURM_CONF"
