#!/usr/bin/env bash
# Solves positions by scripts/cluster/parallel-solve.sh on two machines, which are two ssh servers here.
# In mid-run one is killed with all that runs on it. The merged answers must be those of a
# single run, byte for byte.
#
#   apt-get install parallel openssh-server && scripts/check/parallel.sh --count 500
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END_OF_USAGE'
Usage: scripts/check/parallel.sh [--count N] [--empties N] [--parts N] [--port N]

  --count N    positions (240)
  --empties N  their empty squares (22)
  --parts N    parts of the input (6)
  --port N     the first of two ports that are free (17020)

Needs root: each machine is a process namespace, so that killing it ends all that runs on it.
END_OF_USAGE
}

declare -A options=([--count]=240 [--empties]=22 [--parts]=6 [--port]=17020)
read_numbers "$@"
need parallel ssh sshd ssh-keygen unshare cmp
((EUID == 0)) || fail "must be run as root"
EMILIA=$(find_emilia)
export EMILIA
work=$(mktemp -d)
# parallel keeps its own files here.
export PARALLEL_HOME=$work/parallel
servers=()
stop() {
    kill -9 "${servers[@]}" ${solving:+"$solving"} 2> /dev/null || true
    rm -rf "$work"
}
trap stop EXIT

mkdir "$work/parallel"
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/user"
for number in 1 2; do
    port=$((options[--port] + number - 1))
    unshare --pid --fork --kill-child --mount-proc "$(command -v sshd)" -D -e -f /dev/null -p "$port" -h "$work/host" \
        -o ListenAddress=127.0.0.1 -o AuthorizedKeysFile="$work/user.pub" -o StrictModes=no -o PidFile=none \
        -o PasswordAuthentication=no -o PermitRootLogin=prohibit-password -o UsePAM=no 2> "$work/sshd.$number" &
    servers+=($!)
    # How it ends is no news for bash to report.
    disown
    printf '1/host%d\n' "$number" >> "$work/hosts"
    printf 'Host host%d\n  HostName 127.0.0.1\n  Port %d\n  User root\n  IdentityFile %s\n  IdentitiesOnly yes\n  HostKeyAlias check\n  UserKnownHostsFile %s\n' \
        "$number" "$port" "$work/user" "$work/known" >> "$work/ssh_config"
done
printf 'check %s\n' "$(< "$work/host.pub")" > "$work/known"
export PARALLEL_SSH="ssh -F $work/ssh_config -o ServerAliveInterval=2 -o ServerAliveCountMax=2 -o ConnectTimeout=5"
for number in 1 2; do
    end=$((SECONDS + 20))
    until $PARALLEL_SSH "host$number" true 2> "$work/error"; do
        ((SECONDS < end)) || fail "host $number does not answer: $(< "$work/error") $(< "$work/sshd.$number")"
        sleep 0.5
    done
done

"$EMILIA" positions --count "${options[--count]}" --depth 1 --min-empties "${options[--empties]}" \
    --max-empties "${options[--empties]}" > "$work/positions.obf"
printf 'positions: %d of %d empties\n' "${options[--count]}" "${options[--empties]}"
solve_options=(--wld --deterministic --memo 0)
"$here/scripts/cluster/parallel-solve.sh" --hosts "$work/hosts" --parts "${options[--parts]}" --hash 64 \
    "$work/positions.obf" "$work/answers" -- "${solve_options[@]}" > "$work/printed" 2>&1 &
solving=$!

# The processes of a server, itself not counted.
inside() { pgrep --ns "$(pgrep --parent "${servers[$1]}")" --nslist pid --exact emilia; }
lines() { cat "$work"/answers/*.txt 2> /dev/null | wc -l; }
end=$((SECONDS + 300))
until (($(lines) * 4 >= options[--count])) && inside 1 > /dev/null; do
    kill -0 "$solving" 2> /dev/null || fail "parallel ended too soon: $(< "$work/printed")"
    ((SECONDS < end)) || fail "no work is seen"
    sleep 0.2
done
kill -9 "${servers[1]}"
killed=$(lines)
printf 'host 2 killed after %d answers\n' "$killed"
wait "$solving" || fail "parts failed: $(tail -n 5 "$work/printed")"
solving=''
printf 'joblog:\n'
cut -f 1,2,4,7,8 "$work/answers/joblog"
"$EMILIA" batch merge --input "$work/positions.obf" "$work"/answers/*.txt > "$work/merged"
"$EMILIA" solve "${solve_options[@]}" --hash 64 --threads 1 "$work/positions.obf" > "$work/single"
cmp "$work/merged" "$work/single" || fail "the merged answers are not those of a single run"
printf '%d answers merged, equal to those of a single run, byte for byte\n' "$(wc -l < "$work/merged")"
