# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# The page that the daemon serves, in a real browser.

browser=$(command -v chromium || command -v chromium-browser)
if [ -n "$browser" ] && command -v node >/dev/null; then
	start_daemon 'timelines = { { name = "'"$name"'-p", create = { entries = "16k" } } }'
	start_load "$name-p"
	tell rate 2000 trace >/dev/null
	sleep 1
	tell rate 0 >/dev/null
	count=$(tell count)
	seen=$(timeout -k 5 200 node "$here/../page/check_daemon.js" "$browser" \
		"http://127.0.0.1:$port/" "$name-p" "$count")
	field() { jq -r "$1" <<<"$seen"; }
	# beside the ticks there may be entries about levels
	[ "$(field .count)" -ge "$count" ] && [ "$(field .count)" -le $((count + 5)) ]
	is "the page has the entries of the timeline ($(field .count))" $? 0
	[ "$(field .drawn)" -gt 0 ]
	is 'and draws them' $? 0
	is 'none is lost' "$(field .lost)" 0
	has 'its button saves a snapshot' "$(field .answer)" "$name-p-.*\.tl"
	saved "$name-p-"
	is 'which is there' $? 0
	is 'nothing is said on the console' "$(field '.errors | length')" 0
	is 'and nobody else is asked' "$(field '.foreign | length')" 0
	stop_load
	stop_daemon
	rm -f "/dev/shm/$name"* "$snapshots"/*
else
	skip 'no chromium, or no node to drive it'
fi
