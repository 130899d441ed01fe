# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# The whole way from a program through a shipper and three servers to a reader.
# The shipper is killed twice, the leader once, and all servers stop once.
# Every entry arrives once, or is counted as lost.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
drive=$build/tests/ship/drive

if ! has_nats; then
	skip 'shipping to a cluster: nats-server is not installed'
else
	cluster_start 3
	url=$(cluster_url)
	mkfifo "$work/load.in"
	"$build/tests/daemon/load" "$name-load" <"$work/load.in" >"$work/load.out" &
	load=$!
	exec 7>"$work/load.in"
	ship_on() {
		"$ship" run --linger 60s --to "$url" --host web1 --spool "$work/spool" --all --replicas 3 \
			--every 200ms "$name-load" >"$work/said" 2>>"$work/errors" &
		shipper=$!
	}
	: >"$work/errors"
	until_true test -e "/dev/shm$name-load"
	ship_on
	echo 'rate 100000 info' >&7
	arrived() { [ "$(stream_says TIMELINE .state.messages)" -gt "$1" ]; }
	until_true arrived 5
	kill -9 "$shipper"
	wait "$shipper" 2>/dev/null
	sleep 0.3
	ship_on
	leader=$(stream_leader TIMELINE)
	node_kill "$leader"
	sleep 3
	kill -9 "$shipper"
	wait "$shipper" 2>/dev/null
	ship_on
	node_start "$leader"
	sleep 1
	cluster_pause
	sleep 2
	cluster_resume
	until_true stream_says TIMELINE .state.messages
	before=$(stream_says TIMELINE .state.messages)
	until_true arrived "$before" # the shipper goes on
	sleep 1
	echo 'rate 0 info' >&7
	echo count >&7
	sleep 1
	logged=$(grep -E '^[0-9]+$' "$work/load.out" | tail -1)
	kill -TERM "$shipper"
	wait "$shipper"
	is 'a shipper that is told to end has sent all there is' "$?" 0
	"$ship" read "$url" >"$work/back" 2>"$work/err"
	is 'nothing is missing or damaged' "$(cat "$work/err")" ''
	"$drive" check <"$work/back" >"$work/checked"
	has 'every block is there once, in order' "$(cat "$work/checked")" "web1/${name#/}-load .* again 0 back 0 missing 0"
	is '... and with what was lost, all that was logged' \
		"$(awk '{ print $5 + $7 }' "$work/checked")" "$logged"
	echo quit >&7
	exec 7>&-
	wait "$load"
	cluster_stop
fi
