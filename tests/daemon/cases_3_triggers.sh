# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Each kind of trigger fires on a planted fault, and its snapshot shows the
# fault.  The planted faults take seconds: the delays of a machine under load
# are shorter.

cat >"$work/ran" <<END
#!/bin/sh
echo "\$TIMELINE \$TIMELINE_TRIGGER: \$1" >>"$work/ran.out"
END
chmod +x "$work/ran"
start_daemon 'timelines = { { name = "'"$name"'-t", create = { entries = "64k" }, priority = "info",
	triggers = {
	{ name = "slow", span = { message = "work*", longer = "2s" }, snapshot = true, why = true,
	  every = "100ms",
	  burst = { level = "trace+++", length = "60s" } },
	{ name = "gap", interval = { from = { message = "request*" }, to = { message = "reply*" }, longer = "2s" }, snapshot = true },
	{ name = "silent", absent = { message = "alive", longer = "10s" }, snapshot = true },
	{ name = "deep", argument = { message = "queue*", name = "depth", above = 100, clear = 50 }, snapshot = true, every = "1ms" },
	{ name = "storm", rate = { message = "tick*", above = 5000, over = "200ms" }, snapshot = true },
	{ name = "bad", level = "error", snapshot = true, run = { "'"$work/ran"'", "it failed" } },
	{ name = "odd", event = { message = "queue*" }, when = "args.depth == 77", snapshot = true },
	{ name = "broken", event = { message = "queue*" }, when = "args.depth() > 1" },
	{ name = "typo", argument = { message = "queue*", name = "deepth", above = 5 } },
	{ name = "typed", event = { message = "queue*" }, when = "args.depth > 5 and args.dept == 1" },
	{ name = "dead", died = true, snapshot = true } } } }'
start_load "$name-t"
tell beat 50 >/dev/null
tell work 1000 >/dev/null
tell request 1 >/dev/null
tell reply 1 >/dev/null
tell depth 5 >/dev/null
tell rate 100 info >/dev/null
sleep 0.8
is 'nothing fires while nothing is wrong' "$(find "$snapshots" -name '*.tl*' | wc -l)" 0
until_true logged 'broken'
logged 'broken.*attempt to call'
is 'a faulty rule is switched off and reported' $? 0
logged 'trigger typo: deepth: no message of its condition has this argument; did you mean depth?'
is 'an argument that its messages lack is reported' $? 0
logged 'trigger typed: dept: no message of its condition has this argument; did you mean depth?'
is '... of an expression, too' $? 0
has '... and by -n where the timeline runs' "$("$daemon" -n -c "$work/conf" 2>&1)" \
	"$name-t: trigger typo: deepth: no message of its condition has this argument; did you mean depth\\?"
cat >"$work/conf-names" <<END
return { timelines = { { name = "$name-t", triggers = {
	{ name = "near", span = { message = "wrok*", longer = "3ms" } },
	{ name = "of a span", span = { message = "tick*", longer = "3ms" } },
	{ name = "far", event = { message = "zzzz*" } },
	{ name = "group", event = { category = "laod", message = "tick*" } },
	{ name = "to", interval = { from = { message = "request*" }, to = { message = "repyl*" }, longer = "2s" } },
	{ name = "fine", span = { message = "work*", longer = "3ms" } },
	{ name = "gone", died = true },
	{ name = "loud", level = "error" } } } } }
END
is '-n warns of conditions that no message of the timeline meets' \
	"$("$daemon" -n -c "$work/conf-names" 2>&1 | sed -n "s/.*$name-t: //p")" \
	'trigger near: wrok*: no span matches; did you mean work*?
trigger of a span: tick*: no span matches
trigger far: zzzz*: no message matches
trigger group: laod: no message matches; did you mean load?
trigger to: repyl*: no message matches; did you mean reply*?'
ends '... which is no error: the message may be defined later' 0 "$daemon" -n -c "$work/conf-names"
"$ctl" create "$name-tnone" >/dev/null
sed -i "s/$name-t\"/$name-tnone\"/" "$work/conf-names"
is '... and not where the timeline has no message yet' "$("$daemon" -n -c "$work/conf-names" 2>&1 | grep -c trigger)" 0
"$ctl" remove "$name-tnone" >/dev/null
logged 'trigger (deep|odd): .*argument'
is '... and not one that they have' $? 1

# fires RULE: the rule's snapshot appears. holds RULE REGEX: the snapshot shows
# the cause.
fires() {
	until_true saved "-$1\.tl"
	saved "-$1\.tl"
	is "the trigger $1 fires and saves" $? 0
	until_true settled
}
holds() {
	has "its snapshot shows the cause ($2)" \
		"$("$dump" "$(find "$snapshots" -name "*-$1.tl*" | sort | head -1)")" "$2"
}
tell work 2100000 >/dev/null
fires slow
holds slow '> work'
logged 'trigger slow: (took|still open after) 2.* \(limit 2s\), pid [0-9]+, load: work id\([0-9]+\)'
is 'its line in the log has the message with its arguments' $? 0
explained() { grep -q '^work.*spans' "$snapshots"/*-slow.tl*.brief.txt; }
until_true explained
explained
is 'a page about its slow spans stands beside it' $? 0
has '... with the one for which it fired' "$(cat "$snapshots"/*-slow.tl*.brief.txt)" \
	'^(No end in the record, begun|A slow one:) 2(\.[0-9]+)?s .*work'
has '... and the command that shows it' "$(cat "$snapshots"/*-slow.tl*.brief.txt)" \
	'^  \$ timeline-dump --(tid|tree --path) [0-9/]+ [^ /]+-slow\.tl'
tell rate 1000 trace >/dev/null
detail() { "$dump" --message 'tick*' --columns priority,message "/$name-t" | grep -q '^trace '; }
until_true detail
is 'the burst after the trigger shows detail' $? 0
tell rate 100 info >/dev/null
tell request 2 >/dev/null
sleep 2.1
tell reply 2 >/dev/null
fires gap
holds gap 'request id\(2\)'
tell depth 500 >/dev/null
fires deep
holds deep 'queue depth\(500\)'
tell depth 400 >/dev/null
sleep 0.3
is 'it does not fire again before it is clear' \
	"$(metric timeline_trigger_fired_total 'deep')" 1
tell depth 10 >/dev/null
tell depth 300 >/dev/null
until_true reaches 2 timeline_trigger_fired_total deep
is 'and does after that' "$(metric timeline_trigger_fired_total deep)" 2
until_true settled
tell depth 77 >/dev/null
fires odd
holds odd 'queue depth\(77\)'
tell rate 20000 info >/dev/null
fires storm
tell rate 0 >/dev/null
until_true settled
tell fail 13 >/dev/null
fires bad
holds bad 'failed code\(13\)'
until_true test -s "$work/ran.out"
has 'a program was run with its words' "$(cat "$work/ran.out" 2>&1)" "$name-t bad: it failed"
tell beat 0 >/dev/null
fires silent
tell die >/dev/null
wait "$load_pid" 2>/dev/null
fires dead
stop_daemon
rm -f "/dev/shm/$name"* "$snapshots"/*

# A trigger concludes nothing from time in which a priority closed the message.
start_daemon 'timelines = { { name = "'"$name"'-s", create = { entries = "64k" }, priority = "info",
	triggers = {
	{ name = "silent", absent = { message = "alive", longer = "3s" } },
	{ name = "slow", span = { message = "work*", longer = "3s" } },
	{ name = "gap", interval = { from = { message = "request*" }, to = { message = "reply*" }, longer = "3s" } },
	{ name = "few", rate = { message = "alive", below = 1, over = "3s" } } } } }'
start_load "$name-s"
tell beat 50 >/dev/null
tell request 1 >/dev/null
tell begin 1 >/dev/null
"$ctl" priority "/$name-s" warning >/dev/null
until_true reaches 4 timeline_trigger_suspended_seconds_total silent
reaches 4 timeline_trigger_suspended_seconds_total silent
is 'a trigger is suspended while its message is not logged' $? 0
has 'the status shows it' "$("$ctl" status 2>&1)" \
	'trigger +silent: fired 0 times.*suspended for .*: its messages are not logged'
"$ctl" priority "/$name-s" info >/dev/null
again() { [ "$(metric timeline_trigger_suspended '')" = 0 ]; }
until_true again
tell reply 1 >/dev/null
tell end 1 >/dev/null
is 'no trigger fires because of a priority' "$(metric timeline_trigger_fired_total)" 0
tell beat 0 >/dev/null
until_true reaches 1 timeline_trigger_fired_total silent
until_true reaches 1 timeline_trigger_fired_total few
is 'and each does once the time was observed' "$(metric timeline_trigger_fired_total 'silent|few')" 2
stop_load
stop_daemon
rm -f "/dev/shm/$name"* "$snapshots"/*
