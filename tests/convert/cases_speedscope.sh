# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases_speedscope.sh - the page of speedscope shows Chrome's trace events and
# folded stacks.  Needs the variables build, here and work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"

# of FILE prints the part of $shown about a file.
of() { awk -v f="== $1" '/^== / { on = $0 == f; next } on' <<<"$shown"; }

speedscope_cases() {
	local shown browser set kind
	browser=$(command -v chromium) || {
		skip 'no chromium for the page of speedscope'
		return
	}
	for kind in chrome folded; do
		for set in plain spans hostile many; do
			made "$kind" "$set" "$work/$set.$kind" 100000
		done
	done
	head -c 300 "$work/plain.chrome" >"$work/cut.chrome"
	shown=$(TOLD_SECONDS=300 told speedscope.mjs "$browser" "$work" \
		"$work"/{plain,spans,many,hostile,cut}.chrome \
		"$work"/{plain,spans,many}.folded)
	is 'speedscope shows a profile for each thread and source' \
		"$(of plain.chrome | sed 's/ {.*//')" \
		'server "x" (pid 40), thread 50 (tid 50) (1/4)
1.11µs (100%) 1.11µs (100%) request id to path
server "x" (pid 40), job id (tid 2147483647) (2/4)
1.11µs (100%) 1.11µs (100%) job id
process 41 (pid 41), thread 52 (tid 52) (3/4)
1.01µs (100%) 1.01µs (100%) request id to path
0.00ns (<0.01%) 0.00ns (<0.01%) request id to path
process 41 (pid 41), GameThread (tid 2147483646) (4/4)
1.00ns (100%) 1.00ns (100%) GameThread
console: Frame "request id to path'
	has 'with the arguments' "$(of plain.chrome)" \
		'request id to path \{"id":7,"path":"/index",'
	has 'hostile texts are texts' "$(of spans.chrome)" \
		'^1.00ns .* evil " \*/ \}; int '
	is 'spans of many are added up' "$(of many.chrome | sed 's/ {.*//')" \
		'server "x" (pid 40), thread 50 (tid 50) (1/2)
63.40ms (100%) 63.40ms (100%) request id to path
process 41 (pid 41), job id (tid 2147483647) (2/2)
12.00ms (100%) 12.00ms (100%) job id'
	has 'without spans there is nothing' "$(of hostile.chrome)" \
		"it's empty"
	has 'a file that is cut is an error' "$(of cut.chrome)" \
		'^Unrecognized format'
	is 'it reads folded stacks' "$(of plain.folded)" 'one profile
1,000,002,118 (>99%) 1,000,002,118 (>99%) http: request id to path
1,106 (<0.01%) 1,106 (<0.01%) batch: job id
1 (<0.01%) 1 (<0.01%) timelogger: GameThread
1,000,001,008 (>99%) 0 (<0.01%) 41/52
1,110 (<0.01%) 0 (<0.01%) 40/50'
	has 'a ; in a name is no frame' "$(of spans.folded)" \
		'^2 .* 2 .* a"b.*: evil " \*/ \}, int'
	has 'and those of many' "$(of many.folded)" \
		'^63,400,000 .* http: request id to path$'
}

with_npm speedscope speedscope_cases
