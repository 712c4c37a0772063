#!/bin/sh
# How many GETs a second a Redis server answers: redis_gets.sh REQUESTS PIPELINED [TRACER...]
# The tracer, if there is one, is the beginning of a command line that runs the server.
set -eu
requests=$1
pipelined=$2
shift 2
port=$((20000 + $$ % 20000))
"$@" redis-server --port "$port" --save "" --appendonly no >/dev/null 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
tries=0
until [ "$(redis-cli -p "$port" ping 2>/dev/null)" = PONG ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ]
    sleep 0.05
done
printf 'messages,messages_per_s\n'
redis-benchmark -p "$port" -n "$requests" -c 20 -P "$pipelined" -t get --csv |
    sed -n 's/^"GET","\([0-9.]*\)".*/'"$requests"',\1/p'
redis-cli -p "$port" shutdown nosave
wait "$server"
