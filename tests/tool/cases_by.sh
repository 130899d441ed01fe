# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# --stats --by: the statistics of a message, by the values of an argument.

by=$work/by.jsonl
# Spans of two verbs: a DELETE takes 9us, a GET 2us, and one ends with another
# status than it began with.
seq 30 | awk 'function put(ns, kind, message, args) {
	printf "{\"ns\":%d,\"tsc\":%d,\"cpu\":0,\"pid\":7,\"tid\":8,\"priority\":\"info\",\"category\":\"c\",\"message\":\"%s\",\"kind\":\"%s\",\"args\":{%s}}\n",
		ns, ns, message, kind, args
}
{
	at = $1 * 100000
	verb = $1 % 3 ? "GET" : "DELETE, \\\"all\\\""
	args = "\"verb\":\"" verb "\",\"id\":" $1 ",\"status\":"
	put(at, "begin", "request $verb%s $id $status", args 0)
	put(at + 500, "instant", "found $slot", "\"slot\":" $1)
	put(at + ($1 % 3 ? 2000 : 9000), "end", "request $verb%s $id $status",
		$1 % 10 ? "" : args 404)
	put(at + 20000, "instant", "closed $verb%s", "\"verb\":\"" substr("GETPUT", 1 + $1 % 2 * 3, 3) "\"")
}' >"$by"
ends '--stats --by divides the statistics of a message' 0 "$dump" --stats --by verb "$by"
is '... by text, the message with most entries first' "$(grep -E '^[a-z]+ +[rcf]' <<<"$out")" \
	'c          request $verb%s $id $status, verb = GET
c          request $verb%s $id $status, verb = DELETE, "all"
c          closed $verb%s, verb = PUT
c          closed $verb%s, verb = GET'
is '... with the durations of each' "$(awk '$1 == "duration" { print $2, $3, $NF }' <<<"$out")" \
	'20 2us 2us
10 9us 9us'
is '... and the other arguments' "$(awk '$1 == "id" { print $2, $3, $NF }' <<<"$out")" \
	'20 1 29
10 3 30'
lacks '... and no message without it' "$out" 'slot'
is '... as JSON' "$("$dump" --stats --by verb --json "$by" |
	jq -c '[.message, .by, .count, .spans, .lonely_begins, .duration_ns.p99]')" \
	'["request $verb%s $id $status",{"verb":"GET"},40,20,0,2000]
["request $verb%s $id $status",{"verb":"DELETE, \"all\""},20,10,0,9000]
["closed $verb%s",{"verb":"PUT"},15,null,null,null]
["closed $verb%s",{"verb":"GET"},15,null,null,null]'
text=$("$dump" --stats --by verb --format csv "$by")
is '... as CSV' "$(head -1 <<<"$text" | grep -o '[^,]*,by,value$')" 'infinite,by,value'
is '... quoted' "$(grep -c ',verb,"DELETE, ""all"""$' <<<"$text")" 4
lacks 'without --by CSV has no such columns' "$("$dump" --stats --format csv "$by")" 'by,value'
is 'the value of a span is that of its end if the end has arguments' \
	"$("$dump" --stats --by status --json "$by" |
		jq -c '[.by.status, .count, .spans, .lonely_begins, .lonely_ends, .observed_count, .duration_ns.count]')" \
	'[0,54,27,0,0,27,27]
[404,6,3,0,0,3,3]'
text=$("$dump" --stats --by id "$by")
is 'twenty values are shown' "$(grep -c ', id = ' <<<"$text")" 20
is '... and the others counted' "$(tail -1 <<<"$text")" \
	'... and 10 more values of id, together 20 entries; --all shows them'
is '--all shows them' "$("$dump" --stats --by id --all "$by" | grep -c ', id = ')" 30
is '... as JSON does' "$("$dump" --stats --by id --json "$by" | jq -s 'map(.by.id) | unique | length')" 30
is 'what is selected is divided' "$("$dump" --stats --by verb --message 'request*' -e 'args.id > 25' --json "$by" |
	jq -c '[.by.verb, .spans]')" '["GET",3]
["DELETE, \"all\"",2]'
is 'other formats have the same values' \
	"$("$bin/timeline-convert" -q "$by" -o "$work/by.tl" && "$dump" --stats --by verb --json "$work/by.tl" |
		jq -c '[.message, .by, .count]')" \
	"$("$dump" --stats --by verb --json "$by" | jq -c '[.message, .by, .count]')"
# The entries of a row add up to those of the message, whatever the argument.
for arg in verb id status slot; do
	is "no entry is lost by $arg" \
		"$("$dump" --stats --by $arg --json "$by" | jq -s -c 'group_by(.message) | map([.[0].message, (map(.count) | add)])')" \
		"$("$dump" --stats --json "$by" | jq -s -c --arg arg $arg 'map(select(.message | contains($arg))) |
			sort_by(.message) | map([.message, .count])')"
done
# An end without its begin and without arguments.
sed -n '1,2d; 3,6p' "$by" >"$work/lonely.jsonl"
is 'the value of an end alone is unknown' "$("$dump" --stats --by verb --json "$work/lonely.jsonl" |
	jq -c 'select(.message | startswith("request")) | [.by.verb, .lonely_ends]' | sort)" \
	'["GET",0]
[null,1]'
has '... in words' "$("$dump" --stats --by verb "$work/lonely.jsonl")" ', verb unknown$'
ends 'an argument that no message has is an error' 1 "$dump" --stats --by vreb "$by"
is '... that names the nearest' "$err" 'timeline-dump: vreb: no message has this argument; did you mean verb?'
ends '--by needs --stats' 2 "$dump" --by verb "$by"
is '... which is said' "${err%%$'\n'*}" 'timeline-dump: --by: needs --stats'
