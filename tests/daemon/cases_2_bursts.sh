# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2317
# Bursts stand in the log with their chances and end by the writers' clock.

start_daemon 'timelines = { { name = "'"$name"'-b", create = { entries = "256k" }, priority = "info",
	bursts = { levels = { "debug", "trace", "trace+++" }, rarer = 4,
		length = "200us", period = "4ms", jitter = 0.5 } } }'
start_load "$name-b"
tell rate 20000 trace >/dev/null
until_true reaches 700 timeline_bursts_total
ticks() { "$dump" --format json --message 'tick*' "$@" "/$name-b" | wc -l; }
sampled() { [ "$(ticks)" -gt 100 ]; }
until_true sampled
tell rate 0 >/dev/null
bursts=$("$dump" --format json --category timeline "/$name-b" |
	jq -r 'select(.args.sample > 0) | .args.level' | sort | uniq -c)
# shellcheck disable=SC2317
count_of() { awk -v l="$1" '$2 == l { n = $1 } END { print n + 0 }' <<<"$bursts"; }
debug=$(count_of 5) trace=$(count_of 4) all=$(count_of 1)
sum=$((debug + trace + all))
[ "$sum" -ge 300 ]
is "bursts are in the log ($sum of them)" $? 0
# The chances are 16/21, 4/21 and 1/21; the test allows six standard deviations
# at 300 bursts and more.
ok_share() { # COUNT NUMERATOR
	awk -v c="$1" -v n="$sum" -v p="$2" 'BEGIN { p /= 21;
		d = c / n - p; s = sqrt(p * (1 - p) / n);
		exit !(d < 6 * s && d > -6 * s) }'
}
for pair in "$debug 16 debug" "$trace 4 trace" "$all 1 trace+++"; do
	read -r n p level <<<"$pair"
	ok_share "$n" "$p"
	is "$level comes with its chance ($n of $sum)" $? 0
done
sampled=$(ticks)
[ "$sampled" -gt 100 ]
is "the log holds a sample of detail ($sampled ticks)" $? 0
stats=$("$dump" --stats --json --message 'tick*' "/$name-b")
# The plan opens 5 % of the time at debug and less at trace; a late daemon opens
# fewer bursts.
is '--stats tells what was observed, and estimates nothing' \
	"$(jq '.observed_share > 0 and .observed_share < 0.2 and .estimate == null' <<<"$stats")" true
has '... in text' "$(COLUMNS=160 "$dump" --stats --message 'tick*' "/$name-b")" \
	' in bursts, [0-9,]+/s of observed time \([0-9.]+ % of all\)$'

# A long burst outlives the daemon that made it, and ends in time.
stop_daemon
start_daemon 'timelines = { { name = "'"$name"'-b",
	bursts = { level = "trace+++", length = "700ms", period = "900ms", jitter = 0 } } }'
tell rate 1000 trace >/dev/null
open_now() { "$dump" --info "/$name-b" | grep -qiE 'burst|trace\+\+\+'; }
until_true reaches 1 timeline_bursts_total
kill_daemon
sleep 1
before=$(tell count)
until_true ticked $((before + 1))
is 'the program goes on' $? 0
sleep 0.3
tell fail 1 >/dev/null # this entry is the newest: --since counts from it
is 'a burst ends though its daemon was killed' "$(ticks --since -200ms)" 0
stop_load
rm -f "/dev/shm/$name"* "$TIMELINED_SOCKET"

# The writers open slots themselves; the plan outlives a daemon that stands
# still.
configure 'timelines = { { name = "'"$name"'-s", create = { entries = "256k" }, priority = "info",
	bursts = { level = "trace", by = "slots", length = "100us", share = 0.2 } } }'
has 'timelined -n reports how long a slot is' "$("$daemon" -n -c "$work/conf")" \
	": length 100us: slots of [0-9.]+us$"
has '... and counts timelines' "$("$daemon" -n -c "$work/conf")" ': 1 timeline, no error$'
sed 's/100us/1s/' "$work/conf" >"$work/conf-1s"
has '... and reports a long one in digits' "$("$daemon" -n -c "$work/conf-1s")" \
	": length 1000000us: slots of [0-9]+us$"
start_daemon
start_load "$name-s"
tell rate 20000 trace >/dev/null
sampled() { [ "$("$dump" --format json --message 'tick*' "/$name-s" | wc -l)" -gt 500 ]; }
until_true sampled
kill -STOP "$daemon_pid"
sleep 1
kill -CONT "$daemon_pid"
renewed() { # entries after the pause say that the plan held
	[ "$("$dump" --format json --category timeline --message 'slots*' "/$name-s" |
		jq -s 'length')" -gt 8 ]
}
until_true renewed
tell rate 0 >/dev/null
stats=$("$dump" --stats --json --message 'tick*' "/$name-s")
is '--stats estimates from slots, whatever the load' "$(jq '.estimate.rate_low < .estimate.rate_high and .starved < 0.05' <<<"$stats")" true
truth=$(tell count)
is '... about as many entries as there were' \
	"$(jq --argjson truth "$truth" '.estimate.count / $truth > 0.5 and .estimate.count / $truth < 1.5' <<<"$stats")" true
is '... and the share of slots is that of observed time' \
	"$(jq '.observed_share > 0.15 and .observed_share < 0.25' <<<"$stats")" true
is '... in which the rate is that of the estimate' \
	"$(jq '(.rate_per_s / .estimate.rate - 1 | fabs) < 0.2' <<<"$stats")" true
is '... also by --info' \
	"$("$dump" --info --json "/$name-s" | jq '.levels.open_times[] | select(.level == "trace") | .share > 0.15 and .share < 0.25')" true
text=$(COLUMNS=160 "$dump" --stats --message 'tick*' "/$name-s")
has '... in text' "$text" ' in slots, [0-9,]+/s of observed time \([0-9.]+ % of all\)$'
has '... with the total' "$text" '^    estimated [0-9,]+ entries \([0-9,]+ \.\. [0-9,]+, 95 %\), [0-9,.]+/s in [0-9.]+ s, from [0-9,]+ slots$'
has '... in CSV' "$("$dump" --stats --format csv --message 'tick*' "/$name-s" | tail -1)" ',(0(\.[0-9]+)?|[0-9.]+e-[0-9]+),,,,,,,,,$'
until_true reaches 1 timeline_watched_seconds_total
curl -s "http://127.0.0.1:$port/metrics" >"$work/metrics" 2>/dev/null
has 'metrics have the slots' "$(grep timeline_slot_share_ratio "$work/metrics")" '} 0\.(2|1999)'
has '... and the share of time in which they were open' \
	"$(grep 'timeline_priority_open_ratio.*"trace"' "$work/metrics")" '} 0\.(1[5-9]|2[0-4])'
stop_daemon
is 'the plan ends with the daemon' "$("$dump" --info --json "/$name-s" | jq -r .levels.threshold_now)" info
stop_load
rm -f "/dev/shm/$name"* "$TIMELINED_SOCKET"

# What a dead program logged is not overwritten by the bursts that come after.
start_daemon 'timelines = { { name = "'"$name"'-d", create = { entries = "64k" }, priority = "info",
	bursts = { level = "trace", length = "100us", period = "2ms" } } }'
start_load "$name-d"
tell beat 50 >/dev/null
until_true reaches 100 timeline_bursts_total
kill -9 "$load_pid"
wait "$load_pid" 2>/dev/null
until_true reaches 1 timeline_writers ended
rests() { # a burst is due every 2 ms
	local before
	before=$(metric timeline_bursts_total)
	sleep 0.5
	reaches "$before" timeline_bursts_total && ! reaches $((before + 2)) timeline_bursts_total
}
until_true rests
is 'no bursts follow when every process that logged has ended' $? 0
before=$(metric timeline_bursts_total)
start_load "$name-d"
tell beat 50 >/dev/null
until_true reaches $((before + 100)) timeline_bursts_total
is '... until another one logs' $? 0
stop_daemon
stop_load
rm -f "/dev/shm/$name"* "$TIMELINED_SOCKET"
