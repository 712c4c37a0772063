#!/bin/sh
# How long a shell command takes, for `cargo xtask bench pager`; what it prints is thrown away.
#     sh timed.sh FOLDER COMMAND
# The command runs in FOLDER.
set -eu
cd "$1"
wall=$(mktemp)
trap 'rm -f "$wall"' EXIT
time --format 'wall_s\n%e' --output "$wall" sh -c "$2" > /dev/null
cat "$wall"
