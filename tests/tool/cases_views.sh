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
