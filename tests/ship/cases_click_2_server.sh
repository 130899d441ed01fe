# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A table of a ClickHouse server: what is in it after the server and the shipper
# were killed.

# shellcheck source=tests/ship/clickhouse.sh
. "$here/clickhouse.sh"
c=$name-table
spool=$work/spool-table

# rows TABLE: how many, how many keys, what the losses count
rows() {
	click_sql "SELECT count(), uniqExact(chain, block, row), sum(ifNull(lost, 0) + ifNull(overwritten, 0)) FROM $1" |
		tr '\t' ' '
}

if "$ship" run --to clickhouse://127.0.0.1:1 --for 1ms x 2>&1 | grep -q 'built without'; then
	skip 'a ClickHouse server: built without libcurl'
elif ! has_clickhouse; then
	skip 'a ClickHouse server: clickhouse-server or curl is not installed'
else
	click_begin
	to=clickhouse://127.0.0.1:$click_port/default.events
	"$make" "$c" entries=65536 plain=5000 spans=3 hostile=1
	cat >"$work/ships" <<-END
		exec "$ship" run --to $to --all --for 1ms --linger 30s --host web1 --block-size 16K "\$@" "$c"
	END
	ends 'a server takes all rows' 0 bash "$work/ships"
	has '... which is summed up' "$out" '^[0-9]+ entries, 0 lost'
	entries=${out%% *}
	is '... as many as there are entries, each once' "$(rows events_unique)" "$entries $entries 0"
	is '... with numbers' "$(click_sql \
		"SELECT sum(toInt64OrZero(args.value[indexOf(args.name, 'tcp')])) FROM events_unique")" \
		"$((4999 * 5000 / 2))"
	is '... and times' "$(click_sql \
		'SELECT count() FROM events WHERE toUnixTimestamp(time) != intDiv(ns, 1000000000)')" 0
	"$ship" run -q --to - --all --for 1ms --host web1 "$c" >"$work/blocks"
	is '... and texts, whatever bytes they have' \
		"$(click_sql 'SELECT text FROM events_unique FORMAT TabSeparatedRaw' |
			sed 's/  [0-9.]*[nmu]*s$//' | LC_ALL=C sort)" \
		"$("$dump" "$work/blocks" --columns message 2>/dev/null |
			sed 's/  [0-9.]*[nmu]*s$//' | LC_ALL=C sort)"
	is '... and definitions, as they are' \
		"$(click_sql "SELECT countSubstrings FROM (SELECT length(message) AS countSubstrings FROM events_unique WHERE position(message, 'tab\\there') > 0)")" 11

	# the same blocks once more, with a spool that forgot that they were sent
	click_sql 'DROP TABLE events; ' && click_sql 'DROP TABLE events_unique'
	"$ship" run -q --to clickhouse://127.0.0.1:1 --all --for 1ms --linger 0s --host web1 \
		--block-size 16K --spool "$spool" "$c" 2>/dev/null
	cp -a "$spool" "$spool-again"
	ends 'a spool is inserted' 0 bash "$work/ships" ships --spool "$spool"
	before=$(click_sql "SELECT message, kind, count(), sum(duration_ns), groupArray(text) FROM
		(SELECT * FROM events_unique ORDER BY chain, block, row) GROUP BY message, kind ORDER BY message, kind")
	ends '... and again' 0 bash "$work/ships" ships --spool "$spool-again"
	is '... the table may have both copies' \
		"$(($(rows events | cut -d' ' -f1) >= entries))" 1
	is '... the view has one' "$(rows events_unique)" "$entries $entries 0"
	is '... and the same answers' "$(click_sql "SELECT message, kind, count(), sum(duration_ns), groupArray(text) FROM
		(SELECT * FROM events_unique ORDER BY chain, block, row) GROUP BY message, kind ORDER BY message, kind")" "$before"
	click_sql 'OPTIMIZE TABLE events FINAL'
	is '... as the table has once it was merged' "$(rows events)" "$entries $entries 0"

	printf '%s\n' 's e@cret' >"$work/password"
	ends 'a user with a password' 0 bash "$work/ships" ships --user writer --password-file "$work/password"
	echo wrong >"$work/password"
	ends '... that is wrong' 1 bash "$work/ships" ships --linger 5s --user writer --password-file "$work/password"
	has '... is told' "$err" "HTTP [0-9]+: Wrong password for user writer.*; see --user and --password-file; blocks"
	ends '... also in the URL' 0 "$ship" run --to "clickhouse://writer:s%20e%40cret@127.0.0.1:$click_port/events" \
		--all --for 1ms "$c"
	click_sql 'CREATE TABLE other (a Int64) ENGINE = Memory'
	ends 'a table of something else' 1 "$ship" run --to "clickhouse://127.0.0.1:$click_port/other" --all --for 1ms "$c"
	has '... is told' "$err" "HTTP [0-9]+: No such column ns in table.*; it is no table of timeline-ship: name another; blocks"
	ends 'a database that is not there' 1 "$ship" run --to "clickhouse://127.0.0.1:$click_port/none.other" --all --for 1ms "$c"
	has '... is told' "$err" "HTTP [0-9]+: Database none doesn't exist; create the database; blocks"
	rm "/dev/shm$c"

	# all at once: who logs, who ships, who stores; the last two are killed
	mkfifo "$work/load.in"
	"$build/tests/daemon/load" "$c" <"$work/load.in" >"$work/load.out" &
	load=$!
	started+=("$load")
	exec 7>"$work/load.in"
	until_true test -e "/dev/shm$c"
	to=clickhouse://127.0.0.1:$click_port/killed
	ship_on() { start --to "$to" --host web1 --spool "$work/spool-kill" --all --every 200ms "$c"; }
	ship_on
	echo 'rate 50000 info' >&7
	arrived() { [ "$(click_sql 'SELECT count() FROM killed')" -gt "$1" ]; }
	until_true arrived 10000
	for _ in 1 2 3; do
		click_kill
		sleep 0.7
		click_start
		sleep 1.2
		kill -9 "$shipper"
		wait "$shipper" 2>/dev/null
		sleep 0.2
		ship_on
		sleep 1.3
	done
	echo 'rate 0 info' >&7
	echo count >&7
	sleep 1
	logged=$(grep -E '^[0-9]+$' "$work/load.out" | tail -1)
	is_empty() { [ -z "$(find "$work/spool-kill" -name '*.trace')" ]; }
	until_true is_empty
	stop TERM
	is 'a shipper that is told to end, after kills, has sent all there is' "$status" 0
	read -r stored keys lost < <(rows killed_unique)
	is '... no row is there twice' "$keys" "$stored"
	is '... and with what was lost, all that was logged' \
		"$((stored - $(click_sql 'SELECT countIf(level = 0) FROM killed_unique') + lost))" "$logged"
	echo quit >&7
	exec 7>&-
	wait "$load"
	click_kill
fi
