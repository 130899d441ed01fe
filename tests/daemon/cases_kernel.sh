# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# kernel = { drain = "save" }: the kernel's events of the writers stand beside a
# trigger's snapshot.  The daemon has no rights, the keeper has no capability,
# and both leave nothing behind in the kernel, however they end.

keeper_pid=''
keeper_socket=$work/keeper.sock
# tracefs may be mounted nowhere: timelinectl finds the instances.
filters() { awk '/^Seccomp_filters:/ { print $2 }' "/proc/$1/status"; }
instances() { "$ctl" list --json | jq -r ".kernel_instances[]? | select(.name | startswith(\"timeline-$name\")) | .in_use"; }
instance_is() { [ "$(instances)" = "$1" ]; }
fails_is() { [ "$(metric timeline_kernel_failing)" = "$1" ]; }
# start_keeper USER
start_keeper() {
	rm -f "$work/klog"
	"$daemon" --keeper "$1" -c "$work/conf" 2>"$work/klog" </dev/null &
	keeper_pid=$!
	until_true grep -q 'keeper: ready' "$work/klog"
}
# configure_kernel OPTIONS KERNEL prints the configuration's table.
configure_kernel() {
	cat <<-END
		directory = "$work/kernel", keeper = "$keeper_socket", $1
		timelines = { { name = "$name-k", create = { entries = "16k" }, kernel = $2,
			snapshots = { compress = false },
			triggers = { { name = "slow", every = "1ms", snapshot = true,
				event = { message = "failed*" } } } } }
	END
}

# -- refusals: the daemon gives a sentence each and runs on
echo 'return { timelines = { { name = "x", kernel = { drain = "100ms" } } } }' >"$work/drain"
ends 'a drain that is not there is refused' 1 "$daemon" --check -c "$work/drain"
has '... with its place' "$err" 'kernel.drain: not "save"'
ends '--keeper and --check exclude each other' 2 "$daemon" --keeper root --check
ends '--keeper takes a user that exists' 1 "$daemon" --keeper no-such-user
has '... and names it' "$err" "unknown user 'no-such-user'"
start_daemon "$(configure_kernel '' true)"
until_true logged 'no events of the kernel'
has 'without a keeper the log has one sentence' "$(cat "$work/log")" \
	"$name-k: no events of the kernel: (no keeper listens on .*: start timeline-keeper.socket|this is a pid namespace)"
is '... metrics show it' "$(metric timeline_kernel_failing)" 1
has '... status says why' "$("$ctl" status)" '^ +kernel .*OFF: (no keeper|this is a pid)'
start_load "$name-k"
tell begin >/dev/null
tell end >/dev/null
tell fail 1 >/dev/null
kernel_saved() { [ "$(find "$work/kernel" -name "*-$1.tl" | wc -l)" -ge "$2" ]; }
until_true kernel_saved slow 1
is '... a snapshot is saved nevertheless, alone' \
	"$(find "$work/kernel" -name '*-slow.tl*' | sed 's/.*slow//' | sort -u)" .tl
configure "$(configure_kernel '' false)"
kill -HUP "$daemon_pid"
until_true logged 'timelined: reloaded'
is '... and without the key there are no such metrics' \
	"$(curl -s "http://127.0.0.1:$port/metrics" | grep -c '^timeline_kernel_')" 0
stop_load
stop_daemon
rm -rf "/dev/shm/$name-k"* "$work/kernel"

# The load runs as the daemon's user.
kernel_cases() {
	local before=$TIMELINED_SOCKET span
	load=$work/load-of-nobody
	# shellcheck disable=SC2064 # now
	{
		echo '#!/bin/sh'
		echo "exec setpriv --reuid=65534 --regid=65534 --clear-groups '$work/load' \"\$@\""
	} >"$load"
	cp "$build/tests/daemon/load" "$work/load"
	chmod 755 "$load" "$work/load"
	mkdir -p "$work/run"
	chown 65534:65534 "$work/run"
	export TIMELINED_SOCKET=$work/run/sock
	start_kernel_daemon() {
		start_daemon "$(configure_kernel 'user = "nobody",' '{ drain = "save", size = "1M" }')"
	}
	configure "$(configure_kernel 'user = "nobody",' true)"
	start_keeper nobody
	start_kernel_daemon
	until_true fails_is 0
	is 'the kernel records for a daemon without rights' "$(instances)" true
	is '... under its filter' "$("$ctl" status | sed -n 's/^  seccomp *//p' | sed 's/: built.*//')" \
		"$([ "$(filters "$daemon_pid")" -gt "$(filters $$)" ] && echo on || echo off)"
	is '... whose keeper has no capability' "$(cat /proc/"$keeper_pid"/status \
		/proc/"$(pgrep -P "$keeper_pid" -x timeline-kernel)"/status | grep -c '^Cap\(Prm\|Eff\):.*[^0	]')" 0
	start_load "$name-k"
	tell depth 1 >/dev/null
	until_true reaches 1 timeline_kernel_threads
	is '... which finds the thread that logs by its entries' "$(metric timeline_kernel_threads)" 1
	is '... nothing is moved before a snapshot' "$(metric timeline_kernel_entries_total)" 0
	tell begin >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do tell count >/dev/null; done
	tell end >/dev/null
	tell fail 1 >/dev/null
	until_true kernel_saved slow 1
	until_true settled
	span=$(find "$work/kernel" -name '*-slow.tl')
	is "a trigger's snapshot has the kernel's events beside it" \
		"$([ -s "$span.sched" ] && echo there)" there
	has '... with which timeline-dump knows the states of the span' \
		"$("$dump" --view states "$span" --json | jq -c 'select(.message == "work $id") |
			[.count, .unknown_ns * 2 < .total_ns, .total_ns > .running_ns]')" \
		'^\[1,true,true\]$'
	has '... metrics count what was moved' "$(metric timeline_kernel_entries_total)" '^[1-9]'
	is '... names of other tasks are left out' "$("$dump" --json "$span.sched" |
		jq -r 'select(.args.name) | .args.name' | grep -cx 'timelined\|bash')" 0
	"$ctl" snapshot "$name-k" >/dev/null
	is 'so has the one that a user asks for' \
		"$(find "$work/kernel" -name '*-request.tl.sched' | wc -l)" 1

	# -- the daemon and the keeper end
	kill_daemon
	until_true instance_is ''
	ok 'a daemon that is killed leaves no instance'
	start_kernel_daemon
	until_true fails_is 0
	kill -9 "$keeper_pid" "$(pgrep -P "$keeper_pid" -x timeline-kernel)"
	until_true fails_is 1
	has 'a keeper that is killed is logged' "$(cat "$work/log")" \
		"$name-k: no events of the kernel: the keeper of the kernel's events was ended"
	wait "$keeper_pid" 2>/dev/null
	is '... leaves an instance' "$(instances)" false
	start_keeper nobody
	is '... that the next start removes' "$(instances)" ''
	until_true fails_is 0
	is '... and from which the daemon gets another' "$(instances)" true
	tell begin >/dev/null
	tell end >/dev/null
	tell fail 1 >/dev/null
	kill -9 "$keeper_pid" "$(pgrep -P "$keeper_pid" -x timeline-kernel)" "$daemon_pid"
	wait "$keeper_pid" "$daemon_pid" 2>/dev/null
	is 'all are killed: the instance is left' "$(instances)" false
	start_keeper nobody
	is '... until the next start' "$(instances)" ''
	start_kernel_daemon
	until_true fails_is 0
	kill "$keeper_pid"
	wait "$keeper_pid" 2>/dev/null
	is 'a keeper that is stopped removes all instances' "$(instances)" ''
	is '... and its socket' "$([ -e "$keeper_socket" ] || echo gone)" gone
	start_keeper root
	stop_daemon
	start_kernel_daemon
	until_true logged 'no events of the kernel'
	has 'another user than the keeper serves is refused' "$(cat "$work/log")" \
		'no events of the kernel: .*keeper.sock: this user may not ask the keeper'
	stop_daemon
	is 'the second timeline is removed with the daemon' "$(ls "/dev/shm/$name-k.sched"* 2>/dev/null)" ''
	kill "$keeper_pid"
	wait "$keeper_pid" 2>/dev/null
	stop_load
	load=$build/tests/daemon/load
	export TIMELINED_SOCKET=$before
}

# Another runner kills keepers, too, and each start removes their leftovers.
exec 9>/tmp/timeline-test-tracefs.lock && flock -w 300 9
why_not=
[ "$(id -u)" = 0 ] || why_not='needs root'
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || why_not='needs the first pid namespace'
command -v setpriv >/dev/null || why_not='needs setpriv'
if [ -z "$why_not" ]; then
	"$ctl" create "$name-trial"
	"$ctl" kernel "$name-trial" 50ms >/dev/null 2>"$work/err" || why_not=$(cat "$work/err")
	rm -f "/dev/shm/$name-trial"*
fi
if [ -n "$why_not" ]; then
	skip "kernel events in the daemon: $why_not"
else
	kernel_cases
fi
exec 9>&-
