# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Time of a span in which its details were not recorded is not the span itself:
# in every output.

# parts_of SURFACE FILE [OPTION...] prints ns of requests: in queries, itself, not recorded.
parts_of() {
	case $1 in
	scopes)
		cat >"$work/parts.lua" <<'END'
local spans, own = timeline.spans { own = true }
local total, queries = 0, 0
for s in spans do
	if s.lossy then -- counts for nothing
	elseif s.name:match "query" then queries = queries + s.duration
	else own(1) total = total + s.duration
	end
end
local p = own()[1]
local unseen = p.closed + p.overwritten + p.lost
print(total - p.itself - unseen .. ' ' .. p.itself .. ' ' .. unseen)
END
		"$dump" "${@:2}" --script "$work/parts.lua"
		;;
	folded)
		"$bin/timeline-convert" -q --to folded -o - "${@:2}" | awk '
			/query/ { query += $NF; next }
			/details / { unseen += $NF; next }
			{ self += $NF }
			END { printf "%.0f %.0f %.0f\n", query, self, unseen }'
		;;
	critical)
		"$dump" --json --critical 'request*' "${@:2}" | jq -r '[.parts[] | { key: (if .kind != "work" then "unseen"
			elif .message // "" | test("query") then "query" else "self" end), ns }] |
			[("query", "self", "unseen") as $k | map(select(.key == $k).ns) | add // 0] | join(" ")'
		;;
	esac 2>/dev/null
}

for mode in bursts short slots single turned; do
	file=$work/parts-$mode.tl
	"$build/tests/tool/make_parts" "$name-parts" "$file" "$mode" >"$work/out" || exit 1
	copies=$work/parts-$mode.trace
	"$bin/timeline-convert" -q -o "$copies" "$file"
	if [ "$mode" != turned ]; then
		copies+=" $work/parts-$mode-2.tl"
		"$bin/timeline-convert" -q -o "$work/parts-$mode-2.tl" "$file"
	fi
	for surface in scopes folded critical; do
		read -r queries self unseen < <(parts_of $surface "$file")
		is "a selection changes no part: $surface, $mode" \
			"$(parts_of $surface "$file" --category server --category db)" "$queries $self $unseen"
		is "requests are in queries, not in themselves: $surface, $mode" "$((self < queries))" 1
		is '... and the rest of their time was not recorded' "$((unseen > queries))" 1
		for copy in $copies; do
			is "... also of ${copy##*.}" "$(parts_of $surface "$copy")" "$queries $self $unseen"
		done
	done
done
"$bin/timeline-convert" -q -o "$work/parts-turned-2.tl" "$work/parts-turned.tl"
for surface in scopes folded critical; do
	read -r queries self unseen < <(parts_of $surface "$work/parts-turned-2.tl")
	is "a copy knows what was overwritten: $surface" "$((self < queries && unseen > queries))" 1
done
has 'the view says why it was not recorded' \
	"$("$dump" "$work/parts-bursts.tl" --view scopes)" 'details closed '
has '... overwritten' "$("$dump" "$work/parts-turned.tl" --view scopes)" 'details overwritten '
has '... and folded stacks have a frame for it' \
	"$("$bin/timeline-convert" -q --to folded -o - "$work/parts-slots.tl" 2>/dev/null)" \
	'server: request id;details closed [0-9]'
has '... and --critical a part' "$("$dump" --critical 'request*' "$work/parts-short.tl")" \
	'% +[0-9.]+m?s  details closed in request \$id'
has '... and a step' "$("$dump" --brief "$work/parts-short.tl")" 'thread [0-9]+  details closed in request \$id'
is 'a file without closed levels has no such column' \
	"$("$dump" "$known" --view scopes | grep -c details)" 0

"$build/tests/tool/make_parts" "$name-parts" "$work/parts-slow.tl" slow >"$work/out" || exit 1
why=$("$dump" --why 'request*' "$work/parts-slow.tl")
has '--why says that slow requests passed where details were closed' "$why" 'the time goes into details closed \('
lacks '... and not between begin and end' "$why" 'the time goes between'
has '... also in JSON' "$("$dump" --json --why 'request*' "$work/parts-slow.tl")" '"kind":"gap","name":"details closed"'

# What ended before the record is complete counts in no sum of the scopes, which
# are of one time: as --stats of that time has them.
"$dump" --json "$work/parts-turned.tl" >"$work/parts-turned.jsonl"
for copy in "$work/parts-turned.tl" "$work/parts-turned-2.tl" "$work/parts-turned.trace" "$work/parts-turned.jsonl"; do
	since=@$("$dump" --stats --json "$copy" | grep -o '"complete_ns":[0-9]*' | sort | tail -1 |
		sed -E 's/.*:(.*)(.{9})$/\1.\2/')
	is "the scopes are those of --stats: ${copy##*.}" \
		"$("$dump" --view scopes "$copy" | awk '/[$]/ { print $1 }' | sort -n)" \
		"$("$dump" --stats --json --since "$since" "$copy" | jq -r 'select(.kind == "span").duration_ns.count' | sort -n)"
	is '... and there are older ones' \
		"$("$dump" --view scopes "$copy" 2>/dev/null | grep -c 'older scope')" 1
done
# What is written of some messages knows when they were observed: the changes of
# levels come along, those of the selected time.
for format in trace packedtrace tl; do
	file=$work/parts-some.$format
	"$bin/timeline-convert" -q --message 'query*' -o "$file" "$work/parts-bursts.tl"
	rate='select(.message | startswith("query")) | .rate_per_s | round'
	is "a copy of one message has the rate of observed time: $format" \
		"$("$dump" --stats --json "$file" | jq "$rate")" "$("$dump" --stats --json "$work/parts-bursts.tl" | jq "$rate")"
done
levels() { sed -n '/class="history"/s/.*">\[[0-9]*,"[0-9]*",[0-9]*,//p' "$1" | tr , ' '; }
"$bin/timeline-convert" -q -o "$work/parts-all.html" "$work/parts-bursts.tl"
"$bin/timeline-convert" -q --category server --category db -o "$work/parts-some.html" "$work/parts-bursts.tl"
is 'the page of some messages shades when the levels were closed' "$(levels "$work/parts-some.html" | wc -w)" \
	"$(($(levels "$work/parts-all.html" | wc -w) - 2))" # its first change comes later
is '... and has no entry about levels' "$(grep -c 'burst: threshold' "$work/parts-some.html")" 0

# Slices in which a message was closed have no rate, in a copy as in the original.
"$bin/timeline-convert" -q -o "$work/parts-bursts-copy.tl" "$work/parts-bursts.tl"
for file in parts-bursts.tl parts-bursts-copy.tl parts-bursts.trace; do
	text=$("$dump" --message 'query*' "$work/$file" --view rate -- 60)
	has "a slice in which levels were closed has no rate: $file" "$text" '  0 +-  +not observed: levels closed$'
	is '... and no slice without a query is 0/s' "$(grep -cE ' 0 +0/s$' <<<"$text")" 0
	share=$("$dump" --stats --json "$work/$file" | jq 'select(.message | startswith("query")).observed_share')
	said=$("$dump" --message 'query*' "$work/$file" --view rate -- 1 |
		sed -nE 's/.*\(([0-9]+) % observed; levels closed\)$/\1/p')
	is '... and the share is that of --stats' "$(jq -n "$share * 100 - $said | fabs <= 2")" true
done
is 'a call within a call of the same scope adds no time' \
	"$(printf '{"ns":%d,"tsc":1,"cpu":0,"pid":1,"tid":1,"priority":"info","category":"a","message":"f","kind":"%s","args":{}}\n' \
		1000 begin 2000 begin 3000 end 5000 end >"$work/deep.jsonl" &&
		"$dump" --view scopes "$work/deep.jsonl" | awk '/ f$/ { print $1, $2, $3 }')" '2 4us 4us'

# A span of a source is within no other, so that it is itself what it took.
cat >"$work/overlap.lua" <<'END'
local spans, own = timeline.spans { own = true }
local calls, total, around = 0, 0, 0
for s in spans do
	if s.name:match "request" then
		calls, total = calls + 1, total + s.duration
		around = around + s.nesting + s.depth
		own(1)
	end
end
print(calls, total, own()[1].itself, around)
END
"$build/tests/tool/make_overlap" "$name-overlap" "$work/overlap.tl" || exit 1
for to in trace timeline jsonl; do
	"$bin/timeline-convert" -q --to $to -o "$work/overlap.$to" "$work/overlap.tl"
done
took=$("$dump" --json "$work/overlap.tl" | jq -s 'map(select(.message == "request $id").duration_ns // 0) | add')
for file in tl trace timeline jsonl; do
	file=$work/overlap.$file
	is "a span of a source is itself all of what it took: ${file##*.}" \
		"$("$dump" "$file" --script "$work/overlap.lua")" $'1020\t'"$took"$'\t'"$took"$'\t0'
	is '... and the time of all counts' \
		"$("$dump" --view scopes "$file" | awk '/request/ { print $1, $2 == $3 }
			/details/ { print "details" }')" '1020 1'
	is '... and folded stacks have one frame for it, however many there are at once' \
		"$("$bin/timeline-convert" --to folded -o - "$file" 2>"$work/err" | grep request)" \
		"app: request id $took"
	lacks '... which is complete' "$(cat "$work/err")" 'too deep|outlives'
	lacks '... and --critical has no details of it' "$("$dump" --critical 'request*' "$file" 2>&1)" details
done
if command -v sqlite3 >/dev/null; then
	"$bin/timeline-convert" -q -o "$work/overlap.db" "$work/overlap.tl"
	is '... nor is it nested in a database' "$(sqlite3 "$work/overlap.db" "SELECT sum(duration_ns), max(nesting), max(depth) FROM spans
		JOIN messages m ON m.id = message WHERE line LIKE 'request%'")" "$took|0|0"
fi
for file in 1 2; do
	for ns in 0 1000000 2000000; do
		printf '{"ns":%d,"tsc":1,"cpu":0,"pid":1,"tid":1,"priority":"info","category":"a","message":"tick","kind":"instant","args":{}}\n' \
			$((file * 1000000000 + ns))
	done >"$work/ticks-$file.jsonl"
done
is 'time between two inputs is in no rate of --view top' \
	"$("$dump" --view top "$work/ticks-1.jsonl" "$work/ticks-2.jsonl" | awk '/ tick$/ { print $1, $3 }' | sort -u)" '3 1500/s'
