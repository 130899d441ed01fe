# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# What differs between the trees of two files.

cat >"$work/old_1.log" <<'END'
opening log file 996739200.000000 seconds past January 1st 1970
corresponding to 0 ms after timer start
Process id is 1
000000 1 { main
000000 1 { main (a) ::parse
000010 1 } main (a) ::parse
000010 1 { main (a) ::lookup
000013 1 } main (a) ::lookup
000013 1 { main (a) ::print
000014 1 } main (a) ::print
000014 1 } main
closing log file at 000014
END
sed 's/::lookup/::scan/; s/^000010/000030/; s/^000013/000033/; s/^000014/000034/' \
	"$work/old_1.log" >"$work/new_1.log"
ends 'two files are compared' 0 "$dump" --diff "$work/old_1.log" "$work/new_1.log"
has '... what is slower' "$out" '^! .*::parse +10ms -> 30ms \(\+200%\)$'
has '... what went' "$out" '^- .*::lookup +3ms$'
has '... what came' "$out" '^\+ .*::scan +3ms$'
has '... what is the same' "$out" '^  .*::print +1ms$'
has '... and how much of each' "$out" '^  # .*1 removed, 1 added'
folded=$("$dump" --diff --only-changes "$work/old_1.log" "$work/new_1.log")
lacks '--only-changes folds what is the same' "$folded" '::print'
has '... and says how much' "$folded" '<1 unchanged>'
is 'a file is the same as itself' \
	"$("$dump" --diff --only-changes "$work/old_1.log" "$work/old_1.log" | grep -c '^[-+!]')" 0
over() { "$dump" --diff --threshold "$1" "$work/old_1.log" "$work/new_1.log" | grep -c '^!'; }
is '--threshold: so much or more is slower' "$(over 20ms)" 2
is '... less is not' "$(over 20ms1ns)" 0
is '... of what it took before' "$(over 150%)" 1
is '... or both' "$(over 150%,20ms)" 1
is '... by each' "$(over 300%,1ns) $(over 0%,1s)" '0 0'
has '... what went and came is shown in any case' \
	"$("$dump" --diff --only-changes --threshold 300% "$work/old_1.log" "$work/new_1.log")" '^- .*::lookup'
is '... it goes into a trace, too' "$("$dump" --diff --as-trace --threshold 300% \
	"$work/old_1.log" "$work/new_1.log" | "$dump" --tree - | grep -c 'took left')" 1
for limit in '' 25 % -1ms '25%,' ',25%' 5000000000% x; do
	ends "--threshold '$limit' is none" 2 "$dump" --diff \
		--threshold "$limit" "$work/old_1.log" "$work/new_1.log"
done
ends '--threshold is for --diff' 2 "$dump" --threshold 1% "$work/old_1.log"
ends 'both become a trace' 0 "$dump" --diff --as-trace -o "$work/diff.trace" \
	"$work/old_1.log" "$work/new_1.log"
tree=$("$dump" --tree "$work/diff.trace")
has '... that is read as any other' "$tree" '^ +\+ ::scan: 3ms$'
has '... with what took how long before' "$tree" 'took left\(10ms\), now right\(30ms\)'
ends '--by-index and --values go with it' 0 "$dump" --diff --by-index --values --verbose \
	"$work/old_1.log" "$work/new_1.log"
ends 'one file is not enough' 2 "$dump" --diff "$work/old_1.log"
ends '--only-changes is for --diff' 2 "$dump" --only-changes "$work/old_1.log"
