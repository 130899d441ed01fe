# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154,SC2016,SC2089,SC2090
# Every format that is read is written as every format that is written, and
# other programs read the results.

# shellcheck source=tests/convert/samples.sh
. "$here/samples.sh"

has 'formats are read' "$readable" '^timelogger$'
has 'formats are written' "$writable" '^perfetto$'

# == every pair ==
for f in $readable; do
	read_count=$("$dump" --json "$in.$f" 2>/dev/null | jq -c 'select(.ns)' | wc -l)
	for t in $writable; do
		out=$work/pair.$t
		said=$("$convert" --json --from "$f" --to "$t" "$in.$f" -o "$out" 2>"$work/err")
		status=$?
		[ $status = 0 ] || echo "$f to $t: status $status: $(head -3 "$work/err")"
		[ -e "$out" ] || echo "$f to $t: nothing there"
		[ "$(jq "[.read, .written] == [$read_count, $read_count]" <<<"$said")" = true ] ||
			echo "$f to $t: $said"
		grep -v '^timeline-convert: [^:]*: [a-zA-Z]' "$work/err" # as a sentence
		rm -rf "$out" "$out.idx"
	done
done >"$work/seen" 2>&1
is 'every format that is read becomes every one that is written' \
	"$(cat "$work/seen")" ''

# The content tells the format, whatever the name.
for f in $readable; do
	rm -f "$work/noname.idx" # left by the file before
	cp "$in.$f" "$work/noname"
	"$convert" -q --json "$work/noname" --to csv -o "$work/noname.out" --force |
		jq -r '.inputs[0].format'
done >"$work/seen" 2>&1
is 'what a file is its first bytes tell' "$(cat "$work/seen")" "$readable"

# timeline-dump opens the same files.
for f in $readable; do
	"$dump" --oldest-first --format csv "$in.$f" >"$work/a" 2>/dev/null
	to csv "$in.$f" >"$work/b"
	cmp "$work/a" "$work/b" && [ "$(wc -l <"$work/b")" -gt 10 ] || echo "$f"
done >"$work/seen" 2>&1
is 'timeline-dump shows the same entries of each' "$(cat "$work/seen")" ''

# Each format is written back into itself.  The timelogger sample is read once
# first: an export puts spans that were open before the first time kept behind
# later records, and reading sorts the records by time.
to timelogger "$in.timelogger" >"$work/ordered" && mv "$work/ordered" "$in.timelogger"
for f in timelogger rtl lms jsonl csv; do
	to "$f" "$in.$f" | cmp - "$in.$f" || echo "$f"
done >"$work/seen" 2>&1
is 'what was written is read and written the same, byte for byte' \
	"$(cat "$work/seen")" ''
for f in trace chrome; do
	grep -qx $f <<<"$readable" || continue
	to $f "$in.$f" >"$work/again.$f"
	is "of a $f every entry comes back" "$(entries "$work/again.$f")" "$(entries "$in.$f")"
done
if grep -qx timeline <<<"$writable"; then
	to timeline "$in.timeline" >"$work/again.tl"
	is 'a timeline becomes a timeline with the same entries' \
		"$(entries "$work/again.tl")" "$(entries "$in.timeline")"
	"$convert" "$in.timeline" -o "$work/again.tl.zst"
	is '... compressed where OUT ends in .tl.zst' \
		"$(head -c 4 "$work/again.tl.zst" | od -An -tx1) $(entries "$work/again.tl.zst" | cksum)" \
		" 28 b5 2f fd $(entries "$in.timeline" | cksum)"
	is '... which is whole' "$("$dump" --check "$work/again.tl" >/dev/null && echo whole)" whole
	to timeline "$in.rtl" >"$work/of_rtl.tl"
	is 'a log becomes a timeline with its times' \
		"$(to jsonl "$work/of_rtl.tl" | jq -r .ns)" "$(to jsonl "$in.rtl" | jq -r .ns)"
fi

# == other programs read the results ==
count=$(to jsonl "$in.timeline" | wc -l)
is 'jq reads JSON lines' "$(to jsonl "$in.timeline" | jq -s length)" "$count"
is 'jq reads a Chrome trace' \
	"$(to chrome "$in.timeline" | jq '[.traceEvents[] | select(.ph != "M") |
		if .ph == "X" then 2 else 1 end] | add')" "$count"
if command -v sqlite3 >/dev/null; then
	"$convert" -q "$in.timeline" -o "$work/s.db"
	is 'sqlite3 counts the same' "$(sqlite3 "$work/s.db" \
		'PRAGMA integrity_check; SELECT count(*) FROM events')" "ok"$'\n'"$count"
else
	skip 'no sqlite3'
fi
if command -v babeltrace2 >/dev/null; then
	"$convert" -q "$in.timeline" -o "$work/s.ctf/"
	is 'babeltrace2 counts the same' \
		"$(babeltrace2 "$work/s.ctf" 2>&1 | wc -l)" "$count"
else
	skip 'no babeltrace2'
fi
if command -v protoc >/dev/null; then
	is 'protoc counts the same' "$(to perfetto "$in.timeline" |
		protoc -I "$here" --decode=Trace perfetto.proto | grep -c '^  event {')" "$count"
else
	skip 'no protoc'
fi

# Values of 64 bits, edges and random ones, in four columns of decimals: one
# column each for signed, unsigned, hexadecimal and plain arguments.
seed=${SEED:-$RANDOM}
{
	printf '%s\n' 0 1 7fffffffffffffff 8000000000000000 8000000000000001 ffffffffffffffff \
		20000000000000 20000000000001
	RANDOM=$seed
	for ((i = 0; i < 200; i++)); do
		printf '%04x%04x%04x%04x\n' $((RANDOM * 2 + RANDOM % 2)) $((RANDOM * 2)) $((RANDOM * 2)) \
			$((RANDOM * 2 + RANDOM % 2))
	done
} | while read -r hex; do
	v=$((16#$hex)) # as signed
	printf '%d %u %u %d\n' "$v" "$v" $((~v)) $((v ^ 16#5555555555555555))
done >"$work/values"
awk '{ printf "{\"ns\":%d,\"tsc\":1,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\"," \
	"\"message\":\"m $s%%d $u%%u $x%%x $p\",\"kind\":\"instant\"," \
	"\"args\":{\"s\":%s,\"u\":%s,\"x\":%s,\"p\":%s}}\n", NR * 1000, $1, $2, $3, $4 }' \
	"$work/values" >"$work/values.jsonl"
for f in timeline trace packed jsonl csv; do
	to "$f" "$work/values.jsonl" -o "$work/values.$f"
	is "$f keeps the bits of every value (seed $seed)" "$(to jsonl --from "$f" "$work/values.$f" |
		sed -nE 's/.*"args":\{"s":([^,]*),"u":([^,]*),"x":([^,]*),"p":([^}]*)\}.*/\1 \2 \3 \4/p')" \
		"$(cat "$work/values")"
done
rm -f "$work"/values.*.idx
as_text=$(awk '{ print $1, $2, $4 }' "$work/values") # without the hexadecimal
is 'rtl shows them' "$(to rtl "$work/values.jsonl" |
	sed -nE 's/.*m s\((.*)\) u\((.*)\) x\(.*\) p\((.*)\).*/\1 \2 \3/p')" "$as_text"
if command -v sqlite3 >/dev/null; then
	to sqlite "$work/values.jsonl" -o "$work/values.db"
	is 'sqlite3 shows them' "$(sqlite3 -separator ' ' "$work/values.db" \
		'select value1, value2, value4 from timeline')" "$as_text"
fi
if command -v babeltrace2 >/dev/null; then
	to ctf "$work/values.jsonl" -o "$work/values.ctf"
	is 'babeltrace2 shows them' "$(babeltrace2 "$work/values.ctf" |
		sed -nE 's/.*\{ s = (.*), u = (.*), x = .*, p = (.*) \}$/\1 \2 \3/p')" "$as_text"
fi
if command -v protoc >/dev/null; then
	is 'protoc shows them' "$(to perfetto "$work/values.jsonl" |
		protoc -I "$here" --decode=Trace perfetto.proto |
		sed -nE 's/^ *(signed|unsigned|pointer): //p' | xargs -n 5 | cut -d' ' -f1-4)" \
		"$(cat "$work/values")"
fi

# Texts of eight bytes in an argument.
keys='["","a","12345678","tab\there","\"q\\\\,","0x1f","#7","=1+1","h\u00e4\u20ac","a\u0000b","\u0007"]'
jq -cn --argjson k "$keys" '$k | to_entries[] | {ns: (.key * 1000 + 1000), tsc: 1, cpu: 0, pid: 7,
	tid: 8, priority: "info", category: "c", message: "get $key%8s of $n", kind: "instant",
	args: {key: .value, n: .key}}' >"$work/keys.jsonl"
keys_of() { to jsonl --from "$1" "$2" | jq -sc '[.[] | select(.args.n != null).args.key]'; }
same_keys=$(jq -c . <<<"$keys")
for f in timeline trace packed jsonl csv; do
	to "$f" "$work/keys.jsonl" -o "$work/kept.$f"
	is "$f keeps the bytes of a text of eight" "$(keys_of "$f" "$work/kept.$f")" "$same_keys"
done
rm -f "$work"/kept.*.idx
to timeline "$work/keys.jsonl" -o "$work/keys.tl"
is 'chrome keeps them, but a text of a hexadecimal number' \
	"$(to chrome "$work/keys.tl" >"$work/keys.json" && keys_of chrome "$work/keys.json")" \
	"$(jq -c '.[5] = 31' <<<"$keys")"
is '... and the message its format' "$(to jsonl "$work/keys.tl" | jq -r .message | sort -u)" 'get $key%8s of $n'
has 'rtl shows them' "$(to rtl "$work/keys.tl")" 'get key\(12345678\) of n\(2\)'
has 'a Chrome trace has them as texts' "$(to chrome "$work/keys.tl")" '"key":"hä€"'
has 'a page has them' "$(to html "$work/keys.tl")" '"12345678"'
has 'Parquet has them' "$(to parquet "$work/keys.tl" | strings)" '12345678'
if command -v sqlite3 >/dev/null; then
	to sqlite "$work/keys.tl" -o "$work/keys.db"
	is 'sqlite3 shows them' "$(sqlite3 "$work/keys.db" \
		"select typeof(value1), value1 from timeline where value2 in (0, 2, 5)")" \
		$'text|\ntext|12345678\ntext|0x1f'
fi
if command -v babeltrace2 >/dev/null; then
	to ctf "$work/keys.tl" -o "$work/keys.ctf"
	has 'babeltrace2 shows them' "$(babeltrace2 "$work/keys.ctf")" 'key = "12345678", n = 2 '
fi
if command -v protoc >/dev/null; then
	is 'protoc shows them' "$(to perfetto "$work/keys.tl" |
		protoc -I "$here" --decode=Trace perfetto.proto | grep -c 'text: "12345678"')" 1
fi
sed -n 3p "$work/keys.jsonl" >"$work/third.jsonl"
for f in jsonl csv; do
	to "$f" "$work/third.jsonl" | sed 's/12345678/123456789/' >"$work/long.$f"
	ends "of a longer text in $f eight bytes are read" 1 "$convert" --to jsonl -o - "$work/long.$f"
	is '... and shown' "$(jq -r .args.key <<<"$out")" 12345678
	has '... and noted' "$err" 'value is not of its format'
done
has 'a page is a page' "$(to html "$in.timeline" | tail -c 200)" '</html>'
has '... that says what is in it' "$(to html "$in.timeline")" 'in\.timeline'
is '--rtl-us writes microseconds' \
	"$(to rtl --rtl-us "$in.timeline" | wc -l)" "$(wc -l <"$in.rtl")"
lacks '... which are other columns' "$(to rtl --rtl-us "$in.timeline" | cmp - "$in.rtl" || echo other)" '^$'

# == several files ==
to jsonl "$in.timeline" "$work/more.tl" "$in.rtl" >"$work/merged"
is 'several files are merged' "$(wc -l <"$work/merged")" \
	"$((count + $(to jsonl "$work/more.tl" | wc -l) + $(to jsonl "$in.rtl" | wc -l)))"
is '... in order of time' "$(jq '.ns // empty' "$work/merged" | sort -nc && echo sorted)" sorted
is '... whatever their order on the command line' \
	"$(to jsonl "$work/more.tl" "$in.timeline" | jq .ns)" \
	"$(to jsonl "$in.timeline" "$work/more.tl" | jq .ns)"

# == live timelines ==
"$make" "$live" known || exit 1
is 'a live timeline is read' "$(to jsonl "$live" | jq -s length)" \
	"$("$dump" --json "$live" | wc -l)"
is 'TIMELINE is read where no file is named' \
	"$(TIMELINE=$live to jsonl | jq -s length)" "$("$dump" --json "$live" | wc -l)"
rm -f "/dev/shm$live"

# == pipes ==
is 'a timeline comes through a pipe' "$(entries - <"$in.timeline" | cksum)" \
	"$(entries "$in.timeline" | cksum)"
is '... and a log' "$(to rtl - <"$in.rtl" | cksum)" "$(cksum <"$in.rtl")"
is '-o - is standard output' "$(to csv "$in.timeline" -o - | cksum)" \
	"$(to csv "$in.timeline" | cksum)"
is 'one program feeds the other' \
	"$(to jsonl "$in.timeline" | to csv - | wc -l)" "$((count + 1))"
if command -v zstd >/dev/null; then
	is '... and zstd' "$(zstd -qc "$in.timeline" | zstd -dqc | to csv - | wc -l)" \
		"$((count + 1))"
fi
tail -n +2 "$in.csv" >"$work/headless"
ends 'a CSV without its line of names is not recognised' 1 \
	"$convert" --to csv "$work/headless"
is '... --from says what it is' "$(to csv --from csv "$work/headless" | cksum)" \
	"$(cksum <"$in.csv")"
is 'a FIFO is read to its end' \
	"$(through_fifo "$in.jsonl" "$convert" -q --to csv "$work/fifo" | wc -l)" "$((count + 1))"

# == selections ==
for way in '--category eng*' '--message *$depth*' '-p warning' '--cpu 0 --cpu 1' '--pid 1' \
	'--tid 1' '--until -1us' '--since 2020-01-01' '--expression args.tcp==10' \
	'-e category=="disk" -p error'; do
	# shellcheck disable=SC2086
	a=$(set -f && "$dump" --oldest-first --json $way "$in.timeline")
	# shellcheck disable=SC2086
	b=$(set -f && to jsonl $way "$in.timeline")
	[ "$a" = "$b" ] || echo "$way"
done >"$work/seen"
is 'options choose the entries that timeline-dump shows' "$(cat "$work/seen")" ''
# from the end of the newest span on, whose begin is older
since=$("$dump" --json "$in.timeline" | grep -m 1 '"kind":"end"' | sed -E 's/^.*"ns":([0-9]+)([0-9]{9}),.*/@\1.\2/')
to jsonl --since "$since" "$in.timeline" | sort >"$work/since"
is '... of --since, and begins of spans that end since then' \
	"$("$dump" --json --since "$since" "$in.timeline" | sort | comm -13 - "$work/since" | jq -r .kind | sort -u)$(
		"$dump" --json --since "$since" "$in.timeline" | sort | comm -23 - "$work/since")" begin
is '-e keeps out' "$(to jsonl -e 'args.tcp == 10' "$in.timeline" | jq -c .args.tcp)" 10
is 'TIMELINE_PRIORITY is respected' \
	"$(TIMELINE_PRIORITY=error to jsonl "$in.timeline")" "$(to jsonl -p error "$in.timeline")"
is '--json counts what was kept out' "$("$convert" -q --json -p error "$in.timeline" \
	-o "$work/few.csv" | jq '.read - .written == .kept_out and .kept_out > 0')" true
ends 'an expression that is wrong fails' 1 "$convert" -e 'args.(' --to csv "$in.timeline"
has '... and says why' "$err" 'timeline-convert: .*near'
ends 'one that fails on the way, too' 1 "$convert" -e 'error("no")' "$in.timeline" -o "$work/never.csv"
is '... and leaves nothing' "$(left never)" ''

# A loss inside a span; the lines come in both orders.
cat >"$work/loss.jsonl" <<'END'
{"ns":1000,"tsc":1,"cpu":0,"pid":1,"tid":1,"priority":"info","category":"a","message":"work","kind":"begin","args":{}}
{"lost":5,"cpu":3}
{"ns":2000,"tsc":2,"cpu":0,"pid":1,"tid":1,"duration_ns":1000,"unsure":true,"begun_tsc":1,"priority":"info","category":"a","message":"work","kind":"end","args":{}}
END
tac "$work/loss.jsonl" >"$work/loss_newest.jsonl"
for f in loss loss_newest; do
	to trace "$work/$f.jsonl" >"$work/$f.trace"
	"$dump" --oldest-first --json "$work/$f.trace"
done >"$work/seen" 2>&1
is 'a loss stays inside of its span, with its CPU' \
	"$(cat "$work/seen")" "$(cat "$work/loss.jsonl" "$work/loss.jsonl")"

# == names of threads and processes ==
cat >"$work/named.jsonl" <<'END'
{"ns":1000,"tsc":1,"cpu":0,"pid":40,"tid":40,"thread":"server","process":"server","priority":"info","category":"a","message":"work","kind":"begin","args":{}}
{"process":"server","ns":2000,"tsc":2,"cpu":0,"pid":40,"tid":50,"thread":"w\"\\ \u4f5c","priority":"info","category":"a","message":"work","kind":"begin","args":{}}
{"ns":3000,"tsc":3,"cpu":0,"pid":40,"tid":50,"priority":"info","category":"a","message":"work","kind":"end","args":{}}
{"ns":4000,"tsc":4,"cpu":0,"pid":40,"tid":40,"thread":"server","process":"server","priority":"info","category":"a","message":"work","kind":"end","args":{}}
{"ns":5000,"tsc":5,"cpu":0,"pid":41,"tid":42,"priority":"info","category":"a","message":"work","kind":"begin","args":{}}
{"ns":6000,"tsc":6,"cpu":0,"pid":41,"tid":42,"priority":"info","category":"a","message":"work","kind":"end","args":{}}
END
named='40 server 40 server
40 server 50 w"\ 作
41 null 42 null'
names() { jq -r '"\(.pid) \(.process) \(.tid) \(.thread)"' | sort -u; }
for f in jsonl csv timeline trace; do
	rm -f "$work/named.out"
	"$convert" -q "$work/named.jsonl" --to $f -o "$work/named.out"
	is "$f keeps the names of threads and processes" \
		"$("$dump" --json "$work/named.out" | names)" "$named"
done
# A thread's name is unknown when its timeline's table of names was full.
cat >"$work/hidden.jsonl" <<'END'
{"ns":1000,"tsc":1,"cpu":0,"pid":40,"tid":40,"thread":"server","process":"server","priority":"info","category":"a","message":"work","kind":"instant","args":{}}
{"ns":2000,"tsc":2,"cpu":0,"pid":40,"tid":60,"process":"server","priority":"info","category":"a","message":"work","kind":"instant","args":{}}
END
for f in jsonl csv timeline trace packed; do
	rm -f "$work/hidden.out"
	"$convert" -q "$work/hidden.jsonl" --to $f -o "$work/hidden.out"
	is "$f gives a thread whose name is not known no name" \
		"$("$dump" --json "$work/hidden.out" | names)" $'40 server 40 server\n40 server 60 null'
done
to csv "$work/named.jsonl" >"$work/named.csv"
sed -E 's/(,[^,]*){9}$//' "$work/named.csv" >"$work/unnamed.csv"
is 'CSV as 0.1.0 wrote it, without names, is read' \
	"$("$dump" --json "$work/unnamed.csv")" \
	"$("$dump" --json "$work/named.csv" | jq -c 'del(.thread, .process)')"
for columns in 7 5 3 1; do
	sed -E 's/(,[^,]*){'$columns'}$//' "$work/named.csv" >"$work/timeless.csv"
	is "... and as it was written without the last $columns columns" \
		"$("$dump" --json "$work/timeless.csv")" "$("$dump" --json "$work/named.csv")"
done
sed -E 's/(,[^,]*){4}$//' "$work/named.csv" >"$work/one.csv"
is '... a line with one of both is refused' "$("$dump" --json "$work/one.csv" 2>/dev/null)" ''
to chrome "$work/named.jsonl" >"$work/named.chrome"
is 'Chrome trace events name threads and processes, by number where no name is known' \
	"$(jq -r '.traceEvents[] | select(.name | test("^(thread|process)_name")) | "\(.tid) \(.args.name)"' \
		"$work/named.chrome")" '40 server
40 server
50 w"\ 作
41 process 41
42 thread 42'
is 'so do folded stacks' "$(to folded "$work/named.jsonl" | cut -d';' -f1)" 'server/40
w"\\ 作/50
41/42'
is '... a page' "$(to html "$work/named.jsonl" | grep -oF '40,50,"w\"\\\\ 作","server"')" \
	'40,50,"w\"\\\\ 作","server"'
rm -f "$work/named.sqlite"
"$convert" -q "$work/named.jsonl" --to sqlite -o "$work/named.sqlite"
is '... a database' "$(sqlite3 "$work/named.sqlite" \
	'SELECT pid, process, tid, name FROM threads; SELECT DISTINCT process, thread FROM timeline')" \
	'40|server|40|server
40|server|50|w"\ 作
41||42|
server|server
server|w"\ 作
|'
if command -v protoc >/dev/null; then
	to perfetto "$work/named.jsonl" >"$work/named.pftrace"
	is '... Perfetto' "$(protoc -I "$here" --decode=Trace perfetto.proto \
		<"$work/named.pftrace" | grep -A3 -E ' (thread|process) \{' |
		grep -oE '(tid|name): .*' | tr '\n' ' ')" \
		'name: "server" tid: 40 name: "server" tid: 50 name: "w\"\\ \344\275\234" tid: 42 '
fi
