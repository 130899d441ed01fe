# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# A directory or standard output gets every logged entry once and whole.

w=$work/files
mkdir "$w"

sh=$name-sh
"$make" "$sh" entries=65536 plain=5000
expected=$(seq 0 4999)

ends 'what is there is shipped to a directory' 0 \
	"$ship" run --to "$w/dir" --all --for 1ms --block-size 16K --host web.1 "$sh"
has '... which is summed up' "$out" '^5000 entries, 0 lost, [0-9]+ blocks \([0-9.]+K\) sent in [0-9.m]+s$'
is '... every entry once' "$(numbers_in "$w/dir")" "$expected"
has '... by host, date and hour' "$(blocks "$w/dir" | head -1)" \
	"dir/host=web\.1/date=$(date -u +%Y)-[0-9][0-9]-[0-9][0-9]/hour=[0-9][0-9]/$base-sh-[0-9a-f]{32}-0\.trace$"
# Some blocks in the middle are taken away, then the first blocks.
of_lines() { blocks "$w/dir" | sed "$1" | tr '\n' '\0' | xargs -0 cat >"$work/part"; }
entries() { "$dump" --json --oldest-first "$work/part" 2>/dev/null | jq -r 'select(.args.tcp != null) | .args.tcp' | wc -l; }
of_lines '2,3!d' && held=$(entries)
of_lines 2,3d
ends '... of blocks that are missing' 1 "$dump" --oldest-first "$work/part"
has '... the number of entries is said' "$err" ": blocks 1 to 2 are missing: $held entries\$"
has '... and shown' "$out" "^\.\.\. $held entries lost here"
of_lines '1,2!d' && held=$(entries)
of_lines 1,2d
ends '... that the oldest are gone is no failure' 0 "$dump" --oldest-first "$work/part"
has '... and said' "$err" "it begins with block 2: $held entries of its timeline came before\$"
is '... and nothing else is there' "$(find "$w/dir" -type f ! -name '*.trace')" ''
is '... each block is a trace by itself' "$(blocks "$w/dir" | while read -r block; do
	"$dump" --check "$block" >/dev/null 2>&1 || echo "$block"
done)" ''
has '... that says where it comes from' "$("$dump" --info "$(blocks "$w/dir" | head -1)" 2>&1)" 'web\.1'

ends 'blocks go to a pipe, too' 0 bash -c "'$ship' run --to - --all --for 1ms --block-size 16K '$sh' | cat >'$w/piped'"
"$dump" --json --oldest-first "$w/piped" | jq -r .args.tcp | sort -n >"$work/numbers"
is '... every entry once' "$(cat "$work/numbers")" "$expected"
ends 'so do lines of JSON' 0 bash -c "'$ship' run --to - --format jsonl --all --for 1ms '$sh' | jq -r .args.tcp"
is '... every entry once' "$(sort -n <<<"$out")" "$expected"
ends '... each with its host and timeline' 0 bash -c "'$ship' run --to - --format jsonl --all --host 'web \"1' --for 1ms '$sh' | jq -r '.host + \" \" + .timeline' | uniq"
is '... as they are' "$out" "web \"1 ${sh#/}"
mkdir "$w/odd" && touch "$w/odd/-"
ends 'a reader that leaves is no failure' 0 bash -c "set -o pipefail; cd '$w/odd'; '$ship' run --to - --all --for 10s '$sh' | head -c 100 >/dev/null"
ends 'nor is one that reads slowly' 0 bash -c "'$ship' run --to - --all --for 1ms --linger 5s --block-size 16K '$sh' | (sleep 0.5; cat) >'$w/piped'"
is '... and has all of it' "$("$dump" "$w/piped" | wc -l)" 5000
ends 'one that stops reading does not hold up the end' 1 bash -c \
	"set -o pipefail; '$ship' run --to - --all --for 100ms --linger 300ms '$sh' | sleep 3"
has '... and what it missed is said' "$err" 'blocks? (was|were) not sent, and (is|are) lost; use --spool to keep such blocks'

# modes FOLDER prints the modes of the files in a folder.
modes() { find "$1" -type f -printf '%m\n' | sort -u | tr '\n' ' '; }
for mode in 600 640 644; do
	chmod $mode "/dev/shm$sh"
	for format in trace jsonl; do
		(umask 022 && "$ship" run --to "$w/$format-$mode" --format $format --all \
			--for 1ms --block-size 16K "$sh" >"$work/out")
		is "files of $format of a timeline with mode $mode have that mode" \
			"$(modes "$w/$format-$mode")" "$mode "
		(umask 022 && "$ship" run --to /dev/null/dir --spool "$w/sp-$mode-$format" --all \
			--for 1ms --linger 0s --block-size 16K --spool-size 96K "$sh"
		chmod 644 "/dev/shm$sh"
		"$ship" run --to "$w/later-$format-$mode" --format $format \
			--spool "$w/sp-$mode-$format" --for 1ms "$sh") >"$work/out" 2>&1
		is '... those of blocks that lay in the spool, too' \
			"$(modes "$w/later-$format-$mode")" "$mode "
		chmod $mode "/dev/shm$sh"
	done
done
"$make" "$sh-2" entries=65536 plain=50
chmod 644 "/dev/shm$sh"
(umask 022 && "$ship" run --to "$w/two" --all --for 1ms "$sh" "$sh-2") >"$work/out"
is '... those of each timeline as that' "$(modes "$w/two")" '600 644 '

for format in jsonl parquet; do
	"$ship" run --help >/dev/null
	"$convert" --list-formats | grep -q "^$format .*write" || { skip "no $format" && continue; }
	ends "files of $format" 0 "$ship" run --to "$w/$format" --format "$format" \
		--all --for 1ms --block-size 16K --spool "$w/spool-$format" "$sh"
	is '... one for all blocks, which its name tells' \
		"$(find "$w/$format" -type f | grep -cE -- "-0-[0-9]+\.$format$")" 1
	is '... and no other' "$(find "$w/$format" -type f | wc -l)" 1
	ends '... again: nothing is left to do' 0 "$ship" run --to "$w/$format" --format "$format" \
		--all --for 1ms --spool "$w/spool-$format" "$sh"
	is '... and nothing was done' "$(find "$w/$format" -type f | wc -l)" 1
done
# has_unit looks for the column's element in the schema: the name, then the
# converted type or the logical type.
has_unit() { find "$w/$1" -name '*.parquet' -exec grep -caP "time\\x$2" {} +; }
"$ship" run --to "$w/micros" --format parquet --parquet-time micros --all --for 1ms "$sh" >"$work/out"
is 'times of parquet are in microseconds where that is asked for' "$(has_unit micros '25\x14')" 1
is '... and in nanoseconds else' "$(has_unit parquet '6c\x8c')" 1
is 'lines of JSON have every entry once' \
	"$(find "$w/jsonl" -type f -exec cat {} + | jq -r .args.tcp | sort -n)" "$expected"

# Spans are open from block to block.
"$make" "$name-spans" entries=65536 spans=3000
kinds() { jq -r .kind | sort | uniq -c; }
expected=$("$dump" --json "$name-spans" | kinds)
"$ship" run --to "$w/spans" --format jsonl --all --for 1ms --block-size 16K "$name-spans" >"$work/out"
is 'a span that goes on from block to block begins once' \
	"$(find "$w/spans" -type f -exec cat {} + | kinds)" "$expected"
"$ship" run --to - --all --for 1ms --block-size 16K "$name-spans" 2>"$work/err" >"$w/spans.trace"
is '... in a stream of blocks, too' "$("$dump" --json "$w/spans.trace" | kinds)" "$expected"
named() { jq -r 'select(.args) | "\(.process)/\(.thread)"' | sort | uniq -c; }
expected=$("$dump" --json "$name-spans" | named)
lacks 'threads have names' "$expected" null
is '... in lines of JSON that are shipped' "$(find "$w/spans" -type f -exec cat {} + | named)" "$expected"
is '... in a stream of blocks' "$("$dump" --json "$w/spans.trace" | named)" "$expected"
is '... while it is read' "$("$dump" --json -f - < <(cat "$w/spans.trace") 2>/dev/null | named)" "$expected"

# A thread that lives has the name that it gave itself.
"$make" "$name-alive" named=alpha plain=3 sleep=600000 &
alive=$!
has_logged() { [ "$("$dump" --json "$name-alive" 2>/dev/null | wc -l)" = 3 ]; }
until_true has_logged
"$ship" run --to - --all --for 1ms "$name-alive" 2>"$work/err" >"$w/alive.trace"
kill "$alive"
wait "$alive"
is 'a thread is shipped with its own name' \
	"$("$dump" --json "$w/alive.trace" | named)" '      3 make_timeline/alpha'

# == names, globs, timelines that come and go ==
ends 'a timeline that is not there is waited for' 0 "$ship" run --to "$w/none" --for 300ms "$name-none"
has '... and said to be missing' "$err" "^timeline-ship: $base-none: no such timeline"
: >"$work/err"
start --to "$w/late" --every 50ms "$name-late"
missing() { grep -q 'no such timeline' "$work/err"; }
until_true missing
"$make" "$name-late" plain=10
late_there() { [ "$(numbers_in "$w/late" | wc -l)" -eq 10 ]; }
until_true late_there
stop TERM
has '... and to be there, when it comes' "$(tail -n 1 "$work/err")" "^timeline-ship: $base-late: followed now$"
is '... all of it' "$(numbers_in "$w/late" | wc -l)" 10
start --to "$w/glob" --every 50ms "$name-g*"
sleep 0.5
"$make" "$name-g1" plain=100
"$make" "$name-g2" plain=200
both_there() { [ "$(blocks "$w/glob" | grep -cE 'g[12]-')" -ge 2 ]; }
until_true both_there
"$ctl" remove "$name-g1"
sleep 0.5
"$make" "$name-g1" plain=300
again_there() { [ "$(numbers_in "$w/glob" | wc -l)" -ge 600 ]; }
until_true again_there
stop TERM
is 'what appears under a glob is shipped from its first entry' "$status $(cat "$work/err")" '0 '
is '... that which is made again, too' "$(numbers_in "$w/glob" | wc -l)" 600
is '... by the same chain' "$(blocks "$w/glob" | grep -oE 'g1-[0-9a-f]{32}' | sort -u | wc -l)" 1

for i in {1..30}; do "$make" "$name-many$i" entries=1024 plain=4; done
ends 'many timelines need more descriptors than a shell gives' 0 bash -c \
	"ulimit -Sn 60 && '$ship' run --to '$w/many' --spool '$w/spool-many' --all --for 1ms --linger 60s '$name-many*'"
is '... which is no reason to leave any out' "$err $(numbers_in "$w/many" | wc -l)" ' 120'
for i in {1..30}; do "$ctl" remove "$name-many$i"; done

start --to "$w/live" --every 50ms "$sh"
sleep 0.4
for i in 1 2 3; do "$make" "$sh" "plain=$i"; done
stop INT
is 'without --all only what comes is shipped, up to the end' \
	"$status $(numbers_in "$w/live" | wc -l)" '0 6'
ends '--json says what was done' 0 "$ship" run --to "$w/json" --all --for 1ms --json "$sh"
is '... as numbers' "$(jq -c '[.entries, .lost, .blocks_waiting, .entries_dropped, .chains]' <<<"$out")" '[5006,0,0,0,1]'
if has_terminals; then
	has 'on a terminal it says how far it is' \
		"$(on_terminal "$ship" run --to "$w/term" --all --for 400ms "$sh")" '1 timeline, 5006 entries'
fi
