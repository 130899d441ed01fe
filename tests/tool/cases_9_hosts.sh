# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Several hosts are merged as far as their clocks tell, and corrected by hand or
# by messages between the hosts.

make_host=$build/tests/tool/make_host
convert=$bin/timeline-convert
# host FILE MESSAGE OFFSET_NS WORD... makes ten messages at intervals of 10 ms,
# as another host would save them.
host() {
	local file=$1 message=$2 offset=$3
	shift 3
	awk -v message="$message" -v offset="$offset" 'BEGIN {
		for (i = 0; i < 10; i++)
			printf "{\"ns\":%.0f,\"tsc\":%d,\"cpu\":0,\"pid\":1," \
			    "\"tid\":1,\"priority\":\"info\",\"category\":" \
			    "\"net\",\"message\":\"%s $id\",\"kind\":" \
			    "\"instant\",\"args\":{\"id\":%d}}\n",
			    1e12 + i * 1e7 + offset, i, message, i
	}' >"$work/host.jsonl"
	"$convert" -qf "$work/host.jsonl" -o "$work/host.tl"
	"$make_host" "$work/host.tl" "$work/$file" "$@"
}
host a.tl sent 0 host=web-1 boot=1 sync=1ms
host b.tl got 2500000 host=db-1 boot=2 sync=1ms
host b5.tl got 2500000 host=db-1 boot=2 sync=2ms
host c.tl got 2500000 host=db-2 boot=3 sync=none
host a2.tl sent 5 host=web-1 boot=1 sync=1ms
a=$work/a.tl b=$work/b.tl b5=$work/b5.tl c=$work/c.tl

# == marks ==
ends 'two hosts are merged' 0 "$dump" --oldest-first -n 4 "$a" "$b"
is '... each entry with its host' "$(untimed <<<"$out" | sed 's/^ *//' | sort -u)" \
	'db-1  net        got id(8)
db-1  net        got id(9)
web-1 net        sent id(8)
web-1 net        sent id(9)'
lacks '... none is marked that cannot have been otherwise' "$out" '~'
is '... and nothing more is said' "$err" ''
has 'what may have come in another order is marked' \
	"$("$dump" --oldest-first "$a" "$b5" | head -1)" '^1970-01-01T00:16:40.000000000\+00:00~ web-1 '
has '... newest first, too' "$("$dump" -n 1 "$a" "$b5")" '\+00:00~ db-1 '
is '... in JSON' "$("$dump" --json "$a" "$b5" | jq -c '[.host, .sync_error_us, .overlaps]' | sort -u)" \
	'["db-1",2000,true]
["web-1",1000,true]'
is '... where what is certain has no mark' \
	"$("$dump" --json "$a" "$b" | jq -c 'has("overlaps")' | sort -u)" false
is 'one host is shown as ever' "$("$dump" --json "$a" | jq -c 'has("host")' | sort -u)" false
has '... the same from two files, merged by stamps' \
	"$("$dump" --oldest-first -n 1 "$a" "$work/a2.tl")" '\+00:00 net '
is 'a column tells the host when asked' "$("$dump" -n 1 --columns host,message "$a")" \
	'web-1 sent id(9)'
ends 'a host that is not synchronised is said' 0 "$dump" "$a" "$c"
is '... once' "$err" \
	'timeline-dump: db-2: clock not synchronised: its order among other hosts is not known'
is '... its entries are marked, those of others not' \
	"$("$dump" "$a" "$c" 2>/dev/null |
		sed 's/.*+00:00\(.\) \([^ ]*\) .*/\2\1/' | sort | uniq -c)" \
	'     10 db-2~
     10 web-1 '
ends 'so is a file that knows no clock' 0 "$dump" "$a" "$work/host.jsonl"
has '... by its name' "$err" 'host\.jsonl: clock not known: '
ends '... but not two of them' 0 "$dump" "$work/host.jsonl" "$work/host.jsonl"
is '... which are merged as ever' "$err$(grep -c '~' <<<"$out")" 0
ends 'alone nobody is unsynchronised' 0 "$dump" "$c"
is '... to anybody' "$err" ''
has '--info tells what its clock is worth' "$("$dump" --info "$b5")" '^    clock bound: 2ms$'
is '... as JSON' "$("$dump" --info --json "$a" "$c" | jq -c '.host | [.name, .clock, .clock_bound_ns]')" \
	'["web-1","synchronised",1000000]
["db-2","unsynchronised",null]'

# A recorded trace and a saved timeline come from one boot of a machine.
"$make" "$name-host"
"$bin/timelinectl" record "$name-host" -o "$work/here.trace" >"$work/out" &
until_true test -s "$work/here.trace"
"$make" "$name-host" known "save=$work/here.tl" remove
wait $! # the recorder ends with the timeline
ends 'a trace and a timeline of one start are of one host' 0 \
	"$dump" --oldest-first -n 2 "$work/here.trace" "$work/here.tl"
is '... merged by their stamps' "$(untimed <<<"$out")" \
	'disk       gave up
disk       gave up'
has '... which have entries in common' "$err" 'here.trace and here.tl are of one timeline: [0-9]+ entries were read from both'
is '... and another host than others' \
	"$("$dump" "$a" "$work/here.trace" "$work/here.tl" 2>&1 >"$work/out" | grep -vc 'of one timeline')" \
	"$("$dump" --info --json "$work/here.tl" | jq '.host.clock | if . == "synchronised" then 0 else 1 end')"

# == offsets ==
first() { "$dump" --oldest-first --json "$@" | head -1 | jq -c '[.host, .ns]'; }
is 'an offset moves a host' "$(first --offset db-1=-3ms "$a" "$b")" '["db-1",999999500000]'
is '... by the name of its file' "$(first --offset b.tl=-3ms "$a" "$b")" '["db-1",999999500000]'
is '... by its number, twice' \
	"$(first --offset 2=-1ms --offset 2=-2ms "$a" "$b")" '["db-1",999999500000]'
is '... also one that is alone' \
	"$("$dump" --offset web-1=+1s --json -n 1 "$a" | jq .ns)" 1001090000000
ends 'a host that is not there is an error' 2 "$dump" --offset db-7=1ms "$a" "$b"
has '... which lists those that are' "$err" 'db-7: no such host; there are web-1, db-1$'
ends '... of timeline-convert, too' 2 "$convert" --offset db-7=1ms "$a" "$b" -o "$work/never.tl"
ends '... that writes nothing' 1 test -e "$work/never.tl"
ends 'an offset is a duration' 2 "$dump" --offset db-1=soon "$a" "$b"

echo 'for e in timeline.events() do print(e.source, e.ns) break end' >"$work/first.lua"
is 'a script sees times as they were moved' \
	"$("$dump" --offset web-1=1s "$a" "$b" -s "$work/first.lua" | tr '\t' ' ')" '1 1001090000000'

"$convert" -qf --offset db-1=-1ms "$a" "$b5" -o "$work/both.jsonl"
is 'lines of two hosts are read again' \
	"$("$dump" --json --oldest-first "$work/both.jsonl" 2>/dev/null | jq -c '[.ns, .message]')" \
	"$(jq -c '[.ns, .message]' "$work/both.jsonl")"
"$convert" -qf --offset db-1=-1ms "$a" "$b5" --to sqlite -o "$work/hosts.sqlite"
is 'a database has the hosts, and what overlaps' \
	"$(sqlite3 "$work/hosts.sqlite" 'SELECT machine, sync_error_us, overlaps,
		count(*) FROM events JOIN sources ON sources.id = source GROUP BY 1, 2, 3')" \
	'db-1|2000|1|10
web-1|1000|1|10'
"$convert" -f --offset db-1=-1ms "$a" "$b5" -o "$work/hosts.csv" 2>"$work/err"
has 'what has no place for them says so' "$(cat "$work/err")" \
	'hosts\.csv: how sure the time of an entry is .* left out \(20 times\)$'
is '... and the host has a column' \
	"$(awk -F, 'NR > 1 { print $(NF - 2) }' "$work/hosts.csv" | sort | uniq -c | xargs)" \
	'10 db-1 10 web-1'
has '... and that many hosts become one' "$("$dump" -n 1 "$work/both.jsonl" 2>&1)" \
	'an entry is of another host or timeline than the first: all become one'

# The spans of two hosts cross; processes and threads have equal numbers.
spans() {
	awk -v offset="$2" 'BEGIN {
		for (i = 0; i < 6; i++)
			printf "{\"ns\":%.0f,\"tsc\":%d,\"cpu\":0,\"pid\":7," \
			    "\"tid\":7,\"priority\":\"info\",\"category\":" \
			    "\"net\",\"message\":\"work $id\",\"kind\":" \
			    "\"%s\",\"args\":{\"id\":%d}}\n",
			    1e12 + i * 1e7 + offset, i, i % 2 ? "end" : "begin", i
	}' >"$work/spans.jsonl"
	"$convert" -qf "$work/spans.jsonl" -o "$work/spans.tl"
	"$make_host" "$work/spans.tl" "$work/$1" "host=$3" "boot=$4" sync=1ms
}
spans x.tl 0 web-1 1
spans y.tl 5000000 db-1 2
x=$work/x.tl y=$work/y.tl
is 'trees of two hosts stand apart' \
	"$("$dump" "$x" "$y" -s "$top/examples/tree.lua" 2>&1 | grep -oE '(web|db)-1  process 7 thread 7|10ms  work.*' | sort | uniq -c | sed 's/^ *//')" \
	'2 10ms  work id(0)
2 10ms  work id(2)
2 10ms  work id(4)
3 db-1  process 7 thread 7
3 web-1  process 7 thread 7'
has 'a latency is one of a thread of a host' \
	"$("$dump" "$x" "$y" --view latency -- 'work*' 'work*' --same=thread 2>&1)" ' 10ms  1970.*work id\(0\)  ->  < work id\(1\)'
has '... never of two' \
	"$("$dump" "$x" "$y" --view latency -- 'work*' 'work*' --same=thread 2>&1)" 'count 10  min 10ms  '
has 'the CPUs of two hosts are two' "$("$dump" "$x" "$y" --view gaps 2>&1)" '^web-1 cpu 0 +10ms'
has 'a list says the host' "$("$dump" "$x" "$y" -s "$top/examples/list.lua" 2>&1)" '\+00:00  db-1 +net +< work id'
is 'an expression asks for a host' \
	"$("$dump" -e 'host == "db-1" and not overlaps' --json "$x" "$y" | jq -r .host | sort -u)" db-1
is '... of a script, too' "$("$dump" -e 'host == "db-1"' "$x" "$y" -s "$work/first.lua" | tr '\t' ' ')" \
	'2 1000055000000'
is '... and of the messages of each file' \
	"$("$dump" -e 'host == "db-1"' --list --json "$x" "$y" | jq -r 'select(.seen > 0) | .input')" "$y"
for ((i = 0; i < 70; i++)); do
	"$build/tests/tool/make_blocks" "host-$i" "$i" 0
done >"$work/fleet70"
# shellcheck disable=SC2016 # the $ is of the message
echo 'local n = 0
for e in timeline.events() do if e.message == "tick $n" then n = n + 1 end end
print(#timeline.inputs, n)' >"$work/count.lua"
is 'scripts see as many inputs as there are' \
	"$("$dump" "$work/fleet70" -s "$work/count.lua" 2>/dev/null | tr '\t' ' ')" '70 280'
