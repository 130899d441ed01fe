# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A real browser opens the page that the daemon serves.

browser=$(command -v chromium || command -v chromium-browser)
if [ -n "$browser" ] && command -v node >/dev/null; then
	: >"$work/no-folder"
	start_daemon 'page = "'"$work/page.sock"'", timelines = {
		{ name = "'"$name"'-p", create = { entries = "16k" }, record = {
			directory = "'"$work"'/recorded", flush = "50ms" } },
		{ name = "'"$name"'-q", create = { entries = "16k" }, record = {
			directory = "'"$work"'/no-folder", flush = "50ms" } } }'
	start_load "$name-p"
	tell rate 500 trace >/dev/null
	until_true ticked 500
	tell rate 0 >/dev/null
	count=$(tell count)
	"$load" "/$name-q" <<<'fail 1' >/dev/null
	until_true reaches "$count" timeline_record_entries_total "$name-p"
	until_true reaches 1 timeline_record_failing "$name-q"
	# look ADDRESS checks the page in a browser that begins at the address.
	look() {
		seen=$(timeout -k 5 500 node "$here/../page/check_daemon.js" \
			"$browser" "$1" "$name-p" "$count")
		is "the page of ${1%%:*} is looked at" \
			"$(jq -r '.error // "without an error"' <<<"$seen")" \
			'without an error'
	}
	look "$("$ctl" page)"
	field() { jq -r "$1" <<<"$seen"; }
	# Entries about levels may stand beside the ticks.
	[ "$(field .count)" -ge "$count" ] && [ "$(field .count)" -le $((count + 5)) ]
	is "the page has the entries of the timeline ($(field .count))" $? 0
	[ "$(field .drawn)" -gt 0 ]
	is 'and draws them' $? 0
	is 'none is lost' "$(field .lost)" 0
	has 'its button saves a snapshot' "$(field .answer)" "$name-p-.*\.tl"
	has 'what is recorded is told' "$(field '.record[0]')" '^recorded: [0-9].* entries, 1 file, [0-9.]+[KM]? bytes$'
	is 'and what cannot be, and why' "$(field '.record[1]')" \
		"RECORDING OF $name-q FAILS: Not a directory"
	has 'the file is named' "$(field .recordFile)" "^$work/recorded/$name-p-.*\.trace$"
	saved "$name-p-"
	is 'which is there' $? 0
	is 'nothing is said on the console' "$(field '.errors | length')" 0
	is 'and nobody else is asked' "$(field '.foreign | length')" 0
	is 'the token does not stay in the address' "$(field .url)" \
		"http://127.0.0.1:$port/"
	[ "$(field .again)" -ge "$count" ]
	is 'the page can be loaded again' $? 0
	look "unix:$work/page.sock"
	[ "$(field .count)" -ge "$count" ]
	is 'a browser behind the UNIX socket has the page, too' $? 0
	has 'and saves a snapshot' "$(field .answer)" "$name-p-.*\.tl"
	is 'without a word on the console' "$(field '.errors | length')" 0
	is 'the socket is for its user and group' \
		"$(stat -c '%F %a' "$work/page.sock")" 'socket 660'
	stop_load
	stop_daemon
	[ -e "$work/page.sock" ]
	is 'the socket goes with the daemon' $? 1
	rm -rf "/dev/shm/$name"* "${snapshots:?}"/* "$work/recorded" "$work/no-folder"

	# A timeline of fixed entries gives the page the same structure each
	# time.
	"$build/tests/tool/make_timeline" "/$name-s" timed=3 sleep=60 paced=20
	start_daemon 'timelines = { { name = "'"$name"'-s" } }'
	is 'the page has the structure of golden/live-*.txt, light and dark' "$(
		timeout -k 5 500 node "$here/../page/check_structure.js" \
			"$browser" "$("$ctl" page)" "$name-s" 120 2>&1)" ''
	stop_daemon
	rm -rf "/dev/shm/$name"* "${snapshots:?}"/*
else
	skip 'no chromium, or no node to drive it'
fi
