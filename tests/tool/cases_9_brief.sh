# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# --brief prints one page about slow spans.

# Every twentieth request has 60us more in its query, and size 9.
seq 1000 | awk '
function put(ns, message, kind, args) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n",
		ns, ns, message, kind, args
}
{
	slow = $1 % 20 == 3; at = $1 * 1e6; took = slow ? 60000 : 0
	put(at, "request $size", "begin", "\"size\":" (slow ? 9 : $1 % 5))
	put(at + 1000, "query", "begin"); put(at + 3000 + took, "query", "end")
	put(at + 5000 + took + $1 % 7 * 10, "request $size", "end")
}' >"$work/brief page.jsonl"
ends '--brief is a page' 0 "$dump" --brief='request*' "$work/brief page.jsonl"
page=$out
is '... of a GLOB before FILE, too' "$("$dump" --brief 'request*' "$work/brief page.jsonl")" "$page"
is '... and before the one of TIMELINE' \
	"$(TIMELINE="$work/brief page.jsonl" "$dump" --brief 'request*')" "$page"
ends '... which matches something' 1 "$dump" --brief 'reqest*' "$work/brief page.jsonl"
has '... or is corrected' "$err" 'reqest\*: no message matches; did you mean request\*\?$'
is '... while two files are two' "$("$dump" --brief "$work/brief page.jsonl" "$work/brief page.jsonl" | head -1)" \
	"$(sed '1s/50 of 1000/100 of 2000/; q' <<<"$page")"
has '... with what is slow' "$page" '^request \$size: 50 of 1000 spans took 65us or longer \(the slowest 5 %\)$'
has '... where the time goes' "$page" '^   the time goes into "query" \(100 % of what the slow ones take longer\)$'
has '... the finding' "$page" '^   size = 9: 100 % of the slow spans, of which 100 % are slow'
has '... with its risk ratio' "$page" '^   [0-9.e+]+ times the risk of a span without it$'
has '... how long the record is' "$page" '^Record: 4000 entries in 999\.'
has '... what is missing' "$page" '^Missing: what the kernel did \(timelinectl kernel\)$'
has '... the path of a slow span' "$page" '^A slow one: 65\.06us  .*  request size\(9\)$'
has '... step by step' "$page" '^    \+1us  62us  thread 8  query$'
has '... a normal one beside it' "$page" '^A normal one: 5\.05us  .*  request size\([0-4]\)$'
is '... and the command for each part, which a shell can run' "$(
	PATH=$build/bin:$PATH
	sed -n 's/^  \$ //p' <<<"$page" | while read -r command; do
		eval "$command" >"$work/part" 2>&1 && [ -s "$work/part" ] && echo "${command:0:21}"
	done)" \
	'timeline-dump --why '"'"'
timeline-dump --info 
timeline-dump --tree 
timeline-dump --tree '
is '... which shows the same span' "$(eval "$(sed -n 's/^  \$ timeline-dump --tree/"$dump" --tree/p' <<<"$page" | head -1)" |
	sed -n 's/.*request size/request size/p')" 'request size(9): 65.06us'
"$dump" --brief --slower 65060ns "$work/brief page.jsonl" >"$work/page"
has '--slower is that of the spans' "$(cat "$work/page")" '^  \$ timeline-dump --why .request .size. --slower 65060ns '
# The last request has not ended.
sed -E '/"ns":100000[0-9]{4},.*"kind":"end"/d' "$work/brief page.jsonl" >"$work/open.jsonl"
text=$("$dump" --brief='request*' "$work/open.jsonl")
has 'a span without an end is called so' "$text" '^No end in the record, begun 1us before its end: .*  request size\(0\)$'
has '... with what is open in it' "$text" '^    \+1us  thread 8  query has no end$'
has '... and a command' "$text" '^  \$ timeline-dump --tid 8 '
# A span of a thread that another thread has ended.
{
	line() { # MEMBERS KIND
		echo '{"ns":'"$1"',"cpu":0,"pid":7,"priority":"info","category":"x","message":"order $id","kind":"'"$2"'","args":{'"${3:-}"'}}'
	}
	line '1000000,"tsc":1000000,"tid":8,"proven":true' begin '"id":1'
	line '1500000,"tsc":1500000,"tid":9' begin '"id":2'
	line '1600000,"tsc":1600000,"tid":9' end '"id":2'
	line '3000000,"tsc":3000000,"tid":9,"duration_ns":2000000,"proven":true,"begun_tsc":1000000' end '"id":1'
} >"$work/elsewhere.jsonl"
text=$("$dump" --brief "$work/elsewhere.jsonl")
has 'a span that another thread has ended is called so' "$text" \
	'^Ended by another thread: 1 span, the first of order \$id by thread 9; a span that ends in another thread is a TIMELINE_SOURCE$'
lacks '... and has its end' "$text" 'No end in the record'
# a program that hangs: its last request is as old as the copy says, not as the
# last entry
"$build/tests/tool/make_timeline" "$name-hang" spans=100 sleep=600000 &
hanging=$!
has_logged() { "$dump" "$name-hang" 2>/dev/null | grep -q 'job(100)'; }
until_true has_logged
sleep 1
has 'the age of a span that hangs is told, though nothing more is logged' \
	"$("$dump" --brief='work*' "$name-hang")" '^No end in the record, begun [1-9][0-9.]*s before its end: .*  work job\(100\)$'
lacks '... but not beyond --until' \
	"$("$dump" --brief='work*' --until +1ms "$name-hang")" 'begun [0-9.]*s before'
kill "$hanging"
wait "$hanging" 2>/dev/null
rm -f "/dev/shm$name-hang"
head -2000 "$work/brief page.jsonl" | sed 's/request/job/' | "$dump" --brief --slower 1s - >"$work/page"
has 'a span that is not slow is not called so' "$(cat "$work/page")" '^The longest: 65\.06us'
# Inside are 20 messages with long names.
seq 100 | awk '
function put(ns, message, kind) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{}}\n",
		ns, ns, message, kind
}
BEGIN { long = "a long name"; for (i = 0; i < 7; i++) long = long long }
{
	at = $1 * 1e6
	put(at, "work", "begin")
	for (i = 0; i < 20; i++) { put(at + 1000 * i, i long, "begin"); put(at + 1000 * i + 900 + i, i long, "end") }
	put(at + 3e4 + ($1 == 50 ? 4e5 : 0), "work", "end")
}' >"$work/long.jsonl"
is 'a page has at most 4 KB' "$("$dump" --brief=work "$work/long.jsonl" | awk '{ n += length($0) + 1; last = $0 } END { print n <= 4096, last }')" '1 ...'
ends 'a page of no span is an error' 1 "$dump" --brief='none*' "$work/long.jsonl"
has '... with a remedy' "$err" "no span matches 'none\*': --list shows the messages"
ends 'a page is text' 2 "$dump" --brief --json "$work/long.jsonl"
# Only the first half of the record has kernel events.
for file in spans kernel; do
	seq 100 | awk -v file=$file '
	function put(ns, category, message, kind) {
		printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"%s\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{}}\n",
			ns, ns, category, message, kind
	}
	file == "spans" { put($1 * 1e6, "c", "work", "begin"); put($1 * 1e6 + 5000, "c", "work", "end") }
	file == "kernel" && $1 < 50 { put($1 * 1e6 - 500, "sched", "switched in", "instant") }' >"$work/partly_$file.jsonl"
done
"$build/bin/timeline-convert" -q "$work/partly_spans.jsonl" -o "$work/partly.tl"
"$build/bin/timeline-convert" -q --to timeline "$work/partly_kernel.jsonl" -o "$work/partly.tl.sched"
has 'where kernel events end is said' "$("$dump" --brief "$work/partly.tl")" \
	'^Missing: what the kernel did before 1970-01-01T00:00:00\.000999500.* and after 1970-01-01T00:00:00\.0489995'

# == the steps ==
# A span of a source is shown by its number; the time of a live one is given, as
# the numbers of its path change while entries are overwritten.
# first_step runs the command of the first span of the page.
first_step() {
	eval "$(sed -En '/^(A slow one|The longest): /,$s/^  \$ timeline-dump/"$dump"/p' <<<"$page" | head -1)"
}
seq 200 | awk '
function put(ns, tid, message, kind, args) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":%d,\"priority\":\"info\",\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}%s}\n",
		ns, ns, tid, message, kind, args, message == "request $part $id" ? ",\"scope\":\"source\"" : ""
}
{
	at = $1 * 1e6; took = $1 % 20 == 3 ? 60000 + $1 : 0
	args = "\"part\":" $1 % 4 ",\"id\":" 5000 + $1
	put(at, 8, "request $part $id", "begin", args)
	put(at + 1000, 9, "query", "begin"); put(at + 3000 + took, 9, "query", "end")
	put(at + 5000 + took, 9, "request $part $id", "end", args)
}' >"$work/sources.jsonl"
page=$("$dump" --brief='request*' "$work/sources.jsonl")
has 'the step of a span of a source names it by the argument that no other has' "$page" \
	"^  \\$ timeline-dump --path-of 'request 5183' "
has '... and shows the whole way' "$(first_step)" '^its path: request part\(3\) id\(5183\)  65\.183us '
sed -E 's/"id":[0-9]+/"id":1/' "$work/sources.jsonl" >"$work/same.jsonl"
has '... if there is such an argument' "$("$dump" --brief='request*' "$work/same.jsonl")" \
	'^  \$ timeline-dump --tree --path '
turning=$name-turning
"$make" "$turning" entries=4096 cpus=1 spans=100
page=$("$dump" --brief='work*' "$turning")
longest=$(sed -En 's/^The longest: .*  (work job.*)$/\1: /p' <<<"$page")
lacks 'no step is a path in a live timeline' "$page" '--path '
"$make" "$turning" spans=10
is '... but the time, which shows the span' "$(first_step | grep -oF "$longest")" "$longest"
gone() { "$make" "$turning" spans=3000 && [ "$(first_step 2>&1)" = "timeline-dump: $turning: no entry matches" ]; }
until_true gone
is '... or nothing once the span is overwritten' "$?" 0
rm -f "/dev/shm$turning"

# == the record ==
# All of the requests are in one span.
{
	sed -n '1{s/"request \$size"/"all"/; s/"args":{.*}}/"args":{}}/p}' "$work/brief page.jsonl"
	cat "$work/brief page.jsonl"
	sed -n '${s/"request \$size"/"all"/; s/"args":{.*}}/"args":{}}/p}' "$work/brief page.jsonl"
} >"$work/all.jsonl"
page=$("$dump" --brief='request*' --since 100500us "$work/all.jsonl")
has 'the record of a part of the time is that part' "$page" '^Record: 40[0-9] entries in 100\.[0-9]*ms, from '
is '... a step, which is one of the whole, has the time of the span' \
	"$(first_step | grep -o 'request size(9): .*')" "$(sed -En 's/^A slow one: ([^ ]+) .*/request size(9): \1/p' <<<"$page")"
