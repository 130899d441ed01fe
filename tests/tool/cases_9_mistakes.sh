# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Each of the mistakes in mistakes.txt gets its sentence and its exit status.

mkdir "$work/mistakes"
cd "$work/mistakes" || exit 1
cp "$known" known.tl
cp "$known" exists.tl
truncate -s 2M large.tl
: >exists.csv
mkdir folder
echo 'not a timeline' >notes.txt
echo 'retrun 1' >wrong.lua
echo 'timeline.evnts()' >failing.lua
echo 'for e in timeline.events{catgory = "x"} do end' >option.lua
echo 'for e in timeline.events() do print(e.text) end' >reads.lua
echo 'return { pol = "1ms" }' >key.conf
echo 'return { timelines = { { name = "app", priority = "inof" } } }' >priority.conf
echo 'return { poll = "10" }' >duration.conf
echo 'return { poll = ' >syntax.conf
"$bin/timelinectl" create "$name-m-server"

mistakes=0
while IFS=$'\t' read -r want command; do
	case $want in '#'* | '') continue ;; esac
	read -r sentence
	mistakes=$((mistakes + 1))
	PATH=$bin:$PATH TIMELINED_SOCKET=none.sock timeout -k 1 "$patience" \
		bash -c "${command//@/${name#/}-m-}" >/dev/null 2>err </dev/null
	status=$?
	seen=$(head -1 err | sed "s|${name#/}-m-|@|g")
	[[ $status = "$want" && ($seen = "$sentence" ||
		($sentence = *... && $seen = "${sentence%...}"*)) ]] ||
		printf '%s: %s\n  %s\n  not %s: %s\n' "$command" "$status" "$seen" "$want" "$sentence"
done <"$here/mistakes.txt" >wrong
is 'each typical mistake gets its sentence and its exit status' "$(cat wrong)" ''
is '... and they are many' "$((mistakes >= 40))" 1
"$bin/timelinectl" remove "$name-m-server"
cd "$top" || exit 1
