# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The stock views: what is activity of the program, which time was observed, and
# where a ring that turned is complete.

# == levels that are closed, and bursts in silences ==
silent=$work/silent.tl
"$build/tests/tool/make_silent" "$name-silent" "$silent" || exit 1
"$bin/timeline-convert" -q -o "$work/silent.trace" "$silent"
gaps() { "$dump" "$@" | awk '$1 == "all" && $2 ~ /[0-9](ms|s)$/ && $2 + 0 >= ($2 ~ /ms$/ ? 200 : 0.2)'; }
for file in silent.tl silent.trace; do
	text=$(gaps "$work/$file" --view gaps)
	has "a silence ends with a message that a burst opened: $file" "$text" \
		'info up .*< request id\(99\).* step n\(100\)$'
	has '... and bursts are no activity' "$text" 'info up .*< request id\(199\).* > request id\(200\)$'
	lacks '... nor is it one while levels were closed' "$text" 'request id\(299\)'
	lacks '... nor between bursts' "$text" 'burst'
	text=$(gaps --category work --message 'request*' "$work/$file" --view gaps)
	has 'all that was selected was open' "$text" ' all .*< request id\(99\).* > request id\(100\)$'
	lacks '... but not while it was closed' "$text" 'request id\(299\)'
	is 'in a burst all levels are silent' "$("$dump" --message 'step*' "$work/$file" --view gaps |
		awk '$1 == "all" { print $3, ($2 ~ /ns$|us$/ || $2 + 0 <= 2.1) }' | sort -u)" 'all 1'
done
end='< request id\(399\).* \(until the end\)$'
has 'a silence lasts until the end of what was observed' "$(gaps "$silent" --view gaps)" "^all .* info up .*$end"
has '... on a CPU, too' "$("$dump" "$silent" --view gaps)" "^cpu .* info up .*$end"
has '... and of selected messages' "$(gaps --message 'request*' "$silent" --view gaps)" " all .*$end"
lacks '... not beyond --until' "$(gaps "$silent" --until -200ms --view gaps)" "request id\\(399\\).*[0-9]s .*end"
has 'what timeline logs is shown if asked for' "$("$dump" --category timeline "$silent" --view gaps)" '^all .* burst to '
rate=$("$dump" "$silent" --view rate -- --slice=10ms)
has '--view rate counts no bursts in a silence' "$rate" '^[^ ]+ +0 +0/s$'
is '... and ends where the observation ends' "$(tail -n 1 <<<"$rate" | awk '{ print $2, $3 }')" '0 0/s'
is '... its events are those of the program' "$(awk 'NR > 1 { n += $2 } END { print n }' <<<"$rate")" \
	"$("$dump" --list --json "$silent" | jq -s 'map(select(.category == "work").seen) | add')"
has '... or those of timeline if they are asked for' "$("$dump" --category timeline "$silent" --view rate -- 1)" ' [1-9][0-9]* +[0-9]+/s +#+$'
is '--view latency counts no bursts as messages' \
	"$("$dump" "$silent" --view latency -- '*' '*' | sed -n 's/^count \([0-9]*\) .*/\1/p')" \
	"$("$dump" --category work "$silent" --view latency -- '*' '*' | sed -n 's/^count \([0-9]*\) .*/\1/p')"
ends 'a view that takes words says where they stand' 1 "$dump" --view latency "$silent"
is '... in its message' "$err" "timeline-dump: latency needs two messages behind the view: timeline-dump FILE --view latency 'A*' 'B*'"

# A diff of what bursts observed has the rates of --stats.
text=$("$dump" "$silent" "$work/silent.trace" --view diff 2>/dev/null | grep -E ' work +(step|request)')
is '--view diff has rates of observed time' \
	"$(sed -E 's|^ *[0-9]+ +[0-9]+ +([0-9.]+)/s .* work +([a-z]+) .*|\2 \1|' <<<"$text" | sort)" \
	"$("$dump" --stats --json --category work "$silent" |
		jq -r '[(.message | sub(" .*"; "")), .rate_per_s] | @tsv' | sort | awk '{ printf "%s %.0f\n", $1, $2 }')"

# Two messages in turns, each every 10 ms.
for i in {1..20}; do
	printf '{"ns":%d,"tsc":1,"cpu":0,"pid":7,"tid":8,"priority":"info","category":"c","message":"m%d","kind":"instant","args":{}}\n' \
		$((i * 5000000)) $((i % 2))
done >"$work/turns.jsonl"
has '--view heat has intervals of one message' "$("$dump" "$work/turns.jsonl" --view heat -- --intervals)" '^ +10ms \|.*@'
lacks '... not between two messages' "$("$dump" "$work/turns.jsonl" --view heat -- --intervals)" '^ +5ms '

# == a ring that turned ==
# A lane of CPU 0 has overwritten what it had before 20 ms: 10 ticks of CPU 1 are
# older, 1001 of both, 1 ms apart, are complete; each is a span of 10 us.
awk 'function tick(ms, kind, ns) {
	printf "{\"ns\":%d,\"tsc\":1,\"cpu\":%d,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"tick\",\"kind\":\"%s\",\"args\":{}}\n", ms * 1e6 + ns, ms % 2, kind
}
function span(ms) { tick(ms, "begin", 0); tick(ms, "end", 10000) }
BEGIN {
	for (i = 0; i < 10; i++) span(2 * i + 1)
	print "{\"overwritten\":99,\"cpu\":0}"
	for (i = 20; i <= 1020; i++) span(i)
}' >"$work/turned_spans.jsonl"
sed '1,21d' "$work/turned_spans.jsonl" >"$work/whole_spans.jsonl"
turned=$work/turned_spans.jsonl
text=$("$dump" "$turned" "$work/whole_spans.jsonl" --view diff)
has '--view diff compares what is complete' "$text" '^ *1001 +1001 +(100[01])/s +\1/s +\+0\.0% +c +tick$'
has '... and says since when' "$text" '^A: [^ ]*, 1s, complete since 1970-01-01T00:00:00\.02'
lacks '... only where a ring turned' "$text" '^B:.*complete'
has '--view heat draws what is complete' "$("$dump" "$turned" --view heat)" \
	' 1970-01-01T00:00:00\.020010000\+00:00, .*, complete since '
lacks '... and says no more of a whole one' "$("$dump" "$work/whole_spans.jsonl" --view heat)" complete
"$build/tests/tool/make_parts" "$name-views" "$work/views.tl" turned >/dev/null || exit 1
has '--view intervals says how many are left out' \
	"$("$dump" "$work/views.tl" --view intervals | cut -c 1-80)" '^[0-9]+ older scopes left out'
is '... and counts as many as --view scopes' \
	"$("$dump" "$work/views.tl" --view intervals | sed -n '/^Process query/s/([0-9]*,/\n&/gp' | grep -c '^(')" \
	"$("$dump" "$work/views.tl" --view scopes | awk '/ query/ { n = $1 } END { print n + 0 }')"

# Lanes of threads are complete somewhat after their first entry.
GLIBC_TUNABLES=glibc.pthread.rseq=0 "$build/tests/tool/make_parts" "$name-views" "$work/views.tl" turned >/dev/null || exit 1
since() { grep -oE 'complete since [^; ]*' | head -n 1; }
for view in top rate; do
	is "--view $view begins where --stats is complete" "$("$dump" "$work/views.tl" --view $view | since)" \
		"$("$dump" --stats "$work/views.tl" 2>&1 | since)"
done
is '... as --view diff does' "$("$dump" "$work/views.tl" "$work/views.tl" --view diff 2>/dev/null | since)" \
	"$("$dump" --stats "$work/views.tl" 2>&1 | since)"
