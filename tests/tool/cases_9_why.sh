# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# --why: how slow spans differ from others.

lua=$(command -v luajit || command -v lua5.4)
# spans_of MESSAGE turns lines "NS DURATION ARGUMENT" into spans of the message.
spans_of() {
	awk -v message="$1" '{
		line = "{\"ns\":%.0f,\"tsc\":1,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\"," \
			"\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n"
		printf line, $1, message, "begin", $3 == "" ? "" : "\"size\":" $3
		printf line, $1 + $2, message, "end", ""
	}'
}
seq 100 | awk '{ print $1 * 1000, 100 }' | spans_of 'equal' >"$work/equal.jsonl"
seq 40 | awk '{ print $1 * 1000, 100 }' | spans_of 'few' >"$work/few.jsonl"
# Every twentieth span is slow, and has a large size.
seq 2000 | awk '{ slow = $1 % 20 == 3
	print $1 * 1000, slow ? 700 : 100 + $1 * 7 % 13, slow ? 5000 + $1 % 7 : $1 * 2477 % 4000 }' |
	spans_of 'load $size' >"$work/size.jsonl"
first() { jq -c '.causes[0] | [.kind, .name, .op]'; }

ends '--why names the cause' 0 "$dump" --why 'load*' "$work/size.jsonl"
has '... in words' "$out" '^1\. size >= 500[0-9]: 100 % of the slow spans, of which 100 % are slow \(20 times the average; p = '
has '... behind how many are slow' "$out" '^load \$size: 100 of 2000 spans took 700ns or longer \(the slowest 5 %\)$'
has '... with examples' "$out" '^     [^ ]+  700ns  \[1/[0-9]+\]  load size\(500[0-9]\)$'
# Unsigned values from 2^63 on are large, not negative.
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
# A slow thread is shown by its name.
seq 2000 | awk '{ print $1 * 1000, $1 % 20 == 3 ? 700 : 100 + $1 * 7 % 13, $1 }' | spans_of 'load $size' |
	awk '{ slow = int((NR - 1) / 2 + 1) % 20 == 3
		sub(/"tid":8/, "\"tid\":" (slow ? 9 : 8) ",\"thread\":\"" (slow ? "slow one" : "main") \
			"\",\"process\":\"server\"") } 1' >"$work/threads.jsonl"
has '... a thread by its name' "$("$dump" --why 'load*' "$work/threads.jsonl")" '^1\. in thread slow one/9: 100 % of'
is '... in JSON beside its number' "$("$dump" --why 'load*' --json "$work/threads.jsonl" |
	jq -c '.causes[0] | [.name, .value, .thread, .examples[0].process, .examples[0].thread]')" \
	'["tid",9,"slow one","server","slow one"]'
# Two arguments have the same values in the slow spans.
is 'what holds for the same spans is one line' "$(
	seq 3000 | awk '{ slow = $1 % 20 == 3
		print $1 * 1000, slow ? 700 : 100 + $1 * 7 % 13, slow ? 9 : 1 }' | spans_of 'pair $size' |
		sed -E 's/"size":([19])/"size":\1,"more":\1/; s/\$size"/$size $more"/' >"$work/pair.jsonl"
	"$dump" --why 'pair*' "$work/pair.jsonl" | grep -E -A3 '^1\.' | sed -nE 's/^(1\. [^:]*):.*/\1/p; /the same/p')" \
	'1. size = 9
   the same spans: more = 9; more >= 9'
# The orders of one symbol are slow, most of them on one side.  A few other
# orders of that side took thousands of times as long, because their CPU was
# taken away.
seq 8000 | awk '{ symbol = $1 % 8; side = $1 * 2477 % 11 % 2
		slow = symbol == 5 && (side || $1 % 3 == 0)
		print $1 * 10000000, side && symbol == 2 && $1 % 1500 < 8 ? 5000000 : slow ? 2000 : 300 + $1 * 7 % 13,
			1 symbol side }' | spans_of 'order $symbol' |
	sed -E 's/"size":1([0-9])([01])/"symbol":\1,"side":\2/; s/\$symbol"/$symbol $side"/' >"$work/symbols.jsonl"
is 'a few spans of a thousand times do not decide what comes first' \
	"$("$dump" --why 'order*' --slowest 8 "$work/symbols.jsonl" | sed -nE 's/^([0-9]\. [^:]*):.*/\1/p' | head -1)" \
	'1. symbol = 5'
ends '... as JSON' 0 "$dump" --why 'load*' --json "$work/size.jsonl"
is '... the same' "$(first <<<"$out")" '["argument","size",">="]'
is '... with all figures' "$(jq -c '[.slow, .threshold_ns, .episodes] + (.causes[0] |
	[.covers, .precision, .lift, .with, .hits, .excess, .explains, .median_with_ns, .p99_with_ns])' <<<"$out")" \
	'[100,700,100,1,1,20,100,100,1,1,700,700]'
same_in_tree() { # SENTENCE FILE; $out has the JSON
	is "$1" "$(jq -r '.causes[0].examples[] | .path + " " + .text' <<<"$out")" \
		"$(for path in $(jq -r '.causes[0].examples[].path' <<<"$out"); do
			echo "$path $("$dump" --tree --path "$path" "$2" |
				sed -n 's/: 700ns$//; 2p')"
		done)"
}
same_in_tree '... and paths that --tree takes' "$work/size.jsonl"
# A tree has the end of a span across a loss as an instant.
sed '1a {"lost":1,"cpu":null}' "$work/size.jsonl" >"$work/lossy.jsonl"
out=$("$dump" --why 'load*' --json "$work/lossy.jsonl" 2>"$work/said")
has '--why leaves out a span across a loss' "$(cat "$work/said")" 'left out: 1 spans? '
same_in_tree '... and counts its end in the paths' "$work/lossy.jsonl"
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
	'{"message":"equal","spans":100,"slow":0,"threshold_ns":null,"episodes":0,"tests":0,"where":[],"causes":[]}'
# The slow spans are random, with a message of the kernel beside them or
# without.
seq 2000 | awk '{ n = (n * 1103515245 + 12345) % 2147483648
	print $1 * 1000, n % 1000003 < 20000 ? 700 : 100 }' | spans_of chance >"$work/chance.jsonl"
{
	cat "$work/chance.jsonl"
	sed -n '$s/"c","message":"chance","kind":"end"/"sched","message":"switched","kind":"instant"/p' "$work/chance.jsonl"
} >"$work/chance_sched.jsonl"
text=$("$dump" --why chance "$work/chance.jsonl")
has 'nothing but chance is an answer' "$text" '^chance: Nothing that --why looks at separates the [0-9]+ slowest of 2000 spans'
has '... with what may tell more' "$text" '^More detail may: a lower priority or .*, timers inside them, and what the kernel did \(timelinectl kernel\)\.$'
has '... but what is there' "$("$dump" --why chance "$work/chance_sched.jsonl")" 'timers inside them\.$'
lacks '... of many spans' "$text" 'too few'
seq 2000 | awk '{ n = (n * 1103515245 + 12345) % 2147483648
	print $1 * 1000, n % 1000003 < 8000 ? 700 : 100 }' | spans_of chance >"$work/episodes.jsonl"
has 'few independent slow spans may be too few to tell' "$("$dump" --why chance "$work/episodes.jsonl")" \
	'; 1408 comparisons of 16 episodes, which may be too few to tell\.$'
is 'fewer than 50 spans are not compared' "$("$dump" --why few --json "$work/few.jsonl")" \
	'{"message":"few","spans":40,"slow":0,"threshold_ns":null,"episodes":0,"tests":0,"where":[],"causes":[]}'
has '... in words' "$("$dump" --why few "$work/few.jsonl")" '^few: 40 spans; 50 are needed'
ends 'that no span matches is an error' 1 "$dump" --why 'none*' --json "$work/few.jsonl"
is '... which JSON has without causes' "$out" \
	'{"message":"none*","spans":0,"slow":0,"threshold_ns":null,"episodes":0,"tests":0,"where":[],"causes":[]}'
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

# Kernel events lie beside the file: one span in 20 takes 37us, because "rt" has
# the CPU for 30us; the other spans take 7us.
seq 200 | awk -v spans="$work/preempted.jsonl" -v kernel="$work/preempted_kernel.jsonl" '
function put(file, ns, category, message, kind, args) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"%s\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n",
		ns, ns, category, message, kind, args >file
}
{
	at = $1 * 53000
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
	'^   the time goes into waiting for a CPU \(preempted by rt/9 100 % of the time\) \(100 % of what the slow ones take longer\)$'
lacks '... and no event of the kernel is a cause' "$text" 'switched'
is '... in JSON' "$("$dump" --why work --json "$work/preempted.tl" |
	jq -c '.where[] | [.kind, .name, .task, .task_share, .unit]')" \
	'["states","runnable","rt/9",1,"ns"]'
is '... whatever is selected' "$("$dump" --why work --message work --json "$work/preempted.tl" |
	jq -c '.where[].name')" '"runnable"'
is '... and paths are those of --tree' "$("$dump" --tree --path \
	"$("$dump" --why work --json "$work/preempted.tl" | jq -r '.where[0].examples[0].path')" \
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

# The paths of a live timeline change as entries are overwritten.
"$make" "$name-paths" entries=4096 cpus=1 slow=400
text=$("$dump" --why 'part*' "$name-paths")
has 'a span of a live timeline has no path, but its time' "$text" \
	'^   its slowest spans: begin, duration, \[options that show it\], message$'
options=$(sed -nE 's/^     [^[]*\[(--tree --tid [0-9]+ --since [^ ]+ --until [^ ]+)\]  part of\(9\)$/\1/p' <<<"$text" | tail -1)
# shellcheck disable=SC2086 # options are words
at() { "$dump" $options "$name-paths" | tail -n +2; }
is '... which shows the span' "$(at | sed 's/[0-9.]*us$//')" 'part of(9): '
is '... in JSON the path is null' "$("$dump" --why 'part*' --json "$name-paths" |
	jq -c '[.causes[].examples[].path] | unique')" '[null]'
"$bin/timelinectl" save "$name-paths" "$work/paths.tl" >/dev/null
has '... and of a snapshot it has one' "$("$dump" --why 'part*' "$work/paths.tl")" '  \[1/[0-9]+\]  part of\(9\)$'
gone() { "$make" "$name-paths" slow=4000 && [ "$(at 2>&1)" = "timeline-dump: $name-paths: no entry matches" ]; }
until_true gone
is '... while there is none once it is overwritten' "$?" 0
rm -f "/dev/shm$name-paths"

# == --why in Lua ==
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

# == what counts as one observation ==

# All 16 threads stop together at times that are known only here, and nothing
# logs the stops: five in a thousand spans are slow, up to 16 at once.
stopped() { # SEED
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (i = 0; i < 12; i++) stop[i] = int(rand() * 9e8)
		for (t = 1; t <= 16; t++) {
			ns = int(rand() * 1e6)
			while (ns < 9e8) {
				took = int(2e5 + rand() * 4e5)
				for (i in stop) if (ns <= stop[i] && stop[i] < ns + took) took += 2e7
				print ns, took, t
				ns += took + int(rand() * 4e5)
			}
		}
	}' | sort -n | awk '{
		line = "{\"ns\":%d,\"tsc\":%d,\"cpu\":%d,\"pid\":7,\"tid\":%d,\"priority\":\"info\"," \
			"\"category\":\"c\",\"message\":\"stopped\",\"kind\":\"%s\",\"args\":{}}\n"
		printf line, $1, $1, $3 % 4, 10 + $3, "begin"
		printf line, $1 + $2, $1 + $2, $3 % 4, 10 + $3, "end"
	}' | sort -t: -k2n
}
for seed in 1 2 3 4 5 6 7 8; do
	stopped $seed >"$work/stopped.jsonl"
	"$dump" --why stopped --json "$work/stopped.jsonl" | jq -c .causes
	"$dump" --why stopped --slower 5ms --json "$work/stopped.jsonl" |
		jq -c '.slow > 60 and .episodes < 30, .causes'
done >"$work/claims"
is 'stops of all threads at random times have no cause' \
	"$(sort "$work/claims" | uniq -c | sed 's/^ *//')" '16 []
8 true'

# == several causes under one threshold ==

# One route is ten times slower, and one tenant 1.6 times slower in a third of
# its spans.
awk 'BEGIN {
	srand(3); ns = 1e15
	for (i = 0; i < 20000; i++) {
		export = rand() < 0.012; acme = rand() < 0.1
		took = 4e5 * (1 + rand() / 5)
		if (acme && rand() < 0.35) took *= 1.6
		if (export && rand() < 0.85) took *= 10
		line = "{\"ns\":%.0f,\"tsc\":%.0f,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\"," \
			"\"category\":\"c\",\"message\":\"request of $tenant for $route\",\"kind\":\"%s\",\"args\":{%s}}\n"
		printf line, ns, ns, "begin", sprintf("\"tenant\":%d,\"route\":%d", acme ? 9 : int(rand() * 9), export ? 7 : int(rand() * 7))
		printf line, ns + took, ns + took, "end", ""
		ns += took + int(rand() * 1e5)
	}
}' >"$work/two.jsonl"
text=$("$dump" --why 'request*' "$work/two.jsonl")
is 'the threshold is printed once' "$(grep -c 'or longer' <<<"$text")" 1
has '... and each cause answers for it' "$text" '^1\. route = 7: '
lacks '... a restatement does not' "$text" '^[0-9]\. route >= 7'
has '... with the 99th percentile beside the median' "$text" \
	'^   median [^ ]+ with it, [^ ]+ without; 99 % take at most [^ ]+ with it, [^ ]+ without$'
has '... with what it explains' "$text" '^   explains (9[0-9]|100) % of what the slow spans take longer$'
has '... and with a word on its examples' "$text" '^   its slowest spans: begin, duration, \[N/M for --tree --path N/M\], message$'
has '... what came with it waits for --all' "$text" '^[0-9]+ more that come with these: --all shows them\.$'
ends '--all shows it' 0 "$dump" --why 'request*' --all "$work/two.jsonl"
has '... as an echo' "$out" '^   says nothing of its own beside 1$'
is '... in JSON, too' "$("$dump" --why 'request*' --all --json "$work/two.jsonl" |
	jq -c '[.causes[] | select(.echo_of == 1) | .name] | unique')" '["route"]'
ends '--all needs a report that it is for' 2 "$dump" --all "$work/two.jsonl"
has '... which is named' "$err" '^timeline-dump: --all: needs --stats or --why or --critical$'

# A slow thread makes few spans, so its spans are among the first of a thread.
awk 'BEGIN {
	srand(5)
	for (t = 1; t <= 12; t++) for (i = 0; i < (t > 8 ? 60 : 1000); i++)
		print 1e6 * i + t, (t > 8 && rand() < 0.5) || rand() < 0.001 ? 7e5 : 2e5 + rand() * 1e4, t
}' | awk '{
	line = "{\"ns\":%.0f,\"tsc\":1,\"cpu\":0,\"pid\":7,\"tid\":%d,\"priority\":\"info\"," \
		"\"category\":\"c\",\"message\":\"work\",\"kind\":\"%s\",\"args\":{}}\n"
	printf line, $1, $3, "begin"; printf line, $1 + $2, $3, "end"
}' | sort -t: -k2n >"$work/ranks.jsonl"
is 'the first spans of threads are no cause where the threads are' "$("$dump" --why work --all --json "$work/ranks.jsonl" |
	jq -c '[.causes[] | select(.kind == "time" and .name == "start")]')" '[]'

# == absent messages, messages before a span, spans around it ==
lines_of() { # reads "NS KIND MESSAGE [ARGS]"
	awk '{
		args = $4 == "" ? "" : $4
		printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n",
			$1, $1, $3, $2, args
	}' | sed 's/_\$/ $/g'
}
# Every twentieth span is slow; the awk text in $1 prints the entries around
# each span.
neighbours() { # AWK
	seq 2000 | awk '{ slow = $1 % 20 == 3; at = $1 * 1e5; took = slow ? 70000 : 10000 + $1 % 13 * 100 } '"$1" | lines_of
}
neighbours '{ print at, "begin", "work"
	if (!slow && $1 % 100 != 17) print at + 500, "instant", "hit_$key", "\"key\":" $1
	print at + took, "end", "work" }' >"$work/absent.jsonl"
text=$("$dump" --why work "$work/absent.jsonl")
has 'what is not inside is a cause' "$text" '^1\. no "hit \$key" inside: 100 % of the slow spans, of which 8[0-9](\.[0-9])? % are slow'
is '... in JSON' "$("$dump" --why work --json "$work/absent.jsonl" | jq -c '.causes[0] | [.kind, .name, .op, .value]')" \
	'["inside","hit $key","=",0]'
neighbours '{ print at, "begin", "work"
	if ($1 < 1300 || $1 > 1990) print at + 500, "instant", "hit_$key", "\"key\":" $1
	if (slow && $1 < 1300) took = 10000
	print at + took, "end", "work" }' >"$work/early.jsonl"
neighbours '{ print at, "begin", "work"
	if ($1 < 1300) print at + 500, "instant", "hit_$key", "\"key\":" $1
	if (slow && $1 < 1300) took = 10000
	print at + took, "end", "work" }' >"$work/closed.jsonl"
has '... where the message is seen before and after' "$("$dump" --why work --all "$work/early.jsonl")" 'no "hit \$key" inside'
lacks '... but not where it may have been closed' "$("$dump" --why work --all "$work/closed.jsonl")" 'no "hit'
neighbours '{ print at - 5000, "begin", "collect_$generation", "\"generation\":" (slow ? 2 : $1 % 2)
	print at - 4000, "end", "collect_$generation"
	print at, "begin", "work"; print at + took, "end", "work" }' >"$work/before.jsonl"
has 'the span before is one, with its argument' "$("$dump" --why work "$work/before.jsonl")" \
	'^1\. after "collect \$generation" with generation = 2 in the same thread: 100 % of'
neighbours '{ print at, "begin", "work_$kind", "\"kind\":" ($1 % 20 == 2 ? 5 : $1 % 3)
	print at + took, "end", "work_$kind" }' >"$work/again.jsonl"
has '... also if it is of the same message' "$("$dump" --why 'work*' "$work/again.jsonl")" \
	'^1\. after "work \$kind" with kind = 5 in the same thread: 100 % of'
neighbours '{ print at, "begin", "work"
	print at + 500, "begin", "execute_$command%s", "\"command\":\"" (slow ? "KEYS" : "GET") "\""
	print at + 900, "end", "execute_$command%s"; print at + took, "end", "work" }' >"$work/enclosed.jsonl"
has 'the argument of an enclosed span is one' "$("$dump" --why work "$work/enclosed.jsonl")" \
	'^1\. "execute \$command%s" with command = KEYS inside: 100 % of'
is '... in JSON' "$("$dump" --why work --json "$work/enclosed.jsonl" | jq -c '.causes[0] | [.kind, .name, .argument, .op, .value]')" \
	'["inside","execute $command%s","command","=","KEYS"]'
neighbours '{ print at - 5, "begin", "batch_$of", "\"of\":" (slow ? 9 : $1 % 4)
	print at, "begin", "work"; print at + took, "end", "work"
	print at + took + 5, "end", "batch_$of" }' >"$work/around.jsonl"
has '... and that of an enclosing one' "$("$dump" --why work "$work/around.jsonl")" \
	'^1\. inside "batch \$of" with of = 9: 100 % of'
# Lua reads no files beside the first, and never names a line of the kernel as a
# cause.
"$build/bin/timeline-convert" -q --to jsonl "$work/preempted.tl" "$work/preempted.tl.sched" >"$work/merged.jsonl"
echo "print(#timeline.inputs[1]:why { message = 'work', all = true }[1].causes)" >"$work/kernel.lua"
is 'a line of the kernel is never a cause' "$("$dump" -s "$work/kernel.lua" "$work/merged.jsonl")" 0
# All threads wait for a CPU all the time, in slow spans and in others.
seq 400 | awk -v spans="$work/waits.jsonl" -v kernel="$work/waits_kernel.jsonl" '
function put(file, ns, category, message, kind, args) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"%s\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n",
		ns, ns, category, message, kind, args >file
}
{
	at = $1 * 100000; took = $1 % 20 == 3 ? 50000 : 10000
	out = "switched out as $state%s for $next $name%s"
	put(kernel, at - 500, "sched", "switched in", "instant")
	put(spans, at, "c", "sync", "begin")
	put(kernel, at + took * 0.1, "sched", out, "instant", "\"state\":\"R+\",\"next\":9,\"name\":\"rt\"")
	put(kernel, at + took * 0.9, "sched", "switched in", "instant")
	put(spans, at + took, "c", "sync", "end")
	put(kernel, at + took + 100, "sched", out, "instant", "\"state\":\"S\",\"next\":0,\"name\":\"idle\"")
}'
"$build/bin/timeline-convert" -q "$work/waits.jsonl" -o "$work/waits.tl"
"$build/bin/timeline-convert" -q --to timeline "$work/waits_kernel.jsonl" -o "$work/waits.tl.sched"
text=$("$dump" --why sync "$work/waits.tl")
has 'where the threads were is said, whether or not it differs' "$text" \
	'^   the threads of slow spans: .*waiting for a CPU 80 % of the time \(preempted by rt/9 100 % of the time\), others 80 %$'

# == arguments that are refused ==
ends '--slowest needs --why' 2 "$dump" --slowest 1 "$work/few.jsonl"
ends 'a percentage has bounds' 2 "$dump" --why few --slowest 100 "$work/few.jsonl"
has '... that are named' "$err" '100: not a percentage above 0 and below 100'
ends 'one threshold is enough' 2 "$dump" --why few --slowest 1 --slower 1ms "$work/few.jsonl"
ends 'there is no CSV' 2 "$dump" --why few --format csv "$work/few.jsonl"

# One span in 40 is hit by a tick of 4 ms, and half of those are slow.
seq 4000 | awk '{ at = $1 * 100000 + $1 * 7919 % 41 * 1000
	print at, at % 4000000 < 100000 && $1 % 80 < 40 ? 3000 : 900 + $1 % 100 }' |
	spans_of tick >"$work/ticks.jsonl"
text=$("$dump" --why tick "$work/ticks.jsonl")
has 'a part of each tick is one of the times' "$text" \
	'^1\. from .* of each 4ms \(perhaps a timer tick or preemption; timelinectl kernel tells\): '
is '... in JSON' "$("$dump" --why tick --json "$work/ticks.jsonl" | first)" '["time","4ms","in"]'
has 'the 99 % come first where half of the spans are not slow' "$text" \
	'^   99 % take at most 3us with it, .* without; median .* with it, .* without$'

# A hundred spans are a little slow by the tick, and ten very slow for a cause.
seq 4000 | awk '{ at = $1 * 100000 + $1 * 7919 % 41 * 1000; big = $1 % 400 == 7
	print at, big ? 200000 + $1 : at % 4000000 < 100000 ? 3000 + $1 * 7919 % 1000 : 900 + $1 % 100, big ? 9 : $1 % 5 }' |
	spans_of 'load $size' >"$work/outweighed.jsonl"
is 'what explains most of the time comes first' \
	"$("$dump" --why 'load*' --json "$work/outweighed.jsonl" | jq -c '.causes[0] | [.kind, .name, .explains > 0.9]')" \
	'["argument","size",true]'

# Each span has entries of messages of its own, ten times as many in the slow.
seq 1000 | awk 'function put(ns, kind, message) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{}}\n",
		ns, ns, message, kind
}
{
	at = $1 * 1000000
	slow = $1 * 7 % 20 == 0
	put(at, "begin", "serve")
	for (i = 1; i <= (slow ? 40 : 1 + $1 % 4); i++)
		put(at + i * 10, "instant", "command " $1 * i % 97)
	put(at + (slow ? 90000 : 9000 + $1 % 100), "end", "serve")
}' >"$work/children.jsonl"
has 'the number of children is a feature' "$("$dump" --why serve "$work/children.jsonl")" \
	'^1\. 40 or more children: 100 % of the slow spans, of which 100 % are slow '
is '... in JSON' "$("$dump" --why serve --json "$work/children.jsonl" | jq -c '.causes[0] | [.kind, .name, .op, .value]')" \
	'["children","children",">=",40]'

# The traces have a known cause of every kind, or none.
if [ -n "$lua" ]; then
	FIRST=1100 SPANS_MAX=6000 "$here/../why/run" "$build" 40 9 >"$work/verdicts"
	is 'each kind of cause is found, and none where there is none' \
		"$(cat "$work/verdicts")" 'why: planted: 40 of 40 right
why: no cause: 9 of 9 right'
else
	skip 'no Lua to make traces'
fi
