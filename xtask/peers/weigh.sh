#!/bin/sh
# Bytes on the disk a matched message of a traced run, for `cargo xtask bench mpi`.
#     sh weigh.sh RUN
set -eu
messages=$(sed -n 's/.*"matched": *\([0-9]*\).*/\1/p' "$1/run.json" | head -n 1)
bytes=$(du -sb "$1" | cut -f 1)
echo "weighed,bytes_per_message"
echo "all,$(awk "BEGIN { printf \"%.2f\", $bytes / $messages }")"
