# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# A stack of spans ends where observation ends, and a span that another thread
# ends, ends there: in every output.

cat >"$work/depths.lua" <<'END'
for s in timeline.spans {} do
	if not s.lossy then print(s.message:match("%a+"), s.depth) end
end
END

# depths SURFACE FILE MESSAGE prints how often the spans of a message lie at each
# depth, in a surface, as "COUNT DEPTH"; the outermost spans have depth 0.
depths() {
	local surface=$1 file=$2 message=$3
	if [ "$surface" = trace ]; then
		"$bin/timeline-convert" -f --to trace -o "$work/nest.trace" "$file" 2>/dev/null
		surface=tree file=$work/nest.trace
	fi
	case $surface in
	lua) "$dump" "$file" --script "$work/depths.lua" | awk -v m="$message" '$1 == m { print $2 }' ;;
	tree) "$dump" --tree --json "$file" |
		jq -r --arg m "$message" 'select(.duration_ns and (.text // "" | startswith($m))) | .depth - 1' ;;
	sqlite)
		"$bin/timeline-convert" -f --to sqlite -o "$work/nest.db" "$file"
		sqlite3 "$work/nest.db" "SELECT s.depth FROM spans s JOIN messages m ON m.id = s.message WHERE m.line LIKE '$message%' AND end_ns IS NOT NULL AND NOT lossy"
		;;
	folded) "$bin/timeline-convert" --to folded -o - "$file" |
		sed -nE "s/^([^ ].*): ${message}[^;]* [0-9]+\$/\1/p" | awk -F ';' '{ print NF - 2 }' ;;
	esac 2>/dev/null | sort -n | uniq -c | sed 's/^ *//'
}
surfaces='lua tree trace'
command -v sqlite3 >/dev/null && surfaces+=' sqlite'

if "$build/tests/tool/make_wrapped" "$name-wrapped" "$work/wrapped.tl" >/dev/null; then
	for surface in $surfaces; do
		is "no span is inside a span whose end is overwritten: $surface" \
			"$(depths "$surface" "$work/wrapped.tl" order | cut -d ' ' -f 2)" 0
	done
	is '... folded' "$(depths folded "$work/wrapped.tl" order)" '1 0'
fi

"$build/tests/tool/make_handed" "$name-handed" "$work/handed.tl" || exit 1
for surface in $surfaces; do
	is "a span that another thread ends, ends there: $surface" "$(depths "$surface" "$work/handed.tl" request)" '10 0'
	is '... and what it holds is inside' "$(depths "$surface" "$work/handed.tl" query)" '10 1'
done
is '... folded' "$("$bin/timeline-convert" --to folded -o - "$work/handed.tl" 2>/dev/null | sed 's/ [0-9]*$//; s/^[^;]*;//')" \
	$'app: request id\napp: request id;app: query id'
is '... in the listing, newest first' "$("$dump" --json "$work/handed.tl" | jq 'select(.kind == "end" and .duration_ns) | 1' | wc -l)" 20
is '... in --stats' "$("$dump" --stats --json --message 'request*' "$work/handed.tl" | jq -c '[.spans, .lonely_begins, .handed_over]')" '[10,0,10]'
is '... in Chrome trace events' \
	"$("$bin/timeline-convert" --to chrome -o - "$work/handed.tl" 2>/dev/null | jq -c '.traceEvents[] | select(.name | test("id")) | .ph' | sort | uniq -c | sed 's/^ *//')" '20 "X"'
has '... and is told as a mistake' "$("$dump" --stats "$work/handed.tl" 2>&1)" \
	'another thread ended 10 spans'
ends '... by --check' 0 "$dump" --check "$work/handed.tl"
has '... too' "$out" 'another thread ended 10 spans: the scope should be'

mkfifo "$work/handed.go"
"$build/tests/tool/make_handed" "$name-handed" "$work/handed.tl" wait <"$work/handed.go" &
exec 8>"$work/handed.go"
until_true test -e "$shm-handed"
"$bin/timelinectl" record "$name-handed" -o "$work/recorded.trace" >"$work/out" 2>&1 &
until_true test -s "$work/recorded.trace"
echo >&8
exec 8>&-
wait
is '... in a recording' "$(depths tree "$work/recorded.trace" request) $(depths tree "$work/recorded.trace" query)" '10 0 10 1'
