# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# What a record knows of an end is known of its copies: which begin it belongs
# to, how long the span was, that the pair is unsure, or that it has no begin.

# carried_by SURFACE FILE prints what the surface says of each end, sorted:
# message, duration, ? if unsure.
cat >"$work/carried.lua" <<'END'
for e in timeline.events { pair = true, order = "oldest", kind = "end" } do
	print(e.message:match "%w+", e.duration or "-")
end
END
ends_of='select(.kind == "end") | "\(.message | split(" ")[0]) \(.duration_ns // "-")\(if .unsure then "?" else "" end)"'
carried_by() {
	case $1 in
	newest) "$dump" "$2" | grep ' < ' | sed -E 's/^[^ ]* +//' ;;
	oldest) "$dump" --oldest-first "$2" | grep ' < ' | sed -E 's/^[^ ]* +//' ;;
	json) "$dump" --json "$2" | jq -r "$ends_of" ;;
	json-oldest) "$dump" --json --oldest-first "$2" | jq -r "$ends_of" ;;
	stats) "$dump" --stats --json "$2" | jq -c 'select(.spans != null) | [.message, .spans, .unsure, .lonely_ends, .duration_ns.min, .duration_ns.max]' ;;
	tree) "$dump" --tree --json "$2" | jq -r 'select(.duration_ns) | "\(.message) \(.duration_ns)"' ;;
	lua) "$dump" "$2" --script "$work/carried.lua" ;;
	esac 2>/dev/null | sort
}

# carried FILE FORMAT...: copies of the file say the same of its ends, and
# copies of these in a timeline.
carried() {
	local file=$1 to surface copy
	shift
	for surface in newest oldest json json-oldest stats tree lua; do
		carried_by "$surface" "$file" >"$work/own.$surface"
	done
	is "both orders know the same of ${file##*/}" "$(cat "$work/own.newest")" "$(cat "$work/own.oldest")"
	for to in "$@"; do
		copy=$work/carried.$to
		"$bin/timeline-convert" -qf -o "$copy" "$file" 2>/dev/null
		"$bin/timeline-convert" -qf -o "$work/carried-back.tl" "$copy" 2>/dev/null
		for surface in newest oldest json json-oldest stats tree lua; do
			is "a copy of ${file##*/} as .$to knows the same of each end: $surface" \
				"$(carried_by "$surface" "$copy" | diff "$work/own.$surface" -)" ''
		done
		for surface in newest oldest; do
			is '... also back in a timeline' "$(carried_by "$surface" "$work/carried-back.tl" | diff "$work/own.$surface" -)" ''
		done
	done
}
formats='jsonl csv trace packedtrace tl tl.zst'
# keeps FILE FORMAT...: formats without a place for what is not sure keep the
# sure spans, and make no other.
sure_of() { "$dump" --json "$@" 2>/dev/null | jq -r 'select(.kind == "end" and .duration_ns and (.unsure | not)).duration_ns' | sort; }
keeps() {
	local file=$1 to order
	shift
	for to in "$@"; do
		"$bin/timeline-convert" -qf -o "$work/carried.$to" "$file" 2>/dev/null
		for order in '' --oldest-first; do
			# shellcheck disable=SC2086 # no option
			is "a copy of ${file##*/} as .$to has its sure spans and no others${order:+, oldest first}" \
				"$(sure_of $order "$work/carried.$to")" "$(sure_of "$file")"
		done
	done
}
unsure=$work/unsure.tl
"$build/tests/tool/make_unsure" "$name-unsure" "$unsure"
case $? in
0)
	is 'a begin and the end of another span are an unsure pair, an end has no begin' \
		"$("$dump" --oldest-first "$unsure" | untimed | grep -oE '< (work|gone).*' | head -2)" \
		$'< work id(1)  T?\n< gone'
	# shellcheck disable=SC2086 # words
	carried "$unsure" $formats
	keeps "$unsure" trace.json
	;;
77) skip 'a pair is made unsure on two CPUs' ;;
*) exit 1 ;;
esac
# Spans whose levels were changed: the end of job 3 is that of no begin.
"$build/tests/tool/make_cut" "$name-carried" "$work/levels.tl" || exit 1
# shellcheck disable=SC2086
carried "$work/levels.tl" $formats
keeps "$work/levels.tl" trace.json
