# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Formats that say when a span began: spans of one name that cross or have equal
# times keep their own durations and arguments, in every output, whatever the
# order of the events in the file.

cat >"$work/longs.lua" <<'END'
for s in timeline.spans {} do print(s.args.id or 0, s.duration) end
END
cat >"$work/pairs.lua" <<'END'
for e in timeline.events { pair = true, order = "oldest" } do
	if e.duration then print(0, e.duration) end
end
END

# The id and the duration of a span in a listing, in nanoseconds.
shown='s/.* < [a-z]+(: id\(([0-9]+)\))?  ([0-9]+)([un])s$/\2 \3\4/; s/^([0-9]* [0-9]+)u$/\1000/p; s/^([0-9]* [0-9]+)n$/\1/p'

# crossing_by SURFACE FILE prints the spans of a file as "ID NS", sorted; the ID
# is 0 where the surface has no arguments.
crossing_by() {
	case $1 in
	listing) "$dump" --oldest-first --json "$2" | jq -r 'select(.duration_ns) | "\(.args.id // 0) \(.duration_ns)"' ;;
	newest) "$dump" "$2" | sed -nE "$shown" ;;
	oldest) "$dump" --oldest-first "$2" | sed -nE "$shown" ;;
	lua) "$dump" "$2" --script "$work/longs.lua" ;;
	pair) "$dump" "$2" --script "$work/pairs.lua" ;;
	csv) "$dump" --format csv --oldest-first "$2" | awk -F, '$9 == "end" && $20 != "" { print 0, $20 }' ;;
	tree) "$dump" --tree --json "$2" | jq -r 'select(.duration_ns) | "0 \(.duration_ns)"' ;;
	stats) "$dump" --stats --json "$2" | jq -rs 'map(.duration_ns // empty) | "0 \(map(.min) | min)", "0 \(map(.max) | max)"' ;;
	chrome) "$bin/timeline-convert" --to chrome -o - "$2" 2>/dev/null |
		jq -r '.traceEvents[] | select(.ph == "X") | "\(.args.id // 0) \(.dur * 1000 | round)"' ;;
	sqlite) "$bin/timeline-convert" -f --to sqlite -o "$work/crossing.db" "$2" 2>/dev/null
		sqlite3 -separator ' ' "$work/crossing.db" 'SELECT coalesce(value1, 0), duration_ns FROM spans WHERE end_ns IS NOT NULL' ;;
	esac 2>/dev/null | tr '\t' ' ' | sed 's/^ /0 /' | sort
}
# crossed FILE prints how many spans of a Chrome trace cross a span of their row.
cat >"$work/crossed.jq" <<'END'
[.traceEvents[] | select(.ph == "X" or .ph == "B") | (.ts * 1000 | round) as $from |
	{row: [.pid, .tid], $from, to: (if .dur then $from + (.dur * 1000 | round) else infinite end)}] |
group_by(.row) | map(sort_by(.from, -.to) | reduce .[] as $span ({open: [], crossed: 0};
	.open |= until(length == 0 or .[-1] > $span.from; .[:-1]) |
	if .open != [] and .open[-1] < $span.to then .crossed += 1 else . end |
	.open += [$span.to]) | .crossed) | add // 0
END
crossed() { jq -f "$work/crossed.jq" "$1"; }

surfaces='newest oldest lua chrome'
command -v sqlite3 >/dev/null && surfaces+=' sqlite'

# crossing FILE SPANS: each surface has the spans, also of a copy in another
# format, in which the spans keep their begins.
crossing() {
	local surface file=$1 to times
	times=$(cut -d ' ' -f 2 <<<"$2" | sed 's/^/0 /' | sort)
	for surface in $surfaces; do
		is "spans that cross have their own begins: ${file##*/}, $surface" "$(crossing_by "$surface" "$file")" "$2"
	done
	for surface in listing pair csv tree; do
		is "... $surface" "$(crossing_by "$surface" "$file" | sed 's/^[0-9]* /0 /' | sort)" "$times"
	done
	is '... the shortest and the longest in --stats' "$(crossing_by stats "$file")" "$(sort -n -k 2 <<<"$times" | sed -n '1p;$p' | sort)"
	for to in timeline trace packed jsonl csv chrome; do
		"$bin/timeline-convert" -f --to $to -o "$work/crossing.$to" "$file" 2>/dev/null
		is "... in a copy as $to" "$(crossing_by newest "$work/crossing.$to")" "$2"
		is '... oldest first' "$(crossing_by oldest "$work/crossing.$to")" "$2"
	done
	is '... where no span crosses one of its row' "$(crossed "$work/crossing.chrome")" 0
}

# x ID TS DUR prints a complete event.
x() { printf '{"ph":"X","pid":1,"tid":7,"name":"copy","ts":%d,"dur":%d,"args":{"id":%d}}\n' "$2" "$3" "$1"; }
# of_lines FILE writes the events of stdin as Chrome's.
of_lines() { paste -sd , | sed 's/.*/[&]/' >"$1"; }
{ x 1 0 10; x 2 5 100; x 3 40 10; } | of_lines "$work/x.json"
{ x 3 40 10; x 2 5 100; x 1 0 10; } | of_lines "$work/x-turned.json"
for file in x x-turned; do
	crossing "$work/$file.json" $'1 10000\n2 100000\n3 10000'
done
{ x 1 5 10; x 2 5 100; x 3 5 50; x 4 200 1; } | of_lines "$work/x-equal.json"
crossing "$work/x-equal.json" $'1 10000\n2 100000\n3 50000\n4 1000'
{ x 1 -20 10; x 2 -15 30; x 3 3 0; } | of_lines "$work/x-before.json"
crossing "$work/x-before.json" $'1 10000\n2 30000\n3 0'

# An id of a category is a stack of its own, in any threads; an end without a
# name ends the innermost span.
async() { printf '{"ph":"%s","cat":"net","id":%d,"pid":1,"tid":%d,"ts":%d%s}\n' "$1" "$2" "$3" "$4" "${5:+,\"name\":\"$5\"}"; }
{
	async b 1 7 0 load
	async b 2 8 2 load
	async b 1 9 4 parse
	async n 1 9 5 parse
	async e 2 7 10
	async e 1 7 20
	async e 1 8 104 load
	async e 3 8 105 load
} | of_lines "$work/async.json"
tac <(jq -c '.[]' "$work/async.json") | of_lines "$work/async-turned.json"
for file in async async-turned; do
	crossing "$work/$file.json" $'0 104000\n0 16000\n0 8000'
done

# A duration needs no table: an outer span holds more entries than wait newest
# first, and more spans are open at once than are kept.
awk 'BEGIN {
	s = "{\"ph\":\"X\",\"pid\":1,\"name\":\"%s\",\"tid\":%d,\"ts\":%d,\"dur\":%d}"
	printf "[" s, "outer", 1, 0, 900000
	for (i = 1; i <= 140000; i++)
		printf "," s, "inner", i % 2 + 2, i, 1
	for (i = 1; i <= 70000; i++)
		printf "," s, "wide", i + 10, 200000 + i, 500000
	print "]"
}' >"$work/many.json"
for order in --oldest-first ''; do
	# shellcheck disable=SC2086 # no option
	is "a span that holds more entries than any table has its length${order:+, oldest first}" \
		"$("$dump" $order "$work/many.json" | sed -nE 's/.* < (outer|wide)  (.*)/\1 \2/p' | sort | uniq -c | sed 's/^ *//')" \
		$'1 outer 900ms\n70000 wide 500ms'
done
is '... in --stats' "$("$dump" --stats --json --message wide "$work/many.json" | jq -c '[.spans, .duration_ns.min, .duration_ns.max]')" '[70000,500000000,500000000]'
for to in timelogger lms; do
	"$bin/timeline-convert" -f --to $to --message '[!w]*' -o "$work/many.$to" "$work/many.json" 2>/dev/null
	is "... newest first in $to" "$("$dump" "$work/many.$to" 2>/dev/null | sed -nE 's/.* < (outer)[^ ]*( \(.*\))?  (.*)/\1 \3/p')" 'outer 900ms'
done

# An LMS profile may step back: a span of the program ends before one of its
# process began in time.
printf '%s\n' 2,1,copy 0,1,0 1,1,10 0,1,-8 1,1,13 0,1,-20 1,1,-1 >"$work/back.csv"
crossing "$work/back.csv" $'0 10000\n0 13000'
is 'a span that steps back has no length' "$("$dump" --json "$work/back.csv" 2>/dev/null | jq -c 'select(.ns < 0) | [.kind, .duration_ns]' | tr '\n' ' ')" \
	'["begin",null] ["end",null] '

# The entry of a timer has both.
"$build/tests/tool/make_crossing" "$name-crossing" "$work/timers.tl" || exit 1
timers=$(crossing_by listing "$work/timers.tl")
is 'two spans of a timer cross' "$(cut -d ' ' -f 1 <<<"$timers" | tr '\n' ' ')" '1 2 '
for surface in lua chrome stats tree pair ${surfaces##* lua chrome}; do
	is "... as long in $surface" "$(crossing_by "$surface" "$work/timers.tl" | cut -d ' ' -f 2 | sort)" \
		"$(cut -d ' ' -f 2 <<<"$timers" | sort)"
done
for to in timeline trace packed jsonl csv chrome; do
	"$bin/timeline-convert" -f --to $to -o "$work/timers.$to" "$work/timers.tl" 2>/dev/null
	is "... in a copy as $to" "$(crossing_by listing "$work/timers.$to" | cut -d ' ' -f 2)" "$(cut -d ' ' -f 2 <<<"$timers")"
done

is '... in rows where no span crosses another' "$(crossed "$work/timers.chrome")" 0

# Spans of a source are in as many rows as cross; of thousands, too.
"$build/tests/tool/make_crossing" "$name-crossing" "$work/requests.tl" 3 || exit 1
"$bin/timeline-convert" -f --to chrome -o "$work/requests.json" "$work/requests.tl" 2>/dev/null
is 'requests that cross are in rows where none crosses another' "$(crossed "$work/requests.json")" 0
is '... as many as there are requests at once' \
	"$(jq -c '[.traceEvents[] | select(.ph == "X")] | [length, (map(.tid) | unique | length), (map(.lane_of // .tid) | unique | length)]' "$work/requests.json")" '[3000,3,1]'
is '... and are of one thread again' "$("$dump" --json "$work/requests.json" | jq -s -c '[length, (map(.tid) | unique)]')" '[6000,[2147483647]]'

# An end with four arguments has no room for the stamp in a timeline.
event='"pid":1,"tid":7,"name":"full","args":{"a":1,"b":2,"c":3,"d":'
echo "[{\"ph\":\"B\",\"ts\":5,$event 4}},{\"ph\":\"E\",\"ts\":9,$event 5}}]" >"$work/full.json"
ends 'an end with four arguments is written to a timeline' 0 "$bin/timeline-convert" --to timeline -o "$work/full.tl" "$work/full.json"
has '... without the stamp of its begin, which is reported' "$err" 'the stamp of its begin is left out'
is '... and keeps its arguments' "$("$dump" --json "$work/full.tl" | jq -c 'select(.kind == "end") | [.args.d, .duration_ns]')" '[5,4000]'
