# shellcheck shell=bash disable=SC2154,SC2016,SC2013
# SPDX-License-Identifier: Apache-2.0
# Output to files, terminals, pipes; colours; usage; escapes.

ends '-o writes a file' 0 "$dump" -o "$work/o.txt" "$known"
is '... for its owner alone' "$(stat -c %a "$work/o.txt")" 600
is '... which holds the listing' "$(untimed <"$work/o.txt")" "$newest_first"
is '... and nothing else is left' "$(cd "$work" && echo o.txt*)" o.txt
ends '--output where nothing can be written fails' 1 "$dump" --output "$work/no/o.txt" "$known"
has '... and says so' "$err" 'no/o\.txt: No such file'
ends '-o is not touched by a usage error' 2 "$dump" -o "$work/o.txt" --nose "$known"
is '... the file stays' "$(untimed <"$work/o.txt")" "$newest_first"
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/from_fifo" &
ends '-o writes into a FIFO' 0 "$dump" -o "$work/fifo" "$known"
wait $!
is '... which has the listing' "$(untimed <"$work/from_fifo")" "$newest_first"
ends '... and stays one' 0 test -p "$work/fifo"
is '-o writes to an open descriptor' \
	"$("$dump" -o /dev/fd/9 "$known" 9>&1 >/dev/null | untimed)" "$newest_first"

lacks 'no colours outside a terminal' "$("$dump" "$known")" $'\033'
has '--color=always colours by priority' \
	"$("$dump" --color=always -p error "$known")" $'\033\\[1;31mdisk.*gave up\033\\[0m$'
has 'error has another colour than fatal' \
	"$("$dump" --color always -p error "$known")" $'\033\\[31mdisk.*sda one'
if has_terminals; then
	has 'colours on a terminal' "$(on_terminal "$dump" "$known")" $'\033\\[1;31m'
	lacks 'NO_COLOR is respected' \
		"$(NO_COLOR=1 on_terminal "$dump" "$known")" $'\033'
	lacks 'TERM=dumb is respected' \
		"$(TERM=dumb on_terminal "$dump" "$known")" $'\033'
	lacks '--color=never is respected' \
		"$(on_terminal "$dump" --color=never "$known")" $'\033'
	has 'NO_COLOR does not stop --color=always' \
		"$(NO_COLOR=1 on_terminal "$dump" --color=always "$known")" $'\033\\[1;31m'
fi
ends 'an unknown --color is a usage error' 2 "$dump" --color=blue "$known"
is '--no-progress changes no listing' \
	"$("$dump" --no-progress "$known" | untimed)" "$newest_first"

"$make" "$name-pipe" entries=200000 plain=100000 "save=$work/many.tl" remove || exit 1
"$dump" "$work/many.tl" 2>"$work/err" | head -1 >/dev/null
is 'a reader that leaves early is no error' \
	"${PIPESTATUS[0]} $(cat "$work/err")" '0 '
if [ -w /dev/full ]; then
	ends 'a full disk is an error' 1 bash -c "exec \"$dump\" \"$known\" >/dev/full"
	has '... and is named' "$err" 'No space left'
fi
ends 'a file that would pass the limit of the process is an error' 1 \
	bash -c "ulimit -f 16; exec '$dump' '$work/many.tl' -o '$work/limited.txt'"
has '... that names the file and the remedy' "$err" \
	"^timeline-dump: $work/limited.txt: File too large: .*ulimit -f$"
is '... and nothing is left' "$(find "$work" -name 'limited*')" ''
# A thread writes all chunks of 128 KiB but the first; no thread writes into a
# pipe.
"$make" "$name-longer" entries=65536 plain=40000 "save=$work/longer.tl" remove
"$dump" "$work/longer.tl" | cat >"$work/longer.pipe"
is 'a long listing is several chunks' "$(($(stat -c %s "$work/longer.pipe") > 1 << 20))" 1
ends 'a long listing goes into a file' 0 "$dump" -o "$work/longer.txt" "$work/longer.tl"
is '... as through a pipe' "$(cmp "$work/longer.pipe" "$work/longer.txt" 2>&1)" ''
"$dump" "$work/longer.tl" >"$work/longer.txt"
is '... also into one that the shell opened' "$(cmp "$work/longer.pipe" "$work/longer.txt" 2>&1)" ''
"$dump" --json "$work/longer.tl" >"$work/longer.txt"
is '... and as JSON' "$("$dump" --json "$work/longer.tl" | cmp - "$work/longer.txt" 2>&1)" ''
for blocks in 300 500 3000; do # blocks of 1 KiB
	ends "a long listing does not fit into $blocks KiB" 1 \
		bash -c "ulimit -f $blocks; exec '$dump' '$work/longer.tl' >'$work/short.txt'"
	has '... which is said once' "$(grep -c . <<<"$err") $err" \
		'^1 timeline-dump: .*File too large: .*ulimit -f$'
	is '... and it is as long as it may be' "$(stat -c %s "$work/short.txt")" $((blocks << 10))
	ends '... nor with -o' 1 \
		bash -c "ulimit -f $blocks; exec '$dump' '$work/longer.tl' -o '$work/none.txt'"
	is '... which leaves no file' "$(find "$work" -name 'none*')" ''
done
ends 'a standard output that is closed is an error' 1 bash -c "exec \"$dump\" \"$known\" >&-"

# Nobody reads the pipe: each program ends the same way, whatever the program
# prints.
mkfifo "$work/left"
exec 9<>"$work/left"
exec 8>"$work/left" 9>&-
"$bin/timelinectl" create "$name-left" >/dev/null
for words in "timeline-dump $known" "timeline-dump --help" "timeline-dump --version" timeline-dump \
	"timeline-dump --stats $known" "timelinectl list" "timelinectl list --json" \
	"timelinectl --help" "timelinectl help top" "timelinectl -V" "timelinectl top -n 1 $name-left" \
	"timelinectl burst $name-left trace 1ms" "timelinectl save --json $name-left $work/left.tl" \
	"timeline-convert --help" "timeline-convert --version" "timeline-convert --list-formats" \
	"timeline-convert -q --to csv $known" "timelined --help" "timelined --version" \
	"timelined --check -c $top/src/daemon/timelined.conf" "timeline-ship --help" \
	"timeline-ship --version"; do
	[ -e "$bin/${words%% *}" ] || continue
	# shellcheck disable=SC2086 # words
	"$bin/"$words >&8 2>"$work/err"
	status=$?
	[ "$status $(cat "$work/err")" = "0 " ] || echo "$words: $status $(cat "$work/err")"
done >"$work/left.txt"
exec 8>&-
"$bin/timelinectl" remove "$name-left"
is "a reader that has left ends every program without a word" "$(cat "$work/left.txt")" ""

# == usage ==
ends '--help goes to standard output' 0 "$dump" --help
has '... and tells of the program' "$out" '^timeline-dump \[options\]'
is '... and nothing to standard error' "$err" ''
ends '-h is the same' 0 "$dump" -h
ends '--version names program and version first' 0 "$dump" --version
has '... in its first line' "$(head -1 <<<"$out")" '^timeline-dump [0-9]+\.[0-9]+\.[0-9]+$'
ends '-V is the same' 0 "$dump" -V
ends 'an unknown option is a usage error' 2 "$dump" --nose
is '... nothing goes to standard output' "$out" ''
has '... and the option is named' "$err" '^timeline-dump: --nose: '
ends 'a value that is missing is a usage error' 2 "$dump" -n
ends 'no file at all is a usage error where something else is asked for' 2 "$dump" --stats
has '... that names TIMELINE' "$err" TIMELINE
"$bin/timelinectl" create "$name-shown"
ends 'without FILE the timelines are listed' 0 "$dump"
has '... with size and level' "$out" "^$name-shown +[0-9.]+M +trace"
ends 'a mistyped name is an error' 1 "$dump" "$name-shwon"
has '... with the nearest' "$err" "^timeline-dump: $name-shwon: no such timeline; did you mean $name-shown\?$"
has '... in timelinectl' "$("$bin/timelinectl" priority "$name-shwon" info 2>&1)" "did you mean $name-shown\?$"
has '... in timeline-convert' "$("$bin/timeline-convert" "$name-shwon" --to jsonl 2>&1)" "did you mean $name-shown\?$"
"$bin/timelinectl" remove "$name-shown"

# == a pager ==
long=$work/long.tl
"$make" "$name-long" entries=20000 plain=4000 "save=$long" remove || exit 1
if has_terminals; then
	paged() { TIMELINE_PAGER=$1 on_terminal "${@:2}"; }
	has 'on a terminal what is long goes through a pager' "$(paged 'sed s/^/P:/' "$dump" "$long")" '^P:.*example'
	is '... all of it' "$(paged 'sed s/^/P:/' "$dump" "$long" | grep -c '^P:')" \
		"$("$dump" "$long" | wc -l)"
	has '... with its colors' "$(paged 'cat -v' "$dump" "$long" | head -3)" '\^\['
	lacks '... not what fits' "$(paged 'sed s/^/P:/' "$dump" -n 3 "$long")" '^P:'
	# The expression reads bits 24 (SIGXFSZ) and 12 (SIGPIPE) of a
	# hexadecimal mask.
	has '... which ignores neither SIGXFSZ nor SIGPIPE' \
		"$(paged 'cat >/dev/null; grep SigIgn /proc/self/status' "$dump" "$long")" \
		'^SigIgn:.[0-9a-f]{9}[02468ace].{2}[02468ace].{3}$'
	lacks '... nor with --no-pager' "$(paged 'sed s/^/P:/' "$dump" --no-pager "$long")" '^P:'
	lacks '... nor with an empty name' "$(paged '' "$dump" "$long")" '^P:'
	has 'PAGER is asked where TIMELINE_PAGER is not set' \
		"$(unset TIMELINE_PAGER && PAGER='sed s/^/Q:/' on_terminal "$dump" "$long")" '^Q:'
	has 'leaving the pager early is no error' \
		"$(paged 'head -1' "$dump" "$long" \; echo 'status $?')" 'status 0'
	lacks 'what is written to a file has none' \
		"$(paged 'sed s/^/P:/' "$dump" -o "$work/paged" "$long")" '^P:'
fi

# == an empty selection ==
ends 'a category that no message has is an error' 1 "$dump" --category exmple "$known"
is '... that names the nearest' "$err" "timeline-dump: $known: exmple: no category matches; did you mean example?"
ends 'an argument that no message has is one' 1 "$dump" -e 'args.tpc > 1' "$known"
is '... with the nearest' "$err" "timeline-dump: $known: args.tpc: no message has this argument; did you mean args.tcp?"
ends 'a time window without an entry is one' 1 "$dump" --json --since 2100-01-01 "$known"
is '... that says so' "$err" "timeline-dump: $known: no entry matches"
ends '--list and --stats agree' 1 "$dump" --list --category exmple "$known"
ends 'nothing that was asked for is no error' 0 "$dump" -n 0 --category exmple "$known"
ends 'one glob of two is enough' 0 "$dump" --category exmple --category example "$known"
ends '-n wants a number' 2 "$dump" -n many "$known"
ends '--since wants a time' 2 "$dump" --since someday "$known"
ends '--since wants a duration behind a sign' 2 "$dump" --since -soon "$known"
ends '--min-priority wants a priority' 2 "$dump" --min-priority high "$known"
ends '--cpu wants a number' 2 "$dump" --cpu -1 "$known"
ends 'two things at once are a usage error' 2 "$dump" --list --stats "$known"
ends '--columns are for text' 2 "$dump" --json --columns time "$known"
ends '--follow goes with entries only' 2 "$dump" --follow --list "$name"
ends '--trusted wants a script' 2 "$dump" --trusted "$known"
ends '--info has no CSV' 2 "$dump" --info --format csv "$known"

# == help fits a terminal ==
for program in timeline-dump timelinectl timeline-convert timeline-ship timelined \
	'timeline-ship run' 'timeline-ship read'; do
	# shellcheck disable=SC2086
	"$bin/"$program --help | awk -v p="$program" 'length > 80 { print p ": " $0 }
		END { if (NR > 24) print p ": " NR " lines" }'
	# shellcheck disable=SC2086
	"$bin/"$program --help=all 2>&1 | awk -v p="$program" 'length > 80 { print p ": " $0 }
		END { if (NR < 10 || NR > 60) print p ": all: " NR " lines" }'
done >"$work/out"
is 'the help of every program has 24 lines, all of it 60, of 80 columns' "$(cat "$work/out")" ''
has '--help=GROUP shows one group' "$("$dump" --help=tree)" '^ +--depth, --children N '
ends 'a group that is none is a usage error' 2 "$dump" --help=treees
has '... with the nearest' "$err" 'treees: no such group of options; did you mean Trees\?'

# Every option of the table is in the help, the man page and the completion.
options=$(sed -nE 's/^(OPTION|SELECTION|INPUT)\([^"]*"([a-z-]+)".*/\2/p' \
	"$top/src/dump/options.def" "$top/src/source/selection.def")
has 'the table of options is found' "$options" '^oldest-first$'
help=$("$dump" --help=all)
for option in $options; do
	grep -q -- "--$option" <<<"$help" || echo "--help lacks --$option"
	grep -qE "^\.It .*Fl -$option( |$)" "$top/src/dump/timeline-dump.1" ||
		echo "the man page lacks --$option"
	grep -q -- "--$option" "$top/src/dump/timeline-dump.bash" ||
		echo "the completion lacks --$option"
done >"$work/out"
is 'help, man page and completion name every option' "$(cat "$work/out")" ''
for column in $(sed -nE 's/^COLUMN\([A-Z_]+, "([a-z-]+)"\)/\1/p' "$top/src/dump/columns.def"); do
	grep -qw -- "$column" <<<"$help" || echo "--help lacks $column"
	grep -q "It Cm $column" "$top/src/dump/timeline-dump.1" || echo "the man page lacks $column"
	grep -qw -- "$column" "$top/src/dump/timeline-dump.bash" || echo "the completion lacks $column"
done >"$work/out"
is 'help, man page and completion name every column' "$(cat "$work/out")" ''
if command -v mandoc >/dev/null; then
	is 'the man page is clean' "$(mandoc -Tlint -Wwarning "$top/src/dump/timeline-dump.1")" ''
fi
complete_line() { # prints the words offered for the last argument
	bash -c 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
		. "$0" && _timeline_dump && printf "%s\n" "${COMPREPLY[@]}"' \
		"$top/src/dump/timeline-dump.bash" timeline-dump "$@"
}
is 'the completion finishes an option' "$(complete_line --oldest)" --oldest-first
is 'the completion offers the formats that are read' "$(complete_line --from '' | sort)" \
	"$("$bin/timeline-convert" --list-formats | sed -n 's/ *read .*//p' | sort)"
is 'the completion finishes a priority' "$(complete_line --min-priority warn)" warning
has 'the completion finishes a live timeline' "$(complete_line "${name:0:8}")" "^$name$"
has 'the completion finishes a column in a list' "$(complete_line --columns time,ca)" '^time,category$'

# == hostile text ==
hostile=$work/hostile.tl
"$make" "$name-hostile" hostile "save=$hostile" || exit 1
steering='[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xff|\xfe'
for way in '' --explain --list '--list --explain' --stats --info --check --json '--format csv' \
	'--list --json' '--list --format csv' '--stats --json' '--stats --format csv' \
	'--info --json' '--check --json' '--columns category' '--view top'; do
	# shellcheck disable=SC2086
	"$dump" $way "$hostile" >"$work/out" 2>&1
	if [ ! -s "$work/out" ]; then
		echo "nothing with '$way'"
	fi
	if grep -qaP "$steering" "$work/out"; then
		echo "with '$way':"
		grep -aP "$steering" "$work/out" | cat -v
	fi
done >"$work/seen"
is 'no byte of a file reaches the terminal unescaped' "$(cat "$work/seen")" ''
if has_terminals; then
	on_terminal "$dump" --color=never "$hostile" >"$work/out"
	is '... nor a real terminal' "$(grep -caP "$steering" "$work/out")" 0
fi
has 'escapes are shown' "$("$dump" "$hostile")" 'ho\\x1b\[5mst red \\x1b\[31m x\(0\)'
has 'an interned text is escaped' "$("$dump" "$hostile")" 'text x\(title \\x1b\]0;owned\\x07\)'
has 'an unknown interned text is its number' "$("$dump" "$hostile")" 'text x\(#123456789\)'
has 'formats of printf mean nothing' "$("$dump" "$hostile")" ' %s%n%d x\(7\)'
"$dump" --json "$hostile" >"$work/json"
ends 'JSON of hostile text is JSON' 0 jq -es 'length == 11' "$work/json"
has 'CSV stops formulas' "$("$dump" --format csv "$hostile")" ",'=1"
ends 'a hostile file name is escaped' 1 "$dump" "$work/"$'\033[31m.tl'
has '... in the message' "$err" '/\\x1b\[31m\.tl: No such file'
