# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A shipper is told to end while no server is there: its blocks are sent as soon
# as a server comes; if none comes in time, the blocks wait in the spool or are
# reported lost.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"

# ship_away ARGUMENT... starts a shipper and waits until the shipper knows that
# its target is away.
ship_away() {
	: >"$work/err"
	start --to "$url" --host web1 --all --every 100ms "$@" "$name-away"
	is_away() { grep -q 'blocks are kept and sent again' "$work/err"; }
	until_true is_away || until_true is_away
}
# was_told: the signal was delivered, not only sent.
was_told() { ! grep -qE '^(SigPnd|ShdPnd):.*[1-9a-f]' "/proc/$shipper/status"; }
what_is_there() { "$ship" read "$url" 2>&1 | "$build/tests/ship/drive" check | sed 's/ blocks [0-9]*//'; }

if ! has_nats; then
	skip 'a server that is away: nats-server is not installed'
else
	cluster_start 1
	url=$(cluster_url)
	cluster_pause
	"$make" "$name-away" entries=4096 plain=300
	ship_away --linger 300s
	"$make" "$name-away" plain=200
	kill -TERM "$shipper"
	until_true was_told
	is 'a shipper that is told to end waits for its target' "$(kill -0 "$shipper"; echo $?)" 0
	cluster_resume
	wait "$shipper"
	is '... and ends when all has arrived' "$? $(grep -c ', 0 lost, [0-9]* blocks* ([0-9.K]*) sent in' "$work/said")" '0 1'
	has '... that it takes blocks again is said' "$(cat "$work/err")" 'accepts blocks again'
	is '... once' "$(what_is_there)" "web1/${name#/}-away entries 500 lost 0 again 0 back 0 missing 0"

	cluster_pause
	"$make" "$name-away" plain=50
	ship_away --linger 100ms
	stop TERM
	is 'one that is told not to wait long ends in time, and fails' "$status" 1
	has '... what is lost is said' "$(cat "$work/err")" \
		'^timeline-ship: (1 block was not sent, and is|[0-9]+ blocks were not sent, and are) lost; use --spool to keep such blocks$'
	ship_away --linger 100ms --spool "$work/away"
	stop TERM
	is '... or keeps it for the next time' "$status $(grep -cE ' [0-9]+ \([0-9.K]+\) waits?' "$work/said")" '0 1'
	cluster_resume
	ends '... who sends it' 0 "$ship" run --to "$url" --host web1 --for 1ms --linger 300s \
		--spool "$work/away" "$name-away"
	is '... once' "$(what_is_there | awk '{ n += $3 } END { print n }')" $((500 + 550))
	"$ctl" remove "$name-away"

	# The shipper learns the server's limit only when the server is there.
	cluster_start 1 'max_payload: 8M'
	url=$(cluster_url)
	cluster_pause
	"$make" "$name-big" entries=262144 plain=120000
	: >"$work/err"
	start --to "$url" --host web1 --all --block-size 4M --every 60s --for 1ms \
		--linger 300s "$name-big"
	until_true is_away || until_true is_away
	cluster_resume
	wait "$shipper"
	is 'a block of more than a megabyte waits for a server that takes it' \
		"$? $(what_is_there)" "0 web1/${name#/}-big entries 120000 lost 0 again 0 back 0 missing 0"
	has '... and is one' "$("$ship" read "$url" | wc -c)" '^[0-9]{7,}$'
	cluster_stop
fi
