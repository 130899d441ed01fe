# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Files of other formats are read like timelines.

ends 'a log of RTL_LOGFILE is shown' 0 "$dump" "$log"
listing=$out
is '... newest first' "$(untimed <<<"$out")" \
	'rtl        log closed
desktop    < ::Desktop::Main  T
sfx2       ::Load : message(words)
desktop    < ::Desktop::Main : splash  T
desktop    > ::Desktop::Main : splash
desktop    > ::Desktop::Main
rtl        log opened timer(2ms) after timer start'
is '... the same through a pipe' "$("$dump" - <"$log")" "$listing"
is '... and through one that is no file' "$("$dump" - < <(cat "$log"))" "$listing"
is '... and through one with a name' \
	"$(through_fifo "$log" "$dump" "$work/pipe")" "$listing"
has '--info tells its format' "$("$dump" --info "$log")" '^format: rtl$'
is '... as JSON, too' "$("$dump" --info --json "$log" | jq -r '.format, .entries_shown')" \
	$'rtl\n7'
has '--list has its messages' "$("$dump" --list "$log")" '^ +2 info +span +desktop +::Desktop::Main$'
has '--stats has the durations of its spans' "$("$dump" --stats "$log")" 'duration +1 +8ms'
has '--check finds it whole' "$("$dump" --check "$log")" 'whole: 7 entries, 5 messages'
is 'scripts see it' "$("$dump" --oldest-first -e 'kind == "instant" and category == "sfx2"' --json "$log" |
	jq -r .args.message)" words
ends 'it cannot be followed' 1 "$dump" -f "$log"
has '... with a reason' "$err" 'does not grow'
"$dump" --json --oldest-first "$log" >"$work/log.jsonl"
"$dump" --format csv --oldest-first "$log" >"$work/log.csv"
is 'what --json prints is read' "$("$dump" "$work/log.jsonl")" "$listing"
is 'what --format csv prints is read' "$("$dump" "$work/log.csv")" "$listing"
has 'two formats are merged' "$("$dump" "$log" "$work/log.csv" | untimed | uniq -c)" \
	'^ +2 desktop +> ::Desktop::Main : splash$'
"$dump" --json --oldest-first "$known" >"$work/known.jsonl"
is 'a timeline comes back from JSON lines' "$("$dump" --json "$work/known.jsonl")" \
	"$("$dump" --json "$known")"

# Damage: the whole entries are shown, and the rest is reported.
{
	cat "$work/log.jsonl"
	echo 'no JSON at all'
	tail -1 "$work/log.jsonl"
} >"$work/damaged.jsonl"
ends 'a damaged one fails' 1 "$dump" "$work/damaged.jsonl"
is '... and is shown as far as it goes' "$(wc -l <<<"$out")" 8
has '... and the place is said' "$err" 'damaged\.jsonl: byte [0-9]+: '
ends '--check of it fails, too' 1 "$dump" --check "$work/damaged.jsonl"
has '... and says how much is there' "$out" 'damaged, 1 fault: 8 entries'
: >"$work/empty"
ends 'an empty file is no format' 1 "$dump" "$work/empty"
has '... which is said' "$err" 'empty file'

# Scopes: total, self, per author, comparison.
scopes() { "$dump" "$@" | tr -s ' '; }
is 'the time of each scope' "$(scopes "$log" --view scopes)" \
	'calls total self mean std min max category scope
 1 8ms 4ms 8ms 0ns 8ms 8ms desktop ::Desktop::Main
 1 4ms 4ms 4ms 0ns 4ms 4ms desktop ::Desktop::Main : splash'
is '... per author' "$(scopes "$log" --view scopes -- --by=author)" \
	'calls total self mean std min max category author
 2 12ms 8ms 6ms 2ms 4ms 8ms cd100003'
sed 's/^000009 11/000007 11/; s/^000010 11/000014 11/' "$log" >"$work/soffice_43.log"
is '... of two logs compared' "$(scopes "$log" "$work/soffice_43.log" --view scopes |
	tail -3)" \
	'calls 1 total 1 mean 1 calls 2 total 2 mean 2 change category scope
 1 8ms 8ms 1 12ms 12ms +50.0% desktop ::Desktop::Main
 1 4ms 4ms 1 2ms 2ms -50.0% desktop ::Desktop::Main : splash'
# The example of the LMS profiler: reader (10,1000) (1210,1910), writer
# (1000,1200).
printf '%s\n' 2,0,reader 0,0,10 1,0,990 2,1,writer 0,1,0 1,1,200 0,0,10 1,0,700 \
	>"$work/lms.csv"
is 'labels of the LMS profiler are summed up' \
	"$(scopes "$work/lms.csv" --view scopes -- --sort=name)" \
	'calls total self mean std min max category scope
 2 1.69ms 1.69ms 845us 145us 700us 990us lms reader
 1 200us 200us 200us 0ns 200us 200us lms writer'

is '--view intervals is the third step of the profiler'"'"'s example' \
	"$("$dump" "$work/lms.csv" --view intervals)" \
	'Process reader was executed two times in the intervals (10,1000) and (1210,1910)
Process writer was executed one time in the interval (1000,1200)'
printf '2,0,reader\n0,0,10\n1,0,9' >"$work/cut.csv"
ends 'a profile cut inside a number is unfinished' 0 "$dump" "$work/cut.csv"
has '... which is said' "$err" 'the file ends inside its last line'
# Names that cannot be messages: "Outer$Inner" and "Outer$Other" in lms.
printf '%s\n' '2,0,Outer$Inner' 0,0,10 1,0,990 '2,1,Outer$Other' 0,1,0 1,1,200 \
	>"$work/inner.csv"
has 'names with a dollar are shown by scopes' \
	"$(scopes "$work/inner.csv" --view scopes)" ' 1 990us .* lms Outer\$Inner$'
has '... each on its own' "$(scopes "$work/inner.csv" --view scopes)" \
	' 1 200us .* lms Outer\$Other$'
has '... by top' "$(scopes "$work/inner.csv" --view top)" 'lms Outer\$Inner$'
has '... by stats' "$(scopes "$work/inner.csv" --stats)" '^lms Outer\$Other$'

# A TimeLogger file: source 0 is "Outer$Inner", open at 50 and 101, closed at
# 100 and 150.
printf '\0\0\0\0\0\0\0\0\0\0\0\0\012\0\013Outer$Inner' >"$work/one.bin"
for record in 1:062 1:145 2:144 2:226; do
	printf '%b' "\\0${record%:*}\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0${record#*:}"
done >>"$work/one.bin"
ends 'a TimeLogger file of one source is recognised' 0 "$dump" "$work/one.bin"
has '... and counted in order of time' "$(scopes "$work/one.bin" --view scopes)" \
	' 2 99ns 99ns .* source Outer\$Inner$'

# Damage at the start of a file does not turn the file into another format.
{
	cat "$work/one.bin"
	printf '\11\0\0\0\0\0\0\0\0\0\0\0\1'
} >"$work/one_unknown.bin"
ends 'one record of an unknown type is reported' 1 "$dump" "$work/one_unknown.bin"
has '... by its format' "$err" 'record of an unknown type, skipped'
{
	echo junk before
	cat "$log"
} >"$work/junk.log"
ends 'one line before the header of a log is reported' 1 "$dump" "$work/junk.log"
has '... by its format' "$err" 'line before the log begins, left out'
printf '%s\n' 2,0,reader 0,0,10 1,x 1,0,990 >"$work/bad.csv"
ends 'one bad line of a short profile is reported' 1 "$dump" "$work/bad.csv"
has '... by its format' "$err" 'not a line of an LMS profile, skipped'

# == --from ==
sed 1d "$work/log.csv" >"$work/headless.csv"
ends 'CSV without its names is no format' 1 "$dump" "$work/headless.csv"
is '... but with --from it is read' "$("$dump" --from csv "$work/headless.csv")" \
	"$("$dump" "$work/log.csv")"
ends 'a format that is not read is refused' 2 "$dump" --from html "$log"
has '... with those that are' "$err" 'not a format that is read'
ends 'a file of another format than --from is refused' 1 "$dump" --from lms "$log"

# A running or killed writer leaves an unfinished file.
unfinished() { # WHAT FILE
	ends "--check of $1 is no failure" 0 "$dump" --check "$2"
	has '... it is unfinished' "$out" ': unfinished: ([0-9]+ entries|1 entry), '
}
unfinished 'a profile that ends inside a line' "$work/cut.csv"
printf '2,0,reader\n0,0,10\n' >"$work/begun.csv"
unfinished 'a profile that ends in a span' "$work/begun.csv"
has '--stats counts one begin' "$("$dump" --stats "$work/begun.csv")" \
	'^ +1 begin without an end, 0 ends without a begin, 0 unsure spans left out$'
sed '$d' "$log" >"$work/running.log"
unfinished 'a log that was not closed' "$work/running.log"
head -c -9 "$work/running.log" >"$work/killed.log"
unfinished 'a log that ends inside a line' "$work/killed.log"
head -c -5 "$work/one.bin" >"$work/killed.bin"
unfinished 'a TimeLogger file that ends inside a record' "$work/killed.bin"
printf '000005 11 } x\n' >"$work/lonely.log"
ends '--check of a log with an end without a begin is none' 0 "$dump" --check "$work/lonely.log"
has '... it is whole' "$out" ': whole: 1 entry, '
has '... which it says' "$out" 'end without a begin'

# A source that is open during a whole window is shown in the window: source 0
# from 10 to 60, source 1 from 20 to 30 and from 40 to 50.
{
	printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4held\0\0\0\0\1\0\0\0\0\0\0\0\0\0\13Outer$Inner'
	for record in 1:0:012 1:1:024 2:1:036 1:1:050 2:1:062 2:0:074; do
		IFS=: read -r type id at <<<"$record"
		printf '%b' "\\0$type\\0\\0\\0\\0$id\\0\\0\\0\\0\\0\\0\\0\\0$at"
	done
} >"$work/held.tlog"
window=(--since 1970-01-01T00:00:00.000000035 --until 1970-01-01T00:00:00.000000055)
held=$'1970-01-01T00:00:00.000000035+00:00 source     > held'
is 'a window of a listing begins with what is open during it' \
	"$("$dump" --oldest-first "${window[@]}" "$work/held.tlog")" \
	"$held"$'\n''1970-01-01T00:00:00.000000040+00:00 source     > label(Outer$Inner)
1970-01-01T00:00:00.000000050+00:00 source     < label(Outer$Inner)  10ns'
is '... newest first, too' "$("$dump" "${window[@]}" "$work/held.tlog" | tail -n 1)" "$held"
is '... where nothing else is' "$("$dump" --message held "${window[@]}" "$work/held.tlog")" "$held"
lacks '... but not what is closed in it' "$("$dump" --since 1970-01-01T00:00:00.000000035 "$work/held.tlog")" '> held'
"$bin/timeline-convert" -q "${window[@]}" "$work/held.tlog" -o "$work/window.tlog"
is '... and of a conversion' "$("$dump" --message held "$work/window.tlog")" "$held"

# --message and --list know names with a dollar.
is '--message is of such a name' "$("$dump" --oldest-first --message 'Outer*' "$work/held.tlog" |
	cut -d' ' -f2- | tr -s ' ')" \
	'source > label(Outer$Inner)
source < label(Outer$Inner) 10ns
source > label(Outer$Inner)
source < label(Outer$Inner) 10ns'
is '--list shows it' "$("$dump" --list "$work/held.tlog" | tr -s ' ' | grep source)" \
	' 2 info instant timelogger source $id%d is $name%s
 2 info span source held
 4 info span source Outer$Inner'
is '... alone, where it is chosen' "$("$dump" --list --message 'Outer*' "$work/held.tlog" | tr -s ' ' | tail -n +2)" \
	' 4 info span source Outer$Inner'
is '... as JSON' "$("$dump" --list --json "$work/inner.csv" | jq -r '"\(.message) \(.seen)"')" \
	$'Outer$Inner 2\nOuter$Other 2'

# A number in quotes is a number; an event without a time has that of the event
# before, not 1970.
cat >"$work/quoted.json" <<'END'
[{"name":"CPU","ph":"C","ts":"1000.5","pid":"1","args":{"used":"1.5","free":17,"of":"1e3"}},
{"name":"x","ph":"i","ts":null,"pid":1,"tid":1},
{"name":"CPU","ph":"C","ts":2000,"pid":1,"args":{"used":"much"}}]
END
ends 'counters in quotes are read' 1 "$dump" --oldest-first --json "$work/quoted.json"
is '... as numbers' "$(jq -c 'select(.kind == "counter") | [.ns, (.args | to_entries[0].value)]' <<<"$out" | tr '\n' ' ')" \
	'[1000500,1.5] [1000500,17] [1000500,1000] '
is '... and null is no time' "$(jq -c 'select(.message == "x") | .ns' <<<"$out")" 1000500
has '... where a text is none' "$err" 'value is not a number'

# Events of equal times keep the order of the file, also where the whole file
# runs from new to old.
ordered() { "$dump" --oldest-first "$1" 2>/dev/null | untimed | tr -s ' \n' ' '; }
cat >"$work/tie.json" <<'END'
[{"ph":"X","name":"later","pid":1,"tid":1,"ts":10,"dur":5},
{"ph":"i","name":"inst","pid":1,"tid":1,"ts":10},
{"ph":"X","name":"outer","pid":1,"tid":1,"ts":5,"dur":5}]
END
is 'a file that runs from new to old keeps the order of one time' \
	"$(ordered "$work/tie.json")" ' > outer < outer T > later inst < later T '
cat >"$work/fall.json" <<'END'
[{"ph":"B","name":"a","pid":1,"tid":1,"ts":10},{"ph":"i","name":"n","pid":1,"tid":1,"ts":10},
{"ph":"E","name":"a","pid":1,"tid":1,"ts":10},{"ph":"i","name":"old","pid":1,"tid":1,"ts":5}]
END
is '... so that a span begins before it ends' \
	"$(ordered "$work/fall.json")" ' old > a n < a T '

# What the format has and no event stands for is a note; what it has not is
# damage.
cat >"$work/phases.json" <<'END'
[{"ph":"b","cat":"c","id":5,"name":"x","pid":1,"tid":1,"ts":1},
{"ph":"v","name":"dump","pid":1,"tid":1,"ts":3},{"ph":"c","name":"sync","ts":3},
{"ph":"(","name":"in","ts":3},{"ph":")","name":"in","ts":4},{"ph":"=","name":"link","ts":4},
{"ph":"e","cat":"c","id":5,"pid":1,"tid":1,"ts":9}]
END
ends 'phases without a place are no damage' 0 "$dump" --oldest-first "$work/phases.json"
has '... and are noted' "$err" 'memory dump, clock sync, context or link: left out \(5 times\)'
is '... while an end without a name ends the span of its category and id' \
	"$(ordered "$work/phases.json")" 'c > x c < x T '
sed 's/"v"/"~"/' "$work/phases.json" >"$work/unknown.json"
ends '... and a phase that no version has is' 1 "$dump" "$work/unknown.json"

# Two programs of one number in two files.
for i in 1 2; do
	printf '[{"ph":"M","name":"process_name","pid":7,"args":{"name":"prog%d"}},
{"ph":"X","name":"s%d","pid":7,"tid":7,"ts":%d,"dur":5}]' "$i" "$i" "$i" >"$work/prog$i.json"
done
sed 's/s1/s3/' "$work/prog1.json" >"$work/prog3.json"
merged() { # FORMAT FILE...
	"$bin/timeline-convert" -q --to "$1" -o - "${@:2}" 2>/dev/null
}
processes() {
	merged chrome "$@" | jq -r '.traceEvents[] |
		select(.name == "process_name") | "\(.pid) \(.args.name)"'
}
is 'two programs of one number stay two in Chrome' \
	"$(processes "$work"/prog[12].json)" $'7 prog1\n4194305 prog2'
is '... and in folded stacks' "$(merged folded "$work"/prog[12].json)" \
	$'prog1: 7/7;s1 5000\nprog2: 7/7;s2 5000'
is '... while two files of one program have one' \
	"$(processes "$work"/prog[13].json)" '7 prog1'
for i in 1 2; do
	printf '{"ns":%d,"tsc":1,"cpu":0,"pid":7,"tid":7,"process":"prog%d","thread":"io","priority":"info","category":"k","message":"m","kind":"instant","args":{}}\n' \
		"$i" "$i" >"$work/prog$i.jsonl"
done
is '... and JSON lines, too, stay two' \
	"$(processes "$work"/prog[12].jsonl)" $'7 prog1\n4194305 prog2'

# Sums of durations do not wrap: two of 285 years are the most that is, four
# wrap to a time that looks like one.
wide='"ph":"X","ts":0,"dur":9007199254740993,"pid":1,"name":"a"'
printf '[{%s,"tid":1},{%s,"tid":2},{%s,"tid":4},\n{"ph":"X","ts":1,"dur":5,"pid":1,"tid":1,"name":"a"}]' \
	"$wide" "$wide" "$wide" >"$work/wide.json"
has 'the total of --view states does not wrap' \
	"$("$dump" --view states "$work/wide.json" 2>/dev/null)" '^a +4 2562047h47m '
has '... nor that of scopes' "$("$dump" --view scopes "$work/wide.json")" '^ +4 +2562047h47m '
has '... nor that of top' "$("$dump" --view top "$work/wide.json")" ' 2562047h47m '
printf '{"ns":%d,"tsc":1,"cpu":0,"pid":1,"tid":1,"priority":"info","category":"k","message":"m","kind":"%s","args":{}}\n' \
	-9223372036854775807 begin 9223372036854775806 end >"$work/all.jsonl"
is '... nor a span of all times in folded stacks' \
	"$(merged folded "$work/all.jsonl")" '1/1;k: m 9223372036854775807'
