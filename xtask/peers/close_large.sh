#!/bin/sh
# Closing a run of many messages and reporting it, under GNU time, for `cargo xtask bench mpi`.
#     sh close_large.sh MAKER RUN MESSAGES NUMBERS FOURSTAMP
# MAKER leaves the logs of a run that was cut; its first reader closes it.
set -eu
"$1" --logs-only "$2" "$3"
exec time --format 'wall_s,peak_kib\n%e,%M' --output "$4" "$5" report "$2" --out "$2/report.html"
