#!/bin/sh
# What a tracer leaves of the GETs a second that a Redis server answers:
# redis_in_turn.sh REQUESTS PIPELINED ROUNDS TRACER...
# The tracer is the beginning of a command line that runs a server. One with it and one without it are
# asked in turn, so that both have the same neighbours; the ratio of each round, and their median.
set -eu
requests=$1
pipelined=$2
rounds=$3
shift 3
# Below the numbers that clients are given.
first=$((10000 + $$ % 20000))
second=$((first + 1))
servers=
trap 'kill $servers 2>/dev/null || true' EXIT
redis-server --port "$first" --save "" --appendonly no >/dev/null 2>&1 &
servers=$!
# What the tracer has to say is seen where the launch fails.
"$@" redis-server --port "$second" --save "" --appendonly no >/dev/null &
traced=$!
servers="$servers $traced"
for port in "$first" "$second"; do
    tries=0
    until [ "$(redis-cli -p "$port" ping 2>/dev/null)" = PONG ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ]
        sleep 0.05
    done
done
rate() {
    redis-benchmark -p "$1" -n "$requests" -c 20 -P "$pipelined" -t get --csv |
        sed -n 's/^"GET","\([0-9.]*\)".*/\1/p'
}
round=0
while [ "$round" -lt "$rounds" ]; do
    # Who is first has the other's warmth behind it: they change places.
    case $((round % 2)) in
        0) plain=$(rate "$first"); ours=$(rate "$second") ;;
        *) ours=$(rate "$second"); plain=$(rate "$first") ;;
    esac
    echo "$plain $ours"
    round=$((round + 1))
done | awk '{ print $2 / $1 }' | sort -g | awk -v requests="$requests" '
    { ratios[NR] = $1 }
    END {
        middle = NR % 2 ? ratios[(NR + 1) / 2] : (ratios[NR / 2] + ratios[NR / 2 + 1]) / 2
        printf "messages,ratio\n%d,%.4f\n", requests * NR, middle
    }'
redis-cli -p "$second" shutdown nosave
wait "$traced"
