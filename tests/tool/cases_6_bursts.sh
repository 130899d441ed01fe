# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Bursts of a schedule: samples, and the totals that are estimated from them.

samples=$work/samples.tl
"$build/tests/tool/make_samples" "$name-samples" "$samples" 50 5 || exit 1
info=$("$dump" --info --json "$samples")
is '--info counts samples' "$(jq -c '[.levels.bursts, .levels.bursts_sampled]' <<<"$info")" '[55,50]'
is '... and marks their windows' \
	"$(jq '[.levels.windows[] | select(.sample)] | length == 50 and all(.burst and (.merged | not))' <<<"$info")" true
# a writer that is interrupted between the burst and its entry shows what is left
is 'a burst says in the listing whether it is a sample' \
	"$("$dump" --category timeline "$samples" | sed -E 's/^.* timeline   //; s/for (200|1[0-9][0-9])us/for T/' | sort | uniq -c | tr -s ' \n' ' ')" ' 5 burst to trace for T 50 burst to trace for T (sample) 55 in force: burst to trace for T 1 in force: priority info 1 priority info '
row=$("$dump" --stats --json --category work "$samples")
n='[0-9.e+-]+' # as a double is printed
is '--stats estimates from samples, and says from how many' \
	"$(jq -c '.estimate | [.samples, .left_out]' <<<"$row")" '[50,5]'
is '... with an interval around it' \
	"$(jq '.estimate | .rate_low < .rate and .rate < .rate_high and .count_low < .count and .count < .count_high' <<<"$row")" true
is '... more than what was seen' "$(jq '.estimate.count > 2 * .count' <<<"$row")" true
is '... of a time that is said' \
	"$(jq '.estimate | (.rate * .seconds / .count - 1 | fabs) < 0.001' <<<"$row")" true
has '... in text' "$(COLUMNS=200 "$dump" --stats --category work "$samples")" \
	"^    estimated $n/s \\($n \\.\\. $n, 95 %\\), $n entries in $n s, from 50 samples \\(5 other bursts left out\\)$"
csv=$("$dump" --stats --format csv --category work "$samples")
has '... in CSV' "$csv" "^[^,]*,work,trace,instant,step \\\$n,[0-9]+,[^,]+,[^,]+,[^,]+,$n,$n,$n,50,5,0,interval,ns,"
is '... and starved, where slots are, behind the quantity' \
	"$(head -1 <<<"$csv" | awk -F, '{ print $(NF - 7) }') $(sed -n 2p <<<"$csv" | awk -F, '{ print $(NF - 7) }')" 'starved '
is '... whose lines are as long as its heading' "$(awk -F, '{ print NF }' <<<"$csv" | sort -u | wc -l)" 1
is 'what the base opens is not estimated' \
	"$("$dump" --stats --json --category timeline "$samples" | jq -s 'all(.estimate == null)')" true
is 'how long CPUs were contended is in JSON' "$(jq .contended <<<"$row")" 0

# A schedule is run by the scheduler: where threads wait for CPUs its bursts
# are no fair sample, and no total is printed.
"$build/tests/tool/make_samples" "$name-samples" "$work/contended.tl" 50 5 63 || exit 1
row=$("$dump" --stats --json --category work "$work/contended.tl")
is 'nothing is estimated where CPUs were contended' \
	"$(jq -c '[.estimate, (.contended * 100 | round)]' <<<"$row")" '[null,63]'
has '... in text' "$(COLUMNS=200 "$dump" --stats --category work "$work/contended.tl")" \
	'^    not estimated: CPUs were contended 63 % of the time \(bursts by slots sample without the scheduler\)$'
has '... in CSV' "$("$dump" --stats --format csv --category work "$work/contended.tl")" ",,,,50,5,0\.6[23][0-9]*,interval,ns,"
"$build/tests/tool/make_samples" "$name-samples" "$work/little.tl" 50 0 3 || exit 1
is '... but where they hardly were' \
	"$("$dump" --stats --json --category work "$work/little.tl" | jq -c '[.estimate != null, (.contended * 100 | round)]')" '[true,3]'
"$build/tests/tool/make_samples" "$name-samples" "$work/unknown.tl" 50 0 -1 || exit 1
is 'nothing is estimated where that was not recorded' \
	"$("$dump" --stats --json --category work "$work/unknown.tl" | jq -c '[.estimate, .contended]')" '[null,null]'
has '... in text' "$(COLUMNS=200 "$dump" --stats --category work "$work/unknown.tl")" \
	'^    not estimated: contention of the CPUs was not recorded '

"$build/tests/tool/make_samples" "$name-samples" "$work/one.tl" 1 0 || exit 1
is 'one sample cannot show that CPUs were free' \
	"$("$dump" --stats --json --category work "$work/one.tl" | jq -c '[.estimate, .contended]')" '[null,null]'
has '... in CSV' "$("$dump" --stats --format csv --category work "$work/one.tl")" ",,,,1,0,,interval,ns,"
for file in "$samples" "$work/contended.tl" "$work/unknown.tl"; do
	is "--stats fits 80 columns: ${file##*/}" \
		"$(COLUMNS=80 "$dump" --stats "$file" | awk 'length > 80')" ''
done
