# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A running daemon keeps the clock; the clock stays usable when the daemon is
# killed.

# u32_at OFFSET prints a number of the live file.
u32_at() { od -An -t u4 -j "$1" -N 4 "/dev/shm/$name-clock" | tr -d ' '; }
# Byte 492 holds the keeper's process, byte 384 the clock's sequence number.
kept_by() { [ "$(u32_at 492)" = "$1" ]; }
moved_from() { [ "$(u32_at 384)" != "$1" ]; }

start_daemon 'timelines = { { name = "'"$name"'-clock", create = { entries = 4096 } } }'
if [ "$(od -An -t u4 -j 56 -N 4 "/dev/shm/$name-clock" | tr -d ' ')" != 1 ]; then
	skip 'no trustworthy TSC here: no clock to keep'
else
	if until_true kept_by "$daemon_pid"; then
		ok 'the daemon keeps the clock of its timeline'
	else
		bad 'the daemon keeps the clock of its timeline' <"$work/log"
	fi
	before=$(u32_at 384)
	if until_true moved_from "$before"; then
		ok 'the clock gets point after point'
	else
		bad 'the clock gets point after point' <"$work/log"
	fi
	start_load "$name-clock"
	for _ in 1 2 3; do # kill, read, write, start the next daemon
		kill_daemon
		ends 'a reader reads on when it is killed' 0 "$dump" "/$name-clock"
		tell beat 10 >/dev/null
		start_daemon
		if until_true kept_by "$daemon_pid"; then
			ok 'the next daemon takes the clock over'
		else
			bad 'the next daemon takes the clock over' <"$work/log"
		fi
	done
	stop_daemon
	is 'a daemon that ends lets go of the clock' "$(u32_at 492)" 0
	is 'and nobody holds its lock' "$(($(u32_at 384) % 2))" 0
	stop_load
fi
rm -f "/dev/shm/$name-clock"
