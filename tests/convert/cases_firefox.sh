# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases_firefox.sh - what the Firefox Profiler shows of its own format.  Needs
# build, here and work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"

# shown SET COMMAND...: of a set that is made
shown() { profiled "$work/$1.profile.json" "${@:2}"; }
# "thread 50 3" for each thread: how many markers it has
markers() {
	shown "$1" thread list |
		sed -nE 's/^\*? +t-[0-9]+ +(([^ ]+ )*[^ ]+)  +.* ([0-9,]+)$/\1 \3/p'
}
# "depth length 3" for each counter: how many samples it has
samples() {
	shown "$1" counter list |
		sed -nE 's/^ +c-[0-9]+: (.*) \([a-z]*\) \[.* \[([0-9]+) samples\]$/\1 \2/p'
}

firefox_cases() {
	local set text
	for set in plain hostile lossy back many; do
		made firefox "$set" "$work/$set.profile.json" 20000
	done
	is 'the Firefox Profiler has a thread for each thread and source' \
		"$(markers plain)" 'thread 50 3
job id 1
thread 52 3
thread 51 1
GameThread 1'
	is 'counters have a sample for each value, and one before' \
		"$(samples plain)" 'depth length 3
depth length 2
heat celsius 2'
	text=$(shown plain profile markers --limit 50)
	is 'every span and instant is there' \
		"$(count "$text" ' m-[0-9]+ .* t=')" 9
	has 'an argument keeps 64 bits' "$text" \
		'tcp\(18,446,744,073,709,551,615\), udp\(-9,223,372,036,854,775,808\), and other\(0xffffffffffffffff\)'
	has 'a double and a duration' "$text" 'ratio r\(0\.5\) took t\(-1,500ns\)'
	has 'a span is as long as it was, and has its string' "$text" \
		' request id to path +t=10\.000ns +1\.110μs .* request id\(7\) to path\(/index\)'
	has 'a span of a source, too' "$text" ' job id +t=15\.000ns +1\.106μs '
	has 'what was never ended lasts to the end' "$text" \
		' request id to path +t=1\.135μs .* request id\(9\) to path\(#77\)'
	text=$(shown plain profile meta)
	has 'it knows when it was' "$text" \
		'Started: 2026-11-20T19:24:18\.123Z'
	has 'and where' "$text" 'Machine: host-a'
	text=$(shown plain thread list)
	has 'a process has its name' "$text" ' server "x" +40 '
	has 'markers are found by their priority' \
		"$(shown plain profile markers --search trace)" '^2 markers'
	is 'hostile texts are texts' "$(markers hostile)" 'thread 50 3'
	is 'losses are told' "$(markers lossy)" 'entries lost 3
thread 50 3'
	has 'with how many there were' "$(shown lossy profile markers --limit 9)" \
		'entries lost .* 500 entries'
	is 'a clock may be set back' "$(markers back)" 'thread 50 4'
	is 'of many events every one is there' \
		"$(markers many)"$'\n'"$(samples many)" 'thread 50 4,000
thread 51 4,000
thread 52 4,000
job id 2,000
depth length 2001'
	text=$(shown many thread markers --thread t-0)
	has 'spans are counted by their names' "$text" \
		'request id to path +2000 '
	head -c -9 "$work/plain.profile.json" >"$work/cut.profile.json"
	has 'a file that is cut is an error' "$(shown cut profile info)" Error
}

with_npm @firefox-devtools/profiler-cli firefox_cases
