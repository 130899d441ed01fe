# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2016,SC2013
# Options, names and messages; help, man page and completion.

# shellcheck source=tests/convert/samples.sh
. "$here/samples.sh"

ends '--help goes to standard output' 0 "$convert" --help
has '... and tells of the program' "$out" '^timeline-convert \[options\]'
is '... and nothing to standard error' "$err" ''
ends '-h is the same' 0 "$convert" -h
ends '--version names program and version' 0 "$convert" --version
has '... in its first line' "$(head -1 <<<"$out")" '^timeline-convert [0-9]+\.[0-9]+\.[0-9]+$'
ends '-V is the same' 0 "$convert" -V
ends 'an unknown option is a usage error' 2 "$convert" --nose
has '... and the option is named' "$err" '^timeline-convert: --nose: '
ends 'a value that is missing is one' 2 "$convert" --to
ends 'no file at all is one' 2 "$convert" --to csv
has '... that names TIMELINE' "$err" TIMELINE
ends 'two OUTs are one' 2 "$convert" "$in.timeline" -o "$work/a.csv" -o "$work/b.csv"
ends 'an OUT without a name is one' 2 "$convert" --to csv "$in.timeline" -o ''
ends 'standard input twice is one' 2 "$convert" --to csv - -
ends '--since wants a time' 2 "$convert" --since someday --to csv "$in.timeline"
ends '--rtl-us is for rtl' 2 "$convert" --rtl-us --to csv "$in.timeline"
ends '--parquet-time is for parquet' 2 "$convert" --parquet-time micros --to csv "$in.timeline"
ends '... and wants a unit' 2 "$convert" --parquet-time days --to parquet "$in.timeline"
has '... which the error names' "$err" 'nanos or micros'
ends '--trusted wants an expression' 2 "$convert" --trusted --to csv "$in.timeline"
ends '--json wants standard output' 2 "$convert" --json --to csv "$in.timeline"
is 'a usage error writes nothing' "$(left a.) $(left b.)" ' '

# == names of formats ==
ends 'a format nobody knows is a usage error' 2 "$convert" --to pdf "$in.timeline"
has '... that lists those that are written' "$err" '^timeline-convert: pdf: .*perfetto.*sqlite'
ends 'one that is written only cannot be read' 2 "$convert" --from html "$in.timeline" --to csv
has '... and those that are read are listed' "$err" 'html: .*timelogger, rtl'
lacks '... no others' "$err" 'sqlite'
ends 'without --to standard output has no format' 2 "$convert" "$in.timeline"
has '... which is said' "$err" '--to'
# named NAME prints the format that the name of an output file chooses.
named() { "$convert" -q --json "$in.timeline" -o "$work/$1" | jq -r .format && rm -r "${work:?}/$1"; }
is 'a name tells the format' "$(for f in x.tlog a.b.trace.json x.db x.jsonl \
	x.html x.log x.ctf/; do named $f; done | tr '\n' ' ')" \
	'timelogger chrome sqlite jsonl html rtl ctf '
is '.csv is csv' "$(named x.csv)" csv
is 'the name of a format is a suffix of it' "$(for f in x.sqlite x.perfetto \
	x.timeline x.json.rtl; do named $f; done | tr '\n' ' ')" \
	'sqlite perfetto timeline rtl '
ends 'a part of a suffix tells none' 2 "$convert" "$in.timeline" -o "$work/x.json"
has '... and who has it is listed' "$err" 'part of a suffix.*chrome'
lacks '... no others' "$err" sqlite
ends 'a name that tells nothing is a usage error' 2 "$convert" "$in.timeline" -o "$work/x.csv/y"
has '... and all are listed' "$err" 'unknown suffix.*timelogger.*sqlite'

# == messages ==
ends 'what a format cannot carry is said' 0 "$convert" "$in.timeline" --to lms
has '... with how often' "$err" '^timeline-convert: standard output: an instant is left out \([0-9]+ times\)$'
ends '... of OUT by its name' 0 "$convert" "$in.timeline" -o "$work/n.tlog"
has '... ' "$err" '/n\.tlog: an instant is left out'
ends '--quiet does not' 0 "$convert" -q "$in.timeline" --to lms
is '... at all' "$err" ''
"$build/tests/tool/make_timeline" "$live-timed" timed=20 "save=$work/timed.tl" || exit 1
ends 'the histograms of timers cannot be converted' 0 "$convert" "$work/timed.tl" -o "$work/timed.jsonl"
has '... which is said' "$err" 'timed\.jsonl: the histograms of timers, which .* are left out$'
is '... and the spans that were logged are written' "$(grep -c '"kind":"end"' "$work/timed.jsonl")" 20
ends 'but a timeline keeps them' 0 "$convert" "$work/timed.tl" -o "$work/timed.copy.tl.zst"
is '... without a word' "$err" ''
# Rates differ: a conversion does not say up to when the timeline was looking.
statistics() { "$dump" --stats "$1" | sed -E 's,  [0-9.]+ (spans)?/s$,,'; }
is '... with the same statistics' "$(statistics "$work/timed.copy.tl.zst")" "$(statistics "$work/timed.tl")"
has '... in which they are' "$("$dump" --stats "$work/timed.copy.tl.zst")" '^ +timer +20 '
# a span that is one entry of a timer is two entries in a copy
has '... and whole' "$("$dump" --check "$work/timed.copy.tl.zst")" ': whole: 40 entries, '
has '... as the timeline is' "$("$dump" --check "$work/timed.tl")" ': whole: 20 entries, '
"$convert" "$work/timed.copy.tl.zst" -o "$work/timed.again.tl"
is '... which stay when it is converted again' "$(statistics "$work/timed.again.tl")" "$(statistics "$work/timed.tl")"
"$build/tests/tool/make_timeline" "$live-cleared" timed=5 clear "save=$work/cleared.tl" remove || exit 1
"$convert" -q "$work/cleared.tl" -o "$work/cleared.copy.tl"
has '... also of a timer without an entry' "$("$dump" --stats "$work/cleared.copy.tl")" '^ +timer \(ever\) +5 '
ends '... unless entries are left out' 0 "$convert" --since 2000-01-01 "$work/timed.tl" -o "$work/timed.part.tl"
has "... which is said" "$err" "part.tl: the histograms of timers, which .* are left out"
said=$("$convert" --json "$in.timeline" "$in.rtl" -o "$work/n.csv" 2>"$work/err")
is '--json says what was done' "$(jq -c '[.output, .format, .damaged, .kept_out,
	(.inputs | map(.format))]' <<<"$said")" \
	"[\"$work/n.csv\",\"csv\",false,0,[\"timeline\",\"rtl\"]]"
is '... with all notes' "$(jq '.notes | length' <<<"$said")" "$(wc -l <"$work/err")"
is '... and one line' "$(wc -l <<<"$said")" 1

# == damage ==
ends 'a file that is not there fails' 1 "$convert" -q nowhere -o "$work/d.csv"
has '... and is named' "$err" '^timeline-convert: nowhere: no such timeline'
is '... nothing appears' "$(left d.)" ''
ends 'the others are converted' 1 "$convert" -q nowhere "$in.timeline" -o "$work/d.csv"
is '... all of them' "$(cksum <"$work/d.csv")" "$(cksum <"$in.csv")"
{ # a record of no type
	printf '\11\0\0\0\0\0\0\0\0\0\0\0\1'
	head -c 200 "$in.timelogger"
} >"$work/cut.tlog"
ends 'a damaged file is converted as far as it goes' 1 "$convert" -q "$work/cut.tlog" -o "$work/d.jsonl"
has '... its damage is said with its byte' "$err" '^timeline-convert: .*cut\.tlog: byte [0-9]+: '
has '... and what could be read is there' "$(wc -l <"$work/d.jsonl")" '^[1-9]'
is '... --json says it, too' "$("$convert" -q --json "$work/cut.tlog" -o "$work/e.jsonl" 2>/dev/null |
	jq -c '[.damaged, .inputs[0].damaged, (.notes | map(.damage) | any)]')" '[true,true,true]'
cp "$in.timeline" "$work/hurt.tl"
printf '\377\377\377\377\377\377\377\377' | dd of="$work/hurt.tl" bs=1 seek=8 conv=notrunc 2>/dev/null
ends 'a damaged timeline fails' 1 "$convert" -q "$work/hurt.tl" --to csv
has '... and says why' "$err" '^timeline-convert: .*hurt\.tl: '
: >"$work/nothing"
ends 'an empty file is no file' 1 "$convert" -q "$work/nothing" --to csv
has '... and said' "$err" 'nothing: byte 0: .*empty'
ends 'a file of another format than --from says fails' 1 "$convert" -q --from timelogger "$in.html" "$in.csv" --to csv
ends 'a hostile name is escaped' 1 "$convert" -q "$work/"$'\033[31m.tl' --to csv
has '... in what is said' "$err" '/\\x1b\[31m\.tl: '
"$make" "$live" hostile "save=$work/hostile.tl" remove || exit 1
"$convert" --json "$work/hostile.tl" -o "$work/h.trace.json" >"$work/out" 2>&1
lacks 'hostile text does not reach standard error' "$(tr -d '\n\t' <"$work/out" | LC_ALL=C tr '\0-\37\177' '@@')" '@'
for f in $(formats .write); do
	to "$f" "$work/hostile.tl" -o "$work/h.$f" 2>/dev/null || echo "$f"
done >"$work/seen"
is 'hostile text becomes every format' "$(cat "$work/seen")" ''

# Every option and format is in the help, the man page and the completion.
man=$top/src/convert/timeline-convert.1
completion=$top/src/convert/timeline-convert.bash
options=$(sed -nE 's/^(OPTION|SELECTION|INPUT)\([^"]*"([a-z-]+)".*/\2/p' \
	"$top/src/convert/options.def" "$top/src/source/selection.def")
has 'the table of options is found' "$options" '^list-formats$'
help=$("$convert" --help=all; "$convert" --list-formats)
for option in $options; do
	grep -q -- "--$option" <<<"$help" || echo "--help lacks --$option"
	grep -qE "^\.It .*Fl -$option( |$)|^\.It .*Fl -$option Ar" "$man" ||
		echo "the man page lacks --$option"
	grep -qE -- "--$option($|[[:space:]'])" "$completion" || echo "the completion lacks --$option"
done >"$work/seen"
is 'help, man page and completion name every option' "$(cat "$work/seen")" ''
"$convert" --list-formats --json | jq -r \
	'[.name, (if .read then "read" else empty end), (if .write then "write" else empty end)] | join(" ")' |
	while read -r name can; do
		grep -q "^$name " <<<"$help" || echo "--help lacks $name"
		grep -qF ".It Cm $name Ta \"$can\" Ta \"" "$man" || echo "the man page lacks $name: $can"
	done >"$work/seen"
is 'help and man page name every format, and what is done with it' "$(cat "$work/seen")" ''
for name in $("$convert" --list-formats --json | jq -r .name); do
	grep -q "^\.It Cm $name Ta " "$top/src/format/timeline-formats.7" || echo "$name"
done >"$work/seen"
is 'timeline-formats(7) tells of every format' "$(cat "$work/seen")" ''
for suffix in $("$convert" --list-formats --json | jq -r .suffix | sort -u); do
	grep -qF "Ta \"$suffix\" Ta" "$man" || grep -qF "Ta $suffix Ta" "$man" || echo "$suffix"
done >"$work/seen"
is '... and its suffix' "$(cat "$work/seen")" ''
is '--list-formats lists them for a person' "$("$convert" --list-formats | cut -d' ' -f1)" \
	"$("$convert" --list-formats --json | jq -r .name)"
if command -v mandoc >/dev/null; then
	is 'the man page is clean' "$(mandoc -Tlint -Wwarning "$man")" ''
fi
completes() { # prints the words offered for the last argument
	bash -c 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
		. "$0" && _timeline_convert && printf "%s\n" "${COMPREPLY[@]}"' \
		"$completion" "$convert" "$@"
}
is 'the completion finishes an option' "$(completes --list)" --list-formats
is '... a format that is written' "$(completes --to fold)" folded
is '... none that is not read' "$(completes --from perf)" ''
is '... all that are read' "$(completes --from '')" "$(formats .read)"
is '... a priority' "$(completes -p warn)" warning
has '... a file' "$(completes "$work/in.tim")" 'in\.timeline$'
