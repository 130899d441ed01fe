# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Every report and timeline-convert select spans as a whole.

# span MS KIND ROUTE prints an entry of a request; an "end" has no arguments.
span() {
	local args="\"route\":\"${3-}\""
	[ "$2" = end ] && args=
	printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":7,"priority":"info","category":"http","message":"request $route%%s","kind":"%s","args":{%s}}\n' \
		$((1600000000000000000 + $1 * 1000000)) "$1" "$2" "$args"
}
# other MS CPU KIND prints an entry of a query whose end is on another CPU.
other() {
	printf '{"ns":%d,"tsc":%d,"cpu":%d,"pid":7,"tid":7,"priority":"info","category":"db","message":"query","kind":"%s","args":{}}\n' \
		$((1600000000000000000 + $1 * 1000000)) "$1" "$2" "$3"
}
{
	span 1 begin /a
	other 2 0 begin
	other 4 1 end
	span 9 end
	span 20 begin /b
	span 22 end
	printf '{"ns":1600000000030000000,"tsc":30,"cpu":0,"pid":7,"tid":7,"priority":"info","category":"http","message":"tick $n","kind":"instant","args":{"n":1}}\n'
	span 40 begin /c
	echo '{"lost":3,"cpu":0}'
	span 48 end
	span 60 begin /a
} >"$work/spans.jsonl"
spans=$work/spans.jsonl
# ms prints the milliseconds and kinds of the selected entries.
ms() { jq -rs 'map("\((.ns - 1600000000000000000) / 1e6 | round)\(.kind[:1])") | join(" ")'; }
listed() { "$dump" --oldest-first --json "$@" "$spans" 2>/dev/null | grep -v lost | ms; }
printf 'for s in timeline.spans() do print(s.args.route, s.duration) end\n' >"$work/spans.lua"
printf 'for e in timeline.events{order = "oldest", pair = true} do if e.duration then print(e.duration) end end\n' >"$work/events.lua"

route='args.route == "/a"'
is 'a condition on arguments selects begins and their ends' "$(listed -e "$route")" '1b 9e 60b'
is '... newest first' "$("$dump" --json -e "$route" "$spans" | grep -v lost | ms)" '60b 9e 1b'
is '... as many as are asked for' "$("$dump" --json -n 2 -e "$route" "$spans" | grep -v lost | ms)" '60b 9e'
is '... in the listing' "$("$dump" --columns message -e "$route" "$spans" | grep -v lost)" \
	'> request route(/a)
< request route(/a)  8ms
> request route(/a)'
is '... of --list' "$("$dump" --list --json -e "$route" "$spans" | jq -c 'select(.seen > 0) | [.message, .seen]')" \
	'["request $route%s",3]'
is '... of --stats' "$("$dump" --stats --json -e "$route" "$spans" | jq -c '[.count, .spans, .duration_ns.max]')" '[3,1,8000000]'
is '... of --tree' "$("$dump" --tree -e "$route" "$spans" | grep -c 'request route(/a)')" 2
is '... of a script' "$("$dump" -s "$work/spans.lua" -e "$route" "$spans")" '/a	8000000'
is '... of a view' "$("$dump" --view top -e "$route" "$spans" | grep -c request)" 1
has '... of --critical' "$("$dump" --critical 'request*' -e "$route" "$spans")" '^request \$route%s: 1 span,'
is '... of --view states' "$("$dump" --view states --json -e "$route" "$spans" | jq -c .count)" 1
is '... of CSV' "$("$dump" --format csv -e "$route" "$spans" | grep -c ',\(begin\|end\),')" 3
is '... and of timeline-convert' \
	"$("$bin/timeline-convert" --to jsonl -o - -e "$route" "$spans" 2>/dev/null | grep -v lost | ms)" '1b 9e 60b'
ends '--why reads them' 0 "$dump" --why 'request*' -e "$route" "$spans"

is 'a duration is of both entries' "$(listed -e 'duration > 1e6')" '1b 2b 4e 9e 20b 22e'
is '... of one of them where the kind is asked for' \
	"$(listed -e 'duration > 1e6 and kind == "end"') $(listed -e "$route and kind == \"begin\"")" '4e 9e 22e 1b 60b'
is '... compared with arguments' "$(listed -e "$route and duration < 1e9")" '1b 9e'
is '... and is nil of what has none' "$(listed -e 'not duration')" '30i 40b 48e 60b'
is '--slower is the same' "$(listed --slower 3ms)" '1b 9e'
is '... newest first' "$("$dump" --json --slower 3ms "$spans" 2>/dev/null | grep -v lost | ms)" '9e 1b'
for report in --stats "--tree" "-s $work/spans.lua" "--view states"; do
	# shellcheck disable=SC2086 # words
	has "... of ${report%% /*}" "$("$dump" --slower 3ms $report "$spans" 2>/dev/null)" '8ms|8000000'
	# shellcheck disable=SC2086
	lacks '... only' "$("$dump" --slower 3ms $report "$spans" 2>/dev/null)" '[^.0-9]2ms|2000000'
done
ends '... and says which it cannot judge' 0 "$dump" --slower 3ms "$spans"
is '... in one line' "$err" 'timeline-dump: 2 spans of unknown duration left out: the begin or the end, or entries between the two, may be missing'
has '--slower restricts the paths of --critical, not what they are made of' \
	"$("$dump" --critical 'request*' --slower 3ms "$spans" 2>/dev/null)" '^request \$route%s: 1 span,'
has '...' "$("$dump" --critical 'request*' --slower 3ms "$spans" 2>/dev/null)" 'query'
is 'timeline-convert has --slower' \
	"$("$bin/timeline-convert" --to chrome --slower 3ms -o - "$spans" 2>/dev/null | jq -c '[.traceEvents[] | select(.ph == "X").dur]')" '[8000]'
ends '--slower wants a duration' 2 "$dump" --slower soon "$spans"

is 'an end has its duration in JSON' "$("$dump" --json "$spans" | jq -c 'select(.duration_ns) | [.duration_ns, .unsure]')" \
	'[8000000,true]
[2000000,null]
[8000000,null]
[2000000,null]'
is '... in CSV' "$("$dump" --format csv --message 'request*' "$spans" | grep ,end, | cut -d, -f20-23)" \
	'8000000,true,,40
2000000,,,20
8000000,,,1'
is '... of timeline-convert' \
	"$("$bin/timeline-convert" --to jsonl -o - "$spans" 2>/dev/null | jq -c 'select(.duration_ns).duration_ns' | tr '\n' ' ')" '2000000 8000000 2000000 8000000 '
is '... which is read' "$("$dump" --json "$spans" | "$dump" --json - | cmp - <("$dump" --json "$spans") && echo same)" same
is '... as a column' "$("$dump" --columns duration --message 'request*' "$spans" | grep -v lost | tr -s ' \n' ' ')" ' - 8000000? - 2000000 - 8000000 - '
is '... and of events in Lua' "$("$dump" -s "$work/events.lua" "$spans" | tr '\n' ' ')" '2000000 8000000 2000000 8000000 '

window='--since 2020-09-13T12:26:40.003 --until 2020-09-13T12:26:40.0205'
# shellcheck disable=SC2086 # words
{
	is 'a listing has the entries of a time' "$(listed $window)" '4e 9e 20b'
	is '... and --stats the spans that end in it, whole' \
		"$("$dump" --stats --json $window "$spans" | jq -c '[.message[:5], .spans, .duration_ns.max]' | sort)" \
		'["query",1,2000000]
["reque",1,8000000]'
	is '... a script, too' "$("$dump" -s "$work/spans.lua" $window "$spans")" 'nil	2000000
/a	8000000'
	is '... a tree' "$("$dump" --tree $window "$spans" | grep -c ': [28]ms')" 2
	is '... Chrome trace events' \
		"$("$bin/timeline-convert" --to chrome $window -o - "$spans" 2>/dev/null | jq -c '[.traceEvents[] | select(.ph == "X").dur] | sort')" '[2000,8000]'
}
is 'a report has the spans that begin or end on a CPU' "$("$dump" --stats --json --cpu 1 "$spans" | jq -c .duration_ns.max)" 2000000
is '... a listing the entries' "$(listed --cpu 1)" '4e'

for report in '' --list --stats --tree '--why request*' '--critical request*' '--view top' "-s $work/spans.lua" '--view states' '--json' '--stats --json'; do
	# shellcheck disable=SC2086 # words
	ends "no match is an error of \"${report%% /*}\"" 1 "$dump" $report -e 'duration > 1e9' "$spans"
	is '... in one sentence' "$(tail -1 <<<"$err")" "timeline-dump: $spans: no span matches -e 'duration > 1e9' (4 spans)"
done
is 'JSON without a match is empty' "$("$dump" --json -e 'duration > 1e9' "$spans" 2>/dev/null | grep -v lost)" ''
ends 'timeline-convert agrees' 1 "$bin/timeline-convert" --to jsonl --slower 1s -o - "$spans"
has '...' "$err" 'no span matches --slower 1s \(4 spans\)'

# follows N OPTION ... prints the kinds of entries that --follow shows, once
# there are N entries.
shows() { [ "$(wc -l <"$work/followed")" -ge "$1" ]; }
follows() {
	local count=$1 pid
	: >"$work/followed" # the background process empties the file later
	"$dump" -f -n 100 --json "${@:2}" "$live" >"$work/followed" 2>/dev/null &
	pid=$!
	until_true shows "$count"
	kill "$pid"
	wait "$pid"
	jq -r .kind "$work/followed" | tr '\n' ' '
}
live=$name-select
"$make" "$live" known timed=3
is '--follow shows a begin whose arguments match, and its end' "$(follows 2 -e 'args.job == 1')" 'begin end '
is '... of what has a duration only the end' "$(follows 2 --slower 15ms)" 'end end '
rm -f "/dev/shm$live"

# A source is begun in one process and ended in another, with other arguments or
# none: what is open at the start of a window is known by the begins and ends.
moves() {
	local ns
	for i in 1 2 3 4 5 6; do
		ns=$((1600000000000000000 + i * 10000000))
		printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":%d,"tid":%d,"scope":"source","priority":"info","category":"x","message":"move $id","kind":"begin","args":{"id":%d}}\n' \
			$ns $ns $((i % 2 + 7)) $((i % 2 + 7)) $i
		[ $i = 6 ] || printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":%d,"tid":%d,"scope":"source","priority":"info","category":"x","message":"move $id","kind":"end","args":{%s}}\n' \
			$((ns + 1000000)) $((ns + 1000000)) $((i % 2 + 8)) $((i % 2 + 8)) "$([ $((i % 3)) = 0 ] && echo '"id":99')"
	done
}
moves >"$work/moves.jsonl"
window='--since @1600000000.041 --until @1600000000.055'
for order in --oldest-first ''; do
	# shellcheck disable=SC2086
	is "no source that has ended is open in a window${order:+, oldest first}" \
		"$("$dump" $order --json $window "$work/moves.jsonl" | jq -r '"\(.kind) \(.args.id)"' | sort | tr '\n' ' ')" \
		'begin 5 end 4 end 5 '
done
# shellcheck disable=SC2086
is '... and one that has not, is' "$("$dump" --oldest-first --json --since @1600000000.065 "$work/moves.jsonl" | jq -c '[.kind, .args.id]')" '["begin",6]'
for to in chrome csv jsonl; do
	# shellcheck disable=SC2086
	"$bin/timeline-convert" -f --to $to $window -o "$work/moves.$to" "$work/moves.jsonl" 2>/dev/null
	is "... in $to" "$("$dump" --json "$work/moves.$to" | jq -r 'select(.kind == "begin") | .args.id' | sort | tr '\n' ' ')" \
		'4 5 '
done
