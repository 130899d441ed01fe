# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Recording: every entry that was logged lies in the files, or is reported
# missing, whatever happens to the daemon, the timeline and the folder.

recorded=$build/tests/daemon/recorded
traces=$work/traces
# record_daemon [KEYS] starts a daemon that records plain files of every
# timeline.
record_daemon() {
	start_daemon 'timelines = { { name = "'"$name"'-r*", record = {
		directory = "'"$traces"'", compress = false, flush = "50ms",
		'"${1:-}"' } } }'
}
# list_traces NAME prints the traces of a timeline, oldest first.
list_traces() { find "$traces" -name "$name-$1-*.trace" | sort; }
# sum NAME prints the sums of a timeline's traces, in the form of
# tests/daemon/recorded.
sum() {
	local files
	mapfile -t files < <(list_traces "$1")
	"$recorded" "${files[@]}" 2>"$work/recorded"
}
field() { awk -v f="$2" '{ for (i = 1; i < NF; i++) if ($i == f) print $(i + 1) }' <<<"$1"; }
traces_are() { [ "$(list_traces "$1" | wc -l)" -ge "$2" ]; }

# == everything is recorded ==
record_daemon
start_load "$name-r1"
tell rate 20000 info >/dev/null # the ring holds seconds of these entries
until_true ticked 20000
tell rate 0 info >/dev/null
logged=$(tell count)
stop_load
until_true reaches "$logged" timeline_record_entries_total "$name-r1"
is 'the metrics count what was recorded' \
	"$(metric timeline_record_entries_total "$name-r1")" "$((logged + 0))"
has 'status tells' "$("$ctl" status)" "recording +$logged entries, 0 lost; 1 file, "
has 'the log names the file' "$(cat "$work/log")" "$name-r1: recording to $traces/$name-r1-.*Z.trace"
stop_daemon
seen=$(sum r1)
is 'what was logged lies in one whole file' "$seen" \
	"files 1 entries $logged lost 0 damaged 0 cut 0"
has 'the log sums up' "$(cat "$work/log")" "$name-r1: recorded $logged entries, 0 were lost"
has 'a file that was recorded opens like any other' \
	"$("$dump" -n 1 "$(list_traces r1)" | untimed)" '^load +tick'
rm -rf "$traces"

# == losses ==
record_daemon
start_load "$name-r2"
tell rate 20000000 info >/dev/null
sleep 1
tell rate 0 info >/dev/null
logged=$(tell count)
stop_load
all_there() {
	local seen
	seen=$(($(metric timeline_record_entries_total "$1") + $(metric timeline_record_lost_total "$1")))
	[ "$seen" = "$logged" ]
}
until_true all_there r2
stop_daemon
seen=$(sum r2)
is "what the ring overwrote is counted to the entry ($seen of $logged)" \
	"$(($(field "$seen" entries) + $(field "$seen" lost)))" "$logged"
rm -rf "$traces"

# == several files ==
record_daemon 'size = "64K", keep = { count = 3 }'
start_load "$name-r3"
tell rate 50000 info >/dev/null
until_true reaches 5 timeline_record_files_total "$name-r3"
removed() { reaches 1 timelined_record_files_removed_total; }
until_true removed
is 'old files are removed' $? 0
tell rate 0 info >/dev/null
logged=$(tell count)
stop_load
until_true all_there r3
traces_are_at_most() { [ "$(list_traces r3 | wc -l)" -le "$1" ]; }
until_true traces_are_at_most 4
is 'as many stay as keep says, beside the one that is written' $? 0
stop_daemon
kept=$(list_traces r3 | wc -l)
is 'and as many indexes' "$(find "$traces" -name '*.idx' | wc -l)" "$kept"
has 'each is a whole trace' "$(sum r3)" 'damaged 0 cut 0$'
rm -rf "$traces"

# == the levels cut a span, and the file ends before they open again ==
record_daemon 'age = "1s"'
start_load "$name-r10"
tell begin >/dev/null
"$ctl" priority "$name-r10" warning >/dev/null
has_ended() { traces_are r10 1 && [ "$(field "$(sum r10)" cut)" = 0 ]; }
until_true has_ended
tell end >/dev/null # not logged
"$ctl" priority "$name-r10" info >/dev/null
tell end >/dev/null # logged, of a span whose begin was not
stop_load
stop_daemon
# in_each ORDER prints each begin and end of each file, and how long the end's
# span took.
in_each() {
	list_traces r10 | while read -r file; do
		"$dump" --json "$@" "$file"
	done | jq -r 'select(.message == "work $id") | "\(.kind) \(.duration_ns)"'
}
is 'a span that is cut goes on in no file' "$(in_each --oldest-first)" 'begin null
end null'
is '... newest first' "$(in_each)" 'begin null
end null'
rm -rf "$traces"

# == kill -9 ==
start_load "$name-r4"
tell rate 20000 info >/dev/null
flushed() { [ "$(field "$(sum r4)" entries)" -gt "$1" ]; }
flushes=0
for pause in 0.3 0.11 0.47 0.23 0.36; do
	record_daemon
	flushes=$((flushes + 2500))
	until_true flushed "$flushes"
	sleep "$pause"
	kill_daemon
done
tell rate 0 info >/dev/null
stop_load
seen=$(sum r4)
has "after kill -9 the files hold whole blocks ($seen)" "$seen" 'files 5 .* lost 0 damaged 0 '
[ "$(field "$seen" entries)" -gt 10000 ]
is 'and what was flushed' $? 0
rm -rf "$traces"

# == the configuration changes ==
record_daemon
start_load "$name-r5"
tell rate 1000 info >/dev/null
until_true traces_are r5 1
configure 'timelines = { { name = "'"$name"'-r*" } }'
"$ctl" reload
until_true logged "$name-r5: recorded [0-9]+ entries"
is 'a reload may end it' $? 0
is 'then there is no metric of it' "$(curl -s "http://127.0.0.1:$port/metrics" | grep -c "timeline_record_.*$name-r5")" 0
configure 'timelines = { { name = "'"$name"'-r*", record = {
	directory = "'"$traces"'", compress = false, flush = "50ms" } } }'
"$ctl" reload
until_true traces_are r5 2
is 'and begin it again, with another file' $? 0
tell rate 0 info >/dev/null
stop_load
"$ctl" remove "$name-r5"
until_true logged "$name-r5: detached"
start_load "$name-r5"
tell rate 1000 info >/dev/null
until_true ticked 200
tell rate 0 info >/dev/null
anew=$(tell count)
stop_load
until_true traces_are r5 3
is 'a timeline that was made anew has a file of its own' $? 0
until_true reaches "$anew" timeline_record_entries_total "$name-r5"
is 'from its first entry on' "$(metric timeline_record_entries_total "$name-r5")" "$anew"
stop_daemon
has 'all of them are whole' "$(sum r5)" 'files 3 .* damaged 0 cut 0$'
rm -rf "$traces"

# == a timeline that is named no more, and named again ==
record_daemon
start_load "$name-r9"
tell rate 1000 info >/dev/null
until_true reaches 100 timeline_record_entries_total "$name-r9"
tell rate 0 info >/dev/null
logged=$(tell count)
until_true reaches "$logged" timeline_record_entries_total "$name-r9"
cp "$work/conf" "$work/conf-named"
configure 'timelines = { { name = "'"$name"'-none" } }'
"$ctl" reload
cp "$work/conf-named" "$work/conf"
"$ctl" reload
until_true lines 2 "$name-r9: attached"
tell rate 1000 info >/dev/null
more() { reaches 1 timeline_record_entries_total "$name-r9"; }
until_true more
tell rate 0 info >/dev/null
logged=$(tell count)
stop_load
until_true traces_are r9 2
stop_daemon
is 'what is named no more and then again is not recorded twice' "$(sum r9)" \
	"files 2 entries $logged lost 0 damaged 0 cut 0"
rm -rf "$traces"

# == a folder that cannot be written to ==
: >"$traces"
record_daemon
start_load "$name-r6"
tell rate 1000 info >/dev/null
until_true logged "$name-r6: cannot record: Not a directory"
is 'what is wrong is said' $? 0
sleep 2.2
lines 1 "$name-r6: cannot record"
is 'once' $? 0
has 'status says it, too' "$("$ctl" status)" 'FAILS: Not a directory'
is 'and the metrics' "$(metric timeline_record_failing "$name-r6")" 1
rm "$traces"
until_true logged "$name-r6: can record again"
is 'it goes on when it can' $? 0
tell rate 0 info >/dev/null
logged=$(tell count)
stop_load
until_true reaches "$logged" timeline_record_entries_total "$name-r6"
stop_daemon
is 'and nothing was lost' "$(sum r6)" "files 1 entries $logged lost 0 damaged 0 cut 0"
rm -rf "$traces"

# == a folder whose name is too long ==
configure 'timelines = { { name = "'"$name"'-r8", create = { entries = "16k" }, record = {
	directory = "/'"$(printf '%05000d' 0)"'" } } }'
start_daemon
until_true logged "$name-r8: cannot record: File name too long"
is 'a recording that cannot begin is said' $? 0
has 'status goes on saying it' "$("$ctl" status)" 'FAILS: File name too long'
is 'and the metrics' "$(metric timeline_record_failing "$name-r8")" 1
configure 'timelines = { { name = "'"$name"'-r8", record = { directory = "'"$traces"'", flush = "50ms" } } }'
"$ctl" reload
"$load" "/$name-r8" <<<'fail 1' >/dev/null
until_true reaches 1 timeline_record_entries_total "$name-r8"
is 'a reload that puts it right begins it' $? 0
is 'and nothing is wrong any more' "$(metric timeline_record_failing "$name-r8")" 0
stop_daemon
rm -rf "$traces"

# == a disk that is full ==
mkdir "$traces"
if mount -t tmpfs -o size=256k none "$traces" 2>/dev/null; then
	record_daemon
	start_load "$name-r7"
	tell rate 100000 info >/dev/null
	until_true logged "$name-r7: cannot record: No space left on device"
	is 'a full disk is said' $? 0
	sleep 2.2
	# Dropping a cut end may make room for a little more: the recording then
	# ends twice.
	ends_of() { grep -c "$name-r7: $1 record" "$work/log"; }
	[ "$(ends_of cannot)" -le $(($(ends_of can) + 1)) ]
	is 'once' $? 0
	tell rate 1000 info >/dev/null
	until_true mount -o remount,size=64m "$traces"
	is 'the disk grows' $? 0
	until_true logged "$name-r7: can record again"
	is 'it goes on when there is room again' $? 0
	tell rate 0 info >/dev/null
	logged=$(tell count)
	stop_load
	stop_daemon
	seen=$(sum r7)
	is "what was written and what is missing is all ($seen)" \
		"$(($(field "$seen" entries) + $(field "$seen" lost)))" "$logged"
	has 'nothing is damaged' "$seen" 'damaged 0 '
	umount "$traces"
else
	skip 'a disk that is full: no file system can be mounted here'
fi
rm -rf "$traces" "/dev/shm/$name"*
