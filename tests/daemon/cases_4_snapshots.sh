# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Snapshots on a schedule, kept by number and compressed; a full disk and a
# limit of the size of files; reloading under load.

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
# A snapshot that was just saved is a fourth for a moment.
three() { [ "$(find "$snapshots" -name "*-$1.tl.zst" | wc -l)" -eq 3 ]; }
until_true three schedule
is 'the newest three of a schedule are kept' $? 0
until_true three bad
is 'and the newest three of a trigger beside them' $? 0
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

# -- programs that make their timeline, log an error and die before the daemon
# has found the timeline
start_daemon 'timelines = { { name = "'"$name"'-n*",
	triggers = { { name = "bad", level = "error", snapshot = true, every = "0s" } },
	snapshots = { on_death = { every = "0s" } } } }'
for i in 1 2 3 4 5 6 7 8; do
	(printf 'fail %d\ndie\n' "$i" | "$load" "/$name-n$i" >/dev/null) 2>/dev/null
done
all_of() { [ "$(find "$snapshots" -name "*-$1.tl*" | wc -l)" -eq 8 ]; }
until_true all_of bad
is 'triggers see a new timeline from its first entry' $? 0
until_true all_of writer-died
is '... and the death of its program' $? 0
stop_daemon
rm -f "$snapshots"/* "/dev/shm/$name-n"?

# -- clean exits are no deaths, however many there are
start_daemon 'timelines = { { name = "'"$name"'-d", create = { entries = "16k" },
	triggers = { { name = "dead", died = true, every = "0s" } },
	snapshots = { on_death = { every = "0s" } } } }'
for i in $(seq 40); do
	printf 'fail %d\nquit\n' "$i" | "$load" "/$name-d" >/dev/null
done
until_true reaches 40 timeline_stream_entries_total error
(printf 'fail 41\ndie\n' | "$load" "/$name-d" >/dev/null) 2>/dev/null
until_true reaches 1 timeline_trigger_fired_total dead
until_true saved '-writer-died\.tl'
until_true settled
sleep 1.5 # a late death would show by now
is 'of 41 processes one has died' \
	"$(metric timeline_trigger_fired_total dead)" 1
is 'and one snapshot shows it' \
	"$(find "$snapshots" -name '*-writer-died.tl*' | wc -l)" 1
# A program leaves no mark when it ends: Linux 6.15 and later report that the
# exit status was 0.
mkfifo "$work/leave"
"$load" "/$name-d" <"$work/leave" >/dev/null &
leaver=$!
exec 8>"$work/leave"
echo 'fail 42' >&8
until_true reaches 42 timeline_stream_entries_total error
echo leave >&8
exec 8>&-
wait "$leaver"
if [ "$(printf '6.15\n%s\n' "$(uname -r)" | sort -V | head -1)" = 6.15 ]; then
	sleep 1.5
	is '_exit with 0 is no death where the kernel tells' \
		"$(metric timeline_trigger_fired_total dead)" 1
fi
stop_daemon
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

# -- a file that would pass the process's limit of file sizes
start_daemon 'timelines = { { name = "'"$name"'-s",
	triggers = { { name = "bad", level = "error", snapshot = true, every = "1ms",
		run = { "grep", "SigIgn", "/proc/self/status" } } },
	snapshots = { compress = false } } }'
tell fail 2 >/dev/null
until_true saved '-bad\.tl'
until_true logged '^SigIgn:'
# The expression reads bits 24 (SIGXFSZ) and 12 (SIGPIPE) of a hexadecimal mask.
has 'a program of a trigger ignores neither SIGXFSZ nor SIGPIPE' \
	"$(grep SigIgn "$work/log")" \
	'^SigIgn:.[0-9a-f]{9}[02468ace].{2}[02468ace].{3}$'
prlimit --pid "$daemon_pid" --fsize=65536
tell fail 3 >/dev/null
until_true logged ': File too large: .*ulimit -f$'
logged ': File too large: .*ulimit -f$'
is 'a limit of the size of files is reported with the remedy' $? 0
kill -0 "$daemon_pid"
is 'the daemon goes on' $? 0
is 'no half file is left of it' "$(find "$snapshots" -type f | wc -l)" 1
stop_daemon
rm -f "$snapshots"/*

# -- a reload under load loses nothing
start_daemon 'timelines = { { name = "'"$name"'-s" } }'
before=$(tell count)
tell rate 2000 trace >/dev/null # the ring holds seconds of these entries
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
