# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Three servers with three replicas: the leader dies, all servers stop, the
# shipper is killed.  Every block is in the stream once and in order, whatever
# happens.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
drive=$build/tests/ship/drive
pause=${QUICK:+5}

if ! has_nats; then
	skip 'faults of a cluster: nats-server is not installed'
else
	cluster_start 3
	url=$(cluster_url)
	many=${QUICK:+3000} many=${many:-6000}
	sent_some() { # MORE THAN
		local sent
		sent=$(od -An -tu8 -N8 "$work/state" 2>/dev/null)
		[ "${sent:-0}" -gt "$1" ]
	}
	# exec makes the sender the process that is killed below.
	send_on() { exec "$drive" send "$url" web1 app,db "$many" 2000 "$work/state" 3 >"$work/sent" 2>"$work/err"; }
	rm -f "$work/state"
	send_on &
	sender=$!
	until_true sent_some 200
	leader=$(stream_leader TIMELINE)
	node_kill "$leader"
	is 'the stream has three replicas and a leader, which is killed' "$(test -n "$leader"; echo $?)" 0
	at=$(od -An -tu8 -N8 "$work/state")
	# Some more blocks arrive, or all of them.
	goes_on() { sent_some $((at + 200 < many ? at + 200 : many - 1)); }
	until_true goes_on || until_true goes_on
	is 'blocks go on to the next leader' "$(goes_on; echo $?)" 0
	node_start "$leader"
	until_true cluster_ready

	# The whole cluster stops.
	cluster_pause
	at=$(od -An -tu8 -N8 "$work/state")
	sleep "${pause:-30}"
	cluster_resume
	until_true goes_on || until_true goes_on
	is '... and go on when all servers were stopped' "$(goes_on; echo $?)" 0

	# The sender is killed, and begins again after the last acknowledged
	# block.
	kill -9 "$sender" 2>/dev/null # fails if the sender is done
	wait "$sender" 2>/dev/null
	send_on &
	sender=$!
	wait "$sender"
	has 'a sender that was killed goes on' "$(cat "$work/sent")" "acked $many"
	half=$((many / 2))
	is 'after all that every block is there once, in order' \
		"$("$ship" read "$url" 2>"$work/err" | "$drive" check | sort)" \
		"$(for t in app db; do echo "web1/$t blocks $half entries $((half * 2000)) lost 0 again 0 back 0 missing 0"; done)"
	is 'and nothing is said of it' "$(cat "$work/err")" ''
	# A block that was acknowledged twice would be in the stream twice.
	is 'the stream holds no more than that' "$(stream_says TIMELINE .state.messages)" "$many"

	# The reader's server dies during the read.
	"$ship" read "$url" 2>"$work/err" | (
		head -c 1000000
		sleep 1
		cat
	) >"$work/read" &
	reader=$!
	sleep 0.5
	leader=$(stream_leader TIMELINE)
	node_kill "$leader"
	wait "$reader"
	node_start "$leader"
	is 'a reader goes on where it was when the leader dies' "$("$drive" check <"$work/read" | sort)" \
		"$(for t in app db; do echo "web1/$t blocks $half entries $((half * 2000)) lost 0 again 0 back 0 missing 0"; done)"
	rm -f "$work/read"

	# A leader stands still until another leader is elected: messages on
	# their way to the old leader are lost, and later messages must not pass
	# them.
	until_true cluster_ready
	EVERY_MS=100 "$drive" send "$url" slow app 120 100 "$work/slow" 3 >"$work/sent" 2>"$work/err" &
	sender=$!
	sleep 1
	leader=$(stream_leader TIMELINE)
	node_signal "$leader" STOP
	sleep 8
	node_signal "$leader" CONT
	wait "$sender"
	is 'a leader that stood still turns no order round' \
		"$("$ship" read "$url" --host slow 2>"$work/err" | "$drive" check)" \
		'slow/app blocks 120 entries 12000 lost 0 again 0 back 0 missing 0'
	is '... and the sender saw it' "$(grep -c 'faults 0 ' "$work/sent")" 0
	cluster_stop
fi
