# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Rows over HTTP, to a server that fails in every way: click_server.py.

w=$work/click
mkdir "$w"
fake_start() {
	rm -f "$w/port"
	python3 "$here/click_server.py" "$w" 2>"$w/fake.err" &
	fake=$!
	started+=("$fake")
	until_true test -e "$w/port"
	port=$(<"$w/port")
	to=clickhouse://127.0.0.1:$port/web.events
}
# fresh [MODE]: nothing is stored, and the server does that
fresh() {
	rm -f "$w"/{log,sql,rows,has}
	echo "${1:-ok}" >"$w/mode"
}
# ships SENTENCE STATUS OPTION...: what the timeline has, once
ships() {
	ends "$1" "$2" "$ship" run --to "$to" --all --for 1ms --host web1 \
		--block-size 16K "${@:3}" "$name-click"
}
# columns LIST: of the rows that are stored
columns() { cut -f "$1" "$w/rows"; }
# each entry is stored, and rows of one key are alike
check_rows() { # SENTENCE
	is "$1: every entry is stored" \
		"$(columns 24 | sed "s/^\['\([0-9]*\)'.*/\1/" | sort -nu)" "$(seq 0 1999)"
	is '... under one key, with one content' \
		"$(columns 4-6 | sort -u | wc -l) $(sort -u "$w/rows" | wc -l)" '2000 2000'
}

if "$ship" run --to clickhouse://127.0.0.1:1 --for 1ms x 2>&1 | grep -q 'built without'; then
	skip 'ClickHouse: built without libcurl'
elif ! command -v python3 >/dev/null; then
	skip 'ClickHouse: no python3'
else
	for bad in 'clickhouse://:empty name' 'clickhouse://a,b:one HOST or HOST:PORT' \
		'clickhouse://a/b.c.d:DATABASE\.TABLE' "clickhouse://a/b';:DATABASE\\.TABLE" \
		'clickhouse://me:secret%zz@a:written as %25' 'clickhouse://a/1:DATABASE\.TABLE'; do
		ends "${bad%:*} is refused" 1 "$ship" run --to "${bad%:*}" x
		has '... which says why' "$err" "${bad##*:}"
		lacks '... without the password' "$err" secret
	done
	ends 'a format is for files' 2 "$ship" run --to clickhouse://a --format jsonl x
	ends 'a password needs a user' 1 "$ship" run --to clickhouse://a --password-file /x y
	has '... which is said' "$err" 'needs --user'
	ends 'a table is read by SQL' 2 "$ship" read clickhouse://me:secret@a
	has '... which is said' "$err" 'SQL'
	lacks '... without the password' "$err" secret

	"$make" "$name-click" entries=65536 plain=2000
	fake_start
	fresh
	ships 'what is there is inserted' 0
	has '... which is summed up' "$out" '^2000 entries, 0 lost, [0-9]+ blocks \([0-9.]+K\) sent in'
	check_rows 'a server that does as it should'
	is '... the table and its view were created first' \
		"$(cut -d' ' -f 1,2 "$w/log" | uniq)" $'select -\ncreate table\ncreate view\ninsert -'
	has '... a table that keeps one row of each key' "$(cat "$w/sql")" \
		"CREATE TABLE IF NOT EXISTS .web.\..events. .*ReplacingMergeTree.*ORDER BY \(host, timeline, time, chain, block, row\)\$"
	is '... host and timeline are there' "$(columns 2,3 | sort -u)" $'web1\t'"${name#/}-click"
	is '... what the message is' "$(columns 7-11 | sort -u)" \
		$'instant\texample\tprocessed $tcp, $udp, and $other\ttrace\t4'
	is '... and how it reads' "$(columns 12 | sed -n 8p)" 'processed tcp(7), udp(14), and other(21)'
	is '... with as many columns as are named' \
		"$(awk -F'\t' '{ print NF }' "$w/rows" | sort -u)" \
		"$(sed -n 's/^INSERT.*(\(.*\)).*/\1/p' "$w/sql" | head -1 | tr , '\n' | wc -l)"

	fresh
	printf 'table\ninsert_deduplication_token\nasync_insert\n' >"$w/has"
	to=clickhouse://me:a%20%40b@127.0.0.1:$port/web.events
	ships 'a table that is there is not created' 0
	is '... by whom the URL names, with a token' \
		"$(sed 's/ [0-9a-f]\{32\}-[0-9]-[^ ]* [0-9]*$/ TOKEN/' "$w/log" | uniq)" $'select me:a @b\ninsert me:a @b TOKEN'
	fresh
	echo 'other secret' >"$w/password"
	to=clickhouse://127.0.0.1:$port
	ships 'the password may be in a file' 0 --user you --password-file "$w/password"
	has '... and is sent' "$(cat "$w/log")" '^select you:other secret$'
	has '... the default table' "$(cat "$w/sql")" '.default.\..timeline.'
	ships '... a file that is not there is told' 1 --linger 0s --user you --password-file "$w/none"
	has '... by its name' "$err" "none: No such file"
	to=clickhouse://127.0.0.1:$port/web.events

	# say MODE PATTERN: one that fails so, until it does not
	says() {
		fresh "$1"
		ships "a server that does $1: what is in memory is lost" 1 --linger 2s
		has '... where, what, remedy' "$err" "^timeline-ship: http://127.0.0.1:$port: $2; blocks are kept and sent again\$"
	}
	says 500 "HTTP 500: Database x doesn't exist; create the database"
	says new 'HTTP 500: Too many parts \(3000\) [a-z ]{60,80}\.\.\.'
	says denied 'HTTP 403: web1: Authentication failed: password is incorrect\. .*; see --user and --password-file'
	says html 'the answer is not of ClickHouse: see host and port'
	says midway '.*'
	says lost '.*'

	tried_twice() { [ "$(grep -c insert "$w/log")" -ge 2 ]; }
	is_empty() { [ -z "$(find "$1" -name '*.trace')" ]; }
	for mode in 500 midway lost; do
		fresh "$mode"
		"$ship" run --to "$to" --all --host web1 --block-size 16K --spool "$w/spool-$mode" \
			"$name-click" >"$work/said" 2>"$work/err" &
		shipper=$!
		until_true tried_twice
		kill -9 "$shipper"
		wait "$shipper" 2>/dev/null
		[ "$mode" = lost ] && is 'a lost answer: the same blocks came again, as the same bytes' \
			"$([ "$(sort "$w/rows" | uniq -d | wc -l)" -gt 0 ] && sort -u "$w/rows" | wc -l)" \
			"$(columns 4-6 | sort -u | wc -l)"
		: >"$work/err"
		start --to "$to" --host web1 --spool "$w/spool-$mode" "$name-click"
		until_true grep -q 'kept and sent again' "$work/err"
		echo ok >"$w/mode"
		until_true is_empty "$w/spool-$mode"
		stop TERM
		is "$mode, and a shipper that is killed: it goes on" "$status" 0
		check_rows "$mode"
		has '... and says when it is over' "$(cat "$work/err")" 'the target accepts blocks again'
	done

	fresh
	kill "$fake"
	wait "$fake" 2>/dev/null
	: >"$work/err"
	start --to "$to" --all --host web1 --spool "$w/spool-none" "$name-click"
	until_true grep -q 'kept and sent again' "$work/err"
	has 'no server: that is said at once' "$(cat "$work/err")" "http://127.0.0.1:$port: .*[Cc]onnect"
	stop TERM
	is '... and is no failure with a spool' "$status" 0
	fake_start
	ships '... which the next sends' 0 --spool "$w/spool-none"
	check_rows 'after no server'

	fresh slow
	ships 'a slow server is waited for' 0 --linger 10s
	check_rows 'slow'
	fresh hang
	begun=$(date +%s)
	ships 'one that never answers does not hold up the end' 1 --linger 1s
	is '... for long' "$(($(date +%s) - begun < 6))" 1

	fresh
	rm "/dev/shm$name-click"
	"$make" "$name-click" entries=65536 spans=3 hostile=1
	"$ship" run -q --to - --all --for 1ms --host web1 "$name-click" >"$w/blocks"
	ships 'spans, and texts with every byte' 0
	is '... each is one line with all columns' "$(awk -F'\t' '{ print NF }' "$w/rows" | sort -u)" 24
	is '... an end has its duration, unless its begin is not known' \
		"$(columns 7,13,14 | awk '$1 == "end" { print $2 ~ /^[0-9]+$/, $3 }' | sort | uniq -c | tr -s ' ')" \
		$' 1 0 \\N\n 9 1 0'
	is '... others have none' \
		"$(columns 7,13,14 | awk '$1 != "end" { print $2, $3 }' | sort -u)" '\N \N'
	is '... the texts are those of timeline-dump' "$(columns 12 | sed 's/\\\(.\)/\1/g; s/  [0-9.]*[nmu]*s$//' | sort)" \
		"$("$dump" "$w/blocks" --columns message 2>/dev/null | sed 's/  [0-9.]*[nmu]*s$//' | sort)"
	columns 5-8,12 | grep -P '\tend\t.*  [0-9.]+[nmu]*s$|\tlost\t' >"$w/ends"
	fresh
	ships '-e chooses rows' 0 -e 'kind == "end" and duration >= 0'
	is '... which have the numbers that they have among all' \
		"$(columns 5-8 | sort)" "$(cut -f 1-4 "$w/ends" | sort)"
	fresh
	ships '... or none' 0 -e 'args.tcp > 10'
	has '... whose blocks are sent all the same' "$out" '0 lost, [0-9]+ block.* sent in'
	is '... without an insert' "$(grep -c insert "$w/log")" 0
	ships 'an expression that is none' 1 -e 'level >'
	has '... is told at once' "$err" '^timeline-ship: -e:1: '
	ends '... and so is one for another target' 2 "$ship" run --to "$w/dir" -e 'level > 7' x
	has '... with why' "$err" '-e: chooses rows of clickhouse://'
	kill "$fake"
	if ! command -v openssl >/dev/null; then
		skip 'ClickHouse by TLS: no openssl'
	else
		openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 \
			-addext subjectAltName=IP:127.0.0.1 -keyout "$w/key.pem" \
			-out "$w/cert.pem" 2>/dev/null
		fake_start
		to=clickhouses://127.0.0.1:$port
		fresh
		ships 'TLS, to a server whose certificate is known' 0 --tls-ca "$w/cert.pem"
		has '... inserts' "$(cat "$w/log")" '^insert'
		fresh
		ships '... and not known' 1
		has '... which is told' "$err" "https://127.0.0.1:$port: .*certificate"
		is '... inserts nothing' "$(grep -c insert "$w/log" 2>/dev/null)" ''
		kill "$fake"
	fi
fi
