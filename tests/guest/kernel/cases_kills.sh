# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# cases_kills.sh - client and keeper are killed with kill -9 at many points.

# named COMM... prints the processes of a name; client and keeper have their
# own.
named() { # COMM...
	local folder comm
	for folder in /proc/[0-9]*; do
		read -r comm 2>/dev/null <"$folder/comm" || continue
		case " $* " in *" $comm "*) echo "${folder#/proc/}" ;; esac
	done
}
kill_named() { # COMM...
	local pids
	mapfile -t pids < <(named "$@")
	[ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null
}
none_named() { [ -z "$(named "$@")" ]; }
# running_on prints the instances that nobody holds and that go on recording.
running_on() {
	local each
	for each in "$tracing"/instances/*/; do
		[ -e "${each}tracing_on" ] && [ "$(cat "${each}tracing_on")" = 1 ] &&
			[ "$(cat "${each}events/enable")" != 0 ] && echo "$each"
	done
}
start_in_background() {
	"$ctl" kernel "$kn" 1h >/dev/null 2>"$work/err" &
	client=$!
}
next_start() { "$ctl" kernel "$kn" 10ms >"$work/out" 2>"$work/err"; }

start_client kernel "$kn" 1h
kill -9 "$client"
wait "$client" 2>/dev/null
if until_true is_clean; then
	ok 'the keeper outlives a client that is killed, and leaves nothing'
else
	bad 'the keeper outlives a client that is killed, and leaves nothing' < <(left)
fi
start_client kernel "$kn" 1h
kill_named timeline-kernel
wait "$client"
is 'a client whose keeper is killed ends' $? 1
has '... and says why' "$(cat "$work/err")" "keeper of the kernel's events was ended"
is '... and recording has stopped' "$(running_on)" ''
next_start
is '... and the next start leaves nothing' "$? $(left)" '0 '

# $lasts is the time that a start takes on this machine, in microseconds.
micros() { echo "${EPOCHREALTIME/./}"; }
begun=$(micros)
start_client kernel "$kn" 1h
lasts=$(($(micros) - begun))
end_client
echo "note a start takes $lasts us"

# Client and keeper are killed at points of the start and of the end, the keeper
# first in every other round.
points=18 killed=0 unclean=
for ((i = 0; i < points; i++)); do
	if ((i % 3 == 2)); then
		start_client kernel "$kn" 1h
		kill -INT "$client"
	else
		start_in_background
	fi
	at=$((lasts * i / points))
	pause "$(printf '%d.%06d' $((at / 1000000)) $((at % 1000000)))"
	if ((i % 2)); then
		kill_named timeline-kernel timelinectl
	else
		kill -9 "$client" 2>/dev/null
		kill_named timelinectl timeline-kernel
	fi
	wait "$client" 2>/dev/null
	until_true none_named timelinectl timeline-kernel ||
		unclean+="$i: $(named timelinectl timeline-kernel) live;"
	is_clean || killed=$((killed + 1))
	[ -z "$(running_on)" ] || unclean+="$i: goes on recording;"
	next_start || unclean+="$i: $(cat "$work/err");"
	is_clean || unclean+="$i: $(left);"
done
echo "note $points killed, of which $killed left an instance"
is 'killed at any point, recording has stopped, and the next start leaves nothing' "$unclean" ''
has '... where something was left' "$killed" '^[1-9]'
: >"/dev/shm$kn.sched.new" # left by a client killed before the rename
next_start
is '... nor a file but its own' "$(ls "/dev/shm$kn".sched*)" "/dev/shm$kn.sched"

# Another process may have a file of an abandoned instance open: a client that
# has not ended yet, or somebody who looks.
leave() {
	start_client kernel "$kn" 1h
	kill_named timeline-kernel timelinectl
	wait "$client" 2>/dev/null
	until_true none_named timelinectl timeline-kernel
}
leave
exec 9<"$instance/tracing_on"
"$ctl" kernel "$kn" 10ms >"$work/out" 2>"$work/err" 9<&- &
client=$!
has_keeper() { ! none_named timeline-kernel || ! kill -0 "$client"; }
until_true has_keeper
pause 0.3 # time to reach the wait; the result does not depend on it
exec 9<&-
wait "$client"
is 'a start waits for who has a file of what is left open' "$? $(cat "$work/err") $(left)" '0  '
leave
has 'list names what is left' "$("$ctl" list)" 'instance timeline-kn, left by a process that was killed'
start_client record --kernel "$kn" -o "$work/r.trace"
end_client
is '... and record --kernel removes it' "$? $(left)" '0 '
rm -f "$work/r.trace"
