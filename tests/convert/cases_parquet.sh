# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2154
# cases_parquet.sh - DuckDB and hyparquet read Parquet files, and the queries of
# the examples read the files of a fleet.  Needs the variables build, here and
# work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"

rows=("$build/tests/unit/format" 'do' rows)
queries=$(cd "$here/../../examples" && pwd)
ROWS=140000 # more than a row group, of several pages

parquet() { told parquet.mjs "$@"; }
# asked QUERY... prints the answers of the files in $work.
asked() { (cd "$work" && parquet ask "$@"); }

# Two readers see every column of every row; SAMPLE chooses the reader, or the
# bounds.
same_cases() {
	local reader number=0
	"${rows[@]}" 1 $ROWS "$work/random.parquet" "$work/random.lines"
	for reader in duckdb hyparquet; do
		! sampled $((number++)) || is "$reader reads every value of every row" \
			"$(parquet same $reader "$work/random.parquet" "$work/random.lines")" \
			"$ROWS rows, 0 differ"
	done
	! sampled $number || has 'bounds hold, and long ones are cut' \
		"$(parquet bounds "$work/random.parquet")" \
		'^[0-9]+ bounds, [1-9][0-9]* of them cut$'
	is 'there are dictionaries, full ones, packed numbers, and pages of nothing' \
		"$(asked "SELECT DISTINCT encodings FROM parquet_metadata('random.parquet') ORDER BY 1")" \
		'PLAIN, RLE
PLAIN, RLE, DELTA_BINARY_PACKED
PLAIN, RLE, RLE_DICTIONARY
RLE, DELTA_BINARY_PACKED
RLE, RLE_DICTIONARY'
	rm -f "$work"/random.*
}

# DuckDB compares the Parquet file with the JSON lines that timeline-convert
# makes of the same timeline.
lines_cases() {
	local made_by=$build/tests/tool/make_timeline
	"$made_by" "$live-parquet" known spans=300 "save=$work/lines.tl" remove
	(cd "$work" && "$build/bin/timeline-convert" -q lines.tl -o lines.parquet &&
		"$build/bin/timeline-dump" --json --oldest-first lines.tl >lines.jsonl)
	is 'rows are the lines that timeline-dump prints' "$(asked "
		WITH lines AS (FROM read_json('lines.jsonl', columns = {
			ns: 'BIGINT', tsc: 'UBIGINT', cpu: 'UINTEGER', pid: 'UINTEGER',
			tid: 'UINTEGER', priority: 'VARCHAR', category: 'VARCHAR',
			message: 'VARCHAR', kind: 'VARCHAR', lost: 'UBIGINT',
			args: 'JSON'}))
		SELECT count(*) > 300, count(*) FILTER (
			l.lost IS NOT DISTINCT FROM p.lost AND
			l.cpu IS NOT DISTINCT FROM p.cpu AND (l.lost IS NOT NULL OR (
			l.ns = epoch_ns(p.time) AND l.tsc = p.tsc AND
			l.pid = p.pid AND l.tid = p.tid AND
			l.priority = p.priority AND l.category = p.category AND
			l.message = p.message AND l.kind = p.kind AND
			(p.bare OR p.name1 IS NULL OR (l.args->>p.name1) IN
				(p.value1::VARCHAR, p.signed1::VARCHAR, p.string1) OR
				TRY_CAST(l.args->>p.name1 AS DOUBLE) = p.double1)))) = count(*)
		FROM 'lines.parquet' p POSITIONAL JOIN lines l")" 'true|true'
	is 'a pipe gets what a file gets' \
		"$("$build/bin/timeline-convert" -q --to parquet "$work/lines.tl" |
			cmp - "$work/lines.parquet" && echo same)" same
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	cat "$work/fifo" >"$work/of_fifo" &
	ends 'a FIFO is written' 0 "$build/bin/timeline-convert" -q --to parquet \
		"$work/lines.tl" -o "$work/fifo"
	wait $!
	is '... and all comes through' \
		"$(cmp "$work/of_fifo" "$work/lines.parquet" && echo same)" same
	[ ! -w /dev/full ] || ends 'a full disk is an error' 1 \
		"$build/bin/timeline-convert" -q --to parquet "$work/lines.tl" -o /dev/full
}

# All row groups but the last are damaged: a query that is answered has not read
# the damaged groups.
skip_cases() {
	local last at
	made parquet many "$work/many.parquet" 400000
	is 'quantiles of spans are one query' "$(asked "SELECT message,
		quantile_cont(duration_ns, 0.99) FROM 'many.parquet'
		WHERE duration_ns IS NOT NULL GROUP BY ALL ORDER BY ALL")" \
		$'job $id|1200\nrequest $id to $path%s|6340'
	last=$(asked "SELECT min(time)::VARCHAR || '|' || min(tsc) FROM (
		FROM 'many.parquet' LIMIT 1000 OFFSET 399000)")
	at=$(asked "SELECT min(coalesce(dictionary_page_offset, data_page_offset))
		FROM parquet_metadata('many.parquet') WHERE row_group_id = 3")
	head -c $((at - 4)) /dev/zero | tr '\0' '\377' |
		dd of="$work/many.parquet" bs=64k seek=4 oflag=seek_bytes \
			conv=notrunc status=none
	is 'DuckDB skips row groups by their times' \
		"$(asked "SELECT count(*) FROM 'many.parquet' WHERE time >= '${last%%|*}'")" 1000
	is '... and by unsigned numbers' \
		"$(asked "SELECT count(tid) FROM 'many.parquet' WHERE tsc >= ${last##*|}")" 1000
	lacks '... which it cannot read' \
		"$(asked "SELECT sum(tid) FROM 'many.parquet'")" '^[0-9]+$'
	made parquet many "$work/many.parquet" 400000
	is 'what is not there is in no row group' \
		"$(asked "SELECT count(*) FROM 'many.parquet' WHERE message = 'zebra'")" 0
}

set_cases() {
	local set
	for set in plain hostile lossy back; do
		made parquet "$set" "$work/$set.parquet"
		is "two readers agree on a $set set" \
			"$(parquet rows duckdb "$work/$set.parquet" | wc -l)
$(parquet rows duckdb "$work/$set.parquet")" \
			"$(parquet rows hyparquet "$work/$set.parquet" | wc -l)
$(parquet rows hyparquet "$work/$set.parquet")"
	done
	is 'losses are rows' "$(asked "SELECT list(lost), count(*), count(message)
		FROM 'lossy.parquet' WHERE kind = 'lost'")" '["11","500","3"]|3|0'
	is 'nanoseconds are all there, before 1970, too' \
		"$(asked "SELECT list(epoch_ns(time)) FROM 'back.parquet'")" \
		'["-5","1795202658123456789","1795202658123456769","1795202658123456799"]'
	is '... as integers, too' "$(asked \
		"SELECT list(ns) FROM 'back.parquet'")" \
		'["-5","1795202658123456789","1795202658123456769","1795202658123456799"]'
	is 'integers of 32 bits have no sign that a reader must know' \
		"$(asked "SELECT DISTINCT type FROM parquet_schema('plain.parquet')
			WHERE converted_type LIKE 'UINT_%' AND converted_type <> 'UINT_64'" | wc -l)" 0
	is '64 bits are 64 bits' "$(asked "SELECT value1, signed2, value3
		FROM 'plain.parquet' WHERE number = 0")" \
		'18446744073709551615|-9223372036854775808|18446744073709551615'
	made jsonl back "$work/back.jsonl"
	"$build/bin/timeline-convert" -q --parquet-time micros "$work/back.jsonl" \
		-o "$work/micros.parquet"
	is 'microseconds are what Spark reads' "$(asked "SELECT converted_type,
		logical_type FROM parquet_schema('micros.parquet') WHERE name = 'time'")" \
		'TIMESTAMP_MICROS|TimestampType(isAdjustedToUTC=1, unit=TimeUnit(MILLIS=<null>, MICROS=MicroSeconds(), NANOS=<null>))'
	is '... rounded down, beside all nanoseconds' "$(asked "SELECT
		list(epoch_us(time)), list(ns) FROM 'micros.parquet'")" \
		'["-1","1795202658123456","1795202658123456","1795202658123456"]|["-5","1795202658123456769","1795202658123456789","1795202658123456799"]'
	is '... to hyparquet, too' \
		"$(parquet rows hyparquet "$work/micros.parquet" | jq -r .ns | head -n 1)" -5
	made parquet many "$work/none.parquet" 0
	is 'a file without rows has its columns' "$(asked \
		"SELECT count(*), (SELECT count(*) FROM (DESCRIBE FROM 'none.parquet')) > 40
		FROM 'none.parquet'")" '0|true'
	is 'it says who wrote it' "$(asked "SELECT created_by FROM
		parquet_file_metadata('none.parquet')")" \
		"timeline version $("$build/bin/timeline-convert" --version |
			sed -nE '1s/.* ([0-9.]+)$/\1/p')"
}

fleet_cases() {
	local host
	for host in db1 web1 web2; do
		mkdir -p "$work/fleet/host=$host/date=2026-11-20/hour=10"
	done
	"${rows[@]}" "$work/fleet"
	is 'a fleet in folders is one table' "$(asked "SELECT host, date, hour,
		count(*) FROM 'fleet/**/*.parquet' GROUP BY ALL ORDER BY ALL")" \
		'db1|2026-11-20|10|2001
web1|2026-11-20|10|2030
web2|2026-11-20|10|2032'
	is '... of which a host is some files' "$(asked "SELECT count(*) FROM
		read_parquet('fleet/host=*/date=*/hour=*/*.parquet',
		hive_partitioning = true) WHERE host = 'web1' AND date = '2026-11-20'")" \
		2030
	is '... and a file knows its host alone' "$(asked "SELECT DISTINCT host FROM
		read_parquet('fleet/host=db1/*/*/*.parquet', hive_partitioning = false)")" \
		db1
	is 'the slowest spans of a fleet' \
		"$(asked "$queries/fleet_slowest.sql" | sed -n '1p;11p;$p;$=')" \
		'300|web2|server|7|8|2026-11-20 10:00:00.11535|< request id(99)|false
297|web2|server|7|8|2026-11-20 10:00:00.11405|< request id(98)|false
297|web2|server|7|8|2026-11-20 10:00:09.11405|< request id(998)|false
20'
	is 'the rate of each host' "$(asked "$queries/fleet_rate.sql")" \
		'web2|700|200|2026-11-20 10:00:07
web1|230|200|2026-11-20 10:00:05
db1|201|200|2026-11-20 10:00:05'
	is 'what happens in a burst of errors' \
		"$(asked "$queries/fleet_errors.sql")" \
		'2026-11-20 10:00:05|60|web1|no answer from $peer%s|30|0
2026-11-20 10:00:05|60|web2|no answer from $peer%s|30|0
2026-11-20 10:00:05|60|db1|stalled for $t%t|1|0'
	is 'percentiles of each message and host' \
		"$(asked "$queries/fleet_latency.sql")" \
		'request $id|web2|998|153|270.9|297.09|300
request $id|web1|1000|101|180.2|198.02|200
request $id|db1|1000|50.5|90.1|99.01|100'
	is 'hosts with losses' "$(asked "$queries/fleet_losses.sql")" \
		'web2|server|503|19.858|2|2|2026-11-20 10:00:07.010335|2026-11-20 10:00:08.010335'
	is 'every query of examples is tried' \
		"$(find "$queries" -name '*.sql' | wc -l)" 5
}

parquet_cases() {
	same_cases
	lines_cases
	skip_cases
	set_cases
	fleet_cases
}
both_cases() { with_npm hyparquet parquet_cases; }

with_npm @duckdb/node-api both_cases
