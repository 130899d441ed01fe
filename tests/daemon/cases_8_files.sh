# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# keep = { count, age, bytes }: the files of a section are bounded, also of
# timelines that are gone, also after a restart.

traces=$work/traces
# make_files FOLDER NAME SUFFIX COUNT: files of COUNT timelines that are gone,
# a second apart, long ago.
make_files() {
	local i
	mkdir -p "$1"
	for ((i = 10; i < 10 + $4; i++)); do
		echo x >"$1/$name-$2-$i-20200101T0000$i.000000Z$3"
	done
}
files() { find "$1" -name "$name-$2*" 2>/dev/null | wc -l; }
files_are() { [ "$(files "$1" "$2")" = "$3" ]; }

# == what is older than age goes, the newest too ==
make_files "$snapshots" f -writer-died.tl.zst 40
make_files "$snapshots" f .trace 40
make_files "$snapshots" f .trace.idx 40
make_files "$snapshots" other -writer-died.tl.zst 2
strict='keep = { count = 1, age = "1m", bytes = "1M" }'
start_daemon 'timelines = { { name = "'"$name"'-f-*",
	snapshots = { '"$strict"' }, record = { '"$strict"' } } }'
until_true files_are "$snapshots" f 0
is 'nothing is left of timelines that are gone' $? 0
until_true reaches 40 timelined_snapshots_removed_total
is 'what no section names stays' "$(files "$snapshots" other)" 2
is 'removed traces are counted' "$(metric timelined_record_files_removed_total)" 40
is 'removed snapshots are counted' "$(metric timelined_snapshots_removed_total)" 40
is 'the others are counted' "$(metric timelined_snapshots_files)" 2
stop_daemon

# == traces in a directory of their own; the first section that matches ==
make_files "$traces" a .trace 5
make_files "$traces" b .trace 5
make_files "$snapshots" a -request.tl 5
make_files "$snapshots" b -request.tl 5
make_files "$snapshots" b -schedule.tl 5
make_files "$snapshots" b .trace 5
start_daemon 'timelines = {
	{ name = "'"$name"'-a*", snapshots = { keep = {} },
		record = { directory = "'"$traces"'", keep = { count = 4 } } },
	{ name = "'"$name"'-*", snapshots = { keep = { count = 1 } },
		record = { directory = "'"$traces"'", keep = { count = 2 } } } }'
until_true files_are "$traces" b 2
until_true files_are "$traces" a 4
is 'traces of the first section' "$(files "$traces" a)" 4
is 'traces of the second section' "$(files "$traces" b)" 2
is 'the newest stay' "$(files "$traces" b-14) $(files "$traces" b-13)" '1 1'
is 'snapshots of the first section' "$(files "$snapshots" a)" 5
is 'one snapshot of each reason, and the traces of another directory' \
	"$(files "$snapshots" b)" 7
stop_daemon
rm -rf "$traces" "$snapshots"
