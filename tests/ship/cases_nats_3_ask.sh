# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# The control plane: hosts are asked through the cluster, each answers, and
# does what it allows.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
drive=$build/tests/ship/drive

if ! has_nats; then
	skip 'asking hosts: nats-server is not installed'
else
	cluster_start 1
	url=$(cluster_url)
	mkdir "$work/shots"
	"$ctl" create "$name-ask" --entries 4096
	"$ctl" priority "$name-ask" info
	asked=${name#/}-ask
	"$ship" run -q --to "$url" --host web1 --allow list,priority,burst,snapshot \
		--snapshots "$work/shots" "$name-a*" 2>"$work/web1" &
	web1=$!
	"$ship" run -q --to "$url" --host web2 --allow list,burst "$name-ask" 2>"$work/web2" &
	web2=$!
	"$ship" run -q --to "$url" --host web3 "$name-ask" 2>"$work/web3" &
	web3=$!
	ask() { "$ship" ask "$url" -n 1 --wait 5s "$@" 2>"$work/err"; }
	answered() { [ "$("$ship" ask "$url" -n 2 list 2>/dev/null | wc -l)" = 2 ]; }
	until_true answered
	is 'each host that allows it answers, once' \
		"$("$ship" ask "$url" list | cut -d' ' -f1-3 | sort)" \
		$'web1 '"$asked"$': info\nweb2 '"$asked"': info'
	is '... as JSON, too' "$("$ship" ask "$url" -n 2 --json list |
		jq -r '"\(.host) \(.ok) \(.timelines[0].level) \(.timelines[0].lost)"' | sort)" \
		$'web1 true info 0\nweb2 true info 0'
	is 'one host is asked to log more' "$(ask --host web1 priority debug)" "web1 $asked: debug"
	is '... and does' "$("$ctl" list --json | jq -r --arg n "$name-ask" '.timelines[] | select(.name == $n) | .level')" debug
	ends 'what a host does not allow is not done' 1 "$ship" ask "$url" -n 1 --host web2 priority trace
	is '... and said' "$out" 'web2 verb not allowed on this host (--allow)'
	has 'a burst on a glob of hosts' "$("$ship" ask "$url" -n 2 --host 'web[12]' burst trace 5s | sort | head -1)" \
		"^web1 $asked: trace for 4.[0-9]*s, then debug"
	out=$(ask --host web1 snapshot)
	has 'a snapshot is saved on the host' "$out" "^web1 $asked: saved [0-9]+ bytes to $work/shots/$asked-.*\.tl"
	ends '... and is one' 0 "$dump" "${out##* }"
	has 'the timeline tells who asked for each' \
		"$("$dump" --category timeline --oldest-first "$name-ask" | tr '\n' ' ')" \
		"asked for: verb.priority. level.debug. account.$(id -un). .*asked for: verb.burst. level.trace. account.$(id -un). .*asked for: verb.snapshot. "
	ends 'nobody of that name answers' 1 "$ship" ask "$url" --wait 300ms --host db list
	has '... which is said' "$err" 'no host answered'
	ends 'no host has such a timeline' 1 "$ship" ask "$url" -n 2 --timeline other list
	ends 'a level that is none never leaves' 2 "$ship" ask "$url" priority loud
	# whoever may publish
	"$drive" ask "$url" '{"version":1,"verb":"snapshot","timeline":"../*","host":"web1"}' >"$work/out"
	has 'a name that leaves the folder means nothing' "$(cat "$work/out")" '"ok":true,.*"timelines":\[\]'
	"$drive" ask "$url" '{"version":1,"verb":"rm -rf /"}' >"$work/out"
	has 'a hostile request is answered with an error' "$(cat "$work/out")" '"ok":false,"error":"no such verb"'
	"$drive" ask "$url" '{"version":[[[[' >"$work/out"
	has '... whatever it is' "$(cat "$work/out")" '"ok":false'
	is 'and hosts still answer' "$(ask --host web2 list | cut -d' ' -f1)" web2
	cluster_pause
	cluster_resume
	until_true answered
	is '... also when the servers were away' "$(answered; echo $?)" 0
	kill -TERM "$web1" "$web2" "$web3"
	wait "$web1" "$web2" "$web3"
	ends 'nobody is left to ask' 1 "$ship" ask "$url" list
	cluster_stop
fi
