# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# record writes the entries that come into a trace: until it is interrupted, for
# a time, or until the file has a size.

re=$name-re
trace=$work/a.trace
"$ctl" create "$re"
# log_into NAME N logs N entries, a few at a time.
log_into() {
	local i
	for ((i = 0; i < $2; i++)); do "$make" "$1" known; done
}
entries_of() { "$dump" "$1" | wc -l; }
recording() { [ -s "$1" ]; }

"$ctl" record "$re" -o "$trace" >"$work/rec1" 2>"$work/err" &
recorder=$!
started+=("$recorder")
until_true recording "$trace"
log_into "$re" 3
logged=$(entries_of "$re")
sleep 0.3
kill -INT "$recorder"
wait "$recorder"
is 'record ends well when it is interrupted' "$? $(cat "$work/err")" '0 '
has '... and sums up' "$(cat "$work/rec1")" "^$trace: $logged entries, 0 lost, [0-9.]+[BKM]? in [0-9.m]+s$"
is '... what was logged lies there' "$("$dump" --oldest-first "$trace" | untimed)" \
	"$("$dump" --oldest-first "$re" | untimed)"
has '... with an index beside it' "$(ls "$work")" 'a.trace.idx'
is '... which nobody else may read' "$(stat -c %a "$trace" "$trace.idx" | uniq)" 600

ends 'a file that is there is not written over' 1 "$ctl" record "$re" -o "$trace" --for 1s
has '... and said so' "$err" "^timelinectl: $trace: the file or its index exists already; choose another name$"
rm "$trace"
ends '... nor is its index' 1 "$ctl" record "$re" -o "$trace" --for 1s
is '... and nothing is left' "$(find "$work" -name 'a.trace*')" "$trace.idx"

ends 'record --for stops by itself' 0 "$ctl" record "$re" -o "$work/b.trace" --for 300ms --json
is '... and says it as JSON' "$(jq -c '[.file, .entries, .lost, .size > 0, .lasted_ns >= 300000000]' <<<"$out")" \
	"[\"$work/b.trace\",0,0,true,true]"
is 'a trace of nothing is one' "$("$dump" "$work/b.trace" 2>&1)" ''
is '... without timers nothing is said of them' "$err" ''

# The first timeline has a timer, the second gets a timer meanwhile, the third
# has none.
"$make" "$re-t" timed=1
"$make" "$re-u"
"$ctl" record "$re-t" "$re-u" "$re" -o "$work/t.trace" >/dev/null 2>"$work/err" &
recorder=$!
started+=("$recorder")
until_true recording "$work/t.trace"
is 'record says at once that it has no histograms of timers' "$(cat "$work/err")" \
	"timelinectl: $re-t: the histograms of timers are not recorded; 'timelinectl save' keeps them"
"$make" "$re-u" timed=1
kill -INT "$recorder"
wait "$recorder"
is '... and at its end of new ones' "$? $(tail -n +2 "$work/err")" \
	"0 timelinectl: $re-u: the histograms of timers are not recorded; 'timelinectl save' keeps them"

# Two timelines are recorded into one packed trace.
"$ctl" create "$re-2"
"$ctl" record "$re" "$re-2" --zstd -o "$work/c.trace" >"$work/rec2" 2>"$work/err" &
recorder=$!
started+=("$recorder")
until_true recording "$work/c.trace"
log_into "$re" 2
log_into "$re-2" 1
sleep 0.3
kill -TERM "$recorder"
wait "$recorder"
is 'several timelines go into one file' "$? $(cat "$work/err")" '0 '
has '... all of them' "$(cat "$work/rec2")" ": $(entries_of "$work/c.trace") entries, 0 lost"

"$ctl" record "$re-2" -o "$work/d.trace" >"$work/rec3" 2>"$work/err" &
recorder=$!
started+=("$recorder")
until_true recording "$work/d.trace"
"$ctl" remove "$re-2"
wait "$recorder"
is 'the end of the timeline is the end of the recording' "$? $(cat "$work/err")" '0 '
has '... which is summed up' "$(cat "$work/rec3")" ': 0 entries, 0 lost'

for words in '' "$re" "-o $work/x.trace" "$re -o $work/x.trace --for never" \
	"$re -o $work/x.trace --for 0s" "$re -o $work/x.trace --size 5" \
	"$re -o $work/x.trace --size lots"; do
	# shellcheck disable=SC2086
	ends "record $words: usage" 2 "$ctl" record $words
done
ends 'record of nothing' 1 "$ctl" record "$name-none" -o "$work/x.trace"
ends 'record of a file that does not grow' 1 "$ctl" record "$trace.idx" -o "$work/x.trace"
ends 'record where no file can be made' 1 "$ctl" record "$re" -o "$work/none/x.trace"
has '... says why' "$err" 'none/x.trace: No such file or directory'
is '... and nothing is left of any' "$(find "$work" -name 'x.trace*')" ''
if has_terminals; then
	has 'on a terminal it says how far it is' \
		"$(on_terminal "$ctl" record "$re" -o "$work/e.trace" --for 500ms)" \
		'0 entries, 0 lost, [0-9.]+'
fi
