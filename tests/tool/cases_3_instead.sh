# shellcheck shell=bash disable=SC2154,SC2016,SC2013
# SPDX-License-Identifier: Apache-2.0
# --list, --stats and --info come in place of a listing.

list=$("$dump" --list "$known")
has '--list counts what was seen' "$list" '^ +3 trace +instant example +processed \$tcp, \$udp, and \$other'
has '--list says where it was defined' "$list" 'processed .*\(.*make_timeline\.c:[0-9]+\)$'
has '--list has what was never seen' "$list" '^ +0 trace\+\+\+ instant a-very-long-category never logged'
has '--list tells spans and counters' "$list" '^ +2 info +span +span +work \$job'
has '--list --explain has the long text' "$("$dump" --list --explain "$known")" '^    The second line of it\.$'
is '--list --category keeps some' "$("$dump" --list --category queue "$known" | tail -n +2 | wc -l)" 1
json=$("$dump" --list --json "$known")
is '--list --json has the arguments with their formats' \
	"$(jq -c 'select(.category == "formats").args' <<<"$json")" \
	'[{"name":"a","format":"signed"},{"name":"b","format":"hex"},{"name":"c","format":"double"},{"name":"d","format":"duration"}]'
is '--list --json counts' "$(jq 'select(.message | startswith("processed")).seen' <<<"$json")" 3
is '--list --json has the scope of spans' \
	"$(jq -r 'select(.kind == "span") | "\(.message) \(.scope)"' <<<"$json" | sort)" \
	'part $of thread
request $id source
work $job thread'
is '--list --format csv has a line a message' \
	"$("$dump" --list --format csv "$known" | wc -l)" "$(($(wc -l <<<"$json") + 1))"
"$make" "$name-level" level=info known level=off "save=$work/level.tl" remove || exit 1
has '--list tells a gate that was changed' \
	"$("$dump" --list "$work/level.tl")" 'chatter \$n .*\[off\]$'
is '... in JSON too' \
	"$("$dump" --list --json --category noisy "$work/level.tl" | jq -r .gate)" off

# --stats reads a thousand entries with known arguments.
stats=$work/stats.tl
"$make" "$name-stats" entries=50000 plain=1000 spans=100 "save=$stats" remove || exit 1
json=$("$dump" --stats --json "$stats")
row=$(jq -c 'select(.message | startswith("processed"))' <<<"$json")
is '--stats counts' "$(jq .count <<<"$row")" 1000
is '--stats has percentiles of an argument' \
	"$(jq -c '.args.tcp | [.count, .min, .p50, .p90, .p99, ."p99.9", .max]' <<<"$row")" \
	'[1000,0,499,899,989,998,999]'
is '... whose histogram is good to one in a thousand' \
	"$(jq '.args.other | (.p50 - 1497 | fabs) <= 2 and .max == 2997' <<<"$row")" true
is '--stats has the intervals between entries' "$(jq '.interval_ns.count' <<<"$row")" 999
is '... which fit the times' \
	"$(jq '(.last_ns - .first_ns) as $all | (.interval_ns.mean * 999 - $all | fabs) < 0.01 * $all + 1024' <<<"$row")" true
is '--stats has durations of spans' \
	"$(jq -c 'select(.message == "work $job") | [.spans, .lonely_begins, .lonely_ends, .duration_ns.count]' <<<"$json")" \
	'[100,1,0,100]'
is '... of those that end where their scope ends' \
	"$(jq -c 'select(.message == "part $of") | [.spans, .lonely_begins, .lonely_ends]' <<<"$json")" '[100,0,1]'
is '... and of those that belong to no thread' \
	"$(jq -c 'select(.message == "request $id") | [.spans, .lonely_begins, .lonely_ends]' <<<"$json")" '[100,0,0]'
is 'a span is no shorter than what it encloses' \
	"$(jq -s '[.[] | select(.kind == "span")] | map({key: (.category + .message), value: .duration_ns.p50}) | from_entries
	| .["spanrequest $id"] >= .["spanwork $job"] and .["spanwork $job"] >= .["spanpart $of"]' <<<"$json")" true
text=$("$dump" --stats "$stats")
has '--stats as text names message and count' "$text" '^    trace  1000 entries  [0-9.,]+/s$'
has '... with a line for an argument' "$text" '^    tcp +1000 +0 +499 +899 +989 +998 +999$'
has '--stats --format csv has a line for each quantity' \
	"$("$dump" --stats --format csv "$stats")" '"processed .*,tcp,,1000,0,499\.5,499,899,989,998,999,,,,,,,,,,$'
is '--stats counts only what passes' \
	"$("$dump" --stats --json --category queue "$known" | jq -r .message)" 'depth $length'
is 'doubles and negative numbers have percentiles' \
	"$("$dump" --stats --json --category formats "$known" | jq -c '[.args.a.min, .args.a.p50, .args.c.max, .args.d.p50]')" \
	'[-5,-5,2.5,1500]'
"$dump" --json --category formats "$known" |
	jq -c '(1e-9, 3e-7, 1e200, -1e300, null) as $x | .args.c = $x' >"$work/doubles.jsonl"
is '... doubles of any size, and NaN is counted apart' \
	"$("$dump" --stats --json "$work/doubles.jsonl" | jq -c '.args.c | [.count, .nan, .infinite, .min == -1e300, .max == 1e200, (.p50 / 1e-9 - 1 | fabs < 0.001)]')" \
	'[4,1,0,true,true,true]'
text=$("$dump" --stats "$work/doubles.jsonl")
has '... in text' "$text" '^    c +4 +-1e300 +1e-09 +1e200 +1e200 +1e200 +1e200$'
has '... with a line' "$text" '^    c: 1 NaN and 0 infinite values left out$'
has '... and in CSV' "$("$dump" --stats --format csv "$work/doubles.jsonl")" ',c,,4,-1e\+?300,.*,1e\+?200,.*,1,0$'
is '... of NaN alone there is no minimum' "$(head -n 5 "$work/doubles.jsonl" | grep '"c":null' |
	"$dump" --stats --json - | jq -c .args.c)" '{"count":0,"nan":1,"infinite":0}'
if has_terminals; then
	has '--stats draws a histogram on a wide terminal' \
		"$(on_terminal "stty cols 120; $dump --stats $stats")" $'tcp .* 999  .*\xe2\x96\x88'
	lacks '... and only there' "$text" $'\xe2\x96'
fi

# Each of five bursts has up to ten entries; no entries lie between bursts.
bursts=$work/bursts.tl
"$make" "$name-bursts" bursts=5 "save=$bursts" remove || exit 1
row=$("$dump" --stats --json --category detail "$bursts")
is 'entries outside of bursts were not logged' "$(jq -c '[.count > 0, .args.n.max < 10]' <<<"$row")" '[true,true]'
is 'the level was open for a part of the time' \
	"$(jq '.observed_share > 0 and .observed_share < 1' <<<"$row")" true
is 'what is always open is observed all the time' \
	"$("$dump" --stats --json --category queue "$bursts" | jq '.observed_share')" 1
info=$("$dump" --info --json "$bursts")
is '--info counts bursts' "$(jq -c '[.levels.bursts, .levels.bursts_merged]' <<<"$info")" '[5,0]'
is '--info tells when which level was open' \
	"$(jq -c '[.levels.windows[] | select(.burst)] | length, (map(.open_from) | unique)' <<<"$info" | tr '\n' ' ')" \
	'5 ["trace++"] '
# An entry that came late shows the rest of its burst.
is 'a burst lasts as long as was asked' \
	"$(jq -c '[.levels.windows[] | select(.burst).length_ns] | max > 99000000 and all(. < 101000000)' <<<"$info")" true
# The levels are unknown between the entry of a change and its confirmation.
is 'windows do not overlap' \
	"$(jq -c '.levels.windows | [range(1; length) as $i | .[$i].from_ns >= .[$i - 1].to_ns] | all' <<<"$info")" true

"$make" "$name-merged" priority=info merged "save=$work/merged.tl" remove || exit 1
info=$("$dump" --info --json "$work/merged.tl")
is '--info marks a burst that was merged with another' \
	"$(jq -c '[.levels.bursts, .levels.bursts_merged], [.levels.windows[] | select(.burst) | [.open_from, .merged]]' <<<"$info" | tr '\n' ' ')" \
	'[2,1] [["debug",false],["trace",true]] '
has '... in text' "$("$dump" --info "$work/merged.tl")" 'open from trace  burst yes  merged yes'

# == --info ==
text=$("$dump" --info "$known")
has '--info says what it is' "$text" '^state: saved$'
is '... up to when it has what was logged, which is before it was saved' "$("$dump" --info --json "$known" |
	jq '.complete_to_ns > .newest_ns and .complete_to_ns < .saved_ns')" "$("$dump" --info --json "$known" | jq '.clock.stamps == "tsc"')"
has '--info says who made it' "$text" '^    command: make_timeline'
has '--info says what was asked and given' "$text" '^    entries asked: 8192$'
has '... and given' "$text" '^    entries given: [0-9]+$'
has '--info lists lanes' "$text" '^    lane 0  cpu 0  tier 0  room [0-9]+  logged [0-9]+ '
has '--info counts losses by cause' "$text" '^    overwritten: 0$'
has '--info has the clock' "$text" '^    error bound: [0-9.]+(ns|us|ms)$'
has '--info of a live one says so' "$("$dump" --info "$name")" '^state: live$'
is '--info --json is one object' "$("$dump" --info --json "$known" | jq -s 'length')" 1
is '--info counts entries that can be shown' "$("$dump" --info --json "$known" | jq .entries_shown)" 11
is '--info --json counts what was overwritten' \
	"$("$make" "$name-over" entries=100 plain=1000 "save=$work/over.tl" remove
	"$dump" --info --json "$work/over.tl" | jq '.entries_shown + .losses.overwritten')" 1000

# == --check of whole files ==
ends '--check of a whole file' 0 "$dump" --check "$known"
has '... says so' "$out" 'known\.tl: whole: 11 entries'
is '... in JSON' "$("$dump" --check --json "$known" | jq -c '[.whole, .faults]')" '[true,[]]'
is '... in CSV' "$("$dump" --check --format csv "$known")" "file,state,byte,text
$known,whole,,"
ends '--check of a live timeline' 0 "$dump" --check "$name"

# A timer has 1000 spans of 10 ms, 20 ms ... 10 s.
timed=$name-timed
"$make" "$timed" entries=4096 timed=1000 "save=$work/timed.tl" || exit 1
near() { # OBJECT: each member is right within 1 %
	jq '(.count == 1000) and
		(.p50_ns / 5e9 - 1 | fabs < 0.01) and (.p99_ns / 9.9e9 - 1 | fabs < 0.01) and
		(.p999_ns / 9.99e9 - 1 | fabs < 0.01) and (.max_ns / 1e10 - 1 | fabs < 0.01) and
		(.sum_ns / 5005e9 - 1 | fabs < 0.001)' <<<"$1"
}
json=$("$dump" --stats --json "$timed")
has '--stats --json of a timer has an object of it, and the threshold' "$json" \
	'"timer":\{"count":[0-9]+,"p50_ns":[0-9]+,"p99_ns":[0-9]+,"p999_ns":[0-9]+,"max_ns":[0-9]+,"sum_ns":[0-9]+\},"slower_ns":0,'
is '... with what its spans took' "$(near "$(jq -c .timer <<<"$json")")" true
# The clock of the file has one more measurement than that of the snapshot.
is '... which a snapshot has, too, but for the rate of its clock' \
	"$("$dump" --stats --json "$work/timed.tl" | jq -c --argjson live "$(jq .timer <<<"$json")" \
		'.timer | [to_entries[] | select(.value / $live[.key] - 1 | fabs > 1e-6)], keys == ($live | keys)' | tr '\n' ' ')" \
	'[] true '
text=$("$dump" --stats "$timed")
has '--stats shows it as a line' "$text" \
	'^    timer +1000 +(1[0-9.]+|9\.9[0-9]*)ms +[45][0-9.]*s +[89][0-9.]*s +9\.[0-9]+s +(9\.[0-9]+|10(\.0[0-9]*)?)s +(9\.99[0-9]*|10(\.0[0-9]*)?)s$'
has '... and which spans are kept' "$text" '^    each span is kept$'
is 'a message that is none has no timer' \
	"$("$dump" --stats --json "$known" | jq -s 'any(has("timer") or has("slower_ns"))')" false
if command -v zstd >/dev/null; then
	zstd -q --content-size "$work/timed.tl" -o "$work/timed.tl.zst"
	is '... nor does it change when the snapshot is compressed' \
		"$("$dump" --stats --json "$work/timed.tl.zst" | jq -c .timer)" \
		"$("$dump" --stats --json "$work/timed.tl" | jq -c .timer)"
fi

has '--check counts an entry of a timer once' "$("$dump" --check "$work/timed.tl")" ': whole: 1000 entries, '
"$make" "$name-began" entries=4096 plain=20 clear plain=20 "save=$work/began.tl" remove || exit 1
has '--stats says that what is not complete was cleared' "$("$dump" --stats "$work/began.tl")" \
	'^  before that, entries were cleared$'

# A timer is not cleared with the timeline, and the report says so.
"$make" "$name-cleared" entries=4096 timed=20 clear "save=$work/cleared.tl" remove || exit 1
text=$("$dump" --stats "$work/cleared.tl")
has 'a timer counts what was cleared' "$text" '^    timer \(ever\) +20 '
has '... and says so' "$(tr -s '\n ' ' ' <<<"$text")" 'timer counts since it was created, also what was cleared; each span is kept'
lacks '... only where something was' "$("$dump" --stats "$timed")" 'ever|cleared'

# == --stats on a terminal ==
"$dump" --json "$known" | jq -c 'if .message | startswith("processed") then
	.category = "very-" * 20 | .message = "processed $tcp and $a_very_long_name"
	| .args = {tcp: .args.tcp, a_very_long_name: 9007199254740992} else . end' >"$work/long.jsonl"
for columns in 80 120; do
	for file in "$stats" "$known" "$timed" "$bursts" "$work/long.jsonl" "$top/tests/data/lincheck/v8-mem2.trace"; do
		is "--stats fits $columns columns: ${file##*/}" \
			"$(COLUMNS=$columns "$dump" --stats "$file" | awk -v n=$columns 'length > n')" ''
	done
done
text=$(COLUMNS=80 "$dump" --stats "$work/long.jsonl")
has '... an ellipsis stands for the end of a message' "$text" '^(very-){15}ve\.\.\.$'
has '... and of a name; a number that does not fit is rounded' "$text" '^    a_very_lo\.\.\. +3( 9\.007e15){6}$'
is '... JSON has all of it' \
	"$("$dump" --stats --json "$work/long.jsonl" | jq -c 'select(.args.a_very_long_name) | [.message, (.category | length), .args.a_very_long_name.max]')" \
	'["processed $tcp and $a_very_long_name",100,9007199254740992]'

# Kernel events lie beside the file: three spans of 7us, each with 3us running,
# 1us runnable and 3us blocked by task 9.
line() {
	printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":8,"priority":"info","category":"%s","message":"%s","kind":"%s","args":{%s}}\n' \
		"$1" "$1" "$2" "$3" "$4" "${5:-}"
}
out_for='switched out as $state%s for $next $name%s'
for at in 1000000 1010000 1020000; do
	line $((at + 1000)) c work begin >&3
	line $((at + 8000)) c work end >&3
	line $((at + 500)) sched 'switched in' instant
	line $((at + 2000)) sched "$out_for" instant '"state":"S","next":9,"name":"other"'
	line $((at + 5000)) sched 'woken by $by $name%s in $context%s' instant '"by":9,"name":"other","context":"task"'
	line $((at + 6000)) sched 'switched in' instant
	line $((at + 9000)) sched "$out_for" instant '"state":"S","next":9,"name":"other"'
done 3>"$work/spans.jsonl" >"$work/kernel.jsonl"
"$build/bin/timeline-convert" -q "$work/spans.jsonl" -o "$work/beside.tl"
has '--view states without kernel events says so' "$("$dump" --view states "$work/beside.tl")" \
	'^No events of the kernel: .*'
has '... and all time is unknown' "$("$dump" --view states "$work/beside.tl")" '^work  *3  *21us .* 100.0%$'
lacks '--stats without kernel events has no states' "$("$dump" --stats --json "$work/beside.tl")" states
"$build/bin/timeline-convert" -q --to timeline "$work/kernel.jsonl" -o "$work/beside.tl.sched"
is '--stats has the states of spans' "$("$dump" --stats "$work/beside.tl" | sed -n '/running/s/^ *//p')" \
	'running 42.9 %, runnable 14.3 %, blocked by a task 42.9 %'
is '... in JSON' "$("$dump" --stats --json "$work/beside.tl" | jq -c '.states | with_entries(select(.value > 0))')" \
	'{"running_ns":9000,"runnable_ns":3000,"blocked_task_ns":9000}'
is '--tree has the states of each span' "$("$dump" --tree "$work/beside.tl" | grep -c '^ *work: 7us (running 42.9 %, runnable 14.3 %, blocked by a task 42.9 %)$')" 3
is '... in JSON' "$("$dump" --tree --json "$work/beside.tl" |
	jq -c 'select(.message == "work") | .states | with_entries(select(.value > 0))' | uniq -c | sed 's/^ *//')" \
	'3 {"running_ns":3000,"runnable_ns":1000,"blocked_task_ns":3000}'
is '... without the tree of the kernel' "$("$dump" --tree "$work/beside.tl" | grep -c '^#')" 1
has '... unless its file is named' "$("$dump" --tree "$work/beside.tl" "$work/beside.tl.sched")" 'switched in'
"$build/bin/timeline-convert" -q "$work/spans.jsonl" "$work/kernel.jsonl" -o "$work/both.trace"
is '... of a trace that has the events of the kernel, too' "$("$dump" --tree "$work/both.trace" | grep -c 'work: 7us (running 42.9 %,')" 3
is '... whose times have the offset of its host' \
	"$("$dump" --tree --json --offset both.trace=1ms "$work/both.trace" | jq -c 'select(.message == "work") | [.ns, .states.running_ns]')" \
	$'[2001000,3000]\n[2011000,3000]\n[2021000,3000]'
is '... which --stats shows' "$("$dump" --stats --json "$work/both.trace" |
	jq -c 'select(.message == "work") | .states.blocked_task_ns')" 9000
{
	cat "$work/spans.jsonl"
	line 1031000 c spin begin
	line 1038000 c spin end
	line 1041000 c nest begin
	line 1041000 c part begin
	line 1043000 c part end
	line 1048000 c nest end
} >"$work/two.jsonl"
{
	cat "$work/kernel.jsonl"
	line 1030500 sched 'switched in' instant
	line 1039000 sched "$out_for" instant '"state":"S","next":9,"name":"other"'
	line 1040500 sched 'switched in' instant
	line 1044000 sched "$out_for" instant '"state":"R","next":9,"name":"other"'
	line 1046000 sched 'switched in' instant
	line 1049000 sched "$out_for" instant '"state":"S","next":9,"name":"other"'
} >"$work/two.sched.jsonl"
"$build/bin/timeline-convert" -q "$work/two.jsonl" -o "$work/two.tl"
"$build/bin/timeline-convert" -q --to timeline "$work/two.sched.jsonl" -o "$work/two.tl.sched"
is '... of its own thread and time' "$("$dump" --tree "$work/two.tl" | sed '1d; s/.*(running/running/; s/ %.*//' | uniq -c | sed 's/^ *//')" \
	$'3 running 42.9\n1 running 100\n1 running 71.4\n1 running 100'
is '... whose parts add up to each span, where two begin at once' \
	"$("$dump" --tree --json "$work/two.tl" | jq -c 'select(.states) | .duration_ns == (.states | add)' | uniq)" true
is '... each of several files has its own' \
	"$("$dump" --tree --json "$work/beside.tl" "$work/two.tl" | jq -c 'select(.kind == "span") | has("states")' | uniq -c | sed 's/^ *//')" \
	'9 true'
is '... nor states without that file' "$(cp "$work/beside.tl" "$work/alone.tl"; "$dump" --tree "$work/alone.tl" | grep -c running)" 0
is '... also beside one that has them, of the same threads and times' \
	"$("$dump" --tree "$work/beside.tl" "$work/alone.tl" | grep -c '^work: 7us (running'
		"$dump" --tree "$work/beside.tl" "$work/alone.tl" | grep -c '^work: 7us$')" $'3\n3'
"$build/tests/tool/make_host" "$work/beside.tl" "$work/other.tl" host=other boot=2
"$build/bin/timeline-convert" -q "$work/spans.jsonl" "$work/kernel.jsonl" -o "$work/both.tl"
"$build/tests/tool/make_host" "$work/both.tl" "$work/both.other.tl" host=one boot=1
is '... and is of another host' \
	"$("$dump" --tree "$work/both.other.tl" "$work/other.tl" | grep -o '^work: 7us.*' | uniq -c | sed 's/^ *//')" \
	$'3 work: 7us (running 42.9 %, runnable 14.3 %, blocked by a task 42.9 %)\n3 work: 7us'
# shellcheck disable=SC2016 # the $ is of the message
echo 'for s in timeline.spans({order = "oldest", states = true}) do
print(s.host, s.states.running, s.states.unknown) end' >"$work/states.lua"
is '... in a script, too' \
	"$("$dump" "$work/both.other.tl" "$work/other.tl" -s "$work/states.lua" 2>/dev/null | sort | uniq -c | tr '\t' ' ' | sed 's/^ *//')" \
	$'3 one 3000 0\n3 other 0 7000'
is '... whose files have their own' \
	"$("$dump" --tree "$work/beside.tl" "$work/both.other.tl" | grep -c '^work: 7us (running 42.9')" 6
is '... in CSV' "$("$dump" --stats --format csv "$work/beside.tl" | cut -d, -f26- | uniq)" \
	$'running_ns,interrupted_ns,runnable_ns,blocked_task_ns,blocked_timer_ns,blocked_io_ns,unknown_ns,nan,infinite\n9000,0,3000,9000,0,0,0,,'
is '... and no row of the kernel' "$("$dump" --stats --json "$work/beside.tl" | jq -r .message)" work
is '... unless its file is named' \
	"$("$dump" --stats --json "$work/beside.tl" "$work/beside.tl.sched" | jq -r .message | wc -l)" 4
is '... whose name may have no folder' "$(cd "$work" && "$dump" --stats beside.tl | grep -c running)" 1

# what has no entries
"$bin/timelinectl" create "$name-empty" >/dev/null || exit 1
"$bin/timelinectl" save "$name-empty" "$work/empty.tl" >/dev/null || exit 1
"$bin/timelinectl" remove "$name-empty" >/dev/null
ends '--stats of an empty timeline' 0 "$dump" --stats "$work/empty.tl"
has '... says so' "$out" 'empty\.tl: no entries$'
is '... and nothing in JSON' "$("$dump" --stats --json "$work/empty.tl")" ''
is 'so does --view top' "$("$dump" --view top "$work/empty.tl")" 'no events'

# A ring that has overwritten a lane of CPU 0: before that lane begins, only CPU 1
# is left.  10 ticks of the lane of CPU 1 precede 1000 of both, 1 ms apart.
awk 'function tick(ms) {
	printf "{\"ns\":%d,\"tsc\":1,\"cpu\":%d,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"tick\",\"kind\":\"instant\",\"args\":{}}\n", ms * 1e6, ms % 2
}
BEGIN {
	for (i = 0; i < 10; i++) tick(2 * i + 1)
	print "{\"overwritten\":99,\"cpu\":0}"
	for (i = 20; i <= 1020; i++) tick(i)
}' >"$work/turned.jsonl"
text=$("$dump" --view top "$work/turned.jsonl")
has '--view top has rates of the time that is complete' "$text" '^ *1001  100\.0%  *100[01]/s '
has '... and says so' "$text" '^1001 events in 1s, complete since 1970-01-01T00:00:00\.02'
text=$("$dump" "$work/turned.jsonl" --view rate -- 4)
has '... as --view rate does' "$text" '^4 slices of 250ms, complete since 1970-01-01T00:00:00\.02'
is '... slice by slice' "$(tail -n +2 <<<"$text" | awk '{ print ($2 >= 249 && $2 <= 252) }' | sort -u)" 1

# views and scripts
for view in top scopes gaps rate latency diff heat intervals; do
	has "--view $view --help prints how it is used" "$("$dump" --view $view --help)" "^usage: $view "
done
has '... not of a view that is none' "$("$dump" --view help --help)" '^timeline-dump \[options\]'
is 'timeline-script(7) lists the views' \
	"$(sed -n '/^The stock views/,/^.Fl -view/s/^\.Cm \([a-z]*\).*/\1/p' "$top/src/script/timeline-script.7" | tr '\n' ' ')" \
	"$("$dump" --view help | awk '$1 != "states" { printf "%s ", $1 }')"
is 'a script comes from a pipe' "$("$dump" -s <(echo 'print(1)') "$known")" 1
is '... or from standard input' "$(echo 'print(2)' | "$dump" -s /dev/stdin "$known")" 2
