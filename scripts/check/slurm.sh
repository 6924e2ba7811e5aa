#!/usr/bin/env bash
# Solves positions by scripts/cluster/slurm-solve.sbatch on a Slurm of its own: one controller and two
# nodes on this machine. In mid-run one node is killed, one job is preempted, and one runs out of time.
# The merged answers must be those of a single run, byte for byte.
#
#   apt-get install slurm-wlm munge && scripts/check/slurm.sh --count 500
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END_OF_USAGE'
Usage: scripts/check/slurm.sh [--count N] [--empties N] [--parts N] [--port N] [--run COMMAND..]

  --count N         positions (240)
  --empties N       their empty squares (22)
  --parts N         jobs of the array (6)
  --port N          the first of three ports that are free (17010)
  --run COMMAND..   instead of the check, run this command while Slurm is up

Needs root: each node is a process namespace, so that killing it ends all that runs on it.
END_OF_USAGE
}

declare -A options=([--count]=240 [--empties]=22 [--parts]=6 [--port]=17010)
numbers=("$@") command=()
for ((i = 1; i <= $#; i++)); do
    if [[ ${!i} == --run ]]; then
        numbers=("${@:1:i-1}") command=("${@:i+1}")
        ((${#command[@]})) || usage_error
        break
    fi
done
read_numbers "${numbers[@]}"
need munged slurmctld slurmd sbatch squeue scontrol scancel sinfo unshare
((EUID == 0)) || fail "must be run as root"
EMILIA=$(find_emilia)
export EMILIA
work=$(mktemp -d)
# munged wants a folder that nobody else can change.
chmod 755 "$work"
export SLURM_CONF=$work/slurm.conf
declare -A pids=()

stop() {
    local name
    for name in n1 n2 controller munge; do
        [[ -z ${pids[$name]:-} ]] || kill -9 "${pids[$name]}" 2> /dev/null || true
    done
    # Slurm may be writing its last words.
    rm -rf "$work" 2> /dev/null || { sleep 1 && rm -rf "$work"; }
}
trap stop EXIT

configure() {
    local port=${options[--port]} host
    host=$(hostname -s)
    cat > "$SLURM_CONF" <<END_OF_CONFIGURATION
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=10
KillWait=3
SchedulerParameters=sched_interval=5,bf_interval=5
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 RealMemory=2000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 RealMemory=2000
PartitionName=low Nodes=n1,n2 Default=YES PriorityTier=1 MaxTime=INFINITE State=UP
PartitionName=high Nodes=n1,n2 PriorityTier=2 MaxTime=INFINITE State=UP
END_OF_CONFIGURATION
    mkdir "$work/state" "$work/spool.n1" "$work/spool.n2"
    (umask 077 && head -c 128 /dev/urandom > "$work/munge.key")
}

start_node() {
    unshare --pid --fork --kill-child --mount-proc slurmd -D -f "$SLURM_CONF" -N "$1" > /dev/null 2>&1 &
    pids[$1]=$!
    # How it ends is no news for bash to report.
    disown
}

# Waits until a command succeeds, for at most so many seconds.
await() {
    local seconds=$1 what=$2
    shift 2
    local end=$((SECONDS + seconds))
    until "$@" > /dev/null 2>&1; do
        ((SECONDS < end)) || fail "waited $seconds s in vain: $what (last words: $(tail -n 2 "$work"/*.log 2> /dev/null | tr '\n' ' '))"
        sleep 0.5
    done
}

nodes_are() { [[ $(sinfo --noheader --Node --partition=low --format=%T | sort | uniq -c | awk -v state="$1" '$2 ~ state { print $1 }') == "$2" ]]; }

configure
munged --foreground --force --key-file "$work/munge.key" --socket "$work/munge.socket" --pid-file "$work/munge.pid" \
    --log-file "$work/munge.log" --seed-file "$work/munge.seed" > /dev/null 2>&1 &
pids[munge]=$!
disown
await 10 "munge" test -S "$work/munge.socket"
slurmctld -D -f "$SLURM_CONF" > /dev/null 2>&1 &
pids[controller]=$!
disown
start_node n1
start_node n2
await 60 "both nodes" nodes_are idle 2

if ((${#command[@]})); then
    "${command[@]}"
    exit
fi

"$EMILIA" positions --count "${options[--count]}" --depth 1 --min-empties "${options[--empties]}" \
    --max-empties "${options[--empties]}" > "$work/positions.obf"
solve_options=(--wld --deterministic --memo 0)
printf 'positions: %d of %d empties\n' "${options[--count]}" "${options[--empties]}"
submitted=$("$here/scripts/cluster/slurm-solve.sbatch" --parts "${options[--parts]}" --mem 512 --hours 1 \
    "$work/positions.obf" "$work/answers" -- "${solve_options[@]}")
job=$(sed -n 's/^job //p' <<< "$submitted")

state_of() { scontrol show job "$1" 2> /dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | head -n 1; }
restarts_of() { scontrol show job "$1" | sed -n 's/.* Restarts=\([0-9]*\).*/\1/p' | head -n 1; }
has_restarted() { (($(restarts_of "$1") > $2)); }
has_begun() { [[ $(state_of "$1") =~ ^(RUNNING|COMPLETED)$ ]]; }
has_ended() { [[ -z $(squeue --noheader --jobs="$1") ]]; }
# The part that runs on a node.
part_on() { squeue --noheader --states=RUNNING --nodelist="$1" --jobs="$job" --format=%K; }
answers_of() { if [[ -f $work/answers/$1.txt ]]; then wc -l < "$work/answers/$1.txt"; else echo 0; fi; }
# Waits until a part answers lines on a node, and prints its number.
pick() {
    local part='' seen='' end=$((SECONDS + 120))
    until [[ -n $part ]] && (($(answers_of "$part") > seen)); do
        ((SECONDS < end)) || fail "nothing is solved on $1"
        if [[ $(part_on "$1") != "$part" ]]; then
            part=$(part_on "$1")
            seen=$([[ -z $part ]] || answers_of "$part")
        fi
        sleep 0.2
    done
    echo "$part"
}

part=$(pick n2)
kill -9 "${pids[n2]}"
printf 'node n2 killed: part %s had %d answers\n' "$part" "$(answers_of "$part")"
killed=$part
await 60 "n2 is seen to be down" nodes_are down 1

part=$(pick n1)
before=$(restarts_of "${job}_$part")
high=$(sbatch --parsable --partition=high --nodelist=n1 --mem=100 --output=/dev/null --wrap 'sleep 2')
await 60 "part $part is preempted" has_restarted "${job}_$part" "$before"
await 60 "the other job has its turn" has_begun "$high"
printf 'part %s preempted with %d answers\n' "$part" "$(answers_of "$part")"
start_node n2
await 60 "n2 is back" nodes_are 'idle|allocated|mixed|completing' 2

part=$(pick n1)
before=$(restarts_of "${job}_$part")
scancel --batch --signal=USR1 "${job}_$part"
await 30 "part $part is requeued" has_restarted "${job}_$part" "$before"
printf 'part %s out of time with %d answers\n' "$part" "$(answers_of "$part")"

await 900 "the end of the array" has_ended "$job"
(($(restarts_of "${job}_$killed") > 0)) || fail "part $killed was not requeued when its node was killed"
for ((part = 1; part <= options[--parts]; part++)); do
    state=$(state_of "${job}_$part")
    [[ $state == COMPLETED ]] || fail "part $part is $state: $(tail -n 3 "$work/answers/$part.log")"
done
"$EMILIA" batch merge --input "$work/positions.obf" "$work"/answers/*.txt > "$work/merged"
tables=$(sed -n 's/.*"hash":"\([0-9]*\)".*/\1/p' "$work/answers/1.txt.run")
"$EMILIA" solve "${solve_options[@]}" --hash "$tables" --threads 1 "$work/positions.obf" > "$work/single"
cmp "$work/merged" "$work/single" || fail "the merged answers are not those of a single run"
printf '%d answers merged, equal to those of a single run, byte for byte (hash %d MB)\n' "$(wc -l < "$work/merged")" "$tables"
