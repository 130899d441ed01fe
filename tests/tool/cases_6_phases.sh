# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# A priority closes messages for a while: what --stats says of spans of each kind.

phases=$work/phases.tl
read -r rate open < <("$build/tests/tool/make_phases" "$name-phases" "$phases") || exit 1
# row MESSAGE FILTER: of one row
row() { "$dump" --stats --json --message "$1*" "${3:-$phases}" | jq -c "$2"; }

for message in plain proven timed; do
	is "no interval of $message reaches over closed time" "$(row $message .interval_ns.count)" 298
done
is '... and all are where nothing was closed' "$(row always .interval_ns.count)" 449

# A rate is of spans, whatever their ends are, in the time that is observed.
for message in tick always plain proven timed; do
	case $message in tick | always) truth=$rate ;; *) truth=$open ;; esac
	is "the rate of $message is that of the program" \
		"$(row $message "(.rate_per_s / $truth - 1 | fabs) < 0.1")" true
	is '... which is what counts by the length of observed time' \
		"$(row $message '(.rate_per_s * .observed_ns / .observed_count / 1e9 - 1 | fabs) < 0.02')" true
done
is 'all of what is always open is in observed time' "$(row always '[.count, .observed_count, .observed_share]')" '[900,450,1]'
has '... in text' "$("$dump" --stats --message 'always*' "$phases")" '^    info  900 entries  [0-9,.]+ spans/s$'
has '... where a part is observed' "$("$dump" --stats --message 'proven*' "$phases")" \
	'^    debug  600 entries, 300 spans in observed time, [0-9,.]+/s of observed time'

# A trace has the levels of its start; one that is made of a part does not, and
# nothing before their first change is in a rate.
traced=$work/phases.trace
"$bin/timeline-convert" -q -o "$traced" "$phases" || exit 1
for message in tick always plain timed; do
	is "a trace has the rate of the timeline: $message" \
		"$(row $message '[.observed_count, .observed_ns, .rate_per_s]' "$traced")" \
		"$(row $message '[.observed_count, .observed_ns, .rate_per_s]' "$phases")"
done
"$bin/timeline-convert" -q -f --since 2000-01-01 -o "$traced" "$phases" || exit 1
for message in tick always plain timed; do
	is "a rate of a part is that of observed time: $message" \
		"$(row $message '(.rate_per_s * .observed_ns / .observed_count / 1e9 - 1 | fabs) < 0.02 and .observed_count < .count' "$traced")" true
done
has '... in text, since when' "$("$dump" --stats --message 'tick*' "$traced" | tr -s '\n ' ' ')" \
	'450 entries, [0-9]+ in observed time, [0-9,.]+/s of observed time \(100 % of the time since [^;]*; levels are not known before\)'
is '... what is logged at any level has that of all time' \
	"$("$dump" --stats --json --message 'priority set*' "$traced" | jq '[.count, .rate_per_s > 3]' -c)" '[2,true]'
lacks '... which a snapshot has from its start' "$("$dump" --stats "$phases")" 'not known'
