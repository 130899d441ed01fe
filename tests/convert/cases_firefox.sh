# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases_firefox.sh - the view that the Firefox Profiler gives of Chrome's trace
# events.  Needs the variables build, here and work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"

# shown SET COMMAND... prints the profiler's answer about a set that was made.
shown() { profiled "$work/$1.trace.json" "${@:2}"; }
# markers SET prints a line such as "thread 50 3" for each thread: its name and
# its number of markers.
markers() {
	shown "$1" thread list |
		sed -nE 's/^\*? +t-[0-9]+ +(([^ ]+ )*[^ ]+)  +.* ([0-9,]+)$/\1 \3/p'
}

firefox_cases() {
	local set text
	for set in plain hostile lossy back many; do
		made chrome "$set" "$work/$set.trace.json" 20000
	done
	is 'the Firefox Profiler has a thread for each thread and source' \
		"$(markers plain)" 'job id 1
thread 50 3
thread 51 1
GameThread 1
thread 52 3'
	text=$(shown plain profile markers --limit 50)
	is 'every span and instant is there' \
		"$(count "$text" ' m-[0-9]+ .* t=')" 9
	has 'a span is as long as it was' "$text" \
		' request id to path +t=10.000ns +1.110μs'
	has 'among those of other threads, too' "$text" \
		' request id to path +t=120.00ns +1.008μs'
	has 'a span of a source, too' "$text" ' job id +t=15\.000ns +1\.106μs '
	has 'a process has its name, and its host' \
		"$(shown plain thread list)" ' server "x" \(host-a\) +40 '
	is 'hostile texts are texts' "$(markers hostile)" 'thread 50 3'
	is 'losses are shown' "$(markers lossy)" 'Chrome Thread 3
thread 50 3'
	is '... each' "$(count "$(shown lossy profile markers --limit 9)" \
		' entries lost ')" 3
	is 'a clock may be set back' "$(markers back)" 'thread 50 4'
	is 'of many events every one is there' "$(markers many)" \
		'thread 50 4,000
thread 51 4,000
job id 2,000
thread 52 4,000'
	text=$(shown many thread markers --thread t-0)
	has 'spans are counted by their names' "$text" \
		'request id to path +2000 '
	head -c -9 "$work/plain.trace.json" >"$work/cut.trace.json"
	has 'a file that is cut is an error' "$(shown cut profile info)" Error
}

with_npm @firefox-devtools/profiler-cli firefox_cases
