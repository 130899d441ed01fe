# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# keep: the ring holds as much history as the configuration asks for, though the
# program's rate rises a hundredfold from one moment to the next.

start_daemon 'timelines = { { name = "'"$name"'-k", priority = "info", keep = "2s",
	create = { entries = "64k" },
	bursts = { level = "trace", length = "20ms", period = "40ms" } } }'
start_load "$name-k"
tell rate 3000 trace >/dev/null
until_true ticked 9000
scale_before=$(metric timeline_burst_scale)
tell rate 300000 trace >/dev/null
kept() { awk -v k="$(metric timeline_kept_seconds)" 'BEGIN { exit !(k >= 2) }'; }
keeps() { [ "$(metric timeline_keeps)" = 1 ] && kept; }
less() { awk -v a="$scale_before" -v b="$(metric timeline_burst_scale)" 'BEGIN { exit !(b < a) }'; }
until_true less
until_true keeps
is "two seconds are kept again ($(metric timeline_kept_seconds) s)" $? 0
scale_after=$(metric timeline_burst_scale)
awk -v a="$scale_before" -v b="$scale_after" 'BEGIN { exit !(b < a) }'
is "bursts take less of the time ($scale_before, then $scale_after)" $? 0
awk -v b="$scale_after" 'BEGIN { exit !(b > 0) }'
is 'but there still are some' $? 0
stop_daemon
stop_load
rm -f "/dev/shm/$name"*
