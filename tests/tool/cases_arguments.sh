# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# An end without arguments has those of its begin, whatever shows it.

# entry MS KIND MESSAGE ARGS prints an entry of a thread.
entry() {
	printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":7,"priority":"info","category":"c","message":"%s","kind":"%s","args":{%s}}\n' \
		$((1600000000000000000 + $1 * 1000000)) "$1" "$3" "$2" "$4"
}
{
	entry 0 end 'work $id' ''
	entry 1 begin 'work $id' '"id":5'
	entry 2 begin '$label%s at $x' '"label":"Render","x":3'
	entry 3 end '$label%s at $x' ''
	entry 4 end 'work $id' ''
	entry 5 begin 'work $id' '"id":6'
	entry 6 end 'work $id' '"id":7'
} >"$work/bare.jsonl"
ends_of=$work/bare.jsonl
listed='< work id
< label(Render) at x(3)  1ms
< work id(5)  3ms
< work id(7)  1ms'
is 'a listing has them' \
	"$("$dump" --oldest-first --columns message "$ends_of" | grep '^<')" "$listed"
cat >"$work/ends.lua" <<'L'
for e in timeline.events{order = "oldest", pair = true} do
	if e.kind == "end" then
		print(e.name, e.text, e.args[1] or "-")
	end
end
L
is '... a script that asks for pairs, and the text and the name' \
	"$("$dump" -s "$work/ends.lua" "$ends_of")" \
	'work $id	< work id	-
Render at $x	< label(Render) at x(3)  1ms	Render
work $id	< work id(5)  3ms	5
work $id	< work id(7)  1ms	7'
is '... JSON lines, which say that they are those of the begin' \
	"$("$dump" --json --oldest-first "$ends_of" | jq -c 'select(.kind == "end") | [.args, .bare]')" \
	'[{},null]
[{"label":"Render","x":3},true]
[{"id":5},true]
[{"id":7},null]'
is '... newest first' \
	"$("$dump" --json "$ends_of" | jq -c 'select(.kind == "end") | [.args, .bare]')" \
	'[{"id":7},null]
[{"id":5},true]
[{"label":"Render","x":3},true]
[{},null]'
is '... CSV, in its last column' \
	"$("$dump" --format csv --oldest-first "$ends_of" | grep ',end,' | cut -d, -f 8,10-13,26)" \
	'work $id,id,,,,
$label%s at $x,label,Render,x,3,true
work $id,id,5,,,true
work $id,id,7,,,'
for format in jsonl csv; do
	"$bin/timeline-convert" --to "$format" -o "$work/bare1.$format" "$ends_of" 2>/dev/null
	"$bin/timeline-convert" --to "$format" -o "$work/bare2.$format" "$work/bare1.$format" 2>/dev/null
	is "$format that is read is written again alike" \
		"$(cat "$work/bare2.$format")" \
		"$(sed 's/bare1/bare2/' "$work/bare1.$format")"
	is '... and ends in it have no arguments of their own' \
		"$("$dump" --tree "$work/bare1.$format")" "$("$dump" --tree "$ends_of")"
	{
		"$dump" --format "${format/jsonl/json}" --oldest-first -e 'kind == "end"' "$ends_of"
	} >"$work/window.$format"
	is '... also where their begins are missing, whose durations they keep' \
		"$("$dump" --oldest-first --columns message "$work/window.$format")" \
		"$listed"
done
if command -v sqlite3 >/dev/null; then
	"$bin/timeline-convert" -q -o "$work/bare.db" "$ends_of"
	is '... a database, whose messages have one row for a name' \
		"$(sqlite3 "$work/bare.db" "SELECT line, value1, value2, bare FROM events e JOIN messages m ON m.id = e.message WHERE e.kind = 3 ORDER BY e.id")" \
		'work $id|||1
Render at $x|Render|3|1
work $id|5||1
work $id|7||0'
	is '... one for each name' "$(sqlite3 "$work/bare.db" 'SELECT count(*) FROM messages')" 2
else
	skip 'no sqlite3'
fi
if command -v babeltrace2 >/dev/null; then
	"$bin/timeline-convert" -q --to ctf -o "$work/bare.ctf" "$ends_of"
	is '... a trace for babeltrace2' \
		"$(babeltrace2 "$work/bare.ctf" | sed -n 's/.*_exit.*}, \([^}]*}\)$/\1/p')" \
		'{ }
{ label = "Render", x = 3 }
{ id = 5 }
{ id = 7 }'
else
	skip 'no babeltrace2'
fi

# Texts of eight bytes: 40 of 2000 spans have another key, before another event,
# and are slow.
for ((i = 0; i < 2000; i++)); do
	key=hot:$((i % 7)) slow=$((i % 50 == 0))
	((slow)) && key=cold
	entry $((i * 100)) instant 'seen $by%8s' "\"by\":\"$key\""
	entry $((i * 100 + 1)) begin 'get $key%8s' "\"key\":\"$key\""
	entry $((i * 100 + 2 + slow * 50)) end 'get $key%8s' "\"key\":\"$key\""
done >"$work/keys.jsonl"
why=$("$dump" --why 'get*' --all "$work/keys.jsonl")
has '--why finds a short text' "$why" '^[0-9]\. key = "?cold"?:'
has '... of another message' "$why" ' by = "?cold"?'
why=$("$dump" --why 'get*' --all --json "$work/keys.jsonl")
has '... as JSON' "$why" '"value":"cold"'
lacks '... and no other' "$why" '"value":"(hot.*)?"'
is 'an expression compares a short text' \
	"$("$dump" -e 'args.key == "cold" and kind == "end"' "$work/keys.jsonl" | wc -l)" 40
is '... which has a length, and bits' \
	"$("$dump" -n 1 -e '#args.key == 4 and e:raw("key") == 0x646c6f63' "$work/keys.jsonl" 2>&1 | wc -l)" 1
has '--path-of takes one' "$("$dump" --path-of 'get cold' "$work/keys.jsonl")" 'get key\(cold\)'
has '--list calls it a text' "$("$dump" --list --json "$work/keys.jsonl")" '"name":"key","format":"string"'
lacks '--stats has no numbers of it' "$("$dump" --stats "$work/keys.jsonl")" '^ +(key|by) '
