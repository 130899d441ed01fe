#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fleet_clickhouse.sh [BUILD] - the events of three hosts (here three names of
# this one) in two ClickHouse servers on loopback, each with half of the hosts
# and a Distributed table over both.  One server is killed and started again
# meanwhile.  The five questions of fleet_*.sql are asked of the table, and the
# same of the blocks that the hosts wrote, by jq; the answers must be equal.
# BUILD is where make put things (build).  Needs clickhouse-server, curl, jq, and
# no root.  Leaves nothing behind.
set -eu
examples=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$examples/../build}" && pwd)
# shellcheck source=examples/steps.sh
. "$examples/steps.sh"

for program in clickhouse-server curl jq; do
	command -v "$program" >/dev/null || {
		echo "fleet_clickhouse.sh: no $program (apt-get install ${program})" >&2
		exit 77
	}
done
export TIMELINE_PAGER=
hosts='alpha beta gamma'

# four ports that nobody listens on
port=$((20000 + $$ % 12000))
listens() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
while listens $port || listens $((port + 1)) || listens $((port + 2)) || listens $((port + 3)); do
	port=$((port + 4))
done
first=$((port + 1)) second=$((port + 3)) # of these, servers to each other
http=("$port" $((port + 2)))

# configure N: a folder with the files of server N, which knows both
configure() {
	local port=$((port + 2 * $1))

	mkdir "server$1"
	cat >"server$1/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><log>$work/server$1/log</log>
			<errorlog>$work/server$1/errors</errorlog></logger>
		<http_port>$port</http_port>
		<tcp_port>$((port + 1))</tcp_port>
		<listen_host>127.0.0.1</listen_host>
		<path>$work/server$1/data/</path><tmp_path>$work/server$1/tmp/</tmp_path>
		<users_config>users.xml</users_config>
		<default_profile>default</default_profile>
		<default_database>default</default_database>
		<mark_cache_size>67108864</mark_cache_size>
		<remote_servers><fleet>
			<shard><replica><host>127.0.0.1</host>
				<port>$first</port></replica></shard>
			<shard><replica><host>127.0.0.1</host>
				<port>$second</port></replica></shard>
		</fleet></remote_servers>
		</yandex>
	END
	cat >"server$1/users.xml" <<-'END'
		<yandex><profiles><default/></profiles><quotas><default/></quotas>
		<users><default><password></password>
			<networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></default></users>
		</yandex>
	END
}
# sql N TEXT: ask server N
sql() { curl -sS --fail --noproxy '*' "http://127.0.0.1:${http[$1]}/" --data-binary "$2"; }
servers=()
serve() { # N
	clickhouse-server --config-file="$work/server$1/config.xml" >"server$1/out" 2>&1 &
	servers[$1]=$!
	until_true "sql $1 'SELECT 1'"
}

say 'Two servers; timeline-ship creates a table in each, over which lies another.'
for n in 0 1; do
	configure $n
	serve $n
	run "timeline-ship run -q --for 1s --to clickhouse://127.0.0.1:${http[n]}/part nothing"
	sql $n 'CREATE TABLE events AS part
		ENGINE = Distributed(fleet, default, part, cityHash64(host))'
done

say 'Three hosts ship; beside it each writes its blocks to a folder.'
shippers=()
at=0
for host in $hosts; do
	run "timeline-ship run -q --host $host --all --spool $host --linger 60s --to clickhouse://127.0.0.1:${http[at]}/events $TIMELINE-$host 2>>errors &"
	shippers+=("$!")
	timeline-ship run -q --host "$host" --all --to "blocks-$host" "$TIMELINE-$host" &
	shippers+=("$!")
	at=$((1 - at))
done

say 'Their programs log; server 1 is killed and started again.'
for round in 1 2 3 4 5 6; do
	for host in $hosts; do
		TIMELINE=$TIMELINE-$host workers 1 2 500
	done
	if [ $round = 2 ]; then
		kill -9 "${servers[1]}"
		wait "${servers[1]}" 2>/dev/null || true
	elif [ $round = 5 ]; then
		serve 1
	fi
	sleep 1
done
kill "${shippers[@]}"
wait "${shippers[@]}"
run 'cut -c1-100 errors'

# all entries of the folders as lines of JSON, each with its host
for host in $hosts; do
	find "blocks-$host" -name '*.trace' | sort -V | xargs cat >blocks
	timeline-dump --json --oldest-first blocks |
		jq -c --arg host "$host" '. + {host: $host}'
done >events.jsonl

# compare WHAT SQL JQ: the same answer of the table and of the blocks
different=0
compare() {
	sql 0 "$2" >answer
	jq -rn "[inputs] | $3" events.jsonl >expected
	say "$1: $(wc -l <answer) rows"
	head -4 answer
	cmp -s answer expected && return
	different=1
	echo 'The blocks say something else:'
	diff answer expected | head -10 || true
}

# shellcheck disable=SC2016 # of jq
compare 'Latency: spans of each message and host, median and 99th percentile in ms' \
	'SELECT message, host, count(), intDiv(quantileExact(0.5)(duration_ns), 100000) / 10,
		intDiv(quantileExact(0.99)(duration_ns), 100000) / 10
	FROM events FINAL WHERE duration_ns IS NOT NULL AND NOT lossy
	GROUP BY message, host ORDER BY message, host' \
	'map(select(.duration_ns != null and .unsure != true)) |
	group_by([.message, .host])[] | (map(.duration_ns) | sort) as $d |
	[.[0].message, .[0].host, length, ($d[length * 0.5 | floor] / 100000 | floor / 10),
	($d[length * 0.99 | floor] / 100000 | floor / 10)] | @tsv'
compare 'Slowest: the host and the milliseconds of the longest spans' \
	'SELECT host, intDiv(duration_ns, 100000) / 10 AS ms FROM events FINAL
	WHERE duration_ns IS NOT NULL ORDER BY duration_ns DESC LIMIT 10' \
	'map(select(.duration_ns != null)) | sort_by(-.duration_ns)[:10][] |
	[.host, (.duration_ns / 100000 | floor / 10)] | @tsv'
compare 'Rate: entries, and those of the busiest second, of each host' \
	'SELECT host, sum(entries), max(entries) FROM
		(SELECT host, time, sum(ifNull(lost, 1)) AS entries FROM events FINAL
		GROUP BY host, time) GROUP BY host ORDER BY host' \
	'group_by(.host)[] | [.[0].host, (map(.lost // 1) | add),
	(group_by(.ns / 1000000000 | floor) | map(map(.lost // 1) | add) | max)] | @tsv'
compare 'Errors: seconds with ten warnings or more, and what they were' \
	"SELECT intDiv(ns, 1000000000) AS second, host, message, count() AS n FROM events FINAL
	WHERE level >= 7 GROUP BY second, host, message HAVING n >= 10
	ORDER BY second, host, message" \
	'map(select(.priority == "warning" or .priority == "error" or .priority == "fatal")) |
	group_by([(.ns / 1000000000 | floor), .host, .message])[] | select(length >= 10) |
	[(.[0].ns / 1000000000 | floor), .[0].host, .[0].message, length] | @tsv'
compare 'Losses: hosts with holes' \
	'SELECT host, sum(lost), count(lost) FROM events FINAL GROUP BY host
	HAVING count(lost) > 0 ORDER BY host' \
	'map(select(.lost != null)) | group_by(.host)[] |
	[.[0].host, (map(.lost) | add), length] | @tsv'

say 'Rows, and how many of them are there twice:'
doubles=$(sql 0 'SELECT count(), count() - uniqExact(chain, block, row) FROM events FINAL')
echo "$doubles"
for n in 0 1; do
	echo "server $n: $(sql $n 'SELECT count() FROM part')"
done
if [ $different = 1 ] || [ "${doubles##*$'\t'}" != 0 ]; then
	echo 'fleet_clickhouse.sh: the table is not what the hosts logged' >&2
	exit 1
fi
