# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Bursts of a schedule: samples, and the totals that are estimated from them.

samples=$work/samples.tl
"$build/tests/tool/make_samples" "$name-samples" "$samples" 50 5 || exit 1
info=$("$dump" --info --json "$samples")
is '--info counts samples' "$(jq -c '[.levels.bursts, .levels.bursts_sampled]' <<<"$info")" '[55,50]'
is '... and marks their windows' \
	"$(jq '[.levels.windows[] | select(.sample)] | length == 50 and all(.burst and (.merged | not))' <<<"$info")" true
is 'a burst says in the listing whether it is a sample' \
	"$("$dump" --category timeline "$samples" | grep -o 'sample(.)' | sort | uniq -c | tr -s ' \n' ' ')" ' 5 sample(0) 50 sample(1) '
row=$("$dump" --stats --json --category work "$samples")
n='[0-9.e+-]+' # as a double is printed
is '--stats estimates from samples, and says from how many' \
	"$(jq -c '.estimate | [.samples, .left_out]' <<<"$row")" '[50,5]'
is '... with an interval around it' \
	"$(jq '.estimate | .rate_low < .rate and .rate < .rate_high and .count_low < .count and .count < .count_high' <<<"$row")" true
is '... more than what was seen' "$(jq '.estimate.count > 2 * .count' <<<"$row")" true
is '... of a time that is said' \
	"$(jq '.estimate | (.rate * .seconds / .count - 1 | fabs) < 0.001' <<<"$row")" true
has '... in text' "$("$dump" --stats --category work "$samples")" \
	"^    estimated $n/s \\($n \\.\\. $n, 95 %\\), $n entries in $n s, from 50 samples \\(5 other bursts left out\\)$"
csv=$("$dump" --stats --format csv --category work "$samples")
has '... in CSV' "$csv" "^[^,]*,work,trace,instant,step \\\$n,[0-9]+,[^,]+,[^,]+,[^,]+,$n,$n,$n,50,5,interval,ns,"
is '... whose lines are as long as its heading' "$(awk -F, '{ print NF }' <<<"$csv" | sort -u | wc -l)" 1
is 'what the base opens is not estimated' \
	"$("$dump" --stats --json --category timeline "$samples" | jq -s 'all(.estimate == null)')" true
is 'what was only wished for is not estimated' \
	"$("$dump" --stats --json --category detail "$bursts" | jq .estimate)" null

"$build/tests/tool/make_samples" "$name-samples" "$work/one.tl" 1 0 || exit 1
is 'one sample has no interval' \
	"$("$dump" --stats --json --category work "$work/one.tl" | jq -c '.estimate | [.samples, has("rate_low")]')" '[1,false]'
has '... in text' "$("$dump" --stats --category work "$work/one.tl")" "estimated $n/s, $n entries in $n s, from 1 sample$"
has '... in CSV' "$("$dump" --stats --format csv --category work "$work/one.tl")" ",$n,,,1,0,interval,ns,"
