# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# --why: what distinguishes slow spans.

lua=$(command -v luajit || command -v lua5.4)
# Lines of spans: each "NS DURATION ARGUMENT", of message $1.
spans_of() {
	awk -v message="$1" '{
		line = "{\"ns\":%d,\"tsc\":1,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\"," \
			"\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n"
		printf line, $1, message, "begin", $3 == "" ? "" : "\"size\":" $3
		printf line, $1 + $2, message, "end", ""
	}'
}
seq 100 | awk '{ print $1 * 1000, 100 }' | spans_of 'equal' >"$work/equal.jsonl"
seq 40 | awk '{ print $1 * 1000, 100 }' | spans_of 'few' >"$work/few.jsonl"
# every twentieth is slow, and large
seq 2000 | awk '{ slow = $1 % 20 == 3
	print $1 * 1000, slow ? 700 : 100 + $1 * 7 % 13, slow ? 5000 + $1 % 7 : $1 * 2477 % 4000 }' |
	spans_of 'load $size' >"$work/size.jsonl"
first() { jq -c '.causes[0] | [.kind, .name, .op]'; }

ends '--why names the cause' 0 "$dump" --why 'load*' "$work/size.jsonl"
has '... in words' "$out" '^1\. size >= 500[0-9]: 100 % of the slow spans, of which 100 % are slow \(20 times the average; p = '
has '... behind how many are slow' "$out" '^load \$size: 100 of 2000 spans took 700ns or longer \(the slowest 5 %\)$'
has '... with examples' "$out" '^     [^ ]+  700ns  \[1/[0-9]+\]  load size\(500[0-9]\)$'
# unsigned values from 2^63 on are large, not negative
seq 2000 | awk '{ slow = $1 % 20 == 3
	print $1 * 1000, slow ? 700 : 100 + $1 * 7 % 13, slow ? "184467440737095516" 10 + $1 % 6 : $1 * 2477 % 4000 }' |
	spans_of 'load $size%u' >"$work/unsigned.jsonl"
has 'the largest unsigned values are a cause as such' "$("$dump" --why 'load*' "$work/unsigned.jsonl")" \
	'^1\. size >= 1844674407370955161[0-9]: 100 % of the slow spans, of which 100 % are slow'
is '... as JSON' "$("$dump" --why 'load*' --json "$work/unsigned.jsonl" | first)" '["argument","size",">="]'
is '--stats counts them as such' "$("$dump" --stats --json "$work/unsigned.jsonl" |
	grep -oE '"size":\{[^}]*' | grep -oE '"(min|p50|p99.9|max)":[0-9-]+' | tr '\n' ' ')" \
	'"min":1 "p50":2105 "p99.9":18446744073709551615 "max":18446744073709551615 '
has '... in text' "$("$dump" --stats "$work/unsigned.jsonl")" ' size .* 1\.845e19$'
# a thread that is slow is called by its name
seq 2000 | awk '{ print $1 * 1000, $1 % 20 == 3 ? 700 : 100 + $1 * 7 % 13, $1 }' | spans_of 'load $size' |
	awk '{ slow = int((NR - 1) / 2 + 1) % 20 == 3
		sub(/"tid":8/, "\"tid\":" (slow ? 9 : 8) ",\"thread\":\"" (slow ? "slow one" : "main") \
			"\",\"process\":\"server\"") } 1' >"$work/threads.jsonl"
has '... a thread by its name' "$("$dump" --why 'load*' "$work/threads.jsonl")" '^1\. in thread slow one/9: 100 % of'
is '... in JSON beside its number' "$("$dump" --why 'load*' --json "$work/threads.jsonl" |
	jq -c '.causes[0] | [.name, .value, .thread, .examples[0].process, .examples[0].thread]')" \
	'["tid",9,"slow one","server","slow one"]'
# one process, one thread, that has another CPU when it is slow
is 'what holds for the same spans is one line' "$(
	seq 3000 | awk '{ slow = $1 % 20 == 3
		print $1 * 1000, slow ? 700 : 100 + $1 * 7 % 13, slow ? 9 : 1 }' | spans_of 'pair $size' |
		sed -E 's/"size":([19])/"size":\1,"more":\1/; s/\$size"/$size $more"/' >"$work/pair.jsonl"
	"$dump" --why 'pair*' "$work/pair.jsonl" | grep -E -A3 '^1\.' | sed -nE 's/^(1\. [^:]*):.*/\1/p; /the same/p')" \
	'1. size = 9
   the same spans: more = 9; size >= 9; more >= 9'
ends '... as JSON' 0 "$dump" --why 'load*' --json "$work/size.jsonl"
is '... the same' "$(first <<<"$out")" '["argument","size",">="]'
is '... with all figures' "$(jq -c '.causes[0] | [.covers, .precision, .lift, .slow, .with,
	.hits, .excess, .median_with_ns, .threshold_ns]' <<<"$out")" \
	'[1,1,20,100,100,100,1,700,700]'
is '... and paths that --tree takes' \
	"$(jq -r '.causes[0].examples[] | .path + " " + .text' <<<"$out")" \
	"$(for path in $(jq -r '.causes[0].examples[].path' <<<"$out"); do
		echo "$path $("$dump" --tree --path "$path" "$work/size.jsonl" |
			sed -n 's/: 700ns$//; 2p')"
	done)"
is '--slower sets what is slow' \
	"$("$dump" --why 'load*' --slower 700ns --json "$work/size.jsonl" |
		jq -c '[.slow, .threshold_ns, .causes[0].name]')" '[100,700,"size"]'
is '--slowest likewise' \
	"$("$dump" --why 'load*' --slowest 5 --json "$work/size.jsonl" |
		jq -c '[.slow, .threshold_ns, .causes[0].name]')" '[100,700,"size"]'
is 'no span is slow enough' "$("$dump" --why 'load*' --slower 1s "$work/size.jsonl")" \
	'load $size: None of 2000 spans took 1s or longer.'
is 'spans that all take as long have no cause' \
	"$("$dump" --why equal --json "$work/equal.jsonl")" \
	'{"message":"equal","spans":100,"slow":0,"threshold_ns":null,"tests":0,"causes":[]}'
# slow at random, beside a message of the kernel or without
seq 2000 | awk '{ n = (n * 1103515245 + 12345) % 2147483648
	print $1 * 1000, n % 1000003 < 20000 ? 700 : 100 }' | spans_of chance >"$work/chance.jsonl"
{
	cat "$work/chance.jsonl"
	sed -n '$s/"c","message":"chance","kind":"end"/"sched","message":"switched","kind":"instant"/p' "$work/chance.jsonl"
} >"$work/chance_sched.jsonl"
text=$("$dump" --why chance "$work/chance.jsonl")
has 'nothing but chance is an answer' "$text" '^chance: Nothing that was logged separates the [0-9]+ slowest of 2000 spans'
has '... with what may tell more' "$text" '^More detail may: a lower priority or .*, timers inside them, and what the kernel did \(timelinectl kernel\)\.$'
has '... but what is there' "$("$dump" --why chance "$work/chance_sched.jsonl")" 'timers inside them\.$'
is 'fewer than 50 spans are not compared' "$("$dump" --why few --json "$work/few.jsonl")" \
	'{"message":"few","spans":40,"slow":0,"threshold_ns":null,"tests":0,"causes":[]}'
has '... in words' "$("$dump" --why few "$work/few.jsonl")" '^few: 40 spans; 50 are needed'
ends 'that no span matches is an error' 1 "$dump" --why 'none*' --json "$work/few.jsonl"
is '... which JSON has without causes' "$out" \
	'{"message":"none*","spans":0,"slow":0,"threshold_ns":null,"tests":0,"causes":[]}'
ends '... in words, too' 1 "$dump" --why 'none*' "$work/few.jsonl"
is '... that say how to go on' "$out$err" \
	"timeline-dump: no span matches 'none*': --list shows the messages"
is 'two messages are two objects' \
	"$("$dump" --why '*' --json "$work/size.jsonl" "$work/equal.jsonl" |
		jq -c '[.message, .spans]' | sort)" \
	'["equal",100]
["load $size",2000]'
is 'what is not selected is not compared' \
	"$("$dump" --why '*' --until @0.001 --json "$work/size.jsonl" | jq -c .spans)" 999

# Kernel events beside the file: one span in 20 takes 37us, as "rt" has the CPU
# for 30us of it; the others take 7us.
seq 200 | awk -v spans="$work/preempted.jsonl" -v kernel="$work/preempted_kernel.jsonl" '
function put(file, ns, category, message, kind, args) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"%s\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n",
		ns, ns, category, message, kind, args >file
}
{
	at = $1 * 50000
	slow = $1 % 20 == 0 ? 30000 : 0
	out = "switched out as $state%s for $next $name%s"
	put(kernel, at + 500, "sched", "switched in", "instant")
	put(spans, at + 1000, "c", "work", "begin")
	if (slow) {
		put(kernel, at + 3000, "sched", out, "instant",
			"\"state\":\"R+\",\"next\":9,\"name\":\"rt\"")
		put(kernel, at + 33000, "sched", "switched in", "instant")
	}
	put(spans, at + 8000 + slow, "c", "work", "end")
	put(kernel, at + 9000 + slow, "sched", out, "instant",
		"\"state\":\"S\",\"next\":0,\"name\":\"idle\"")
}'
"$build/bin/timeline-convert" -q "$work/preempted.jsonl" -o "$work/preempted.tl"
lacks 'without kernel events --why finds no wait' \
	"$("$dump" --why work "$work/preempted.tl")" 'CPU'
"$build/bin/timeline-convert" -q --to timeline "$work/preempted_kernel.jsonl" \
	-o "$work/preempted.tl.sched"
text=$("$dump" --why work "$work/preempted.tl")
has '--why finds it in the file beside' "$text" \
	'^1\. the time goes into waiting for a CPU \(preempted by rt/9 100 % of the time\) \(100 % of what the slow ones take longer\)$'
lacks '... and no event of the kernel is a cause' "$text" 'switched'
is '... in JSON' "$("$dump" --why work --json "$work/preempted.tl" |
	jq -c '.causes[] | [.kind, .name, .task, .task_share, .unit]')" \
	'["states","runnable","rt/9",1,"ns"]'
is '... whatever is selected' "$("$dump" --why work --message work --json "$work/preempted.tl" |
	jq -c '.causes[].name')" '"runnable"'
is '... and paths are those of --tree' "$("$dump" --tree --path \
	"$("$dump" --why work --json "$work/preempted.tl" | jq -r '.causes[0].examples[0].path')" \
	"$work/preempted.tl" | sed -n '2s/ (.*//p')" 'work: 37us'
has '--critical has the wait, too' "$("$dump" --critical work "$work/preempted.tl")" \
	'^ .*waiting for a CPU$'
for format in perfetto html ctf parquet sqlite; do
	"$build/bin/timeline-convert" --to $format --force "$work/preempted.tl" -o "$work/out" 2>"$work/said"
	has "timeline-convert --to $format has kernel events" \
		"$(find "$work/out" -type f -exec strings -el -eS {} + | grep -c switched)" '^[1-9]'
	rm -rf "$work/out"
done
is '--to jsonl has not, unless the file is named' \
	"$("$build/bin/timeline-convert" -q --to jsonl "$work/preempted.tl" | grep -c switched) $("$build/bin/timeline-convert" \
	-q --to jsonl "$work/preempted.tl" "$work/preempted.tl.sched" | grep -c switched)" '0 420'

# from Lua
cat >"$work/why.lua" <<'EOT'
for _, found in ipairs(timeline.why { message = 'load*', slower = '700ns' }) do
	local cause = found.causes[1]
	print(found.message, found.spans, found.slow, cause.name, cause.op,
		math.type(cause.value), cause.covers, #cause.examples, cause.examples[1].text)
end
print(#timeline.inputs[1]:why { message = 'none' }[1].causes)
for _, options in ipairs { {}, { message = 'x', slower = 'soon' },
		{ message = 'x', slowest = 100 }, { message = 'x', fast = 1 } } do
	print((select(2, pcall(timeline.why, options)):gsub('^%S+:%d+: ', '')))
end
EOT
ends 'timeline.why{} is the same in Lua' 0 "$dump" -s "$work/why.lua" "$work/size.jsonl"
has '... a table for each message' "$out" \
	'^load [$]size	2000	100	size	>=	integer	1	3	load size[(]500[0-9][)]$'
is '... and what is wrong is named' "$(sed 1d <<<"$out")" \
	"0
option 'message' is missing
option 'slower' is no duration: 'soon'
option 'slowest' must be above 0 and below 100
no such option: 'fast'"

# arguments that are refused
ends '--slowest needs --why' 2 "$dump" --slowest 1 "$work/few.jsonl"
ends 'a percentage has bounds' 2 "$dump" --why few --slowest 100 "$work/few.jsonl"
has '... that are named' "$err" '100: not a percentage above 0 and below 100'
ends 'one threshold is enough' 2 "$dump" --why few --slowest 1 --slower 1ms "$work/few.jsonl"
ends 'there is no CSV' 2 "$dump" --why few --format csv "$work/few.jsonl"

# a known cause of every kind, and traces without one
if [ -n "$lua" ]; then
	SPANS_MAX=6000 "$here/../why/run" "$build" 30 6 >"$work/verdicts"
	is 'each kind of cause is found, and none where there is none' \
		"$(cat "$work/verdicts")" 'why: planted: 30 of 30 right
why: no cause: 6 of 6 right'
else
	skip 'no Lua to make traces'
fi
