#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fleet.sh [BUILD] - more than one machine, in a few seconds: two hosts (here
# two names of this one) ship a timeline to a cluster (here one NATS server on
# loopback), a third place reads both as one, and keeps them as
# Parquet and for Perfetto.
# BUILD is where make put things (build).  Needs nats-server.  Leaves nothing
# behind.
set -eu
examples=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$examples/../build}" && pwd)
# shellcheck source=examples/steps.sh
. "$examples/steps.sh"

command -v nats-server >/dev/null || {
	echo "fleet.sh: no nats-server (apt-get install nats-server)" >&2
	exit 77
}
# a port that nobody listens on
port=$((20000 + $$ % 12000))
while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
	port=$((port + 1))
done
cluster=nats://127.0.0.1:$port
nats-server -js -sd "$work/nats" -a 127.0.0.1 -p "$port" >/dev/null 2>&1 &
until_true "(: <'/dev/tcp/127.0.0.1/$port')"

say "Two hosts ship what their programs log."
run 'workers 2 2 2000'
shippers=()
for host in alpha beta; do
	run "timeline-ship run -q --host $host --all --spool $host --to $cluster $TIMELINE &"
	shippers+=("$!")
done
# the last job of four threads, from both
last='kind == "begin" and args.id == 1999'
until_true "[ \$(timeline-dump --json -e '$last' $cluster | wc -l) = 8 ]"

say "One place sees both: as a listing, as a statistic, live with -f."
run "timeline-dump -n 4 $cluster"
run "timeline-dump --json $cluster | wc -l"
run "timeline-dump --stats --host alpha $cluster | head -4"

say "For DuckDB, and for ui.perfetto.dev."
run "timeline-convert $cluster -o fleet.parquet"
run "timeline-convert -q $cluster -o fleet.pftrace"
run "ls -s *.parquet *.pftrace"

kill "${shippers[@]}" # before their cluster goes
wait "${shippers[@]}"
