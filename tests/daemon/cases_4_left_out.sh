# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A snapshot is made of a ring that overwrites entries during the copy.

start_daemon 'timelines = { { name = "'"$name"'-o", create = { entries = "64k" },
	triggers = { { name = "bad", level = "error", snapshot = true, every = "1ms" } } } }'
start_load "$name-o"
tell rate 3000000 trace >/dev/null
until_true ticked 1000000
for i in 1 2 3 4 5 6 7 8; do
	tell fail "$i" >/dev/null
	until_true logged "saved .*-bad"
	! logged 'overwritten while' || break
	sleep 0.2
done
tell rate 0 >/dev/null
until_true settled
line=$(grep -m1 'overwritten while' "$work/log")
has 'the daemon says what a snapshot left out' "$line" \
	"${name#/}-o: .*-bad.*: [0-9]+ entr(y was|ies were) overwritten while the file was copied"
file=$(grep -oE '/[^ ]*-bad[^ :]*\.tl[.zst]*' <<<"$line")
left=$(grep -oE '[0-9]+ entr' <<<"$line" | grep -oE '[0-9]+')
is '... as the file does' "$("$dump" --info --json "$file" |
	jq '[.lanes[].left_out] | add')" "${left:-none}"
stop_daemon
rm -f "$snapshots"/*
