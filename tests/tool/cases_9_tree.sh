# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Trees of recorded traces, and of everything else that is read.

trace=$work/known.trace
"$build/tests/tool/make_trace" "$trace" known hostile open=2
# unhurried prints lines without their durations.
unhurried() { sed -E 's/: [0-9.]+(ns|us|ms|s)( |$)/: TIME\2/'; }
# nodes_of prints a tree without the thread's heading.
nodes_of() { "$dump" --tree "$@" | grep -v '^#'; }

ends '--tree shows a recorded trace' 0 "$dump" --tree "$trace"
is '... as it was recorded' "$(unhurried <<<"$out")" \
	'# Thread 1 (first of make_trace)
request id(1): TIME
  parse: TIME
  = depth 12
request id(2): TIME
  note n(7)
  open fd(3): TIME -> fd(-1)
    parse: TIME
  open fd(4): TIME
note n(8)
red \x1b[31m what(title \x1b]0;owned\x07) \xe2\x80\xae bidi \xff 中
request id(0): <unfinished>
  request id(1): <unfinished>
# Thread 2 (second of make_trace)
request id(3): TIME
  note n(9)'
lacks '... nothing of it steers a terminal' "$out" $'[\x01-\x09\x0b-\x1f\x7f]'
whole=$out
ends '-o writes it to a file' 0 "$dump" --tree -o "$work/tree.txt" "$trace"
is '... the same' "$(cat "$work/tree.txt")" "$whole"
is 'a trace through a pipe is the same' "$("$dump" --tree - < <(cat "$trace"))" "$whole"
is 'an index that is missing is no matter' \
	"$(cp "$trace" "$work/alone.trace" && "$dump" --tree "$work/alone.trace" 2>/dev/null)" "$whole"
has '--verbose tells where it was logged' "$("$dump" --tree --verbose "$known")" \
	'^processed tcp\(10\), udp\(20\), and other\(3\) at tests/tool/make_timeline.c:[0-9]+$'
has '... also of what a program recorded itself' \
	"$("$dump" --tree --verbose "$trace")" \
	'^  parse: [0-9.]+[a-z]+ at tests/tool/make_trace.c:5[0-3]$'
has 'colours are those of priorities' "$("$dump" --tree --color=always "$trace")" \
	$'^  \033\\[33mnote n\\(7\\)\033\\[0m$'

# == folded parts ==
is '--depth folds what is deeper and says how much' \
	"$("$dump" --tree --depth 1 "$trace" | unhurried)" \
	'# Thread 1 (first of make_trace)
request id(1): TIME
  ... <2 unloaded children>
request id(2): TIME
  ... <3 unloaded children>
note n(8)
red \x1b[31m what(title \x1b]0;owned\x07) \xe2\x80\xae bidi \xff 中
request id(0): <unfinished>
  ... <unloaded child>
# Thread 2 (second of make_trace)
request id(3): TIME
  ... <unloaded child>'
is '--depth 0 leaves the threads' "$("$dump" --tree --depth 0 "$trace")" \
	'# Thread 1 (first of make_trace)
... <5 unloaded children>
# Thread 2 (second of make_trace)
... <unloaded child>'
is '--children folds what comes later' "$("$dump" --tree --children 1 "$trace" | unhurried)" \
	'# Thread 1 (first of make_trace)
request id(1): TIME
  parse: TIME
  ... <unloaded child>
... <4 unloaded children>
# Thread 2 (second of make_trace)
request id(3): TIME
  note n(9)'

# == paths ==
is '--paths tells the path of each line' \
	"$("$dump" --tree --paths --depth 2 --path 1/1 "$trace" | unhurried)" \
	'# Thread 1 (first of make_trace)
request id(2): TIME [1/1]
  note n(7) [1/1/0]
  open fd(3): TIME -> fd(-1) [1/1/1]
    parse: TIME [1/1/1/0]
  open fd(4): TIME [1/1/2]'
is '--path of a thread is all of it' "$(nodes_of --path 2 "$trace" | unhurried)" \
	$'request id(3): TIME\n  note n(9)'
is '--path of a leaf is the leaf' "$(nodes_of --path 1/1/0 "$trace")" 'note n(7)'
is '--depth counts from there' "$(nodes_of --path 1/1 --depth 0 "$trace" | unhurried)" \
	$'request id(2): TIME\n  ... <3 unloaded children>'
ends 'a path that leads nowhere is a failure' 1 "$dump" --tree --path 1/1/3 "$trace"
is '... that says how far it goes' "$err" \
	'timeline-dump: 1/1/3: there is no 3: 1/1 has 3 children'
ends 'threads count from 1' 1 "$dump" --tree --path 0 "$trace"
ends 'a path is numbers and slashes' 2 "$dump" --tree --path 1/a "$trace"

# == JSON ==
is '--json is an object a thread and a node' \
	"$("$dump" --tree --json "$trace" |
		jq -r 'select(.path | startswith("1/1")) | [.path, .depth, .kind, .index, .children, .end] | @csv' | tr -d '"')" \
	'1/1,1,span,1,3,ended
1/1/0,2,instant,0,0,
1/1/1,2,span,1,1,ended
1/1/1/0,3,span,0,0,ended
1/1/2,2,span,2,0,ended'
is '... with arguments of begin and end' \
	"$("$dump" --tree --json --path 1/1/1 --depth 0 "$trace" | jq -c '[.args,.result]' | tail -1)" \
	'[{"fd":3},{"fd":-1}]'
is '... and with what took how long' "$("$dump" --tree --json "$trace" |
	jq 'select(.duration_ns != null and .duration_ns >= 5000000) | .path' | tr -d '"' | xargs)" \
	'1/1 1/1/1 1/1/1/0'
is '... and null where nobody knows' "$("$dump" --tree --json --path 1/4 "$trace" |
	jq -r 'select(.kind == "span") | "\(.duration_ns) \(.end)"')" $'null unfinished\nnull unfinished'
is '... and the thread by its name' "$("$dump" --tree --json --depth 0 "$trace" |
	jq -r '"\(.path) \(.name) \(.children) \(.input)"')" "1 first 5 $trace
2 second 1 $trace"

# == other inputs than traces, and selections ==
"$make" "$name-tree" spans=2 save="$work/spans.tl" remove
is 'a timeline has a tree of its spans' "$(nodes_of "$work/spans.tl" | unhurried | grep -v '^[<>]')" \
	'work job(0): TIME
  part of(0): TIME
    chatter n(0)
work job(1): TIME
  part of(1): TIME
    chatter n(1)
work job(2): <unfinished>'
is 'another format has one' "$(nodes_of "$log")" 'log opened timer(2ms) after timer start
log closed
::Desktop::Main: 8ms
  ::Desktop::Main : splash: 4ms
::Load : message(words)'
is 'options choose what is in it' "$("$dump" --tree --min-priority warning "$trace")" \
	'# Thread 1 (first of make_trace)
note n(7)
note n(8)
red \x1b[31m what(title \x1b]0;owned\x07) \xe2\x80\xae bidi \xff 中
# Thread 2 (second of make_trace)
note n(9)'
is '... all of it is the tree itself' "$("$dump" --tree --since 1970-01-01 "$trace")" "$whole"
is '... an expression, too' "$(nodes_of -e 'category == "disk"' "$trace" | unhurried)" \
	$'open fd(3): TIME -> fd(-1)\nopen fd(4): TIME'
is 'threads are counted through all files' "$("$dump" --tree "$trace" "$trace" | grep '^#')" \
	"# Thread 1 (first of make_trace) in $trace
# Thread 2 (second of make_trace) in $trace
# Thread 3 (first of make_trace) in $trace
# Thread 4 (second of make_trace) in $trace"
for options in '--max 3' '--oldest-first' '--follow' '--columns time' '--explain' \
	'--format csv' '--list'; do
	# shellcheck disable=SC2086
	ends "--tree does not go with $options" 2 "$dump" --tree $options "$trace"
done
for option in --verbose --paths '--depth 1' '--children 1' '--path 1'; do
	# shellcheck disable=SC2086
	ends "$option goes with trees only" 2 "$dump" $option "$trace"
done

# Damage: the rest is shown.
size=$(stat -c %s "$trace")
head -c $((size - 30)) "$trace" >"$work/cut.trace"
ends 'a trace that was cut off is unfinished, which is no failure' 0 \
	"$dump" --tree "$work/cut.trace"
has '... but reported' "$err" 'not finished'
has '... and is shown as far as it goes' "$out" '^request id\(1\)'

# == large trees ==
"$build/tests/tool/make_trace" "$work/wide.trace" wide=1000000
"$build/tests/tool/make_trace" "$work/deep.trace" deep=100000
is 'a million children are shown' "$("$dump" --tree "$work/wide.trace" | tail -1)" \
	'  note n(999999)'
is '... one of them at once' "$("$dump" --tree --path 1/0/777777 "$work/wide.trace" | tail -1)" \
	'note n(777777)'
is 'a hundred thousand levels are shown' \
	"$("$dump" --tree "$work/deep.trace" | tail -1 | unhurried | tr -s ' ')" \
	' +99899 request id(99999): TIME'
is '... their paths are cut' \
	"$("$dump" --tree --json "$work/deep.trace" | jq -s -c '[.[256].path == null, .[257].path, .[-1].depth]')" \
	'[false,null,100000]'

# == names of threads and processes ==
named=$work/named.trace
"$bin/timeline-convert" "$known" -o "$named" || exit 1
for file in "$known" "$named"; do
	has "a heading names the process: ${file##*/}" "$("$dump" --tree "$file")" \
		'^# Thread 1 \(process [0-9]+ make_timeline, thread [0-9]+\)$'
done
has 'a trace made of a timeline keeps the names of threads' \
	"$("$dump" --columns tid,message "$named")" '^make_timeline/[0-9]+ '
is '--info of a trace has its threads' \
	"$("$dump" --info --json "$named" | jq -c '[.index, (.threads[] | [.thread, .process, .entries])]')" \
	'["read",[1,"make_timeline",11]]'
has '... in text' "$("$dump" --info "$named")" '^    thread 1  pid [0-9]+  tid [0-9]+  process make_timeline  entries 11  bytes '

# An entry that is lost in any lane may be the end of a span of any thread.
event() { # event NS KIND ID
	printf '{"ns":%d,"tsc":%d,"cpu":1,"pid":5,"tid":6,"priority":"info",' "$1" "$1"
	# shellcheck disable=SC2016 # the format has a name
	printf '"category":"app","message":"job $id","kind":"%s","args":{"id":%d}}\n' "$2" "$3"
}
{
	event 1000 begin 1
	event 2000 end 1
	event 3000 begin 2
	printf '{"lost":1,"cpu":null}\n'
	event 9000 end 2
} >"$work/across.jsonl"
is '--tree leaves a span across a loss open' "$(nodes_of "$work/across.jsonl")" \
	'job id(1): 1us
job id(2): <ends outside>
< job id(2)
... 1 entry lost here'
