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
# nests FILE COUNT KEPT: formats of begins and ends, whose readers pair the last
# begin, get the ends that are then right.
nests() {
	local to order
	for to in rtl lms timelogger; do
		ends "${1##*/} becomes $to" 0 "$bin/timeline-convert" -f --to $to -o "$work/nested.$to" "$1"
		has '... which counts the ends that it leaves out' "$err" "has no begin, is left out \\($2 times?\\)"
		for order in --oldest-first ''; do
			# shellcheck disable=SC2086 # no option
			is "... and has the others${order:+, oldest first}" \
				"$("$dump" $order "$work/nested.$to" 2>/dev/null | grep -cE ' < .*  [0-9.]+[num]?s$')" "$3"
		done
	done
}
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
status=$?
# Without rseq both CPUs share one lane, which overwrites begins and ends alike.
[ $status != 0 ] || [ "$("$dump" --json "$unsure" | jq -c 'select(.overwritten).cpu' | sort -u)" != null ] || status=77
case $status in
0)
	is 'a begin and the end of another span are an unsure pair, an end has no begin' \
		"$("$dump" --oldest-first "$unsure" | untimed | grep -oE '< (work|gone).*' | head -2)" \
		$'< work id(1)  T?\n< gone'
	# shellcheck disable=SC2086 # words
	carried "$unsure" $formats
	keeps "$unsure" trace.json
	if command -v babeltrace2 >/dev/null; then
		"$bin/timeline-convert" -qf -o "$work/carried.ctf" "$unsure" 2>/dev/null
		is 'an exit in CTF says it' "$(babeltrace2 "$work/carried.ctf" 2>/dev/null | sed -nE 's/.*_exit.*begun = \( "([a-z]+)".*duration_ns = ([0-9]+).*/\2 \1/p' | sort)" \
			"$("$dump" --json "$unsure" | jq -r 'select(.kind == "end") | "\(.duration_ns // 0) \(if .unsure then "unsure" elif .duration_ns then "sure" else "none" end)"' | sort)"
	fi
	if command -v sqlite3 >/dev/null; then
		for from in tl jsonl csv trace; do
			"$bin/timeline-convert" -qf -o "$work/carried.db" "$work/carried.$from" 2>/dev/null
			is "a database of a copy as .$from has the pair as lossy" \
				"$(sqlite3 "$work/carried.db" 'SELECT count(*), sum(lossy), sum(CASE WHEN lossy THEN value1 END) FROM spans WHERE end_ns NOT NULL')" '6|1|1'
		done
	fi
	for order in '' --oldest-first; do
		# shellcheck disable=SC2086 # no option
		"$dump" --json $order "$unsure" >"$work/carried.jsonl"
		for surface in newest oldest stats; do
			is "what timeline-dump${order:+ $order} --json prints is read as it was: $surface" \
				"$(carried_by "$surface" "$work/carried.jsonl")" "$(carried_by "$surface" "$unsure")"
		done
	done
	nests "$unsure" 3 4
	;;
77) skip 'a pair is made unsure on two CPUs with a lane each' ;;
*) exit 1 ;;
esac
# Spans whose levels were changed: the end of job 3 is that of no begin.
"$build/tests/tool/make_cut" "$name-carried" "$work/levels.tl" || exit 1
# shellcheck disable=SC2086
carried "$work/levels.tl" $formats
keeps "$work/levels.tl" trace.json
nests "$work/levels.tl" 1 3

# A part of a record has the begins of its ends, though these lie before it.
moment=$("$dump" --json --oldest-first "$work/levels.tl" | sed -nE '/"begin"/!d; s/^\{"ns":([0-9]+)([0-9]{9}),.*/@\1.\2/p' | sed -n 3p)
whole=$("$dump" --json --since "$moment" "$work/levels.tl" | jq -r "$ends_of")
has 'a span began before the moment' "$whole" '^request [0-9]+$'
for to in jsonl csv trace tl; do
	"$bin/timeline-convert" -qf --since "$moment" -o "$work/part.$to" "$work/levels.tl" 2>/dev/null
	is "a part of a record as .$to has each end as the whole has it" "$("$dump" --json "$work/part.$to" | jq -r "$ends_of")" "$whole"
	is '... oldest first' "$("$dump" --json --oldest-first "$work/part.$to" | jq -r "$ends_of" | sort)" "$(sort <<<"$whole")"
done
