#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fleet.sh [BUILD] - more than one machine, in a few seconds: two hosts (here
# two names of this one) ship a timeline to a cluster (here one NATS server on
# loopback), a third place reads both as one, asks them, and keeps the rest as
# Parquet and as an archive for Perfetto.
# BUILD is where make put things (build).  Needs nats-server.  Leaves nothing
# behind.
set -eu
examples=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$examples/../build}" && pwd)
work=$(mktemp -d)
port=$((20000 + $$ % 12000))

export TIMELINE=/timeline-fleet-$$
export PATH=$build/bin:$build/examples:$PATH
unset TIMELINE_PRIORITY

finish()
{
	status=$?
	for job in $(jobs -p); do
		kill "$job" 2>/dev/null || true
	done
	wait
	rm -rf "/dev/shm$TIMELINE" "$work"
	exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM

say()
{
	printf '\n# %s\n' "$@"
}

# Print a command as it would be typed, and run it.
run()
{
	printf '$ %s\n' "$1"
	eval "$1"
}

command -v nats-server >/dev/null || {
	echo "fleet.sh: no nats-server (apt-get install nats-server)" >&2
	exit 77
}
cd "$work"
nats-server -js -sd "$work/nats" -a 127.0.0.1 -p "$port" >/dev/null 2>&1 &
cluster=nats://127.0.0.1:$port
for _ in $(seq 50); do
	(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
	sleep 0.1
done

say "Two hosts ship what their programs log, and may be asked."
run 'workers 2 2 2000'
for host in alpha beta; do
	run "timeline-ship run -q --host $host --all --allow list,priority --spool $host --to $cluster $TIMELINE &"
done
sleep 2

say "One place sees both: as a listing, as a statistic, live with -f."
run "timeline-dump -n 4 $cluster"
run "timeline-dump --json $cluster | wc -l"
run "timeline-dump --stats --host alpha $cluster | head -4"

say "Which timelines are there?  And: less, everywhere, from now on."
run "timeline-ship ask $cluster list"
run "timeline-ship ask $cluster priority info"

say "For DuckDB, and for ui.perfetto.dev."
run "timeline-convert $cluster -o fleet.parquet"
run "timeline-convert -q $cluster --to perfetto-fleet -o fleet.tar"
run "tar tf fleet.tar"
run "ls -s *.parquet *.tar"
