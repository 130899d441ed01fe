# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# --view states: rows of messages and rows of spans.

{
	printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":8,"priority":"info","category":"%s","message":"%s","kind":"%s","args":{%s}}\n' \
		1000 1000 sched 'switched in' instant '' \
		2000 2000 c work begin '' \
		4000 4000 sched 'interrupt $vector%s' begin '"vector":"timer"' \
		5000 5000 sched 'interrupt $vector%s' end '' \
		9000 9000 c work end '' \
		9500 9500 sched 'switched out as $state%s for $next $name%s' instant '"state":"S","next":0,"name":"idle"'
} >"$work/irq.jsonl"
text=$("$dump" --view states "$work/irq.jsonl")
has 'running is with interrupts in the row of a message' "$text" '^work +1 +7us  100\.0%  14\.3%'
has '... and in that of a span' "$text" '^    7us  running 7us \(irq 1us\)$'
