#!/usr/bin/env bash
# Measures what the threads of a search bring on this machine: the time to a depth with a new table and with one
# that was used before, the first second of a new process, solves, easy positions, how long threads wait, and the system's
# share of the CPU time. Several builds are measured in turn. Prints Markdown tables; on 16 cores it takes some five minutes.
#
#   scripts/cores.sh old/emilia target/release/emilia --boards mid-12.txt --lines 1-13 ffo/fforum-40-59.obf
set -euo pipefail
# Numbers with a point, in any country.
export LC_ALL=C
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    cat <<'USAGE'
Usage: scripts/cores.sh [OPTION..] [BINARY..] [FILE..]

A BINARY is a build of Emilia (EMILIA or the release build); a FILE has positions to solve, exactly and for win, draw
and loss, with all threads on one at a time.

  --threads "N .."    numbers of threads (1, 2, 4 .. up to the cores that this process may use)
  --boards FILE       boards to search, `CELLS SIDE` (12 of 50 to 36 empties from games of the first build)
  --depth PLIES       how deep (24)
  --hash MB           memory of the hash table in searches (1024); in solves it is four times as much
  --lines FIRST-LAST  only these lines of each FILE
  --easy COUNT        positions of 4 to 8 empties, WLD; of 12 empties, exact, there are a quarter as many (100000)

Waits are the time of the threads without the CPU, as part of all their time: with as many threads as cores on an idle
machine, that in which they sleep. A thread that spins is not seen there, but its nodes are missing.
Run it on an idle machine.
USAGE
}

declare -A options=([--threads]='' [--boards]='' [--depth]=24 [--hash]=1024 [--lines]='' [--easy]=100000)
take() { options[$1]=$2; }
read_arguments "" "${!options[*]}" "$@"
builds=() files=()
for operand in "${operands[@]}"; do
    need_files "$operand"
    if [[ -x $operand ]]; then builds+=("$(realpath "$operand")"); else files+=("$operand"); fi
done
((${#builds[@]})) || builds=("$(find_emilia)")
threads=${options[--threads]}
if [[ -z $threads ]]; then
    for ((count = 1; count <= $(nproc); count *= 2)); do threads+=" $count"; done
fi
depth=${options[--depth]} hash=${options[--hash]} easy=${options[--easy]}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The boards, and the positions to solve.
if [[ -n ${options[--boards]} ]]; then
    need_files "${options[--boards]}"
    grep -v '^[%#]' "${options[--boards]}" > "$work/boards"
else
    "${builds[0]}" positions --seed 59 --count 12 --min-empties 36 --max-empties 50 --depth 3 | grep -v "^%" > "$work/boards"
fi
boards=$(grep -c . "$work/boards")
for file in "${files[@]}"; do
    if [[ -n ${options[--lines]} ]]; then sed -n "${options[--lines]/-/,}p" "$file"; else cat "$file"; fi
done | grep -v '^[%#]' > "$work/solves" || true

# Runs a program and notes the seconds in `real`, `user` and `system`.
timed() {
    TIMEFORMAT='%R %U %S'
    { time "$@" 2>> "$work/log"; } 2> "$work/times"
    read -r real user system < "$work/times"
}

# The lines of the native protocol that search all boards so many times in one process.
session() {
    printf 'setoption name Hash value %s\nsetoption name Threads value %s\n' "$hash" "$1"
    for ((pass = 0; pass < $2; pass++)); do
        while read -r cells side _; do
            printf 'ucinewgame\nposition board %s %s\ngo depth %s\n' "$cells" "${side%;}" "$depth"
        done < "$work/boards"
    done
}

search() { "$1" < "$work/session" > "$work/answers"; }

# From the answers: all nodes, and the milliseconds of each pass over so many boards. The last info line of a search
# has its sums.
sums() {
    awk -v boards="$1" '
        function value(name,   at) { for (at = 1; at < NF; at++) if ($at == name) return $(at + 1) }
        $1 == "info" { time = value("time"); nodes = value("nodes") }
        $1 == "bestmove" { pass = int(searches / boards); searches += 1; passes[pass] += time; all += nodes }
        END { printf "%d", all; for (pass = 0; pass in passes; pass++) printf " %d", passes[pass]; print "" }
    ' "$work/answers"
}

# The CPU seconds of a start without a search.
start_of() {
    echo quit > "$work/session"
    timed search "$1"
    echo "$user $system"
}

# calculate FORMAT EXPRESSION..: prints numbers.
calculate() {
    local format=$1
    shift
    awk "BEGIN { printf \"$format\", $(IFS=,; echo "$*") }"
}

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores"
for at in "${!builds[@]}"; do echo "- build $((at + 1)): ${builds[at]}, $("${builds[at]}" --version)"; done
echo
echo "$boards boards to depth $depth, $hash MB: seconds in a new process (cold), and in one that has searched them before (warm)"
echo
echo "| threads | build | cold | warm | cold / warm | speed-up, warm | M nodes, warm | nodes / first | system's share, cold | warm | waits, warm |"
echo "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
declare -A first_warm first_nodes
for count in $threads; do
    for at in "${!builds[@]}"; do
        emilia=${builds[at]}
        read -r start_user start_system <<< "$(start_of "$emilia")"
        session "$count" 1 > "$work/session"
        timed search "$emilia"
        read -r cold_nodes cold <<< "$(sums "$boards")"
        cold_share=$(calculate %.0f "100 * ($system - $start_system) / ($user + $system - $start_user - $start_system + 1e-9)")
        cold_user=$user cold_system=$system
        session "$count" 3 > "$work/session"
        timed search "$emilia"
        read -r nodes first second third <<< "$(sums "$boards")"
        warm=$(calculate %.1f "($second + $third) / 2")
        nodes=$(calculate %.0f "($nodes - $cold_nodes) / 2")
        : "${first_warm[$at]:=$warm}" "${first_nodes[$at]:=$nodes}"
        # Of the second and the third pass together.
        cpu=$(calculate %.3f "$user + $system - $cold_user - $cold_system")
        cold=$(calculate %.1f "($cold + $first) / 2")
        calculate '| %d | %d | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %d%% | %.0f%% | %.0f%% |\n' \
            "$count" "$((at + 1))" "$cold / 1000" "$warm / 1000" "$cold / ($warm + 1e-9)" "${first_warm[$at]} / ($warm + 1e-9)" \
            "$nodes / 1e6" "$nodes / (${first_nodes[$at]} + 1e-9)" "$cold_share" "100 * ($system - $cold_system) / ($cpu + 1e-9)" \
            "100 * (1 - $cpu / ($count * ($second + $third) / 1000 + 1e-9))"
    done
done

echo
echo "Million nodes a second in the first second of a new process, up to the last iteration that ended: the start position after f5"
echo
echo "| threads | build | 64 MB | 256 MB | 1024 MB | 4096 MB | 1024 / 64 |"
echo "|--:|--:|--:|--:|--:|--:|--:|"
for count in $threads; do
    for at in "${!builds[@]}"; do
        found=()
        for megabytes in 64 256 1024 4096; do
            printf 'setoption name Hash value %s\nsetoption name Threads value %s\nposition startpos moves f5\ngo movetime 1000\n' \
                "$megabytes" "$count" > "$work/session"
            search "${builds[at]}" 2>> "$work/log"
            read -r nodes milliseconds <<< "$(sums 1)"
            found+=("$nodes / ($milliseconds + 1e-9) / 1000")
        done
        calculate '| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n' "$count" "$((at + 1))" "${found[@]}" "(${found[2]}) / (${found[0]} + 1e-9)"
    done
done

solve() { "$1" solve --together --memo 0 --hash "$((4 * hash))" --threads "$2" "$3" "$work/solves" > "$work/answers"; }

if [[ -s $work/solves ]]; then
    echo
    echo "$(grep -c . "$work/solves") positions to solve, all threads on one at a time, $((4 * hash)) MB"
    echo
    echo "| question | threads | build | seconds | speed-up | M nodes | nodes / first | system's share | waits |"
    echo "|:--|--:|--:|--:|--:|--:|--:|--:|--:|"
    for question in exact wld; do
        first_warm=() first_nodes=()
        for count in $threads; do
            for at in "${!builds[@]}"; do
                timed solve "${builds[at]}" "$count" "--$question"
                read -r nodes seconds <<< "$(awk -F'\t' '{ nodes += $6; time += $7 } END { printf "%d %.3f", nodes, time / 1000 }' "$work/answers")"
                : "${first_warm[$at]:=$seconds}" "${first_nodes[$at]:=$nodes}"
                calculate "| $question | %d | %d | %.2f | %.2f | %.1f | %.2f | %.0f%% | %.0f%% |\n" \
                    "$count" "$((at + 1))" "$seconds" "${first_warm[$at]} / ($seconds + 1e-9)" "$nodes / 1e6" \
                    "$nodes / ${first_nodes[$at]}" "100 * $system / ($user + $system)" "100 * (1 - ($user + $system) / ($count * $real))"
            done
        done
    done
fi

many() { "$1" solve --memo 0 --hash 64 --threads "$2" "$3" "$4" > /dev/null; }

((easy)) || exit 0
"${builds[0]}" positions --seed 59 --count "$easy" --min-empties 4 --max-empties 8 --depth 1 > "$work/few"
"${builds[0]}" positions --seed 59 --count "$((easy / 4))" --min-empties 12 --max-empties 12 --depth 1 > "$work/twelve"
echo
echo "Positions a second, start of the program included"
echo
echo "| threads | build | 4 to 8 empties, WLD | system's share | waits | 12 empties, exact | system's share | waits |"
echo "|--:|--:|--:|--:|--:|--:|--:|--:|"
for count in $threads; do
    for at in "${!builds[@]}"; do
        row="| $count | $((at + 1)) |"
        for kind in "wld few $easy" "exact twelve $((easy / 4))"; do
            read -r question name positions <<< "$kind"
            timed many "${builds[at]}" "$count" "--$question" "$work/$name"
            row+=$(calculate ' %.0f | %.0f%% | %.0f%% |' "$positions / $real" "100 * $system / ($user + $system)" \
                "100 * (1 - ($user + $system) / ($count * $real))")
        done
        echo "$row"
    done
done
