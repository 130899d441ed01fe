# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# cases.sh - runs in a guest, as its root, on a stock kernel: timelinectl kernel
# and record --kernel show the planted stalls and leave nothing behind in the
# kernel.
set -u
export TIMELINED_SOCKET=/tmp/none.sock
bin=/tests work=/tmp/work
ctl=$bin/timelinectl dump=$bin/timeline-dump
tracing=/sys/kernel/tracing
kn=/kn instance=$tracing/instances/timeline-kn
mkdir -p "$work"
chmod 755 "$work"
# shellcheck source=tests/lib/cases.sh
. "$bin/lib.sh"
ok() { echo "ok $1"; }
bad() {
	echo "FAIL $1"
	sed 's/^/note | /' | head -40
}
skip() { echo "skip $1"; }
mkfifo "$work/never"
exec 8<>"$work/never"
pause() { read -rt "$1" -u 8; }

is_recording() {
	[ "$(cat "$instance/events/enable")" = X ] && [ "$(cat "$instance/tracing_on")" = 1 ]
}
has_started() { is_recording || ! kill -0 "$client"; }
# left prints everything in tracefs that is left of a recording.
left() {
	local each
	for each in "$tracing/instances/"*; do
		[ -e "$each" ] && echo "${each##*/}"
	done
	cat "$tracing/set_event" "$tracing/set_event_pid"
}
is_clean() { [ -z "$(left)" ]; }

# start_worker PROGRAM WORD... starts a writer that waits for go.
workers=()
start_worker() {
	local n=${#workers[@]}
	rm -f "$work/go$n" "$work/ready$n"
	mkfifo "$work/go$n"
	"$@" <>"$work/go$n" >"$work/ready$n" 2>"$work/worker$n" &
	workers+=("$!")
	until_true grep -q ready "$work/ready$n"
}
run_workers() {
	local n
	for n in "${!workers[@]}"; do echo go >"$work/go$n"; done
	wait "${workers[@]}"
	workers=()
}
start_client() { # WORD...
	"$ctl" "$@" >"$work/out" 2>"$work/err" &
	client=$!
	until_true has_started
	is_recording || bad "$* records" <"$work/err"
}
end_client() {
	kill -INT "$client"
	wait "$client"
}
start_stalls() { # ROUNDS US
	start_worker "$bin/stalls" "$kn" "$1" "$work/data0" 0 "$2"
	start_worker "$bin/stalls" "$kn" "$1" "$work/data1" 1 "$2"
}
# ONLY=kills runs the cases of cases_kills.sh.
if [[ ${ONLY:-spans} = spans ]]; then
	# shellcheck source=tests/guest/kernel/cases_spans.sh
	. "$bin/cases_spans.sh"
else
	"$ctl" create --stamp tsc "$kn"
	mount -t tracefs tracefs "$tracing"
fi
for cases in kills refusals; do
	# shellcheck disable=SC1090
	[[ ${ONLY:-$cases} != "$cases" ]] || . "$bin/cases_$cases.sh"
done
echo 'done'
