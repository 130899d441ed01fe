# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases_chrome.sh - how a parser that keeps 64-bit integers and the trace engine
# of Chrome's DevTools read Chrome's trace events.  Needs the variables build,
# here and work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"

# both SET [COUNT] makes a set as Chrome's trace events and as JSON lines.
both() {
	made chrome "$1" "$work/$1.json" "${@:2}"
	made jsonl "$1" "$work/$1.jsonl" "${@:2}"
}
same() { told same_chrome.mjs "$work/$1.json" "$work/$1.jsonl"; }
devtools() { told devtools.mjs "$work/$1.json" "$work/$1.jsonl"; }

lossless_cases() {
	local set
	both many 20000
	for set in plain:17 hostile:4 spans:4 lossy:6 back:4 many:20000; do
		[ "$set" = many:20000 ] || both "${set%:*}"
		is "every event and value of the ${set%:*} ones is there" \
			"$(same "${set%:*}")" "${set#*:} events"
	done
	# Read as doubles, the two values would be equal.
	sed -i '0,/18446744073709551615/s//18446744073709551614/' \
		"$work/plain.json"
	has 'a value that is one less is another' "$(same plain)" \
		'^> .*18446744073709551614'
}

devtools_cases() {
	both plain
	is "DevTools' trace engine shows every span, as long as it was, and instant" \
		"$(devtools plain)" \
		'2 processes, 5 threads, 4 spans, 4 as long as they were, 4 instants'
	both spans
	is 'hostile texts are texts' "$(devtools spans)" \
		'1 processes, 1 threads, 1 spans, 1 as long as they were, 0 instants'
	both lossy
	is 'what is beside losses is there' "$(devtools lossy)" \
		'1 processes, 1 threads, 0 spans, 0 as long as they were, 3 instants'
	both many 20000
	is 'of many, too' "$(devtools many)" \
		'2 processes, 4 threads, 4000 spans, 4000 as long as they were, 10000 instants'
	head -c -9 "$work/plain.json" >"$work/spans.json"
	has 'a file that is cut is an error' "$(devtools spans)" SyntaxError
}

with_npm lossless-json lossless_cases
with_npm @paulirish/trace_engine devtools_cases
