# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Snapshots on a schedule, kept by number, compressed; a full disk; reloading
# under load.

start_daemon 'timelines = { { name = "'"$name"'-s", create = { entries = "16k" },
	triggers = { { name = "bad", level = "error", snapshot = true, every = "1ms" } },
	snapshots = { every = "1s", compress = true, keep = { count = 3 } } } }'
start_load "$name-s"
tell rate 2000 trace >/dev/null
for i in 1 2 3 4 5; do
	tell fail "$i" >/dev/null
	until_true reaches "$i" timeline_trigger_fired_total
	sleep 0.1
done
until_true saved '-schedule\.tl\.zst'
until_true reaches 3 timelined_snapshots_removed_total
# for a moment there is one more: that which was just saved
three() { [ "$(find "$snapshots" -name '*.tl.zst' | wc -l)" -eq 3 ]; }
until_true three
is 'the newest three are kept, of those of a schedule, too' $? 0
tell rate 0 >/dev/null
stop_daemon
one=$(find "$snapshots" -name "$name-s-*.tl.zst" | sort | tail -1)
has 'timeline-dump reads them as they are' "$("$dump" -n 3 "$one")" 'tick n\('
if command -v zstd >/dev/null; then
	zstd -dq "$one" -o "$work/plain.tl"
	is 'zstd makes of them what timeline-dump shows' \
		"$("$dump" "$work/plain.tl")" "$("$dump" "$one")"
fi
rm -f "$snapshots"/*

# -- a full disk
if [ "$(id -u)" = 0 ] && mkdir -p "$work/small" &&
	mount -t tmpfs -o size=256k tmpfs "$work/small" 2>/dev/null; then
	keep_snapshots=$snapshots
	snapshots=$work/small
	start_daemon 'timelines = { { name = "'"$name"'-s",
		triggers = { { name = "bad", level = "error", snapshot = true, every = "1ms" } },
		snapshots = { compress = false } } }'
	tell rate 20000 trace >/dev/null
	until_true ticked $(($(tell count) + 14000))
	tell rate 0 >/dev/null
	tell fail 1 >/dev/null
	until_true logged 'cannot save.*No space'
	logged 'cannot save.*No space'
	is 'a full disk is reported' $? 0
	is 'no half file is left' "$(find "$work/small" -type f | wc -l)" 0
	is 'the writer never notices' "$(tell depth 1)" ok
	stop_daemon
	umount "$work/small"
	snapshots=$keep_snapshots
else
	skip 'no small file system can be mounted here'
fi

# -- a reload under load loses nothing
start_daemon 'timelines = { { name = "'"$name"'-s" } }'
before=$(tell count)
tell rate 2000 trace >/dev/null # the ring holds seconds of it
for i in 1 2 3 4 5; do
	kill -HUP "$daemon_pid"
	until_true lines "$i" ': reloaded$'
done
until_true ticked $((before + 1000))
tell rate 0 >/dev/null
logged_now=$(($(tell count) - before))
until_true reaches "$logged_now" timeline_stream_entries_total 'priority="trace"'
stream=$(metric timeline_stream_entries_total 'priority="trace"')
is "reloads under load lose none of $logged_now entries" "$stream" "$logged_now"
is 'and nothing is counted as lost' "$(metric timeline_stream_lost_total)" 0
stop_daemon
stop_load
rm -f "/dev/shm/$name"*
