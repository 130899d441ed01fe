# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases_viewers.sh - programs that read Perfetto, CTF and SQLite read made-up
# events.  Needs the variables build, here and work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"

# packets FILE prints the packets of a Perfetto trace, decoded with our own list
# of fields.
packets() {
	protoc -I "$here" --decode=Trace perfetto.proto <"$1" 2>&1
}

perfetto_cases() {
	local text set
	made perfetto plain "$work/plain.pftrace"
	text=$(packets "$work/plain.pftrace")
	is 'protoc knows every field of a Perfetto trace' \
		"$(count "$text" '^ *[0-9]+[ :]')" 0
	is 'every event of a Perfetto trace is there' \
		"$(count "$text" '^  event \{')" 17
	is 'spans begin and end' \
		"$(count "$text" 'type: BEGIN') $(count "$text" 'type: END')" '5 4'
	is 'a category is interned once' "$(count "$text" 'text: "http"')" 1
	is 'a string is interned once' "$(count "$text" 'text: "/index"')" 1
	has 'an argument keeps 64 bits' "$text" 'unsigned: 18446744073709551615'
	has 'a signed argument, too' "$text" 'signed: -9223372036854775808'
	has 'a hexadecimal one, too' "$text" 'pointer: 18446744073709551615'
	has 'the machine has a name' "$text" 'machine_name: "host-a"'
	has 'the process has a name' "$text" 'name: "server \\"x\\""'
	is 'four clocks are told' "$(count "$text" '^    clock \{')" 4
	for set in hostile lossy back; do
		made perfetto "$set" "$work/$set.pftrace"
		text=$(packets "$work/$set.pftrace")
		is "protoc knows every field of a $set one" \
			"$(count "$text" '^ *[0-9]+[ :]|Failed')" 0
	done
	made perfetto many "$work/many.pftrace" 10000
	is 'ten thousand events are ten thousand' \
		"$(count "$(packets "$work/many.pftrace")" '^  event \{')" 10000
}

# babel TRACE prints the events that babeltrace2 shows; $babel_says gets the
# warnings, of which a good trace has none.
babel() {
	babeltrace2 --clock-gmt "$1" 2>"$work/babel"
	babel_says=$(cat "$work/babel")
}

ctf_cases() {
	local text
	made ctf plain "$work/plain.ctf"
	text=$(babel "$work/plain.ctf")
	is 'babeltrace2 has nothing to say of a CTF trace' \
		"$(cat "$work/babel")" ''
	is 'it shows every event' "$(wc -l <<<"$text")" 17
	is 'it shows every field' "$(head -1 <<<"$text")" \
		'[19:24:18.123456789] (+?.?????????) host-a:server "x":(40) net:processed tcp, udp, and other: { cpu_id = 0, lane = 0, source = 0 }, { pid = 40, tid = 50, tsc = 5385607974370370367, number = 0, epoch = 0, error_ns = 30, thread = "", process = "" }, { category = ( "net" : container = 0 ), level = ( "trace" : container = 4 ), kind = ( "instant" : container = 1 ) }, { tcp = 18446744073709551615, udp = -9223372036854775808, other = 0xFFFFFFFFFFFFFFFF }'
	has 'doubles and durations' "$text" '\{ r = 0.5, t = -1500 \}$'
	has 'strings' "$text" 'http:request id to path_entry: .*path = "/index" \}$'
	has 'ends without arguments' "$text" 'batch:job id_exit: .*, \{ \}$'
	made ctf hostile "$work/hostile.ctf"
	text=$(babel "$work/hostile.ctf")
	is 'hostile texts are texts' "$(cat "$work/babel") $(wc -l <<<"$text")" \
		' 4'
	has 'the name of a message is as it was, escaped' "$text" \
		'evil " \*/ \}; int .x. \\xff\\xfe \\x7f \?\?/ 9x: '
	has 'names that are words of the language stay' "$text" '\{ int = "#6", 9x = 3 \}$'
	made ctf lossy "$work/lossy.ctf"
	babel "$work/lossy.ctf" >/dev/null
	is 'losses are said where they were' \
		"$(grep -oE 'discarded [0-9]+ events' <<<"$babel_says" | tr '\n' ,)" \
		'discarded 11 events,discarded 500 events,discarded 3 events,'
	made ctf many "$work/many.ctf" 100000
	is 'packets follow each other' \
		"$(babel "$work/many.ctf" | wc -l) $(cat "$work/babel")" '100000 '
	is 'a directory that is there stays as it is' \
		"$("$viewers" ctf plain "$work/many.ctf" 2>&1)" \
		'write_viewers: File exists'
}

sqlite_cases() {
	local db=$work/plain.db
	made sqlite plain "$db"
	is 'sqlite3 finds the database whole' \
		"$(sqlite3 "$db" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
	# shellcheck disable=SC2016 # the $ are of the message
	is 'it shows an event as it was' \
		"$(sqlite3 "$db" 'SELECT * FROM timeline WHERE id = 1')" \
		'1|2026-11-20T19:24:18.123456789Z|1795202658123456789|trace|net|instant|processed $tcp%u, $udp%d, and $other%x|tcp|18446744073709551615|udp|-9223372036854775808|other|0xffffffffffffffff||||40|50|0|host-a||'
	is 'spans are counted' \
		"$(sqlite3 "$db" 'SELECT category, calls, total_ns FROM durations')" \
		$'http|2|2118\nbatch|1|1106\ntimelogger|1|1'
	has 'questions about time use an index' \
		"$(sqlite3 "$db" 'EXPLAIN QUERY PLAN SELECT * FROM events WHERE ns > 5')" \
		'events_by_time'
	is 'what SQLite has no value for is said' "$said" \
		'SQLite has no double that is not a number: NULL is written'
	made sqlite many "$work/many.db" 20000
	is 'many events are a whole database' \
		"$(sqlite3 "$work/many.db" 'PRAGMA integrity_check; SELECT count(*) FROM events; SELECT count(*) FROM spans')" \
		$'ok\n20000\n4000'
}

with protoc perfetto_cases
with babeltrace2 ctf_cases
with sqlite3 sqlite_cases
