# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The critical path of spans, in pairs of begin and end.

path=$work/path.jsonl
entry() { # NS TID KIND MESSAGE ARGS
	printf '{"ns":%s,"tsc":0,"cpu":null,"pid":10,"tid":%s,"priority":"info","category":"test","message":"%s","kind":"%s","args":{%s}}\n' \
		"$1" "$2" "$4" "$3" "$5"
}
{
	entry 1000000 10 begin 'request $id' '"id":42'
	entry 1100000 10 instant 'put $job' '"job":7'
	entry 1110000 11 instant 'got $job' '"job":7'
	entry 1120000 11 begin 'query $table' '"table":3'
	entry 1900000 11 end 'query $table' '"table":3'
	entry 1910000 11 instant 'answer $job' '"job":7'
	entry 1950000 10 instant 'answered $job' '"job":7'
	entry 2000000 10 end 'request $id' '"id":42'
	entry 3000000 10 begin 'request $id' '"id":43'
	entry 3000010 10 end 'request $id' '"id":43'
} >"$path"
pairs=(--pair 'put $job = got $job' --pair 'answer $job = answered $job')
is '--path-of follows a request to the thread it waited for' \
	"$("$dump" --path-of 'request 42' "${pairs[@]}" "$path")" \
	'request $id: 1 span, 1ms, critical path:
   78.0%     780us  query $table
   15.0%     150us  request $id
    4.0%      40us  answer $job -> answered $job
    2.0%      20us  (outside of spans)
    1.0%      10us  put $job -> got $job
its path: request id(42)  1ms  10/10  1970-01-01T00:00:00.001000000+00:00
        +0ns     100us  10/10            request $id
      +100us      10us  10/10            put $job -> got $job
      +110us      10us  10/11            (outside of spans)
      +120us     780us  10/11            query $table
      +900us      10us  10/11            (outside of spans)
      +910us      40us  10/11            answer $job -> answered $job
      +950us      50us  10/10            request $id'
has '--critical adds up all spans of the message' \
	"$("$dump" --critical 'test:request*' "${pairs[@]}" "$path")" '^request \$id: 2 spans, 1ms, critical path:$'
is '... without pairs all is its own work' \
	"$("$dump" --critical 'request*' "$path" | sed -n 2,3p)" \
	'  100.0%       1ms  request $id
the longest: request id(42)  1ms  10/10  1970-01-01T00:00:00.001000000+00:00'
has '... as JSON' "$("$dump" --critical 'request*' --json "${pairs[@]}" "$path")" \
	'^\{"category":"test","message":"request \$id","spans":2,"total_ns":1000010,"uncertain_ns":0,"parts":\[\{"kind":"work","category":"test","message":"query \$table","ns":780000,'
ends 'a span that is not there is an error' 1 "$dump" --path-of 'request 44' "$path"
has '... which names it' "$err" "timeline-dump: no finished span matches 'request 44'"
ends '... and so is a glob that matches none' 1 "$dump" --critical nothing "$path"
ends '--critical has no CSV' 2 "$dump" --critical 'request*' --format csv "$path"

# A request of 30 parts, one of which takes most of the time.
{
	entry 1000 10 begin 'request $id' '"id":1'
	for ((i = 0; i < 30; i++)); do
		at=$((10000 * i + (i > 22 ? 9000000 : 0) + 2000))
		entry $at 10 begin "part$i" ''
		entry $((at + (i == 22 ? 9000000 : 100 * (i % 7 + 1)))) 10 end "part$i" ''
	done
	entry 9400000 10 end 'request $id' '"id":1'
} >"$work/parts.jsonl"
text=$("$dump" --critical 'request*' "$work/parts.jsonl")
is 'the five largest parts are shown' "$(grep -c '^ *[0-9.]*%' <<<"$text")" 5
has '... and the others are folded into one line' "$text" '^  \.\.\. and 26 more, together [0-9.]+us$'
is '... and so are the steps' "$(grep -c '^ *+' <<<"$text")" 5
has '... whose short ones are counted in their places' "$text" '^  \.\.\. [0-9]+ shorter, [0-9.]+us$'
is '... none of which is forgotten' "$(awk '/^ *[+]/ { n++ } / shorter, / { n += $2 } END { print n }' <<<"$text")" 61
text=$("$dump" --critical 'request*' --all "$work/parts.jsonl")
is '--all shows all of them' "$(grep -c '^ *[0-9.]*%' <<<"$text") $(grep -c '^ *+' <<<"$text")" '31 61'
lacks '... and folds nothing' "$text" '\.\.\.'
# A receiver that logs an entry between send and receive waited for nothing.
{
	for ((i = 0; i < 5; i++)); do
		entry $((1000 + 100 * i)) 10 begin 'order $id' "\"id\":$i"
		entry $((1010 + 100 * i)) 11 instant 'look' ''
		entry $((1020 + 100 * i)) 11 begin 'make $id' "\"id\":$i"
		entry $((1050 + 100 * i)) 11 end 'make $id' "\"id\":$i"
		entry $((1060 + 100 * i)) 10 end 'order $id' "\"id\":$i"
	done
} >"$work/unwaited.jsonl"
ends 'a pair that nothing waited for' 0 "$dump" --critical 'order*' --pair 'order $id = make $id' "$work/unwaited.jsonl"
is '... is reported with the number of its pairs' "$err" \
	'timeline-dump: --pair: order $id -> make $id: 5 pairs, in 0 of which the receiver waited'
ends '... and so is one that is never made' 0 "$dump" --critical 'order*' --pair 'order $id = look' "$work/unwaited.jsonl"
has '... of no pairs' "$err" 'order \$id -> look: 0 pairs, in 0 of which the receiver waited$'
"$dump" --critical 'request*' "${pairs[@]}" "$path" >"$work/out" 2>"$work/err"
is '... but not a pair that was waited for' "$(cat "$work/err")" ''
