# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# make bench-truth: its judge finds a liar, a copy of our listing in which one
# span is stretched; its pairing errs as the analysis does that it stands for.
bench=$top/tests/bench/truth
# judge [SINCE] prints the numbers of claims, of false ones, the worst factor, and
# the number of missing spans.
judge() { lua5.4 "$bench/judge.lua" "$work/truth" "$work/claims" "$@" | cut -f 1-4; }

# The record is its own truth: the listing, as spans that were seen from outside.
"$make" "$name-judged" spans=20 "save=$work/judged.tl"
"$dump" --json --oldest-first "$work/judged.tl" |
	jq -r 'select(.kind == "end" and .duration_ns) | [(.message | match("[a-z]+").string), .tid, .duration_ns] | @tsv' |
	awk -v claims="$work/claims" '{
		begin = NR * 1000
		print $1, NR, $2, $3 >claims
		print $1, NR, $2, begin, begin, begin + $3, begin + $3
	}' >"$work/spans"
{ echo 'clock 0 0' && echo 'open 0' && cat "$work/spans"; } >"$work/truth"
count=$(wc -l <"$work/claims")
has 'the listing that is judged has spans' "$count" '^[1-9][0-9]'
is 'our listing is true' "$(judge)" "$count	0	0.0	0"

cp "$work/claims" "$work/honest"
awk 'NR == 3 { $4 += 1000 * 1000 } 1' "$work/honest" >"$work/claims"
has 'one stretched span is found, and is missing' "$(judge)" "^$count	1	[0-9]{2,}\.[0-9]	1$"
awk 'NR == 3 { $3++ } 1' "$work/honest" >"$work/claims"
has 'so is a span of another thread' "$(judge)" "^$count	1	"
awk 'NR == 3 { $4 += 1900 } 1' "$work/honest" >"$work/claims"
has '... but not a microsecond' "$(judge)" "^$count	0	"
sed 3p "$work/honest" >"$work/claims"
has 'a span that is claimed twice is found' "$(judge)" "^$((count + 1))	1	"
sed '$d' "$work/honest" >"$work/claims"
has 'a span that is not claimed is missing' "$(judge)" '	1$'
has '... unless the record is complete only since then' "$(judge 9999999999999999999)" '	0$'

cat >"$work/events" <<'END'
100 7 B outer 1
200 7 B outer 2
300 8 E outer 9
400 7 E outer 1
END
is 'a stack pairs an end with the last begin of its thread' \
	"$(lua5.4 "$bench/pair.lua" stack <"$work/events")" 'outer	2	7	200'
is 'a key pairs an end with the begin of its id' \
	"$(lua5.4 "$bench/pair.lua" key <"$work/events")" 'outer	1	7	300'
