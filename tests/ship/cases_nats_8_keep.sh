# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A full stream discards its oldest blocks; their warnings are kept in a second
# stream and are read back.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
drive=$build/tests/ship/drive

# listed TEXT prints the numbers of the messages TEXT that are read back.
listed() {
	"$ship" read "$url" "${@:2}" 2>"$work/err" |
		"$dump" --json --oldest-first - 2>/dev/null |
		jq -r "select(.message != null and (.message | startswith(\"$1\"))) | .args.n"
}
fill() { # STREAM_SIZE KEEP_SIZE BLOCKS STATE
	STREAM_SIZE=$1 KEEP_SIZE=$2 WARN=1 \
		"$drive" send "$url" web1 app "$3" 2000 "$work/$4" >"$work/sent"
}

if ! has_nats; then
	skip 'a full stream: nats-server is not installed'
else
	cluster_start 1
	url=$(cluster_url)
	fill 500000 500000 60 kept
	is 'every block is acked' "$(grep -o 'acked [0-9]*' "$work/sent")" 'acked 60'
	whole=$(stream_says TIMELINE .state.messages)
	is 'the stream has discarded blocks' $((whole < 50)) 1
	is 'the stream of warnings has a copy of each block that has one' \
		"$(stream_says TIMELINE-keep '"\(.state.messages) \(.config.subjects[0]) \(.config.max_bytes)"')" \
		'30 timeline-keep.> 500000'
	alarms=$(seq 1999 4000 119999)
	is 'all warnings are read back' "$(listed alarm)" "$alarms"
	discarded=$((60 - whole))
	is '... and it is said how many blocks they stand for' "$(cat "$work/err")" \
		"timeline-ship: the stream has discarded $discarded blocks; the warnings of $(((discarded + 1) / 2)) of them were kept"
	is '... of one host, too' "$(listed alarm --host web1)" "$alarms"
	is '... and of no other' "$(listed alarm --host web2)" ''
	is 'the detail is that of the blocks that are left' \
		"$(listed tick | awk -v first=$((discarded * 2000)) '$1 < first' | wc -l)" 0
	lost=$("$ship" read "$url" 2>"$work/err" | "$dump" --json - 2>/dev/null | jq -s 'map(.lost // 0) | add')
	is 'what was thinned counts as lost' "$lost" $((1999 * ((discarded + 1) / 2)))
	ends 'nothing of it is a failure' 0 "$ship" read "$url" >/dev/null
	is 'a time in the part that is left needs no copies' \
		"$(listed alarm --since @1700000058)" "$(printf '%s\n' 117999)"
	cluster_stop

	cluster_start 1
	url=$(cluster_url)
	fill 500000 0 60 none
	is 'without --keep-size there is one stream' \
		"$(stream_says TIMELINE-keep .state.messages)" ''
	is '... and the oldest warnings go with the detail' \
		$(($(listed alarm | wc -l) < 30)) 1
	cluster_stop
fi
