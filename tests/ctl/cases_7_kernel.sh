# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# kernel records how the kernel schedules the threads of a timeline, in a
# timeline beside it.  The recording leaves nothing behind in the kernel,
# however it ends.

kn=$name-kernel
stalls=$build/tests/tool/stalls
brackets=$build/tests/tool/brackets
"$ctl" create "$kn" --mode 644
ends 'kernel needs a duration that is one' 2 "$ctl" kernel "$kn" 10x
ends '... and a size of the buffer' 2 "$ctl" kernel "$kn" 1s --buffer 1K
has '... and says so' "$err" '1K: not a size of 16K to 1G'

# Another user, a container and a read-only mount are refused with a sentence
# each.
if [ "$(id -u)" = 0 ]; then
	cp "$ctl" "$work/timelinectl"
	if command -v setpriv >/dev/null; then
		ends 'kernel is refused to another user' 1 setpriv --reuid=65534 \
			--regid=65534 --clear-groups "$work/timelinectl" kernel "$kn" 1s
		has '... with what it needs' "$err" \
			'(kernel events need root: run it with sudo|this kernel has no tracefs|on the host)'
	fi
	if unshare -p -f --mount-proc true 2>/dev/null; then
		ends '... and in a pid namespace of its own' 1 \
			unshare -p -f --mount-proc "$ctl" kernel "$kn" 1s
		has '... where it must not be run' "$err" 'pid namespace.*run it on the host'
	fi
	if unshare -m mount -t tracefs -o ro nodev /sys/kernel/tracing 2>/dev/null &&
		[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then
		ends '... and where tracefs is read-only' 1 unshare -m sh -c \
			'mount -t tracefs -o ro nodev /sys/kernel/tracing; exec "$@"' sh \
			"$ctl" kernel "$kn" 1s
		has '... which it names' "$err" 'tracefs is mounted read-only'
	fi
	if command -v setpriv >/dev/null && ! grep -q ' tracefs ' /proc/mounts &&
		[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then
		ends '... and to root that cannot mount tracefs where it is not' 1 setpriv \
			--bounding-set=-sys_admin --inh-caps=-sys_admin "$ctl" kernel "$kn" 1s
		has '... and the error has the command for it' "$err" \
			'(tracefs is not mounted.*mount -t tracefs|this kernel has no tracefs)'
	fi
fi
is 'a refusal leaves no file' "$(ls "/dev/shm$kn".sched* 2>/dev/null)" ''

instances() { "$ctl" list --json | jq -r ".kernel_instances[]? | select(.name == \"timeline-${kn#/}\") | .in_use"; }
instance_is() { [ "$(instances)" = "$1" ]; }

# largest prints the largest part of each kind of stall except the disk's, which
# differs between machines.
largest() {
	jq -r '[to_entries[] | select(.key | test("^(running|interrupted|runnable|blocked|unknown)"))] as $parts |
		"\(.message | split(" ")[2]) \($parts | max_by(.value) | .key)"' |
		grep -v disk | sort | tr '\n' ' '
}
planted='futex blocked_task_ns memory running_ns preemption runnable_ns sleep blocked_timer_ns '

# is_recording: the client turns its instance on once the file is there and the
# threads are known. tracefs may be mounted nowhere: the state is read through
# the client's open file.
is_recording() {
	local file
	for file in "/proc/$client/fd/"*; do
		tracing_on=$file
		[[ $(readlink "$file") == */tracing_on ]] && [ "$(cat "$file")" = 1 ] &&
			return
	done 2>/dev/null
	return 1
}

kernel_cases() {
	local fifo=$work/go client keeper worker
	# The worker waits until the kernel is recorded.
	mkfifo "$fifo"
	worker_program() { # PROGRAM WORD...
		rm -f "$work/ready"
		"$@" <"$fifo" >"$work/ready" 2>/dev/null &
		worker=$!
		started+=("$worker")
		exec 7>"$fifo"
		until_true grep -q ready "$work/ready"
	}
	start_worker() { # ROUNDS
		worker_program "$stalls" "$kn" "$1" "$work/stalls.data"
	}
	start_kernel() { # OPTION...
		rm -f "/dev/shm$kn.sched"
		"$ctl" kernel "$kn" --json "$@" >"$work/kernel" 2>"$work/kerr" 7>&- &
		client=$!
		started+=("$client")
		until_true is_recording
	}
	start_worker 40
	start_kernel
	ends 'one instance of a name' 1 "$ctl" kernel "$kn" 1s
	has '... is refused to a second' "$err" 'recorded for this timeline already'
	echo go >&7
	wait "$worker"
	exec 7>&-
	kill -INT "$client"
	wait "$client"
	is 'kernel ends well when it is interrupted' "$? $(cat "$work/kerr")" '0 '
	is '... counts entries, losses and threads' \
		"$(jq -c '[.name, .entries > 800, .lost, .threads]' "$work/kernel")" \
		"[\"$kn.sched\",true,0,2]"
	is '... and leaves no instance' "$(instances)" ''
	has 'no other program writes the second timeline' \
		"$("$ctl" priority "$kn.sched" debug 2>&1)" 'written by another version'
	states=$("$dump" --view states "$kn" --json)
	is 'the view finds the second timeline by itself; parts are whole' \
		"$(jq -s 'map(select(.total_ns == ([to_entries[] | select(.key | endswith("_ns")) |
		select(.key != "total_ns") | .value] | add)) | .count) | add' <<<"$states")" 200
	is 'what was planted is the largest part' "$(largest <<<"$states")" "$planted"
	is 'save takes the second timeline along' \
		"$("$ctl" save "$kn" "$work/k.tl" --json | jq -r .kernel_file)" "$work/k.tl.sched"
	is '... where the view finds it' "$("$dump" --view states "$work/k.tl" --json | largest)" "$planted"
	"$ctl" save --compress "$kn" "$work/k.tl.zst"
	is '... compressed, too' "$("$dump" --view states "$work/k.tl.zst" --json | largest)" "$planted"
	# Kernel threads, the children of process 2, keep their names, of which an
	# event has the first 15 or 16 bytes.
	{ printf '%s\n' stalls another idle && ps --ppid 2 -o comm= |
		awk '{ print; print substr($0, 1, 15); print substr($0, 1, 16) }'; } >"$work/names"
	is 'names of other tasks are left out' "$("$dump" --json "$kn.sched" |
		jq -r 'select(.args.name) | .args.name' | grep -v '^kworker/' |
		grep -vxFf "$work/names" | sort -u)" ''

	# == clients that are killed ==
	start_kernel
	kill -9 "$client"
	until_true instance_is ''
	ok 'the keeper outlives a client that is killed, and removes the instance'
	start_kernel
	keeper=$(pgrep -P "$client" -x timeline-kernel)
	kill -9 "$keeper"
	wait "$client"
	is 'a client whose keeper is killed ends' $? 1
	has '... and says why' "$(cat "$work/kerr")" 'keeper of the kernel.s events was ended'
	start_kernel
	keeper=$(pgrep -P "$client" -x timeline-kernel)
	kill -9 "$keeper" "$client"
	until_true instance_is false
	has 'list names what killed processes left' "$("$ctl" list)" \
		"instance timeline-${kn#/}, left by a process that was killed"
	"$ctl" create "$kn-beside" >/dev/null
	lacks '... but not where another timeline is asked for' "$("$ctl" list "$kn-beside")" instance
	"$ctl" remove "$kn-beside"
	ends 'the next start removes it' 0 "$ctl" kernel "$kn" 100ms
	is '... and leaves nothing itself' "$(instances)" ''

	# Killed processes leave an instance and another process has a file of
	# the instance open: the next start waits until the file is closed.
	start_kernel
	exec 9<"$tracing_on"
	keeper=$(pgrep -P "$client" -x timeline-kernel)
	kill -9 "$keeper" "$client"
	until_true instance_is false
	: >"/dev/shm$kn.sched.new" # left by a client killed before the rename
	"$ctl" kernel "$kn" 100ms >"$work/out" 2>"$work/err" 9<&- &
	client=$!
	has_keeper() { pgrep -P "$client" -x timeline-kernel || ! kill -0 "$client"; }
	until_true has_keeper
	exec 9<&-
	wait "$client"
	is 'a start waits for those who have a file of what is left open' \
		"$? $(cat "$work/err")$(instances)" '0 '
	is '... and leaves one file' "$(ls "/dev/shm$kn".sched*)" "/dev/shm$kn.sched"

	# == a buffer that is too small ==
	start_worker 300
	start_kernel --buffer 16K
	echo go >&7
	wait "$worker"
	exec 7>&-
	kill -INT "$client"
	wait "$client"
	has 'a buffer that is too small loses events' "$(jq .lost "$work/kernel")" '^[1-9]'
	is '... which the timeline has to the last one' \
		"$("$dump" --json "$kn.sched" | jq -s 'map(.lost // 0) | add')" \
		"$(jq .lost "$work/kernel")"
	has '... and spans have unknown parts' "$("$dump" --view states "$kn" --json |
		jq -s 'map(.unknown_ns) | add')" '^[1-9]'

	# == in one trace ==
	start_worker 5
	"$ctl" record --kernel "$kn" -o "$work/k.trace" >"$work/rec" 2>"$work/kerr" 7>&- &
	client=$!
	started+=("$client")
	until_true is_recording
	until_true test -e "$work/k.trace"
	echo go >&7
	wait "$worker"
	exec 7>&-
	kill -INT "$client"
	wait "$client"
	is 'record --kernel ends well' "$? $(cat "$work/kerr")" '0 '
	has '... the trace alone has the states' "$("$dump" --view states "$work/k.trace" --json |
		jq -c 'select(.message | test("futex")) | .blocked_task_ns > .unknown_ns')" true
	has '... --tree shows them' "$("$dump" --tree "$work/k.trace")" \
		'stall of futex round\(0\): .*blocked by a task [0-9]'
	has '... --critical shows what the holder of the futex waited for' \
		"$("$dump" --critical 'stall of futex*' "$work/k.trace" | sed -n 2p)" \
		'blocked until a timer or device'
	is '... and no second timeline stays' "$(ls "/dev/shm$kn".sched* 2>/dev/null)" ''

	# Two threads log before and after each switch between them.
	"$ctl" create "$kn-brackets" --entries 512K
	worker_program "$brackets" "$kn-brackets" 20000
	"$ctl" record --kernel --buffer 32M "$kn-brackets" -o "$work/brackets.trace" >"$work/rec" 2>"$work/kerr" 7>&- &
	client=$!
	started+=("$client")
	until_true is_recording
	until_true test -e "$work/brackets.trace"
	echo go >&7
	wait "$worker"
	exec 7>&-
	kill -INT "$client"
	wait "$client"
	is 'a switch lies between the last entry before it and the first one after it' \
		"$("$dump" --oldest-first --json "$work/brackets.trace" | awk -f "$here/brackets.awk")" \
		'many inside, 0 outside'
}

# Another runner kills keepers, too, and each start removes their leftovers.
exec 9>/tmp/timeline-test-tracefs.lock && flock -w 300 9
why_not=
[ "$(id -u)" = 0 ] || why_not='needs root'
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || why_not='needs the first pid namespace'
if [ -z "$why_not" ] && ! "$ctl" kernel "$kn" 50ms >/dev/null 2>"$work/err"; then
	why_not=$(cat "$work/err")
fi
if [ -n "$why_not" ]; then
	skip "kernel events: $why_not"
else
	kernel_cases
fi
exec 9>&-
rm -f "/dev/shm$kn"*
