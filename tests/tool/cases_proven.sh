# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Spans that prove themselves are whole in every output: most are longer than
# the bursts that they began in, and some have a begin that is not in the
# record.

pv=$work/proven.tl
recorded=$work/proven.trace
mkfifo "$work/go"
"$build/tests/tool/make_proven" "$name-proven" "$pv" wait <"$work/go" >"$work/truth" &
writer=$!
exec 7>"$work/go"
for ((i = 0; i < patience * 10; i++)); do
	[ ! -e "$shm-proven" ] || "$dump" --list "$name-proven" 2>/dev/null | grep -q noise && break
	sleep 0.1
done
has_turned() { "$dump" --info --json "$name-proven" | jq -e '[.lanes[].first] | max > 0' >/dev/null; }
until_true has_turned
"$bin/timelinectl" record "$name-proven" -o "$recorded" >/dev/null 2>&1 &
recorder=$!
until_true [ -s "$recorded" ]
"$bin/timeline-ship" run --quiet --all --to "$work/proven-lines" --format jsonl "$name-proven" &
shipper=$!
"$bin/timelinectl" save "$name-proven" "$work/proven-early.tl" >/dev/null
echo >&7
until_true [ -s "$pv" ]
sleep 0.3
"$bin/timelinectl" save "$name-proven" "$work/proven-saved.tl" >/dev/null
kill -INT $recorder $shipper
wait $recorder $shipper
exec 7>&-
wait $writer

# spans_in FILE prints the spans of a file as "MESSAGE NS", in the order of
# their ends.
spans_in() {
	"$dump" --json --oldest-first "$@" | jq -r 'select(.duration_ns and (.unsure | not)) | "\(.message | split(" ")[0]) \(.duration_ns)"'
}
spans_in "$pv" >"$work/spans"
# right FILE prints spans that differ from the program's or lie outside their
# bounds.
right() {
	spans_in "$1" | paste -d ' ' <(cut -d ' ' -f 1,4,5 "$work/truth") - |
		awk '$1 != $4 || $5 < $2 - $2 / 1000 - 1000 || $5 > $3 + $3 / 1000 + 1000'
}
is 'JSON has each span that ended, as long as the program says' "$(right "$pv")" ''
find "$work/proven-lines" -name '*.jsonl' -exec cat {} + >"$work/lines.jsonl"
is 'so have the lines of timeline-ship, where they are read' "$(right "$work/lines.jsonl")" ''
is '... and as they are' \
	"$(jq -r 'select(.duration_ns and (.unsure | not)) | "\(.message | split(" ")[0]) \(.duration_ns)"' "$work/lines.jsonl")" \
	"$(spans_in "$work/lines.jsonl")"
is '... a copy of the live timeline, too' "$(right "$work/proven-saved.tl")" ''

# == recordings ==
is 'a recording has each of them' "$(right "$recorded")" ''
for to in trace timeline packed jsonl csv; do
	"$bin/timeline-convert" --to $to -o "$work/proven-again.$to" "$pv" 2>/dev/null
	is "... and what is converted to $to" "$(spans_in "$work/proven-again.$to" | diff - "$work/spans")" ''
	"$bin/timeline-convert" -f --to timeline -o "$work/proven-back.tl" "$work/proven-again.$to" 2>/dev/null
	is '... and that to a timeline' "$(spans_in "$work/proven-back.tl" | diff - "$work/spans")" ''
done
is 'a span of a recording whose begin was before it is known' \
	"$("$dump" --json "$recorded" | jq -c 'select(.kind == "begin") | .message' | grep -cE 'order|ask') $(grep -c order "$work/spans")" '0 60'

# == listings and reports ==
for file in "$pv" "$recorded"; do
	of=${file##*.}
	spans_in "$file" | sort >"$work/own"
	known=$(awk '{ n[$1]++; if ($2 > most[$1]) most[$1] = $2 } END { for (m in n) print m, n[m], most[m] }' "$work/own" | sort)
	is "newest first JSON of .$of has the same spans" \
		"$("$dump" --json "$file" | jq -r 'select(.duration_ns and (.unsure | not)) | "\(.message | split(" ")[0]) \(.duration_ns)"' | sort | diff - "$work/own")" ''
	is '... each end says that it is proven, and when it began' "$("$dump" --json "$file" |
		jq -c 'select(.kind == "end" and (.message | startswith("tick") | not)) | [.proven, .tsc > .begun_tsc]' | sort -u)" '[true,true]'
	is '... a begin that its end will be' "$("$dump" --json "$file" | jq -r 'select(.kind == "begin" and .proven) | .message' | sort -u)" \
		$'job $id\nwatch $id'
	for order in --oldest-first ''; do
		# shellcheck disable=SC2086 # no option
		is "the listing${order:+, oldest first}, has their ends with a duration" \
			"$("$dump" $order "$file" | sed -nE 's/.* < ([a-z]+) .*  [0-9.]+[num]?s$/\1/p' | sort | uniq -c)" "$(cut -d ' ' -f 1 "$work/own" | uniq -c)"
		# shellcheck disable=SC2086
		is '... those of a condition on the duration' \
			"$("$dump" $order --json -e 'duration > 5.2e6' "$file" 2>/dev/null | jq -r 'select(.kind == "end").message | split(" ")[0]' | sort | uniq -c)" \
			"$(awk '$2 > 5200000 { print $1 }' "$work/own" | uniq -c)"
		# shellcheck disable=SC2086
		is '... and of --slower' "$("$dump" $order --json --slower 5200001ns "$file" 2>/dev/null | jq -r 'select(.kind == "end").message | split(" ")[0]' | sort | uniq -c)" \
			"$(awk '$2 > 5200000 { print $1 }' "$work/own" | uniq -c)"
	done
	is '--stats counts them, with their maximum' "$("$dump" --stats --json "$file" |
		jq -r 'select(.duration_ns) | "\(.message | split(" ")[0]) \(.spans) \(.duration_ns.max)"' | sort)" "$known"
	is '... and says what is censored' "$("$dump" --stats --json "$file" | jq -r 'select(.censored).message')" 'tick $id'
	has '... in words' "$("$dump" --stats --message 'tick*' "$file")" 'spans longer than a burst are missing \(timeline_scope logs them whole\)'
	is '... no more begins than there are have no end' "$("$dump" --stats --json "$file" |
		jq -c 'select(.spans and (.message | startswith("tick") | not)) | select(.lonely_begins + .lonely_ends > 0) | [.message, .lonely_begins, .lonely_ends]' | sort)" \
		'["trip $id",1,0]
["watch $id",1,0]'
	is '--why counts them' "$(for m in ask job order step trip; do
		"$dump" --why "$m*" --slower 5200001ns --json "$file" 2>/dev/null | jq -r '"\(.message | split(" ")[0]) \(.spans) \(.slow)"'
	done)" "$(awk '$1 != "tick" { n[$1]++; slow[$1] += $2 > 5200000 } END { for (m in n) print m, n[m], slow[m] }' "$work/own" | sort)"
	is '--critical has their time' "$(for m in ask job order step trip; do
		"$dump" --critical "$m*" --json "$file" | jq -r '"\(.message | split(" ")[0]) \(.spans) \(.total_ns)"'
	done)" "$(awk '$1 != "tick" { n[$1]++; sum[$1] += $2 } END { for (m in n) printf "%s %d %.0f\n", m, n[m], sum[m] }' "$work/own" | sort)"
	is 'the tree draws each, also those that cross' "$("$dump" --tree --json "$file" |
		jq -r 'select(.duration_ns) | "\(.message | split(" ")[0]) \(.duration_ns)"' | sort | diff - "$work/own")" ''
	is '... as text' "$("$dump" --tree --depth 9 --children 9999 "$file" | sed -nE 's/^ *(< )?([a-z]+)[^:]*: [0-9.]+[num]?s$/\2/p' | sort | uniq -c)" \
		"$(cut -d ' ' -f 1 "$work/own" | uniq -c)"
	echo 'for s in timeline.spans {} do if not s.open and not s.lossy then print(s.message:match("%w+"), s.duration, s.args.id) end end' >"$work/all.lua"
	is 'Lua has them' "$("$dump" "$file" --script "$work/all.lua" | awk '{ print $1, $2 }' | sort | diff - "$work/own")" ''
	is '... without the arguments of a begin that is not there' "$("$dump" "$file" --script "$work/all.lua" | awk '$1 == "order" { print $3 }' | sort -u)" nil
	is '... which no condition has' "$("$dump" -e 'args.id == 0' --json "$file" | jq -r '.message // empty' | sort -u)" 'ask $id'
done
since=$("$dump" --json "$pv" | jq -r 'select(.kind == "end" and .message == "step $id").ns - 1000' | sed -n 20p)
since=${since:0:16}000 # jq knows no more digits
at=$(date -u -d "@${since:0:10}" +%Y-%m-%dT%H:%M:%S).${since:10}Z
"$dump" --json --oldest-first "$pv" | jq -r --argjson s "$since" \
	'select(.duration_ns and (.unsure | not) and .ns >= $s) | "\(.message | split(" ")[0]) \(.duration_ns)"' | sort >"$work/own"
is '--since keeps those that end in the time: JSON' "$(spans_in --since "$at" "$pv" | sort | diff - "$work/own")" ''
is '... Lua' "$("$dump" --since "$at" "$pv" --script "$work/all.lua" | awk '{ print $1, $2 }' | sort | diff - "$work/own")" ''
is '... --stats' "$("$dump" --since "$at" --stats --json "$pv" | jq -r 'select(.duration_ns) | "\(.message | split(" ")[0]) \(.spans)"' | sort)" \
	"$(awk '{ n[$1]++ } END { for (m in n) print m, n[m] }' "$work/own" | sort)"

# == times that are moved ==
# times FILE [OPTION...] prints begin and end of each span; moved adds a second
# to all times.
echo 'for s in timeline.spans {} do if not s.open and not s.lossy then print(s.ns, s.end_ns) end end' >"$work/times.lua"
times() { "$dump" "$@" --script "$work/times.lua" | sort; }
moved() { sed -E 's/([0-9]{10})([0-9]{9})/\1 \2/g' | awk '{ for (i = 1; i <= NF; i += 2) printf "%s%d%s", (i > 1 ? "\t" : ""), $i + 1, $(i + 1); print "" }'; }
for file in "$pv" "$recorded"; do
	off=(--offset "1=1s")
	is "--offset moves begin and end of a span of .${file##*.}: Lua" "$(times "${off[@]}" "$file")" "$(times "$file" | moved)"
	critical() { "$dump" "$@" --critical "$message*" --json "$file" | grep -oE '"(begin|end)_ns":[0-9]+' | grep -oE '[0-9]+$'; }
	for message in order job; do
		is "... --critical, $message" "$(critical "${off[@]}")" "$(critical | moved)"
	done
	branches() { "$dump" "$@" --tree --json "$file" | grep -oE '"ns":[0-9]+,"duration' | grep -oE '[0-9]+'; }
	is '... --tree' "$(branches "${off[@]}")" "$(branches | moved)"
	slices() { "$bin/timeline-convert" "$@" --to chrome -o - "$file" 2>/dev/null | jq -c '.traceEvents[] | select(.ph == "X") | [.name, .dur, .ts]'; }
	is '... Chrome trace events, all by whole seconds' "$(slices "${off[@]}")" "$(slices)"
	if command -v sqlite3 >/dev/null; then
		rows() { "$bin/timeline-convert" -f "$@" --to sqlite -o "$work/moved.db" "$file" 2>/dev/null &&
			sqlite3 -separator $'\t' "$work/moved.db" 'SELECT begin_ns, end_ns FROM spans WHERE end_ns IS NOT NULL AND NOT lossy ORDER BY 1, 2'; }
		is '... SQLite' "$(rows "${off[@]}")" "$(rows | moved)"
	fi
	"$bin/timeline-convert" -qf "${off[@]}" -o "$work/moved.tl" "$file"
	# the times of a recording are rounded once more
	"$bin/timeline-convert" -qf --offset 1=0s -o "$work/unmoved.tl" "$file"
	is '... a timeline that is made of it' "$(times "$work/moved.tl")" "$(times "$work/unmoved.tl" | moved)"
	listed() { "$dump" "$@" "$file" | sed -E '/^before/d; s/^[^ ]+//'; }
	is '... a listing newest first has the values of the begins' "$(listed --offset 1=-90s)" "$(listed)"
done
"$bin/timeline-convert" -qf --offset 1=1s --message 'job*' -o "$work/moved.tl" "$pv"
is 'a part of a timeline is moved' "$(times "$work/moved.tl")" "$(times --message 'job*' "$pv" | moved)"
"$bin/timeline-convert" -qf --offset 1=1s -o "$work/moved.tl" "$pv" "$work/known.tl"
is '... and timelines of one clock' "$(times "$work/moved.tl")" "$(times "$pv" "$work/known.tl" | moved)"
"$bin/timeline-convert" -f --offset 1=1s -o "$work/moved.tl" "$pv" >"$work/said" 2>&1
has '... what is lost by it is said' "$(cat "$work/said")" 'stamps'

# == snapshots of one timeline ==
# entries_of FILE prints an identity of each entry.
entries_of() { "$dump" --json "$1" | jq -c 'select(.tsc) | [.tsc, .cpu, .tid, .kind, .message, .args]' | sort; }
early=$work/proven-early.tl
entries_of "$early" >"$work/entries.early"
entries_of "$pv" >"$work/entries.late"
both=$(comm -12 "$work/entries.early" "$work/entries.late" | wc -l)
is 'two snapshots of a ring that turned have some entries in common' \
	"$((both > 0 && both < $(wc -l <"$work/entries.early") && both < $(wc -l <"$work/entries.late")))" 1
warning="proven-early.tl and proven.tl are of one timeline: $both entries were read from both and count twice; cut one with timeline-convert --until"
for how in --oldest-first --stats "--why job*" --brief "--critical job*" "--view top"; do
	# shellcheck disable=SC2086 # an option and its argument
	is "... which is said: $how" "$("$dump" $how "$early" "$pv" 2>&1 >/dev/null | grep timeline:)" "timeline-dump: $warning"
done
is '... by timeline-convert' "$("$bin/timeline-convert" -f -o "$work/twice.csv" "$early" "$pv" 2>&1 >/dev/null | grep 'one timeline')" \
	"timeline-convert: $warning"
is '... and they come twice' "$(($(grep -cv '^ns,' "$work/twice.csv")))" "$(($("$dump" --format csv "$early" | grep -c ,) + $("$dump" --format csv "$pv" | grep -c ,) - 2))"
"$bin/timelinectl" save "$name" "$work/whole.tl" >/dev/null
"$bin/timeline-convert" -qf -o "$work/early.trace" "$early"
is '... and of a recording and a snapshot' "$("$dump" --stats "$work/early.trace" "$pv" 2>&1 >/dev/null | grep -o 'of one .*')" \
	"of one timeline: $both entries were read from both and count twice; cut one with timeline-convert --until"
has '... as timelined writes one' "$("$dump" --stats "$recorded" "$pv" 2>&1 >/dev/null)" \
	'proven.trace and proven.tl are of one timeline: [1-9][0-9]* entries'
is 'a file that has nothing of its own is named' "$("$dump" --stats "$work/whole.tl" "$work/known.tl" 2>&1 >/dev/null | grep -oE 'leave .*')" 'leave the first out'
is 'nothing is said of two timelines' "$("$dump" --stats "$work/known.tl" "$pv" 2>&1 >/dev/null)" ''
is '... nor of what is not merged' "$("$dump" --info "$early" "$pv" 2>&1 >/dev/null)" ''
"$bin/timeline-convert" -qf --until "$("$dump" --oldest-first -n 1 "$pv" | cut -d ' ' -f 1)" -o "$work/cut.tl" "$early"
is '... nor of a part that was cut out' "$("$dump" --stats "$work/cut.tl" "$pv" 2>&1 >/dev/null)" ''

# == conversions ==
convert_to() { "$bin/timeline-convert" -f --to "$1" -o "$2" "$3" 2>/dev/null; }
spans_in "$pv" | sort >"$work/own"
convert_to chrome "$work/proven.json" "$pv"
is 'Chrome trace events have a slice for each' "$(jq -r '.traceEvents[] | select(.ph == "X") | "\(.name | split(" ")[0]) \(.dur * 1000 | round)"' \
	"$work/proven.json" | sort | diff - "$work/own")" ''
is '... also of a recording' "$(convert_to chrome "$work/again.json" "$recorded" && jq '[.traceEvents[] | select(.ph == "X")] | length' "$work/again.json")" \
	"$(wc -l <"$work/own")"
convert_to folded "$work/proven.folded" "$pv"
is 'a flame graph has the own time of a job and of its step' "$(sed -nE 's/.*shop: (job|step|tick) id(;details closed)? ([0-9]+)$/\1 \3/p' "$work/proven.folded" | awk '{ sum[$1] += $2 } END { for (of in sum) printf "%s %.0f\n", of, sum[of] }' | sort)" \
	"$(awk '{ sum[$1] += $2 } END { printf "job %.0f\nstep %.0f\ntick %.0f\n", sum["job"] - sum["step"], sum["step"] - sum["tick"], sum["tick"] }' "$work/own")"
if command -v sqlite3 >/dev/null; then
	convert_to sqlite "$work/proven.db" "$pv"
	is 'SQLite has a span for each' "$(sqlite3 -separator ' ' "$work/proven.db" "SELECT substr(line, 1, instr(line, ' ') - 1), duration_ns
		FROM spans JOIN messages ON messages.id = message WHERE end_ns IS NOT NULL AND NOT lossy AND NOT cut" | sort | diff - "$work/own")" ''
	is '... without the arguments of a begin that is not there' "$(sqlite3 "$work/proven.db" "SELECT DISTINCT value1 IS NULL
		FROM spans JOIN messages ON messages.id = message WHERE line LIKE 'order%'")" 1
	is '... and those that are open' "$(sqlite3 "$work/proven.db" "SELECT line FROM spans JOIN messages ON messages.id = message
		WHERE end_ns IS NULL AND NOT cut AND line LIKE 'watch%'")" 'watch $id'
fi
if command -v protoc >/dev/null; then
	convert_to perfetto "$work/proven.pf" "$pv"
	is 'Perfetto has a begin for each end' "$(protoc -I "$top/tests/convert" --decode=Trace "$top/tests/convert/perfetto.proto" <"$work/proven.pf" |
		awk '$1 == "type:" { n[$2]++ } END { print n["END"], (n["BEGIN"] >= n["END"]) }')" "$(wc -l <"$work/own") 1"
fi
