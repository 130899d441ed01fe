# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cluster.sh - a cluster of NATS servers on loopback.  The cases source this
# file.
#
#	has_nats || skip ...	cluster_start 3 [LINES]		cluster_url
#	node_kill 2		node_start 2			cluster_stop
#
# Needs $work, a folder.  LINES go into the configuration of each server.  The
# servers keep streams unless WITHOUT_JETSTREAM is set.  Only servers started
# here are ever ended, also when the owner exits; the owner's function clean, if
# there is one, runs after them.
cluster_nodes=0
cluster_pids=()
cluster_ports=()
cluster_links=()
cluster_looks=()

cluster_exit() {
	cluster_stop
	if declare -F clean >/dev/null; then clean; fi
}
trap cluster_exit EXIT

has_nats() { command -v nats-server >/dev/null && [ -x "$build/tests/ship/drive" ]; }

# free_port prints a port that nobody listens on at the moment.
free_port() {
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		[[ " ${cluster_ports[*]} ${cluster_links[*]} ${cluster_looks[*]} " == *" $port "* ]] && continue
		(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo "$port"
}

node_configure() { # NODE LINES
	local i routes=
	for ((i = 1; i <= cluster_nodes; i++)); do
		routes+=${routes:+, }"\"nats-route://127.0.0.1:${cluster_links[i]}\""
	done
	{
		echo "server_name: n$1"
		echo "listen: 127.0.0.1:${cluster_ports[$1]}"
		echo "http: 127.0.0.1:${cluster_looks[$1]}"
		[ -n "${WITHOUT_JETSTREAM:-}" ] ||
			echo "jetstream { store_dir: $work/nats$1, max_mem: 16M, max_file: 4G }"
		[ "$cluster_nodes" -eq 1 ] || echo "cluster { name: c, listen: 127.0.0.1:${cluster_links[$1]}, routes: [$routes] }"
		printf '%s\n' "$2"
	} >"$work/nats$1.conf"
}
node_start() { # NODE
	GOMAXPROCS=1 GOMEMLIMIT=256MiB nats-server -c "$work/nats$1.conf" \
		>>"$work/nats$1.log" 2>&1 </dev/null 7>&- & # 7: a load's input
	cluster_pids[$1]=$!
	disown "${cluster_pids[$1]}" # bash must not report the node's death
}
node_signal() { # NODE SIGNAL
	[ -n "${cluster_pids[$1]:-}" ] && kill "-$2" "${cluster_pids[$1]}" 2>/dev/null
}
node_gone() { ! kill -0 "${cluster_pids[$1]}" 2>/dev/null; }
node_kill() { # NODE: dies as in a loss of power
	node_signal "$1" KILL
	until_true node_gone "$1"
	cluster_pids[$1]=
}
# node_ready: the node answers and can keep streams.
node_ready() {
	curl -sf "http://127.0.0.1:${cluster_looks[$1]}/healthz" 2>/dev/null | grep -q ok
}
cluster_ready() {
	local i
	for ((i = 1; i <= cluster_nodes; i++)); do node_ready "$i" || return 1; done
}
cluster_start() { # NODES [LINES]
	local i
	cluster_stop
	rm -rf "$work"/nats*
	cluster_nodes=$1
	for ((i = 1; i <= cluster_nodes; i++)); do
		cluster_ports[i]=$(free_port)
		cluster_links[i]=$(free_port)
		cluster_looks[i]=$(free_port)
	done
	for ((i = 1; i <= cluster_nodes; i++)); do node_configure "$i" "${2:-}"; done
	cluster_resume
}
# cluster_pause stops all nodes and keeps their data; cluster_resume starts the
# nodes again.
cluster_pause() {
	local i
	for ((i = 1; i <= cluster_nodes; i++)); do node_signal "$i" TERM; done
	for ((i = 1; i <= cluster_nodes; i++)); do
		[ -n "${cluster_pids[i]:-}" ] || continue
		until_true node_gone "$i" || node_signal "$i" KILL
		cluster_pids[i]=
	done
}
cluster_resume() {
	local i
	for ((i = 1; i <= cluster_nodes; i++)); do node_start "$i"; done
	until_true cluster_ready || until_true cluster_ready
}
cluster_stop() {
	cluster_pause
	rm -rf "$work"/nats*
	cluster_nodes=0 cluster_ports=() cluster_links=() cluster_looks=()
}
cluster_url() {
	local i servers=()
	for ((i = 1; i <= cluster_nodes; i++)); do servers+=("127.0.0.1:${cluster_ports[i]}"); done
	local IFS=,
	echo "nats://${servers[*]}"
}
# stream_says prints a node's answer about a stream: one field, picked by jq.
stream_says() { # STREAM FILTER
	local i
	for ((i = 1; i <= cluster_nodes; i++)); do
		[ -n "${cluster_pids[i]:-}" ] || continue
		curl -sf "http://127.0.0.1:${cluster_looks[i]}/jsz?streams=1&consumers=1&config=1" |
			jq -er --arg s "$1" ".account_details[]?.stream_detail[]? | select(.name == \$s) | $2" &&
			return
	done
	return 1
}
# stream_leader prints the number of the node that leads the stream.
stream_leader() {
	local leader
	leader=$(stream_says "$1" .cluster.leader) || return 1
	echo "${leader#n}"
}
