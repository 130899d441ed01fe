# shellcheck shell=bash disable=SC2154,SC2016,SC2013
# SPDX-License-Identifier: Apache-2.0
# The program's listing, without other options.


is 'a snapshot is listed newest first' \
	"$("$dump" "$known" | untimed)" "$newest_first"
is 'a live timeline is listed the same' \
	"$("$dump" "$name" | untimed)" "$newest_first"
is 'TIMELINE names the file when none is given' \
	"$(TIMELINE=$name "$dump" | untimed)" "$newest_first"
is 'TIMELINE_PRIORITY is the least priority shown' \
	"$(TIMELINE_PRIORITY=error "$dump" "$known" | untimed)" \
	"$("$dump" --min-priority error "$known" | untimed)"
is '--min-priority has the last word over it' \
	"$(TIMELINE_PRIORITY=error "$dump" -p trace+++ "$known" | untimed)" "$newest_first"
has 'a line starts with its time in full' "$("$dump" -n1 "$known")" \
	'^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{9}\+00:00 disk       gave up$'
is '--oldest-first turns the order around' \
	"$("$dump" --oldest-first "$known" | untimed)" "$(tac <<<"$newest_first")"
is '-n shows the newest' \
	"$("$dump" -n 3 "$known" | untimed)" "$(head -3 <<<"$newest_first")"
is '--max=N is the same as -n' \
	"$("$dump" --max=3 "$known" | untimed)" "$(head -3 <<<"$newest_first")"
is '-n with --oldest-first shows the newest, oldest of them first' \
	"$("$dump" -n 3 --oldest-first "$known" | untimed)" \
	"$(head -3 <<<"$newest_first" | tac)"
is '-n 0 shows nothing' "$("$dump" -n 0 "$known")" ''
is '-n larger than all shows all' \
	"$("$dump" -n 1000000 "$known" | wc -l)" 11

# == ends of spans ==
spans=$work/spans.tl
"$make" "$name-spans" spans=300 "save=$spans" remove || exit 1
# want_ends holds the line of each end, computed from the begins: arguments and
# nanoseconds, of which milliseconds have three decimals: a busy machine may take
# the CPU from a span.
want_ends=$("$dump" --json --oldest-first --category span "$spans" |
	sed 's/"ns":[0-9]\{6\}/"ns":1/' | jq -r '[.kind, .message, .ns, (.args | tostring)] | @tsv' |
	awk -F'\t' '$1 == "begin" { ns[$2, ++open[$2]] = $3; args[$2, open[$2]] = $4 }
		$1 == "end" && open[$2] > 0 { d = $3 - ns[$2, open[$2]]
			if (d >= 1e6) d = int(d / 1000) * 1000
			split($2, w, " "); split(args[$2, open[$2]--], v, /[:}]/)
			printf "< %s %s(%s) %d\n", w[1], substr(w[2], 2), v[2], d; next }
		$1 == "end" { split($2, w, " "); printf "< %s %s\n", w[1], substr(w[2], 2) }')
in_ns() { sed -En 's/^[^ ]* span       (< .*)/\1/p' |
	awk '$NF ~ /us$/ { $NF = int($NF * 1000 + 0.5) } $NF ~ /ms$/ { $NF = int($NF * 1000000 + 0.5) } { sub(/  /, " "); sub(/ns$/, ""); print }'; }
is 'an end shows the arguments of its begin and how long the span took' \
	"$("$dump" --oldest-first "$spans" | in_ns)" "$want_ends"
is '... and newest first, where it is shown before its begin' \
	"$("$dump" "$spans" | tac | in_ns)" "$want_ends"
is '... and of the newest few, whose begins are not shown' \
	"$("$dump" -n 4 "$spans" | tac | in_ns)" "$(tail -3 <<<"$want_ends")"
is '... and of ends only, whose begins are kept out' \
	"$("$dump" -e 'kind == "end"' "$spans" | tac | in_ns)" "$want_ends"
is 'an end whose begin is not known has neither' \
	"$(head -1 <<<"$want_ends")" '< part of'

# A stamp that a writer gave was changed.  A fallback lane sorts its entries
# instead, so the test is skipped there.
"$make" "$name-stale" stale "save=$work/stale.tl" remove || exit 1
if [ "$("$dump" --info --json "$work/stale.tl" | jq '[.lanes[] | select(.cpu == null).logged] | add')" = 0 ]; then
	is 'a stamp that was given and changed is marked' \
		"$("$dump" --oldest-first "$work/stale.tl" | untimed)" \
		$'queue      = depth 1\nqueue      = depth 2 [stamp moved]\nqueue      = depth 3'
	is '... in JSON, too' "$("$dump" --json "$work/stale.tl" | jq -c '[.args.length, .moved]')" \
		$'[3,null]\n[2,true]\n[1,null]'
	is '... which is read back' "$("$dump" --json "$work/stale.tl" | "$dump" --json - | jq -c .moved)" \
		$'null\ntrue\nnull'
fi

is 'a file may stand before or behind the options' \
	"$("$dump" "$known" -n 1)" "$("$dump" -n 1 "$known")"
has '--explain adds the long text, indented' \
	"$("$dump" --explain --message 'explained*' "$known" | tail -2)" \
	'^    The first line of the explanation\.$'
lacks 'without --explain the long text is not shown' "$("$dump" "$known")" \
	'explanation'

# == which entries ==
is '--category takes a glob' \
	"$("$dump" --category 'dis?' "$known" | untimed)" \
	"$(grep ^disk <<<"$newest_first")"
is '--category may be given twice' \
	"$("$dump" --category disk --category 'que*' "$known" | wc -l)" 3
is '--message takes a glob over the first line' \
	"$("$dump" --message '*$other' "$known" | wc -l)" 3
is '--min-priority keeps what is at least as important' \
	"$("$dump" --min-priority warning "$known" | untimed)" \
	"$(grep -E '^disk|explained' <<<"$newest_first")"
is '-p with -n finds enough among what is kept out' \
	"$("$dump" -p warning -n 2 "$known" | untimed | tail -1)" \
	'example    explained n(1)'
pid=$("$dump" --json -n 1 "$known" | jq .pid)
tid=$("$dump" --json -n 1 "$known" | jq .tid)
cpu=$("$dump" --json -n 1 "$known" | jq .cpu)
is '--pid keeps one process' "$("$dump" --pid "$pid" "$known" | wc -l)" 11
is '--pid of another shows nothing' "$("$dump" --pid 1 "$known")" ''
is '--tid keeps one thread' "$("$dump" --tid "$tid" "$known" | wc -l)" 11
is '--tid of another shows nothing' "$("$dump" --tid 1 "$known")" ''
if [ "$cpu" != null ]; then
	is '--cpu keeps one CPU' "$("$dump" --cpu "$cpu" "$known" | wc -l)" 11
fi
is '--cpu of another shows nothing' "$("$dump" --cpu 77 "$known")" ''
is '--pid may be given twice' \
	"$("$dump" --pid 1 --pid "$pid" "$known" | wc -l)" 11

# The file has a first entry, one in the middle, and the newest.
slow=$work/slow.tl
"$make" "$name-slow" plain=1 sleep=5 plain=1 sleep=5 plain=1 "save=$slow" remove || exit 1
mapfile -t at < <("$dump" --oldest-first --json "$slow" | sed -E 's/^\{"ns":([0-9]+),.*/\1/')
since_middle=-$((at[2] - at[1]))ns since_first=-$((at[2] - at[0]))ns
is '--since counts back from the newest entry, inclusive' \
	"$("$dump" --since "$since_middle" "$slow" | wc -l)" 2
is '--until counts back from the newest entry, inclusive' \
	"$("$dump" --until "$since_first" "$slow" | wc -l)" 1
is '--since with --oldest-first is the same window' \
	"$("$dump" "--since=$since_middle" --oldest-first "$slow" | wc -l)" 2
newest=$("$dump" -n 1 "$slow" | cut -d' ' -f1)
is '--since takes the time that a listing prints, inclusive' \
	"$("$dump" --since "$newest" "$slow" | wc -l)" 1
is '--until takes the same, inclusive' \
	"$("$dump" --until "$newest" "$slow" | wc -l)" 3
is '--since takes Unix seconds' \
	"$("$dump" --since "@${at[2]:0:-9}.${at[2]: -9}" "$slow" | wc -l)" 1
is '--since in the future shows nothing' \
	"$("$dump" --since 2200-01-01 "$slow")" ''

# == columns ==
is '--columns chooses and orders' \
	"$("$dump" -n 2 --columns priority,message "$known" | sed -E 's/  [0-9.]+[nmu]?s$/  T/')" \
	'fatal    gave up
info     < work job(1)  T'
is '--columns pid,tid,cpu shows who and where' \
	"$("$dump" -n 1 --columns pid,tid,category "$known" | tr -s ' ')" \
	"make_timeline/$pid make_timeline/$tid disk "
is '... and JSON lines, beside the numbers' \
	"$("$dump" --json "$known" | jq -r '"\(.process)/\(.pid) \(.thread)/\(.tid)"' | uniq)" \
	"make_timeline/$pid make_timeline/$tid"
is "a filter compares the thread's name" \
	"$("$dump" -e 'thread == "make_timeline" and process == thread' --json "$known" | wc -l)" \
	"$("$dump" --json "$known" | jq -c 'select(.thread)' | wc -l)"
"$dump" --json "$known" | jq -c 'del(.thread, .process)' >"$work/unnamed.jsonl"
is '... and is nil where it has none' \
	"$("$dump" -e 'thread == nil and process == nil' "$work/unnamed.jsonl" | wc -l)" \
	"$("$dump" "$work/unnamed.jsonl" | wc -l)"
is '... by number where the name is not known' \
	"$("$dump" -n 1 --columns pid,tid,category "$work/unnamed.jsonl" | tr -s ' ')" \
	" $pid $tid disk "
has '--critical calls threads by name, too' \
	"$("$dump" --critical 'work*' "$known")" "  make_timeline/$tid  "
mapfile -t tscs < <("$dump" --columns tsc "$known" | tr -d ' ')
is '--columns delta-cycles is the distance of stamps' \
	"$("$dump" --columns delta-cycles "$known" | tr -d ' ')" \
	"$(for ((i = 1; i < ${#tscs[@]}; i++)); do echo $((tscs[i - 1] - tscs[i])); done && echo -)"
is 'the delta of the last line of -n is known, too' \
	"$("$dump" -n 3 --columns delta-cycles "$known" | tr -d ' ')" \
	"$("$dump" --columns delta-cycles "$known" | tr -d ' ' | head -3)"
is 'deltas are the same oldest first' \
	"$("$dump" --oldest-first --columns delta-cycles,delta-ns "$known" | tac)" \
	"$("$dump" --columns delta-cycles,delta-ns "$known")"
is 'and of the newest few, oldest of them first' \
	"$("$dump" -n 3 --oldest-first --columns delta-ns "$known" | tac)" \
	"$("$dump" -n 3 --columns delta-ns "$known")"
has '--columns clock-error is a number of ns' \
	"$("$dump" -n 1 --columns clock-error "$known")" '^ *[0-9]+$'
ends 'an unknown column is a usage error' 2 "$dump" --columns nose "$known"

# == forms of time ==
at_ns() { "$dump" --json "$known" | sed -E 's/^\{"ns":[0-9]{9}([0-9]+),.*/\1/'; }
is '--time relative counts seconds from the first line on' \
	"$("$dump" --time relative --columns time "$known" | tr -d ' ')" \
	"$(at_ns | awk 'NR == 1 { first = $1 } { printf "%+.9f\n", ($1 - first) / 1e9 }')"
is '--time delta is what the column delta-ns is, in seconds' \
	"$("$dump" --time delta --columns time "$known" | tr -d ' ')" \
	"$("$dump" --columns delta-ns "$known" | awk '$1 == "-" { print $1; next } { printf "%+.9f\n", $1 / 1e9 }')"
is '--time local is the same time by another clock' \
	"$(TZ=XST-5:30 "$dump" --time local --columns time "$known" | sed 's/T/ /' | TZ=UTC date -f - +%FT%T.%N+00:00)" \
	"$("$dump" --columns time "$known")"
has '... with its distance to UTC' "$(TZ=XST+3:30 "$dump" -n 1 --time local "$known")" '^[^ ]*-03:30 disk'
ends 'an unknown form of time is a usage error' 2 "$dump" --time now "$known"

# == formats ==
json=$("$dump" --json "$known")
is '--json is an object an entry, with these fields' \
	"$(jq -r 'keys_unsorted | join(" ")' <<<"$json" | sort -u)" \
	'ns tsc cpu pid tid thread process duration_ns begun_tsc bare priority category message kind args
ns tsc cpu pid tid thread process priority category message kind args'
has 'JSON keeps 64-bit integers exact' "$json" \
	'"args":\{"tcp":-1,"udp":-2,"other":9007199254740993\}'
has 'JSON shows %d, %x, %f and %t as numbers' "$json" \
	'"args":\{"a":-5,"b":255,"c":2.5,"d":1500\}'
has 'JSON shows %s as its text' "$json" '"args":\{"device":"sda one"\}'
is 'JSON names the kinds' "$(jq -r .kind <<<"$json" | sort | uniq -c | tr -s ' ')" \
	' 1 begin
 1 counter
 1 end
 8 instant'
is '--format json is the same as --json' "$("$dump" --format json "$known")" "$json"
is 'JSON has no long text in the message' \
	"$(jq -r 'select(.category == "example" and .priority == "warning").message' <<<"$json")" \
	'explained $n'
csv=$("$dump" --format csv "$known")
is 'CSV has a heading and a line an entry' "$(wc -l <<<"$csv")" 12
has 'CSV quotes what has a comma' "$csv" \
	'"processed \$tcp, \$udp, and \$other",instant,tcp,10,udp,20,other,3,,,make_timeline,make_timeline,,,,,[^,]*,[^,]*,$'
is '-n works in JSON' "$("$dump" --json -n 2 "$known")" "$(head -2 <<<"$json")"
is '--oldest-first works in JSON' "$("$dump" --json --oldest-first "$known")" "$(tac <<<"$json")"
ends 'an unknown format is a usage error' 2 "$dump" --format xml "$known"

# == several files at once ==
"$make" "$name-a" plain=2 || exit 1
"$make" "$name-b" known "save=$work/b.tl" remove || exit 1
"$make" "$name-a" plain=1 "save=$work/a.tl" remove || exit 1
is 'several files are merged by time' \
	"$("$dump" "$work/a.tl" "$work/b.tl" | untimed)" \
	"example    processed tcp(0), udp(0), and other(0)
$newest_first
example    processed tcp(1), udp(2), and other(3)
example    processed tcp(0), udp(0), and other(0)"
is 'merging oldest first is the reverse' \
	"$("$dump" --oldest-first "$work/b.tl" "$work/a.tl")" \
	"$("$dump" "$work/b.tl" "$work/a.tl" | tac)"
is 'a merge has a newest few, too' \
	"$("$dump" -n 2 "$work/b.tl" "$work/a.tl" | untimed | tail -1)" \
	'disk       gave up'
ends 'a file that cannot be opened does not hide the others' 1 \
	"$dump" "$work/none.tl" "$known"
is '... which are shown' "$(untimed <<<"$out")" "$newest_first"
has '... and is named' "$err" '^timeline-dump: .*/none\.tl: No such file'
