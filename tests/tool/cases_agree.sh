# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# All tools report a fact alike, and as the program that made the record knows
# it.

convert() { "$bin/timeline-convert" --to "$1" -o - "$2" 2>/dev/null; }
# at_most LIMIT NUMBER prints yes for a number up to the limit.
at_most() { awk -v a="$2" -v b="$1" 'BEGIN { print (a ~ /^[0-9.]+$/ && a + 0 <= b + 0 ? "yes" : a " > " b) }'; }

# longest_of FILE MESSAGE TRUTH compares the longest span of each tool.
longest_of() {
	local file=$1 message=$2 truth=$3 most
	is "$message: no duration of --stats is above the program's" \
		"$(at_most "$truth" "$("$dump" --stats --json "$file" |
			jq -r --arg m "$message" 'select(.message | startswith($m)) | .duration_ns.max')")" yes
	most=$("$dump" --stats --json "$file" | jq -r --arg m "$message" 'select(.message | startswith($m)) | .duration_ns.max')
	is '... Lua has the same longest' "$("$dump" "$file" --script "$work/longest.lua" "$message" 2>/dev/null)" "$most"
	is '... so have Chrome trace events' "$(convert chrome "$file" |
		jq --arg m "$message" '[.traceEvents[] | select(.ph == "X" and (.name | startswith($m))) | .dur * 1000 | round] | max')" "$most"
	is '... no cause of --why was slower' "$(at_most "$truth" "$("$dump" --why "$message*" --json "$file" 2>/dev/null |
		jq -r '[.threshold_ns // 0, (.causes[]?.examples[]?.duration_ns)] | max')")" yes
	if command -v sqlite3 >/dev/null; then
		"$bin/timeline-convert" -f --to sqlite -o "$work/agree.db" "$file" 2>/dev/null
		is '... nor a span in SQLite' "$(sqlite3 "$work/agree.db" \
			"SELECT max(duration_ns) FROM spans WHERE end_ns IS NOT NULL AND NOT lossy AND NOT cut")" "$most"
		rm -f "$work/agree.db"
	fi
}
cat >"$work/longest.lua" <<'END'
local most = 0
for s in timeline.spans {} do
	if not s.lossy and not s.open and s.duration > most
	    and s.message:find(arg[1], 1, true) == 1 then
		most = s.duration
	end
end
print(most)
END

truth=$("$build/tests/tool/make_sampled" "$name-sampled" "$work/sampled.tl") || exit 1
longest_of "$work/sampled.tl" job "$truth"
observed() { "$dump" --stats --json "$1" | jq -c '[.message, .observed_count, .observed_ns, .complete_ns]'; }
for to in trace tl tl.zst; do
	"$bin/timeline-convert" -q -o "$work/sampled-copy.$to" "$work/sampled.tl"
	is "a copy as .$to was observed as the original was" "$(observed "$work/sampled-copy.$to")" "$(observed "$work/sampled.tl")"
done

# == a ring that has turned ==
if read -r truth cpu < <("$build/tests/tool/make_wrapped" "$name-wrapped" "$work/wrapped.tl"); then
	wrapped=$work/wrapped.tl
	longest_of "$wrapped" order "$truth"
	"$dump" --json "$wrapped" >"$work/wrapped.jsonl"
	gone=$(jq -s 'map(.overwritten // 0) | add' "$work/wrapped.jsonl")
	is 'entries of a ring that has turned are overwritten' "$(jq -s 'map(.lost // 0) | add' "$work/wrapped.jsonl") $((gone > 0))" '0 1'
	cpus="CPU ([0-9]+ and )?$cpu"
	on_cpus=true # each CPU has a lane; else the threads' lane turned
	[ "$(jq -c 'select(.overwritten).cpu' "$work/wrapped.jsonl" | sort -u)" != null ] || on_cpus=false
	$on_cpus || cpus='no CPU'
	$on_cpus && is '... as JSON says of their CPU' "$(jq -c "select(.overwritten and .cpu == $cpu) | keys_unsorted" "$work/wrapped.jsonl")" '["overwritten","cpu"]'
	is '... and the head of its lane' "$("$dump" --info --json "$wrapped" | jq '[.. | objects | .overwritten? // 0 | numbers] | max')" "$gone"
	is '... in CSV' "$("$dump" --format csv "$wrapped" | awk -F, '$9 == "overwritten" { n += $11 } $9 == "lost" { n = -1 } END { print n }')" "$gone"
	echo 'local n = 0; for e in timeline.events {} do n = n + (e.overwritten or 0); assert(not e.lost) end print(n)' >"$work/gone.lua"
	is '... in Lua' "$("$dump" "$wrapped" --script "$work/gone.lua")" "$gone"
	is '... in Chrome trace events' "$(convert chrome "$wrapped" |
		jq '[.traceEvents[] | select(.name == "entries overwritten") | .args.overwritten] | add')" "$gone"
	order=$("$dump" --stats --json --message 'order*' "$wrapped")
	complete=$(jq .complete_ns <<<"$order")
	is '... spans that ended before all lanes are complete are in no percentile' \
		"$(jq -c '[.duration_ns.count, .older, .older > 0]' <<<"$order")" \
		"$("$dump" --json "$wrapped" | jq -sc --argjson c "$complete" 'map(select(.kind == "end" and (.message | startswith("order")) and .duration_ns and (.unsure | not))) |
			[map(select(.ns >= $c)), map(select(.ns < $c))] | map(length) | [.[0], .[1], .[1] > 0]')"
	is '... and the record of --brief is from there on' "$("$dump" --brief='order*' "$wrapped" | sed -nE 's/^Record: ([0-9]+) .*/\1/p')" \
		"$(jq -sc --argjson c "$complete" 'map(select(.ns >= $c and .kind)) | length' "$work/wrapped.jsonl")"
	"$build/tests/tool/make_wrapped" "$name-wrapped" "$work/begun.tl" proven >/dev/null || exit 1
	"$bin/timeline-convert" -q -o "$work/begun.trace" "$work/begun.tl"
	for file in begun.tl begun.trace; do
		is "... and no begin before lacks its end: $file" \
			"$("$dump" --stats --json --message 'order*' "$work/$file" | jq -c '[.lonely_begins, .lonely_ends]')" '[0,0]'
		lacks '... in text' "$("$dump" --stats --message 'order*' "$work/$file")" ' [0-9]+ begins? without'
	done
	is '... and their arguments neither' "$(jq '.args.id.count' <<<"$order")" \
		"$("$dump" --json "$wrapped" | jq -sc --argjson c "$complete" 'map(select(.kind == "begin" and (.message | startswith("order")) and .ns >= $c)) | length')"
	is '... a rate is that of observed entries by observed time' \
		"$("$dump" --stats --json "$wrapped" | jq -c 'select(.observed_ns > 0) | (.rate_per_s - .observed_count * 1e9 / .observed_ns) | fabs < 1e-6' | sort -u)" true
	missing() { "$dump" --json "$1" 2>/dev/null | jq -sc '[(map(.overwritten // 0) | add), (map(.lost // 0) | add)]'; }
	is '... JSON lines are read again, beside what is lost' \
		"$({ cat "$work/wrapped.jsonl" && echo '{"lost":3,"cpu":0}'; } >"$work/again.jsonl"
			missing "$work/again.jsonl")" "[$gone,3]"
	is '... and CSV' "$("$dump" --format csv --oldest-first "$wrapped" >"$work/again.csv" &&
		missing "$work/again.csv")" "[$gone,0]"
	is '... and a timeline that is made of the file' "$("$bin/timeline-convert" -q -f --to timeline -o "$work/again.tl" "$wrapped"
		missing "$work/again.tl")" "[$gone,0]"
	for to in trace packed; do
		is "... and a $to" "$("$bin/timeline-convert" -q -f --to $to -o "$work/again.$to" "$wrapped"
			missing "$work/again.$to")" "[$gone,0]"
		is '... of which another is made' "$("$bin/timeline-convert" -q -f --to trace -o "$work/twice.trace" "$work/again.$to"
			missing "$work/twice.trace")" "[$gone,0]"
	done
	# the kept part is that of the timeline, also in a copy of a copy
	"$bin/timeline-convert" -q -o "$work/twice.tl" "$work/again.tl"
	for file in again.trace again.packed twice.trace again.tl twice.tl; do
		is "the part that was kept is the same: $file" "$(observed "$work/$file")" "$(observed "$wrapped")"
	done
	# other files have no time of the copy, and end with the last entry
	window() { "$dump" --stats --json "$1" 2>/dev/null | jq -c '[.message, .complete_ns, .older, .interval_ns, .duration_ns, .args]'; }
	"$dump" --json --oldest-first "$wrapped" >"$work/oldest.jsonl"
	"$bin/timeline-convert" -q -o "$work/of-trace.tl" "$work/again.trace" 2>/dev/null
	"$bin/timeline-convert" -q -o "$work/of-lines.tl" "$work/oldest.jsonl" 2>/dev/null
	last=$(jq -s 'map(.ns // 0) | max' "$work/oldest.jsonl")
	for file in wrapped.jsonl oldest.jsonl again.csv of-trace.tl of-lines.tl; do
		is "... and begins at the same place: $file" "$(window "$work/$file")" "$(window "$wrapped")"
		is '... the observed time is the time from there on' "$("$dump" --stats --json "$work/$file" 2>/dev/null |
			jq -c --argjson last "$last" '.observed_ns - ($last - .complete_ns) | fabs < 1000' | sort -u)" true
		is '... --why and --view scopes leave out the same spans' "$("$dump" --view scopes "$work/$file" 2>/dev/null
			"$dump" --why 'order*' --json "$work/$file" 2>/dev/null | jq -c '[.count, .causes]')" \
			"$("$dump" --view scopes "$wrapped"; "$dump" --why 'order*' --json "$wrapped" | jq -c '[.count, .causes]')"
	done
	is '... and the rate is that of this part' "$("$dump" --stats --json "$work/again.trace" |
		jq '.observed_count * 1e9 / .observed_ns - .rate_per_s | fabs < 0.01' | uniq)" true
	has '... which --stats names' "$("$dump" --stats "$work/again.trace")" 'again.trace: complete since .*'
	is '... in the listing of a trace' "$("$dump" "$work/again.trace" | sed -nE 's/^\.\.\. ([0-9]+) entr.* overwritten before this( \(cpu .*)?$/\1/p' |
		awk '{ n += $1 } END { print n }')" "$gone"
	for file in "$wrapped" "$work/again.trace"; do
		is "--tree says so, too: ${file##*.}" "$("$dump" --tree "$file" |
			sed -nE 's/^ *\.\.\. ([0-9]+) entr.* overwritten before this$/\1/p; s/.* lost here/lost/p' | awk '{ n += $1 } /lost/ { n = -1 } END { print n }')" "$gone"
		is '... as JSON' "$("$dump" --tree --json "$file" | jq -sc '[(map(.overwritten // 0) | add), map(select(.lost))[0], map(select(.overwritten).kind)[0]]')" \
			"[$gone,null,\"overwritten\"]"
	done
	is '... apart from the losses of a conversion' \
		"$("$bin/timeline-convert" --json --to csv -o "$work/out.csv" "$wrapped" | jq -c '[.lost, .overwritten]')" "[0,$gone]"
	if command -v sqlite3 >/dev/null; then
		"$bin/timeline-convert" --to sqlite -o "$work/agree.db" "$wrapped" 2>/dev/null
		is '... in SQLite' "$(sqlite3 "$work/agree.db" \
			'SELECT sum(overwritten), count(lost) FROM events; SELECT count(*) FROM losses; SELECT DISTINCT kind FROM timeline WHERE message IS NULL')" \
			"$gone|0
0
overwritten"
	fi
	for order in --oldest-first ''; do
		# shellcheck disable=SC2086 # no option
		"$dump" $order "$wrapped" >"$work/listed"
		is "a listing says once where it begins to be partial${order:+, oldest first}" "$(grep -c overwritten "$work/listed")" 1
		has '... and which CPUs are' "$(grep overwritten "$work/listed")" "^before [^ ]+: entries of $cpus are overwritten\$"
		place=$(sed -nE 's/^before ([^ ]+): .*/\1/p' "$work/listed")
		is '... at its place' "$(awk -v at="$place" -v oldest="$order" '/^before/ { seen = 1; next }
			{ wrong += ($1 < at) != (oldest ? !seen : seen) } END { print wrong + 0 }' "$work/listed")" 0
	done
	lacks 'the newest entries are complete' "$("$dump" -n 5 "$wrapped")" overwritten
	# the rest of the line tells how long that is
	is '... of a file that is moved, too' "$("$dump" --offset 1=-90s --stats "$wrapped" | grep complete | sed 's/.*since [^ ]*//')" \
		"$("$dump" --stats "$wrapped" | grep complete | sed 's/.*since [^ ]*//')"
	for off in -90s 90s; do
		is '... and the listing begins to be partial at the same entry' \
			"$("$dump" --offset 1=$off "$wrapped" | grep -n ^before | cut -d : -f 1)" "$("$dump" "$wrapped" | grep -n ^before | cut -d : -f 1)"
	done
	has '--stats says since when it is complete' "$("$dump" --stats "$wrapped")" "complete since ${place//+/\\+} "
else
	skip 'there is one CPU'
fi
lacks 'of a ring that has not turned nothing is said' "$("$dump" "$known"; "$dump" --stats "$known")" 'overwritten|complete since'

# No begin is known to belong to an end across such a line.
for word in lost overwritten; do
	line='"cpu":0,"pid":7,"tid":8,"priority":"info","category":"c","message":"job","args":{},"kind":'
	printf '%s\n' '{"ns":1795000000000000000,"tsc":1,'"$line"'"begin"}' '{"'$word'":3,"cpu":0}' \
		'{"ns":1795000000000001000,"tsc":1001,'"$line"'"end"}' >"$work/over.jsonl"
	is "no span is sure across entries that are $word" "$("$dump" --stats --json "$work/over.jsonl" | jq -c '[.spans, .unsure]')" '[1,1]'
done

# Some spans cross, some are of one route, and one began before --since.
awk 'BEGIN {
	line = "{\"ns\":179500000000000%04d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\"," \
		"\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n"
	split("1000 outer begin,2000 inner begin,5000 outer end,9000 inner end", events, ",")
	for (i = 1; i in events; i++) {
		split(events[i], e, " ")
		printf line, e[1], e[1], e[2] " $route%s", e[3], e[3] == "begin" ? "\"route\":\"/" e[2] "\"" : ""
	}
}' >"$work/cross.jsonl"
"$bin/timeline-convert" --to trace -o "$work/cross.trace" "$work/cross.jsonl" 2>/dev/null
echo 'for s in timeline.spans {} do print(s.name:match("%w+"), s.duration) end' >"$work/spans.lua"
# spans_by TOOL FILE [OPTION...] prints the name and duration of each span.
spans_by() {
	local tool=$1 file=$2
	shift 2
	case $tool in
	listing) "$dump" "$@" --oldest-first "$file" | sed -nE 's/.* < ([a-z]+) .*  ([0-9.]+us)$/\1 \2/p' | sed 's/\.000//; s/us$/000/' ;;
	json) "$dump" "$@" --json --oldest-first "$file" | jq -r 'select(.duration_ns) | "\(.message | split(" ")[0]) \(.duration_ns)"' ;;
	stats) "$dump" "$@" --stats --json "$file" | jq -r 'select(.spans == 1) | "\(.message | split(" ")[0]) \(.duration_ns.max)"' ;;
	lua) "$dump" "$@" "$file" --script "$work/spans.lua" | tr '\t' ' ' ;;
	chrome) "$bin/timeline-convert" "$@" --to chrome -o - "$file" 2>/dev/null |
		jq -r '.traceEvents[] | select(.ph == "X") | "\(.name | split(" ")[0]) \(.dur * 1000 | round)"' ;;
	esac | sort
}
for file in cross.jsonl cross.trace; do
	for tool in listing json stats lua chrome; do
		is "spans that cross end with their own ends: $tool, ${file#*.}" "$(spans_by $tool "$work/$file")" 'inner 7000
outer 4000'
		is '... that of one route' "$(spans_by $tool "$work/$file" -e 'args.route == "/outer"')" 'outer 4000'
		is '... and those that end in the time, whenever they began' \
			"$(spans_by $tool "$work/$file" --since '2026-11-18T11:06:40.000006Z')" 'inner 7000'
	done
done

# A message has ends with and without a proof, and its spans cross.
awk 'BEGIN {
	split("1000 begin,2000 begin,3000 begin,5000 end,9000 end 2000,9500 end,9900 end 3000", events, ",")
	for (i = 1; i in events; i++) {
		n = split(events[i], e, " ")
		printf "{\"ns\":179500000000000%04d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\"," \
			"\"category\":\"c\",\"message\":\"job\",\"kind\":\"%s\",\"args\":{}%s}\n", e[1], e[1], e[2],
			(n > 2 ? sprintf(",\"proven\":true,\"begun_tsc\":%d,\"duration_ns\":%d", e[3], e[1] - e[3]) : "")
	}
}' >"$work/mixed.jsonl"
"$bin/timeline-convert" --to trace -o "$work/mixed.trace" "$work/mixed.jsonl" 2>/dev/null
for file in mixed.jsonl mixed.trace; do
	for order in --oldest-first ''; do
		# shellcheck disable=SC2086 # no option
		is "an end without a proof ends the last begin that is open${order:+, oldest first}: ${file#*.}" \
			"$("$dump" $order --json "$work/$file" | jq -r 'select(.kind == "end") | .duration_ns' | sort | tr '\n' ' ')" \
			'2000 6900 7000 8500 '
	done
	is '... as --stats has them' "$("$dump" --stats --json "$work/$file" | jq -c '[.spans, .duration_ns.min, .duration_ns.max]')" '[4,2000,8500]'
	is '... and Lua' "$("$dump" "$work/$file" --script "$work/spans.lua" | cut -f 2 | sort | tr '\n' ' ')" '2000 6900 7000 8500 '
done

# Spans of a source begin in one thread and end in another.
awk 'BEGIN {
	split("1000 1 begin,2000 2 begin,5000 1 end,9000 3 end,9500 3 end", events, ",")
	for (i = 1; i in events; i++) {
		split(events[i], e, " ")
		printf "{\"ns\":179500000000000%04d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":%d,\"priority\":\"info\"," \
			"\"category\":\"c\",\"message\":\"hand\",\"kind\":\"%s\",\"args\":{},\"scope\":\"source\"}\n", e[1], e[1], e[2], e[3]
	}
}' >"$work/source.jsonl"
for to in trace timeline; do
	"$bin/timeline-convert" --to $to -o "$work/source.$to" "$work/source.jsonl" 2>/dev/null
done
for file in source.jsonl source.trace source.timeline; do
	is "a span of a source has its length in a listing: ${file#*.}" \
		"$("$dump" --json --oldest-first "$work/$file" | jq -r 'select(.duration_ns).duration_ns' | tr '\n' ' ')" '3000 8000 '
	is '... in --tree' "$("$dump" --tree --json "$work/$file" | jq -r 'select(.kind == "end") | .duration_ns' | tr '\n' ' ')" '3000 8000 null '
	is '... as text' "$("$dump" --tree "$work/$file" | sed -nE 's/^ *< hand: (.*)/\1/p' | tr '\n' ' ')" '3us 8us '
	is '... of a part of the record, too' \
		"$("$dump" --tree --since 2026-11-18T11:06:40.000006Z --json "$work/$file" | jq -r 'select(.kind == "end") | .duration_ns' | tr '\n' ' ')" '8000 null '
	is '... by its path' "$("$dump" --tree --path 3/0 --json "$work/$file" | jq -r 'select(.kind == "end") | .duration_ns')" 8000
	lacks '... and proves nothing' "$("$dump" --tree --json "$work/$file")" proven
done

# The clock is set during a span of 400 ms.
for step in 20 -20; do
	"$build/tests/tool/make_stepped" "$name-stepped$step" "$work/stepped$step.tl" "$step" >"$work/stepped$step" &
done
wait
for step in 20 -20; do
	file=$work/stepped$step.tl
	truth=$(jq -r '.duration_ns // empty' <<<"$("$dump" --json "$file")")
	is "a span has its length though the clock is set by $step s" \
		"$(awk -v most="$(cat "$work/stepped$step")" -v d="$truth" 'BEGIN { print (d > most - 1e6 && d <= most) }')" 1
	is '... and the clock was' "$("$dump" --info --json "$file" | jq '[.clock.knots[].flags | select(contains("step"))] | length')" 1
	has '... in the listing' "$("$dump" "$file")" "  $(awk -v d="$truth" 'BEGIN { printf "%d", d / 1e6 }')(\.[0-9]+)?ms\$"
	longest_of "$file" job "$truth"
	is '... in --critical' "$("$dump" --critical 'job*' --json "$file" | jq .total_ns)" "$truth"
	is '... in --tree' "$("$dump" --tree --json "$file" | jq 'select(.duration_ns) | .duration_ns')" "$truth"
	"$bin/timeline-convert" -qf --to trace -o "$work/stepped.trace" "$file"
	is '... in a trace' "$("$dump" --json "$work/stepped.trace" | jq 'select(.duration_ns) | .duration_ns')" "$truth"
	is '... in folded stacks' "$(convert folded "$file" | awk '/job/ { print $NF }')" "$truth"
done

# A message had another level for some of the time.  The program measures the time
# itself, and the record the rest.
open=$("$build/tests/tool/make_levels" "$name-levels" "$work/levels.tl") || exit 1
"$bin/timeline-convert" -q -o "$work/levels-copy.tl" "$work/levels.tl"
"$bin/timeline-convert" -q -o "$work/levels-twice.tl" "$work/levels-copy.tl"
for copy in copy twice; do
	is "a copy knows the levels of single messages: $copy" "$(observed "$work/levels-$copy.tl")" "$(observed "$work/levels.tl")"
	is '... and names them' "$("$dump" "$work/levels-$copy.tl" | grep -F 'level ')" "$("$dump" "$work/levels.tl" | grep -F 'level ')"
done
"$bin/timeline-convert" -q --message 'detail*' -o "$work/levels-part.tl" "$work/levels.tl"
has 'a copy of a part counts no time in which it does not know the levels' \
	"$("$dump" --stats "$work/levels-part.tl")" 'no rate: the levels are not known'
rates=$("$dump" --stats --json "$work/levels.tl")
window=$("$dump" --info --json "$work/levels.tl" | jq '.complete_to_ns - .oldest_ns')
# share MESSAGE NS NUMBER prints true if the rate is that of so many entries in NS,
# and the observed share that of NS.
share() {
	jq -r --arg m "$1" --argjson ns "$2" --argjson n "$3" --argjson all "$window" \
		'select(.message | startswith($m)) | (.rate_per_s * $ns / $n / 1e9 - 1 | fabs) < 0.01 and
		(.observed_share * $all / $ns - 1 | fabs) < 0.01' <<<"$rates"
}
is 'the rate and the share of tick are those of the program' "$(share tick "$window" 800)" true
is '... and of detail, which was closed for some of the time' "$(share detail "$open" 500)" true
is '... all that was logged is in observed time' "$(jq -r 'select(.message | startswith("detail")) | .count == .observed_count' <<<"$rates")" true
is 'a span that another thread has ended makes no span too long to be seen' \
	"$(jq -c 'select(.message | startswith("handed")) | [.observed_share < 1, .lonely_begins, .lonely_ends, .censored]' <<<"$rates")" \
	'[true,1,1,false]'

# All spans of a message that was raised are observed, and so they are in each copy.
"$make" "$name-raised" raised=8 save="$work/raised.tl" || exit 1
"$bin/timelinectl" record -o "$work/raised.trace" "$name-raised" >/dev/null &
recorder=$!
until_true test -s "$work/raised.trace"
"$make" "$name-raised" raised=8 remove || exit 1
wait "$recorder"
raised_in() { "$dump" "$@" | grep -cE '< raised id\([0-9]+\)  [0-9.]+[mu]?s$'; }
for file in raised.tl raised.trace; do
	for format in "" trace timeline jsonl csv; do
		copy=$work/$file
		if [ "$format" ]; then
			copy=$work/copy-$file.$format
			"$bin/timeline-convert" -qf --to "$format" -o "$copy" "$work/$file"
		fi
		is "raised spans are sure in $file${format:+ as $format}, in both orders" \
			"$(raised_in "$copy") $(raised_in --oldest-first "$copy")" '8 8'
	done
done

# Nothing is logged for a second, and then the timeline is copied: the record was
# looking until then.
"$make" "$name-stopped" known sleep=600000 &
writer=$!
seen_last() { "$dump" --info --json "$name-stopped" 2>/dev/null | jq -e '.ended == false and .entries_shown == 11' >/dev/null; }
until_true seen_last
sleep 1
"$bin/timelinectl" save "$name-stopped" "$work/stopped.tl" >/dev/null
window=$("$dump" --info --json "$work/stopped.tl" | jq '.complete_to_ns - .oldest_ns')
is 'a copy is complete to its moment' "$(awk -v ns="$window" 'BEGIN { print (ns > 1e9 && ns < 100e9) }')" 1
# near NUMBER prints yes for a number that is the window but for a thousandth.
near() { awk -v a="$1" -v b="$window" 'BEGIN { print (a > b * 0.999 && a < b * 1.001 ? "yes" : a " is not " b) }'; }
depth=$("$dump" --stats --json "$work/stopped.tl" | jq -c 'select(.message | startswith("depth"))')
is 'observed time goes to that moment' "$(near "$(jq .observed_ns <<<"$depth")")" yes
is '... and so does the rate of a message that has stopped' "$(near "$(jq '.count / .rate_per_s * 1e9' <<<"$depth")")" yes
is '... in CSV' "$(near "$("$dump" --stats --format csv "$work/stopped.tl" | awk -F, '/depth/ { print $9; exit }')")" yes
is '... in the view top' "$(near "$("$dump" --view top "$work/stopped.tl" | sed -nE 's/^.* events in ([0-9.]+)s$/\1e9/p')")" yes
echo 'print(timeline.inputs[1].complete_to)' >"$work/to.lua"
is '... in Lua' "$("$dump" "$work/stopped.tl" --script "$work/to.lua")" \
	"$("$dump" --info "$work/stopped.tl" --json | grep -oE '"complete_to_ns":[0-9]+' | cut -d : -f 2)"
is '... not beyond --until' "$("$dump" --until 2020-01-01T00:00:00Z "$work/stopped.tl" --script "$work/to.lua")" 1577836800000000000
longer=$("$dump" --stats --json "$name-stopped" | jq 'select(.message | startswith("depth")).observed_ns')
is '... of a live timeline to now' "$(awk -v a="$longer" -v b="$window" 'BEGIN { print (a > b) }')" 1

# The window of a program that has ended, by itself or killed, ends with its last entry.
kill -KILL "$writer"
wait "$writer" 2>/dev/null
"$make" "$name-ended" known
"$bin/timelinectl" save "$name-ended" "$work/gone.tl" >/dev/null
"$bin/timeline-convert" -q -o "$work/gone.trace" "$work/gone.tl"
for file in "$name-stopped" "$name-ended" "$work/gone.tl" "$work/gone.trace"; do
	mapfile -t ns < <("$dump" --json --oldest-first "$file" | sed -E 's/^\{"ns":([0-9]+).*/\1/')
	window=$((ns[${#ns[@]} - 1] - ns[0]))
	depth=$("$dump" --stats --json "$file" | jq -c 'select(.message | startswith("depth"))')
	is "observed time of a program that has ended goes to its last entry: ${file##*[-/]}" \
		"$(near "$(jq .observed_ns <<<"$depth")") $(near "$(jq '.count / .rate_per_s * 1e9' <<<"$depth")")" 'yes yes'
	[ "${file##*.}" = trace ] && continue
	is '... in Lua' "$("$dump" "$file" --script "$work/to.lua")" "${ns[${#ns[@]} - 1]}"
	has '... and --stats says so' "$("$dump" --stats "$file")" ': its programs have ended, and rates with the last entry$'
done
"$make" "$name-stopped" remove
"$make" "$name-ended" remove
"$bin/timeline-convert" -q --to jsonl -o "$work/gone.jsonl" "$work/gone.tl" 2>/dev/null
is '... and of a file that does not say to its last entry' "$(awk -v a="$("$dump" --stats --json "$work/gone.jsonl" |
	jq 'select(.message | startswith("depth")).observed_ns')" 'BEGIN { print (a < 1e9) }')" 1
rm -f "$shm-stopped"*

# Every tool gives the same percentile of a message.
p99=$("$dump" --stats --json "$work/sampled.tl" | jq -r 'select(.message | startswith("job")) | .duration_ns.p99')
cat >"$work/p99.lua" <<'END2'
local h = timeline.histogram()
for s in timeline.spans {} do
	if not s.lossy and not s.open and s.message:find("job", 1, true) == 1 then
		h:add(s.duration)
	end
end
print(h:percentile(99))
END2
is 'p99 of --stats and of Lua are one' "$("$dump" "$work/sampled.tl" --script "$work/p99.lua")" "$p99"

# == the files of one recording ==
# Each file repeats the begin of a span that ends in the last file.
for n in 0 1; do
	"$build/tests/tool/make_blocks" here - $n >"$work/part$n.trace"
done
END=1 "$build/tests/tool/make_blocks" here - 2 >"$work/part2.trace"
"$build/tests/tool/make_blocks" elsewhere - 1 >"$work/other1.trace"
echo 'for s in timeline.spans { open = true } do print(s.name:match("%w+"), s.duration, s.open) end' >"$work/parts.lua"
# job_in FILE... prints what each tool has of the span.
job_in() {
	local order
	for order in --oldest-first ''; do
		# shellcheck disable=SC2086 # no option
		"$dump" $order --json "$@" 2>/dev/null | jq -r 'select(.message == "job") | "\(.kind) \(.duration_ns // "")"' | sort
	done
	"$dump" --stats --json "$@" 2>/dev/null | jq -r 'select(.message == "job") | "stats \(.spans) \(.lonely_begins) \(.duration_ns.max)"'
	"$dump" --script "$work/parts.lua" "$@" 2>/dev/null | tr '\t' ' '
	"$bin/timeline-convert" --to chrome -o - "$@" 2>/dev/null | jq -r '.traceEvents[] | select(.name == "job") | "chrome \(.ph) \(.dur)"'
	"$bin/timeline-convert" --to folded -o - "$@" 2>/dev/null | sed 's/.*job/folded/'
	if command -v sqlite3 >/dev/null; then
		rm -f "$work/parts.db"
		"$bin/timeline-convert" --to sqlite -o "$work/parts.db" "$@" 2>/dev/null
		sqlite3 -separator ' ' "$work/parts.db" 'SELECT "sqlite", end_ns - begin_ns FROM spans'
	fi
}
whole='begin 
end 12000000
begin 
end 12000000
stats 1 0 12000000
job 12000000 false
chrome X 12000
folded 12000000'
command -v sqlite3 >/dev/null && whole+='
sqlite 12000000'
p=$work/part
is 'a span that three files of a recording have is one span' "$(job_in "${p}0.trace" "${p}1.trace" "${p}2.trace")" "$whole"
is '... whatever the order of the files' "$(job_in "${p}2.trace" "${p}0.trace" "${p}1.trace")" "$whole"
is '... without the first file' "$(job_in "${p}1.trace" "${p}2.trace")" "$whole"
is '... or one between' "$(job_in "${p}0.trace" "${p}2.trace")" "$whole"
is '--check counts the entries of each file' \
	"$("$dump" --check "${p}0.trace" "${p}1.trace" "${p}2.trace" | grep -oE '[0-9]+ entries')" $'5 entries\n5 entries\n6 entries'
is 'a file alone has the begin' "$(job_in "${p}2.trace")" "$whole"
is '... and files of two machines have both' \
	"$("$dump" --json "${p}0.trace" "$work/other1.trace" 2>/dev/null | jq -r 'select(.message == "job").kind')" $'begin\nbegin'
