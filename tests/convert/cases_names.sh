# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Every format has the same name for an entry whose text begins with a label.
convert=$build/bin/timeline-convert dump=$build/bin/timeline-dump

# labelled MS KIND MESSAGE ARGS [SCOPE] prints an entry.
labelled() {
	printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":7,"priority":"info","category":"c","message":"%s","kind":"%s","args":{%s}%s}\n' \
		$((1600000000000000000 + ($1 + at) * 1000000)) "$1" "$3" "$2" "$4" "${5-}"
}
{
	at=0
	for label in Render Draw; do
		labelled 1 begin '$label%s' "\"label\":\"$label\""
		labelled 2 begin '$label%s (overlap)' "\"label\":\"$label\""
		labelled 3 begin '$label%s at $x' "\"label\":\"$label\",\"x\":1"
		labelled 4 begin '$label%s: $y' "\"label\":\"$label\",\"y\":2"
		labelled 5 begin 'frame $label%s' "\"label\":\"$label\""
		labelled 6 end 'frame $label%s' ''
		labelled 7 end '$label%s: $y' ''
		labelled 8 end '$label%s at $x' ''
		labelled 9 end '$label%s (overlap)' ''
		labelled 10 end '$label%s' ''
		at=20
	done
	at=0
	labelled 31 instant '$label%s!' '"label":"Now"'
	labelled 32 counter '$label%s of it' '"label":"Count"'
} >"$work/labels.jsonl"
in_all='Draw
Draw (overlap)
Draw at x
Render
Render (overlap)
Render at x
frame label'
sorted() { sed 's/^c[.:] *//' | sort -u; }
written() { "$convert" -q --to "$1" -o - "$work/labels.jsonl"; }
is 'Chrome trace events' "$(written chrome | jq -r '.traceEvents[] | select(.ph == "X").name' | sorted)" "$in_all"
is '... without a label in a counter' "$(written chrome | jq -r '.traceEvents[] | select(.ph | test("[CI]")) | .name')" \
	'Now!
label of it'
is '... and the label is no argument' \
	"$(written chrome | jq -c '[.traceEvents[] | select(.name == "Render at x").args]')" \
	'[{"x":1,"priority":"info"}]'
all="Draw
Draw (overlap)
Draw at x
Draw: y
Render
Render (overlap)
Render at x
Render: y
frame label"
is 'folded stacks' "$(written folded | sed 's/.*;//; s/ [0-9]*$//' | sorted)" "$all"
is 'an LMS profile' "$(written lms | sed -n 's/^2,[0-9]*,//p' | sorted)" "$all"
is 'TimeLogger' "$(written timelogger | strings -n 4 | sed -n 's/^[^c]*c: \(.*\) (7\/7)$/\1/p' | sort -u)" "$all"
is 'RTL_LOGFILE' "$(written rtl | sed -n 's/.* } c (-) //p' | sort -u)" "${all/frame label/$'frame Draw\nframe Render'}"
is 'Lincheck' "$(written lincheck >"$work/labels.lincheck" && "$dump" --list "$work/labels.lincheck" 2>/dev/null | sed -n 's/.*c\.\(.*\)(.*/\1/p' | grep -v Now | sort -u)" "$all"
written perfetto >"$work/labels.pftrace"
is 'Perfetto' "$(while read -r one; do grep -aqF "$one" "$work/labels.pftrace" && echo "$one"; done <<<"$all")" "$all"
{
	labelled 1 begin 'work $id' '"id":5'
	labelled 2 end 'work $id' '"id":5'
	labelled 3 begin 'work $id' '"id":6'
	labelled 4 end 'work $id' ''
} >"$work/same.jsonl"
"$convert" -q --to chrome -o "$work/same.json" "$work/same.jsonl"
is 'a message stays one on its way through Chrome trace events, whether or not its ends repeat its arguments' \
	"$("$dump" --list --json "$work/same.json" | jq -r .message)" 'work $id'
