#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tour.sh [BUILD [FOLDER]] - what a timeline is for, on this machine, in a few
# seconds: C processes and a LuaJIT process log to one timeline, a burst opens
# the details for a moment, a process is killed, a snapshot is saved and read; a
# daemon samples slots, from which the whole is estimated, and bursts, and saves
# evidence of a slow span.
#
# BUILD is where make put things (build).  What was made stays in FOLDER, which
# must not exist; without it in ./timeline-tour, or timeline-tour-2 and so on
# where that exists.
set -eu
examples=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$examples/../build}" && pwd)
from=$PWD
keep=${2:-timeline-tour}
for number in $(seq 2 99); do
	if [ $# -ge 2 ] || [ ! -e "$keep" ]; then break; fi
	keep=timeline-tour-$number
done
# shellcheck source=examples/steps.sh
. "$examples/steps.sh"
export LUA_PATH="$build/share/lua/5.1/?.lua;;"
export TIMELINE_DUMP=$build/bin/timeline-dump
cp "$examples/hello.lua" .

say "Three processes of two threads each log to one timeline."
run 'workers 3 2 4000 &'
until_true "timeline-dump -n 1 --message 'sorted*' | grep ."

say "A LuaJIT process joins them, prints the newest entries, and is gone."
run 'luajit hello.lua'
run 'timeline-dump -n 5 --category example'

say "Now log no more than info; but 100 microseconds of everything."
run 'burst'

say "A process is killed in the middle of its work.  Nothing is lost."
run 'crash'

say "The workers have logged all the while.  Keep a snapshot."
wait
save='require("timeline").open(os.getenv("TIMELINE")):save("tour.tl")'
run "luajit -e '$save'"
run 'ls -sh tour.tl'

say "The newest entries, with who logged them."
run 'timeline-dump -n 6 --columns time,cpu,pid,priority,category,message tour.tl'

say "What the burst caught of the workers, with the long text."
run 'timeline-dump -n 3 --category worker --message "sorted*" --explain tour.tl'

say "The first jobs of each thread as trees, and how long all of them took."
run 'timeline-dump --tree --children 3 --category worker tour.tl'
run 'timeline-dump --stats --message "job*" tour.tl'

say "The same for Perfetto's page, and as a page of its own."
run 'timeline-convert -q tour.tl -o tour.pftrace'
run 'timeline-convert -q tour.tl -o tour.html'
run 'ls -sh tour.pftrace tour.html'

say "Let the daemon look after two more: in one, writers open 5 % of the time," \
	"in slots; in the other it opens 5 milliseconds of each 25.  It saves a" \
	"snapshot when an order takes longer than 10 milliseconds."
export TIMELINED_SOCKET=$work/timelined.sock
cat >tour.conf <<END
return {
	directory = "$work/saved", listen = "127.0.0.1:0",
	socket = "$TIMELINED_SOCKET",
	timelines = { {
		name = "${TIMELINE#/}-slots", create = { entries = "256k" }, priority = "info",
		bursts = { level = "trace", by = "slots", share = 0.05 },
	}, {
		name = "${TIMELINE#/}-bursts", create = { entries = "256k" }, priority = "info",
		bursts = { level = "debug", length = "5ms", period = "25ms" },
		triggers = { { name = "slow-order", snapshot = true,
			span = { message = "order*", longer = "10ms" } } },
	} },
}
END
run 'cat tour.conf'
run 'timelined -c tour.conf &'
daemon=$!
until_true "timelinectl status | grep -- -bursts"
run 'timelinectl list'
run "TIMELINE=$TIMELINE-slots orders 10000"

say "What was seen in the slots tells how often it happened all the time."
sleep 1 # until the daemon has renewed the plan
run "timeline-dump --stats --message 'compared*' $TIMELINE-slots"

say "The same with bursts; one order waits for 20 milliseconds."
run "TIMELINE=$TIMELINE-bursts orders 10000"
run 'timelinectl status'

say "Bursts show details: the newest, and what they caught of one message." \
	"Spans that are longer than a burst are not seen whole."
run "timeline-dump -n 4 --category timeline $TIMELINE-bursts"
run "timeline-dump -n 2 --message 'sort*' $TIMELINE-bursts"
run "timeline-dump --stats --message 'sort*' $TIMELINE-bursts"

say "What the trigger saved: a snapshot with the slow order."
until_true 'ls saved/*slow-order.tl.zst'
run 'ls saved'
run 'timeline-dump --message "order*" -e "args.id == 5000" saved/*slow-order.tl.zst'

kill "$daemon"
wait "$daemon" || true
rm -f hello.lua
tools=$(realpath --relative-to="$from" "$build/bin")
cat <<END

# $keep holds what was made:
  tour.tl       the snapshot
  tour.html     the snapshot as a page; any browser opens it, also offline
  tour.pftrace  the same for https://ui.perfetto.dev
  tour.conf     the daemon's configuration
  saved/        the snapshots that the daemon saved

# Three things to try next:
  $tools/timeline-dump --tree $keep/tour.tl
  $tools/timeline-dump --view gaps $keep/tour.tl
  make install, and then the head of examples/hello.c
END
