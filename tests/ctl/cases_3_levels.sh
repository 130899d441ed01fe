# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# priority, burst and level.

lv=$name-lv
"$make" "$lv" known
for level in fatal error warning info debug trace trace+ trace++ trace+++ off; do
	"$ctl" priority "$lv" "$level" >"$work/said" &&
		[ "$(of "$lv" .level)" = "$level" ] || echo "$level"
done >"$work/out"
is 'priority sets every level' "$(cat "$work/out")" ''
is '... and says what off means' "$(cat "$work/said")" "$lv: logging nothing"
is '... and what a level means' "$("$ctl" priority "$lv" debug)" "$lv: logging debug and above"
ends 'an unknown priority is a usage error' 2 "$ctl" priority "$lv" loud
has '... that names them' "$err" 'loud: no such priority: fatal, .*, off$'
"$ctl" priority "$lv" warning
ends 'burst' 0 "$ctl" burst "$lv" trace 10m
has '... says until when' "$out" \
	"^$lv: logging trace and above until 20[0-9T:.+-]+ \(10m00s\)\$"
is '... opens the level' "$(of "$lv" '"\(.level) \(.base) \(.burst_left_ns > 0 and .burst_left_ns < 602e9)"')" \
	'trace warning true'
has '... and list says for how long' "$("$ctl" list)" "^$lv .* trace for [0-9m.]+s"
has '... and top, too' "$("$ctl" top -n 1 -d 10ms "$lv")" "^$lv  level trace for [0-9m.]+s, then warning"
for level in error info warning; do "$ctl" priority "$lv" "$level" >/dev/null; done
is '... and no priority makes it longer; one that is not higher makes it shorter' \
	"$("$dump" --json --category timeline "$lv" | jq -s -c '[.[].args | select(.level < .base).until]
		| last as $asked | map(. - $asked) | unique')" '[-8192,0]'
ends 'burst takes no "off"' 2 "$ctl" burst "$lv" off 1s

ends 'a wrong duration is a usage error' 2 "$ctl" burst "$lv" trace soon
ends '... and one of nothing' 2 "$ctl" burst "$lv" trace 0s
ends '... and a negative one' 2 "$ctl" burst "$lv" trace -- -1s
ends 'a burst of more than an hour is refused' 1 "$ctl" burst "$lv" trace 2h
is '... with the reason' "$err" "timelinectl: $lv: a burst lasts 1 ns to an hour"
for duration in 500ns 100us 1.5ms 2s 1m 1h 1m30s; do
	"$ctl" burst "$lv" trace "$duration" >/dev/null || echo "$duration"
done >"$work/out" 2>&1
is 'durations take all units' "$(cat "$work/out")" ''

gate() { "$dump" --list --json "$lv" | jq -r --arg m "$1" 'select(.message | startswith($m)) | .gate'; }
ends 'level' 0 "$ctl" level "$lv" 'chatter*' error
is '... says what it does' "$out" "$lv: messages that match chatter* are logged as error"
is '... changes what matches' "$(gate chatter) $(gate gave)" 'error fatal'
ends 'level off' 0 "$ctl" level "$lv" '*' off --category 'di*'
is '... of a category' "$(gate chatter) $(gate gave)" 'error off'
ends 'level default' 0 "$ctl" level "$lv" '*' default
is '... says so' "$out" "$lv: messages that match * have the level of their definition"
is '... turns all back' "$(gate chatter) $(gate gave)" 'debug fatal'
ends 'level of nothing' 1 "$ctl" level "$lv" 'nothing like it' off
is '... says so' "$err" \
	"timelinectl: $lv: no message matches nothing like it: timeline-dump --list $lv shows what there is"
ends 'level wants a level' 2 "$ctl" level "$lv" '*' loud

ends 'slower of what is no timer' 1 "$ctl" slower "$lv" '*' 1ms
is '... says so' "$err" \
	"timelinectl: $lv: no timer matches *: timeline-dump --list $lv shows what there is"
ends 'slower of no duration' 2 "$ctl" slower "$lv" '*' soon
ends 'slower of no percentile' 2 "$ctl" slower "$lv" '*' p100
has '... says which there are' "$err" 'p100: a percentile is from p0\.0001 to p99\.9999'

# Spans of 10 ms, 20 ms ... 10 s are ended again and again; kept counts the
# spans that a level keeps.
timed=$name-timed
kept() { "$dump" --stats --json "$timed" | jq -s 'map(select(.category == "timed"))[0].spans // 0'; }
# threshold rounds to 5 ms: a clock that learns its rate converts the threshold
# anew.
threshold() {
	"$dump" --stats --json "$timed" |
		jq -c 'select(.category == "timed").slower_ns | if . then (. / 5e6 | round) * 5 else . end'
}
"$make" "$timed" entries=8192 timed=0
ends 'slower' 0 "$ctl" slower "$timed" 'time*' 4995ms
is '... says what it does' "$out" "$timed: timers that match time* log spans of at least 4.995s"
is '... sets the threshold' "$(threshold)" 4995
"$make" "$timed" timed=1000
is '... from which spans are kept' "$(kept)" 501
ends 'slower of another category' 1 "$ctl" slower --category other "$timed" 'time*' 1ms
is '... changes nothing' "$(threshold)" 4995
ends 'slower off' 0 "$ctl" slower --category timed "$timed" '*' off
"$make" "$timed" timed=1000
is '... keeps none' "$(kept) $(threshold)" '501 null'
ends 'slower by a percentile' 0 "$ctl" slower "$timed" 'time*' p99
is '... sets what it is now' "$(threshold | jq '. / 9900 - 1 | fabs < 0.01')" true
has '... which --stats shows' "$("$dump" --stats "$timed")" '^    spans are kept from 9\.[0-9]+s, by p99$'
ends 'slower 1ms' 0 "$ctl" slower "$timed" 'time*' 1ms
has '... ends that' "$("$dump" --stats "$timed")" '^    spans are kept from 1ms$'
"$make" "$timed" timed=1000
is '... and keeps all' "$(kept)" 1501
rm -f "/dev/shm$timed"
