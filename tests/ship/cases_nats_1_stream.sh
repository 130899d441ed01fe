# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A stream of JetStream as a target: every block is in the stream once and in
# order, and is read back by host, timeline and time, whatever else lies in the
# stream.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
drive=$build/tests/ship/drive

# read_back [OPTIONS] prints the blocks that are read, as drive counts them.
read_back() { "$ship" read "$url" "$@" 2>"$work/err" | "$drive" check | sort; }
# chain_line HOST/TIMELINE BLOCKS ENTRIES prints the line of a complete chain.
chain_line() { echo "$1 blocks $2 entries $3 lost 0 again 0 back 0 missing 0"; }

if ! has_nats; then
	skip 'streams: nats-server is not installed'
else
	cluster_start 1
	url=$(cluster_url)

	ends 'a stream that is not there is said' 1 "$ship" read "$url"
	has '... by its name' "$err" 'stream TIMELINE: does not exist'
	"$ship" read "$url" -f -n 3 --timeline app >"$work/early" 2>"$work/early.err" &
	reader=$!
	until_true test -s "$work/early.err"
	sleep 0.6
	is 'who follows waits for it, and says so once' "$(cat "$work/early.err")" \
		'timeline-ship: stream TIMELINE: does not exist yet; waiting for it'
	"$ship" read "$url" -f >/dev/null 2>"$work/ended.err" &
	ended=$!
	until_true test -s "$work/ended.err"
	kill -TERM "$ended"
	wait "$ended"
	is '... and can be told to end' $? 0
	"$drive" send "$url" web1 app,db 100 500 "$work/state1" >"$work/sent"
	"$drive" send "$url" web2 app 50 500 "$work/state2" >>"$work/sent"
	wait "$reader"
	is '... and reads it as soon as it is there' "$? $("$drive" check <"$work/early" | grep -o ' blocks .*')" \
		'0  blocks 3 entries 1500 lost 0 again 0 back 0 missing 0'
	is 'every block is acked' "$(grep -o 'acked [0-9]*' "$work/sent" | paste -sd' ')" \
		'acked 100 acked 50'
	is 'the stream was made: files, limits, what is old goes' \
		"$(stream_says TIMELINE '.config | "\(.storage) \(.retention) \(.discard) \(.num_replicas) \(.subjects[0])"')" \
		'file limits old 1 timeline.>'
	is 'a message is a block' "$(stream_says TIMELINE .state.messages)" 150
	is 'all of it is read back, in order' "$(read_back)" \
		"$(chain_line web1/app 50 25000; chain_line web1/db 50 25000; chain_line web2/app 50 25000)"
	is 'nothing is said about it' "$(cat "$work/err")" ''
	is 'of one host' "$(read_back --host web2)" "$(chain_line web2/app 50 25000)"
	is 'of a glob of hosts' "$(read_back --host '*1' | wc -l)" 2
	is 'of several globs' "$(read_back --host web2 --host 'x*' --timeline 'd*' --timeline app)" \
		"$(chain_line web2/app 50 25000)"
	is 'of one timeline' "$(read_back --timeline db)" "$(chain_line web1/db 50 25000)"
	is 'of nobody' "$(read_back --host nobody)" ''
	# Block N has the second 1700000000 + N.
	is 'of a time' "$(read_back --host web2 --since @1700000010 --until @1700000019 | cut -d' ' -f1-5)" \
		'web2/app blocks 10 entries 5000'
	is '... which leaves no gap to tell of' "$(cat "$work/err")" ''
	is 'of a moment before all' "$(read_back --until @1600000000)" ''
	is 'only so many' "$(read_back -n 3 --host web2 | cut -d' ' -f1-3)" 'web2/app blocks 3'

	# == hosts whose clocks are off, in the reader's window ==
	#
	# window HOST OFFSET SECOND... prints the numbers of the host's entries
	# in the second.
	window() {
		"$dump" --json --oldest-first --host "$1" --offset "$1=$2" \
			--since "@$3.000000000" --until "@$3.999999999" "$url" 2>"$work/err" |
			jq -r .args.n
	}
	is 'a clock that was behind: what belongs into the window is there' \
		"$(window web2 300s 1700000310)" "$(seq 5000 5499)"
	is '... one that was ahead' "$(window web2 -300s 1699999710)" "$(seq 5000 5499)"
	is '... and nothing else' "$(window web2 300s 1700000010)" ''
	"$convert" -qf "$url" --host web2 --offset web2=300s --since @1700000310 --to jsonl -o "$work/moved.jsonl"
	is '... to the end, when it is converted' "$(jq -r .args.n "$work/moved.jsonl" | sort -n)" "$(seq 5000 24999)"

	# Every answer comes later than the reader waits for it.
	"$build/tests/ship/slow_link" "${cluster_ports[1]}" MSG.NEXT 1500 >"$work/port" &
	link=$!
	until_true test -s "$work/port"
	is 'over a slow link nothing is missing' \
		"$("$ship" read "nats://127.0.0.1:$(cat "$work/port")" --host web2 2>"$work/err" | "$drive" check)" \
		"$(chain_line web2/app 50 25000)"
	is '... and nothing is said about it' "$(cat "$work/err")" ''
	kill "$link"
	wait "$link" 2>/dev/null
	is 'no consumer is left behind' "$(stream_says TIMELINE .state.consumer_count)" 0
	is 'the same again is known by its id' "$(
		"$drive" send "$url" web2 app 50 500 "$work/state3" | grep -o 'acked [0-9]*'
		stream_says TIMELINE .state.messages
	)" $'acked 50\n150'

	# == live ==
	"$ship" read "$url" --follow --since @1700000000 >"$work/live" 2>"$work/live.err" &
	reader=$!
	until_true test -s "$work/live"
	"$drive" send "$url" web3 app 20 500 "$work/state4" >/dev/null
	live_has() { "$drive" check <"$work/live" | grep -q 'web3/app blocks 20 '; }
	until_true live_has
	is 'what comes is read live' "$("$drive" check <"$work/live" | sort | tail -1)" \
		"$(chain_line web3/app 20 10000)"
	kill -TERM "$reader"
	wait "$reader"
	is 'a reader that is told to end leaves nothing' "$(stream_says TIMELINE .state.consumer_count)" 0

	# == foreign messages ==
	"$drive" hostile "$url"
	ends 'hostile messages are skipped and said' 1 "$ship" read "$url"
	is '... and harm no block' "$(read_back | head -3)" \
		"$(chain_line web1/app 50 25000; chain_line web1/db 50 25000; chain_line web2/app 50 25000)"
	has '... the first with its place' "$(cat "$work/err")" 'message 171: not the id of a block'
	has '... all with their number' "$(cat "$work/err")" 'without a block, skipped \([0-9]+ times\)'

	# == bounds of the stream ==
	"$drive" send "$url/SMALL" web1 app 10 500 "$work/state5" >"$work/small" 2>&1 &
	small=$!
	sleep 1
	kill "$small" 2>/dev/null
	has 'a stream beside another that takes the same is refused' "$(cat "$work/small")" 'SMALL: .*overlap'

	# == answers of programs other than JetStream ==
	WITHOUT_JETSTREAM=1 cluster_start 1
	url=$(cluster_url)
	mkfifo "$work/lie.in"
	"$drive" contest "$url" <"$work/lie.in" >"$work/contest" &
	liar=$!
	exec 7>"$work/lie.in"
	until_true grep -q ready "$work/contest"
	is 'a block that another sender overtakes is sent again, without a fault' \
		"$("$drive" send "$url" web1 app 3 10 "$work/state6" | grep -o '.*faults [0-9]*')" \
		'acked 3 faults 0'
	is '... after the message that is the last now, and the next after their acknowledgements' \
		"$(grep after "$work/contest")" $'after 0\nafter 1\nafter none\nafter none'
	exec 7>&-
	wait "$liar"
	"$make" "$name-lie" entries=1024 plain=10
	while read -r answer; do
		: >"$work/lie"
		"$drive" lie "$url" "$answer" <"$work/lie.in" >"$work/lie" &
		liar=$!
		exec 7>"$work/lie.in"
		until_true grep -q ready "$work/lie"
		ends "the answer $answer breaks nothing" 1 "$ship" run --to "$url" --all \
			--for 1ms --linger 1s "$name-lie"
		has '... and is none' "$err" 'stream TIMELINE.*; blocks are kept and sent again'
		exec 7>&-
		wait "$liar"
	done <<'ANSWERS'
{}
{"config":null}
{"config":{"name":"TIMELINE","subjects":null}}
{"config":{"name":"TIMELINE","subjects":["timeline.>"],"max_msg_size":-9}}
[
ANSWERS
	cluster_stop
fi
