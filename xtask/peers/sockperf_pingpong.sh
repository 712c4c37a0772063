#!/bin/sh
# sockperf's UDP ping-pong over loopback, both sides polling a socket without blocking, each on a core of its own.
# Prints the median of the round trips as CSV. Arguments: seconds, bytes, port.
set -eu
seconds=$1 bytes=$2 port=$3
first=0
second=$(($(nproc) > 1 ? 1 : 0))
taskset -c "$second" sockperf server --ip 127.0.0.1 --port "$port" --nonblocked >/dev/null 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
sleep 0.5
taskset -c "$first" sockperf ping-pong --ip 127.0.0.1 --port "$port" --nonblocked --full-rtt \
	--msg-size "$bytes" --time "$seconds" 2>&1 |
	sed 's/\x1b\[[0-9;]*m//g' |
	awk '/percentile 50.000/ { print "stage,p50_ns"; printf "cycle,%d\n", $NF * 1000; found = 1 } END { exit !found }'
