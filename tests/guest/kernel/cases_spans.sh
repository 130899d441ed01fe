# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# cases_spans.sh - brackets, planted stalls, losses.

"$ctl" create --stamp tsc "$kn" --entries 256K
is 'tracefs is mounted nowhere at first' "$(grep tracefs /proc/mounts)" ''
ends '... and kernel does without' 0 "$ctl" kernel "$kn" 10ms
is '... which mounts nothing' "$(grep tracefs /proc/mounts)" ''
mount -t tracefs tracefs "$tracing"
is '... and leaves nothing' "$(left)" ''

# == brackets ==
"$ctl" create --stamp tsc /brackets --entries 512K
start_worker "$bin/brackets" /brackets 20000
kn_before=$instance instance=$tracing/instances/timeline-brackets
start_client record --kernel --buffer 16M /brackets -o "$work/brackets.trace"
instance=$kn_before
run_workers
end_client
is 'each of 20000 switches lies between the stamps before and after it' \
	"$("$dump" --oldest-first --json "$work/brackets.trace" 2>"$work/err" | awk -v LEAST=20000 -f "$bin/brackets.awk")" \
	'many inside, 0 outside'
rm -f "$work/brackets.trace" /dev/shm/brackets

# == planted stalls of two writers ==
#
# judge checks the lines of spans.lua: all spans are whole, and 99 of 100 of
# each kind have the planted part as their largest.
judge() { # SENTENCE FILE...
	local sentence=$1 line kind right all
	shift
	"$dump" --trusted "$@" -s "$bin/spans.lua" "$stall_us" >"$work/spans" 2>&1
	while read -r line; do
		echo "note $line"
		case $line in
		spans*) is "$sentence: the parts of all spans add up" "$line" \
			"spans $((10 * rounds)) writers 2 not whole 0" ;;
		wrong*) ;;
		*' of '*)
			read -r kind right _ all <<<"$line"
			if [ "$all" -lt "$rounds" ]; then
				skip "the host is too busy: $all of $((2 * rounds)) spans of $kind have their length"
			elif [ $((100 * right)) -ge $((99 * all)) ]; then
				ok "... and $kind is the largest part where it was planted"
			else
				bad "... and $kind is the largest part where it was planted" <<<"$line"
			fi
			;;
		esac
	done <"$work/spans"
	is '... of three kinds' "$(grep -c '^[a-z]* [0-9]* of ' "$work/spans")" 3
}
# The stalls are long: a busy host takes the guest's CPUs away, and the guest's
# kernel shows the time as running.  At least half of the stalls must have their
# length.
rounds=100 stall_us=20000
start_stalls $rounds $stall_us
start_client kernel "$kn" --json
run_workers
end_client
is 'kernel ends well' "$? $(cat "$work/err")" '0 '
judge 'kernel, two writers' "$kn" "$kn.sched"
start_stalls $rounds $stall_us
start_client record --kernel "$kn" -o "$work/k.trace"
run_workers
end_client
is 'record --kernel ends well' "$? $(cat "$work/err")" '0 '
judge 'record --kernel, two writers' "$work/k.trace"
rm -f "$work/k.trace"

# == losses ==
#
# overrun prints the kernel's own count of losses of an instance that is
# stopped.
overrun() {
	local sum=0 key value
	while read -r key value; do
		case $key in overrun: | commit | dropped) sum=$((sum + ${value##* })) ;; esac
	done < <(cat "$instance"/per_cpu/cpu*/stats)
	echo $sum
}
rm -f "/dev/shm$kn"*
"$ctl" create --stamp tsc "$kn" --entries 256K
start_stalls 300 300
start_client kernel "$kn" --buffer 16K --json
# The client is stopped and continued by turns.
while kill -STOP "$client" && ! pause 0.5 && kill -CONT "$client"; do pause 0.5; done 2>/dev/null &
turns=$!
run_workers
kill "$turns"
kill -CONT "$client"
echo 0 >"$instance/tracing_on"
overrun=$(overrun)
end_client
is 'kernel with a small buffer ends well' "$? $(cat "$work/err")" '0 '
has '... which was overrun' "$overrun" '^[1-9]'
has '... as it says, to the event' "$(cat "$work/out")" "\"lost\":$overrun,"
"$dump" --trusted "$kn" "$kn.sched" -s "$bin/spans.lua" losses >"$work/losses" 2>&1
echo "note $(cat "$work/losses")"
has '... as the timeline says; each span that a loss touches is partly unknown' \
	"$(cat "$work/losses")" "^lost $overrun touching [1-9][0-9]* certain 0$"
