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
