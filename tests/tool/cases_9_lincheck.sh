# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Traces made by releases of Lincheck are printed like Lincheck's own printer
# prints them, and written again unchanged.

lincheck=$here/../data/lincheck
convert=$build/bin/timeline-convert

# printed LABEL TRACE EXPECTED OPTION ...
printed() {
	local label=$1 name=$2 expected=$3

	shift 3
	"$dump" --tree "$@" "$lincheck/$name" >"$work/printed" 2>"$work/said"
	is "$label" "$(cmp "$work/printed" "$lincheck/$expected" 2>&1)" ''
	is '... nothing is wrong with it' "$(<"$work/said")" ''
}

for kept in v8-mem1 v8-mem2 v8-mem4 v8-stream1 v8-stream2 v8-stream4 \
	v13-stream2 v22-mem2 v22-stream2; do
	printed "$kept is printed as its release does" "$kept.trace" \
		"$kept.printed.txt" --style lincheck
done
for kept in v8-mem2 v22-mem2 v22-stream2; do
	printed "$kept with places in the source" "$kept.trace" \
		"$kept.verbose.txt" --style lincheck --verbose
done
printed 'a packed trace as what is in it' v22.packedtrace \
	v22-stream2.printed.txt --style lincheck
is 'a packed trace comes through a pipe' \
	"$("$dump" --tree --style lincheck - < <(cat "$lincheck/v22.packedtrace") |
		cmp - "$lincheck/v22-stream2.printed.txt" 2>&1)" ''

# == folded children ==
is '--depth folds as the original does' \
	"$("$dump" --tree --style lincheck --depth 2 "$lincheck/v8-mem1.trace" |
		sed -n 4p)" '    ... <8 unloaded children>'
is '--children, too' \
	"$("$dump" --tree --style lincheck --children 1 "$lincheck/v8-mem1.trace" |
		tail -n 2)" '    ... <7 unloaded children>
  ... <3 unloaded children>'
ends '--style is for trees' 2 "$dump" --style lincheck "$lincheck/v8-mem1.trace"
ends '... and no other is known' 2 "$dump" --tree --style java \
	"$lincheck/v8-mem1.trace"

# == the tree without a style ==
is 'a call has its result on its line, and no time' \
	"$("$dump" --tree --depth 2 "$lincheck/v22-mem2.trace" | sed -n 1,3p)" \
	$'# Thread 1 (main)\nMain.run0()\n  store.put(key ➜ 0, "val\\t0 é😀"): true'
is 'threads come in the order of the file' \
	"$("$dump" --tree "$lincheck/v8-stream4.trace" | grep -c '^Main')" 4
lacks 'steps are no nanoseconds' "$("$dump" --tree "$lincheck/v8-mem1.trace")" \
	'[0-9](ns|us)$'
has '... in JSON they have a name of their own' \
	"$("$dump" --tree --json "$lincheck/v8-mem1.trace")" '"steps":[0-9]+,'
cp "$lincheck/v8-mem1.trace" "$work/steps.trace"
printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":0,"tid":0,"priority":"info","category":"sched","message":"switched in","kind":"instant","args":{}}\n' \
	1 1 1000000 1000000 >"$work/steps.jsonl"
"$convert" -q --to timeline "$work/steps.jsonl" -o "$work/steps.trace.sched"
is '... and have no states of the thread' \
	"$("$dump" --tree --style lincheck "$work/steps.trace" | cmp - "$lincheck/v8-mem1.printed.txt" 2>&1)" ''
lacks '... in JSON, either' "$("$dump" --tree --json "$work/steps.trace")" '"states"'

lacks '... in statistics, too' \
	"$("$dump" --stats "$lincheck/v8-mem1.trace")" '[0-9](ns|us)( |$)'

# == the same file again ==
for kept in v8-mem1 v8-mem2 v8-mem4 v8-stream1 v8-stream2 v8-stream4; do
	rm -f "$work/again.lincheck"*
	ends "$kept is written again" 0 "$convert" --from lincheck \
		--to lincheck "$lincheck/$kept.trace" -o "$work/again.lincheck"
	is '... byte for byte' \
		"$(cmp "$work/again.lincheck" "$lincheck/$kept.trace" 2>&1)" ''
	is '... and its index' \
		"$(cmp "$work/again.lincheck.idx" "$lincheck/$kept.trace.idx" 2>&1)" ''
done

# A method stands once in a file, whatever the file is made of: releases 3.1 to
# 3.1.2 refuse a second one.  An index has a cell of 21 bytes for each
# definition.
#
# methods INDEX prints the methods in the index's file, in order of ids.
methods() {
	tail -c +17 "$1" | head -c -29 | od -An -v -tu1 -w21 |
		awk '$1 == 1 { print $5 + 256 * $4 }' | sort -n
}
for i in {1..90}; do
	for kind in begin end; do
		printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":%d,"priority":"info","category":"c","message":"work %d","kind":"%s","args":{}}\n' \
			"$i" "$i" $((8 + i % 3)) $((i / 30)) "$kind"
	done
done >"$work/threads.jsonl"
for format in timeline trace packed; do
	"$convert" -q --to "$format" "$work/threads.jsonl" \
		-o "$work/threads.$format"
done
for format in jsonl timeline trace packed; do
	rm -f "$work/made.lincheck"*
	ends "three threads of $format become a Lincheck trace" 0 "$convert" -q \
		--to lincheck "$work/threads.$format" -o "$work/made.lincheck"
	is '... whose methods stand once' "$(methods "$work/made.lincheck.idx")" \
		$'0\n1\n2\n3\n4'
done
is '... as those of a later release do' \
	"$("$convert" -q --to lincheck "$lincheck/v22-stream2.trace" \
		-o "$work/later.lincheck"
	methods "$work/later.lincheck.idx" | uniq -d)" ''

# == the index beside the file ==
cp "$lincheck/v22-mem2.trace"* "$work"
chmod u+w "$work"/v22-mem2.trace*
ends 'an index that fits is no matter' 0 "$dump" --check "$work/v22-mem2.trace"
has '... the trace is whole' "$out" ': whole: 272 entries'
printf '\001' | dd of="$work/v22-mem2.trace.idx" bs=1 seek=100 conv=notrunc \
	2>"$work/said"
ends 'one with a changed byte is damage' 1 "$dump" --check \
	"$work/v22-mem2.trace"
has '... and said' "$out" 'index: its cells are not those of the data'
truncate -s -5 "$work/v22-mem2.trace.idx"
ends 'so is one that is cut' 1 "$dump" --check "$work/v22-mem2.trace"
has '... and said where' "$out" 'index: byte [0-9]+: it does not end'
rm "$work/v22-mem2.trace.idx"
ends 'without one it is whole' 0 "$dump" --check "$work/v22-mem2.trace"

# == trees through the index ==
# place TRACE prints the first byte of the content of a call that begins with a
# point, in a file with one block.  The cell of the outermost call is the last.
place() {
	local at

	for at in $(tail -c +17 "$1.idx" | head -c -29 |
		od -An -v -tu1 -w21 |
		awk '$1 == 6 { print last; last = 21 + 256 * $12 + $13 }'); do
		if [ "$(od -An -tu1 -j "$at" -N 1 "$1")" -eq 6 ]; then
			echo "$at"
			return
		fi
	done
}
place=$(place "$lincheck/v8-mem1.trace")
cp "$lincheck/v8-mem1.trace"* "$work"
chmod u+w "$work"/v8-mem1.trace*
"$dump" --tree --depth 1 "$work/v8-mem1.trace" >"$work/folded"
printf '\377' | dd of="$work/v8-mem1.trace" bs=1 conv=notrunc \
	seek="$place" 2>"$work/said"
ends 'calls that are not shown are not read' 0 "$dump" --tree --depth 1 \
	"$work/v8-mem1.trace"
is '... the others are the same' "$out" "$(<"$work/folded")"
ends '... whoever shows them finds the damage' 1 "$dump" --tree \
	"$work/v8-mem1.trace"
has '... and says where' "$err" "byte $place: no object"
ends '... a selection reads all' 1 "$dump" --tree --depth 1 -e true \
	"$work/v8-mem1.trace"
rm "$work/v8-mem1.trace.idx"
ends '... and so does who has no index' 1 "$dump" --tree --depth 1 \
	"$work/v8-mem1.trace"
cp "$lincheck/v8-mem1.trace" "$work/other.trace"
cp "$lincheck/v8-mem2.trace.idx" "$work/other.trace.idx"
chmod u+w "$work"/other.trace*
ends 'the index of another file is said' 1 "$dump" --tree --style lincheck \
	"$work/other.trace"
has '... with the reason' "$err" 'index: it has [0-9]+ cells for [0-9]+ objects'
is '... and the file is read whole' \
	"$("$dump" --tree --style lincheck "$work/other.trace" 2>/dev/null |
		cmp - "$lincheck/v8-mem1.printed.txt" 2>&1)" ''
cp "$lincheck/v8-mem1.trace.idx" "$work/steps.trace.idx"
is 'events of the kernel are read beside an index, too' \
	"$("$dump" --tree --style lincheck "$work/steps.trace" | cmp - "$lincheck/v8-mem1.printed.txt" 2>&1)" ''
for kept in v8-mem4 v13-stream2 v22-stream2; do
	cp "$lincheck/$kept.trace" "$work/alone.trace"
	for how in --json --paths '--depth 2 --children 2' '--path 1/0/1' \
		'--path 2/0 --json' --verbose; do
		# shellcheck disable=SC2086 # options are words
		is "$kept $how is the same without an index" "$(
			cd "$work" && "$dump" --tree $how alone.trace 2>&1 |
				sed 's/alone.trace//' |
				cmp - <(cd "$lincheck" &&
					"$dump" --tree $how "$kept.trace" 2>&1 |
					sed "s/$kept.trace//") 2>&1
		)" ''
	done
	chmod u+w "$work/alone.trace"
done

# A thread has several roots: all calls but the one around everything else.
"$convert" -e 'not message:find("Main.run0", 1, true)' --to lincheck \
	-o "$work/roots.trace" "$lincheck/v8-mem1.trace" 2>/dev/null
is 'all roots of a thread are shown' \
	"$("$dump" --tree --style lincheck "$work/roots.trace" |
		grep -c '^Box@[0-9]*[.]put')" 4
has '--children folds them' \
	"$("$dump" --tree --style lincheck --children 2 "$work/roots.trace" |
		tail -n 1)" '^[.][.][.] <2 unloaded children>$'

# Points are counted, and steps stand in place of times.
has 'entries have steps in place of times' \
	"$("$dump" "$lincheck/v8-mem1.trace" | head -n 1)" \
	'^ *step 80 call '
lacks '... all of them' "$("$dump" "$lincheck/v8-mem1.trace")" '1970'
has '... in Lua, too' \
	"$("$dump" -e 'time == "step 80"' "$lincheck/v8-mem1.trace" | head -n 1)" \
	'step 80 '

# == --check: whole, unfinished, damaged ==
head -c -1 "$lincheck/v8-stream2.trace" >"$work/open.trace"
ends '--check of a trace that was not finished is no failure' 0 "$dump" \
	--check "$work/open.trace"
has '... which it says' "$out" ': unfinished: [0-9]+ entries'
is '... in JSON' "$("$dump" --check --json "$work/open.trace" |
	jq -c '[.whole, .state]')" '[false,"unfinished"]'
is '... in CSV' "$("$dump" --check --format csv "$work/open.trace" |
	sed -n '2s/.*trace,\([a-z]*\),.*/\1/p')" unfinished
head -c 3000 "$lincheck/v8-stream2.trace" >"$work/cut.trace"
ends '... nor is one that ends inside a block' 0 "$dump" --check \
	"$work/cut.trace"
has '... which it says' "$out" ': unfinished: [0-9]+ entries'
ends '... and whatever reads it' 0 "$dump" --list "$work/cut.trace"
for end in 3218 6284 9372; do # ends of blocks: some names are in the next block
	head -c $end "$lincheck/v8-stream4.trace" >"$work/border.trace"
	ends '... nor is one that ends between blocks' 0 "$dump" --check \
		"$work/border.trace"
	has '... which it says' "$out" ': unfinished: [0-9]+ entries'
	has '... and what is missing' "$out" 'was not written yet'
done
printf '\377' | dd of="$work/cut.trace" bs=1 seek=2000 conv=notrunc \
	2>"$work/said"
ends 'one with a wrong byte is damaged' 1 "$dump" --check "$work/cut.trace"
has '... which it says' "$out" ': damaged, [0-9]+ faults?: [0-9]+ entries'
ends '... and whatever reads it' 1 "$dump" --list "$work/cut.trace"
trace=$work/ours.trace
"$build/tests/tool/make_trace" "$trace" known hostile open=1
size=$(stat -c %s "$trace")
head -c $((size - 1)) "$trace" >"$work/open2.trace"
ends '--check of a recording that was not finished is none, too' 0 "$dump" \
	--check "$work/open2.trace"
has '... which it says' "$out" ': unfinished: [0-9]+ entries'
head -c $((size / 2)) "$trace" >"$work/cut2.trace"
ends '... nor is one that ends inside a block' 0 "$dump" --check \
	"$work/cut2.trace"
has '... which it says' "$out" ': unfinished: [0-9]+ entries'
printf '\377' | dd of="$work/open2.trace" bs=1 seek=$((size / 2)) \
	conv=notrunc 2>"$work/said"
ends 'one with a wrong byte is damaged' 1 "$dump" --check "$work/open2.trace"

# Version 8 has no names of threads and arguments and no access paths.
"$bin/timeline-convert" --to lincheck "$lincheck/v22-stream2.trace" -o "$work/v8.lincheck" 2>"$work/said"
is 'what version 8 cannot hold is said once, and how often it was there' \
	"$(sed 's/.*lincheck: //' "$work/said")" \
	'an access path is left out (6 times)
the name of an argument is left out (2 times)
the name of a thread is left out (2 times)'
is '... and nothing of a file of version 8' \
	"$("$bin/timeline-convert" --to lincheck "$lincheck/v8-stream2.trace" -o - 2>&1 >/dev/null)" ''

# Names of classes are printed as in Kotlin, not as the JVM has them.
sed 's/com\.acme\.shop\.Store/com.acme.Shop$Store/g; s/org\.jetbrains\.lincheck\.trace\.Box/org.jetbrains.lincheck.Trace$Box/g' \
	"$lincheck/v8-mem2.trace" >"$work/nested.trace"
is 'a nested class is Outer.Inner' \
	"$("$dump" --tree --style lincheck "$work/nested.trace" 2>/dev/null)" \
	"$(sed 's/\<Store\>/Shop.Store/g; s/\<Box\>/Trace.Box/g' "$lincheck/v8-mem2.printed.txt")"
sed 's/com\.acme\.shop\.Store/com.A$$Lambda$14\/0x/g' "$lincheck/v8-mem2.trace" >"$work/lambda.trace"
is 'a lambda has no number' \
	"$("$dump" --tree --style lincheck "$work/lambda.trace" 2>/dev/null)" \
	"$(sed 's/\<Store\>/A$$Lambda/g' "$lincheck/v8-mem2.printed.txt")"
