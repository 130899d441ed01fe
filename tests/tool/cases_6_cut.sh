# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The levels were closed between a begin and an end, so nothing shows that the
# two belong to one span: make_cut.c lists the cases.

cut=$work/cut.tl
"$build/tests/tool/make_cut" "$name-cut" "$cut" || exit 1
convert() { "$bin/timeline-convert" --to "$1" -o - "$cut" 2>/dev/null; }

is '--tree gives no begin the end of another observed interval' \
	"$("$dump" --tree "$cut" | tail -n +2 | sed -E 's/: [0-9.]+(ns|us|ms|s)$/: T/')" \
	'priority trace
in force: priority trace
request: T
  job n(1): T
  job n(2): <ends outside>
  priority info
  in force: priority info
  priority trace
  in force: priority trace
  < job n
  job n(4): T
job n(5): <unfinished>'
is '... nor a duration in JSON' \
	"$("$dump" --tree --json "$cut" | jq -c 'select(.duration_ns) | .args.n' | tr '\n' ' ')" 'null 1 4 '
is '--critical has only the others' "$("$dump" --critical 'job*' "$cut" | head -1 | cut -d, -f1)" 'job $n: 2 spans'
is 'Chrome trace events have whole spans, what is open, and instants' \
	"$(convert chrome | jq -c '.traceEvents[] | select(.cat == "work") | [.ph, .alone, .args.n]' | sort)" \
	'["B",null,5]
["I","begin",2]
["I","end",null]
["X",null,1]
["X",null,4]
["X",null,null]'
is '... of which the spans and what is open are read again' \
	"$(convert chrome >"$work/cut.json" && "$bin/timeline-convert" --from chrome --to csv -o - "$work/cut.json" 2>/dev/null |
		grep -c ',\(begin\|end\),')" 7
is 'folded stacks leave the time between the levels to what is around it' \
	"$(convert folded | awk '/details closed/ { closed++ } { jobs += /job/ && $NF < 100000 } END { print NR, jobs, closed }')" '3 1 1'
if command -v sqlite3 >/dev/null; then
	"$bin/timeline-convert" --to sqlite -o "$work/cut.db" "$cut" 2>/dev/null
	is 'SQLite marks begins that are cut' \
		"$(sqlite3 "$work/cut.db" 'SELECT value1, cut, end_ns IS NULL FROM spans ORDER BY begin_ns')" \
		'|0|0
1|0|0
2|1|1
4|0|0
5|0|1'
else
	skip 'no sqlite3'
fi
