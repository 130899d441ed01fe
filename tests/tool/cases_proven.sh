# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Spans that prove themselves are whole on every surface: most are longer than the
# bursts that they began in, and the begins of some are not in the record.

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
sleep 0.3 # until the ring has turned
"$bin/timelinectl" record "$name-proven" -o "$recorded" >/dev/null 2>&1 &
recorder=$!
for ((i = 0; i < patience * 10; i++)); do [ -s "$recorded" ] && break || sleep 0.1; done
echo >&7
for ((i = 0; i < patience * 10; i++)); do [ -s "$pv" ] && break || sleep 0.1; done
sleep 0.3
"$bin/timelinectl" save "$name-proven" "$work/saved.tl" >/dev/null
kill -INT $recorder
wait $recorder
exec 7>&-
wait $writer

# The spans of a file, in the order of their ends, as "MESSAGE NS".
spans_in() {
	"$dump" --json --oldest-first "$@" | jq -r 'select(.duration_ns and (.unsure | not)) | "\(.message | split(" ")[0]) \(.duration_ns)"'
}
spans_in "$pv" >"$work/spans"
sorted=$(sort "$work/spans")
# count and maximum of each message
summed=$(awk '{ n[$1]++; if ($2 > most[$1]) most[$1] = $2 } END { for (m in n) print m, n[m], most[m] }' "$work/spans" | sort)
# right FILE: are its spans those of the program, each between its bounds?
right() {
	spans_in "$1" | paste -d ' ' <(cut -d ' ' -f 1,4,5 "$work/truth") - |
		awk '$1 != $4 || $5 < $2 - $2 / 1000 - 1000 || $5 > $3 + $3 / 1000 + 1000'
}
is 'JSON has each span that ended, as long as the program says' "$(right "$pv")" ''
is '... a copy of the live timeline, too' "$(right "$work/saved.tl")" ''

# == recordings ==
is 'a recording has each of them' "$(right "$recorded")" ''
for to in trace timeline packed; do
	"$bin/timeline-convert" --to $to -o "$work/again.$to" "$pv" 2>/dev/null
	is "... and what is converted to $to" "$(spans_in "$work/again.$to" | diff - "$work/spans")" ''
	"$bin/timeline-convert" -f --to timeline -o "$work/back.tl" "$work/again.$to" 2>/dev/null
	is '... and that to a timeline' "$(spans_in "$work/back.tl" | diff - "$work/spans")" ''
done
is 'a span of a recording whose begin was before it is known' \
	"$("$dump" --json "$recorded" | jq -c 'select(.kind == "begin") | .message' | grep -cE 'order|ask') $(grep -c order "$work/spans")" '0 10'
