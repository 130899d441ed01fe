# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# A timeline's writers are in another PID namespace, as in a container that
# shares /dev/shm.

ns=$name-ns
# The writer is process 1 of its own PID namespace.
inside=(unshare -pf --mount-proc --kill-child)

namespaces() {
	local words=(known) i writer recorder
	"${inside[@]}" true 2>/dev/null || inside+=(-r)
	if ! "${inside[@]}" true 2>/dev/null; then
		skip 'no PID namespace can be made here'
		return
	fi
	for ((i = 0; i < 6000; i++)); do words+=(plain=20 sleep=20); done
	"${inside[@]}" "$make" "$ns" "${words[@]}" &
	writer=$!
	started+=("$writer")
	until_true test -s "/dev/shm$ns"
	until_true grep -q . <("$dump" --message 'processed*' "$ns")

	ends 'a program of another PID namespace does not get the timeline' 1 "${inside[@]}" "$make" "$ns" known
	has '... and the error has both remedies' "$err" \
		"^make_timeline: .*: /dev/shm$ns belongs to another PID namespace: share the namespace \(docker run --pid, shareProcessNamespace of Kubernetes\) or .*of another name"
	ends '... nor does one out here' 1 "$make" "$ns" known
	ends '... which logs into a timeline of its own' 0 "$make" "$ns-2" known
	has '... and a listing has the entries of both' "$("$dump" "$ns" "$ns-2" -e 'pid ~= 1' | tail -1)" '.'

	ends 'priority from outside' 0 "$ctl" priority "$ns" trace+++
	ends 'burst from outside' 0 "$ctl" burst "$ns" trace+++ 1ms
	ends 'level from outside' 0 "$ctl" level "$ns" 'processed*' trace
	is '... are no entries of a thread' \
		"$("$dump" --json --category timeline "$ns" | jq -rs 'map("\(.pid) \(.tid)") | unique | .[]')" '0 0'
	has '... and are shown so' "$("$dump" --category timeline --columns pid,tid,message "$ns" | head -1)" \
		'^ *0 +0 in force: level trace for '

	has 'list has the writer without the state of a process of the same number out here' \
		"$("$ctl" list | grep "^$ns ")" ' make_timeline 1$'
	has '... and the reason' "$("$ctl" list)" "^$ns: its writers are processes of another PID namespace"
	is '... also as JSON' "$("$ctl" list --json | jq -c --arg n "$ns" '.timelines[] | select(.name == $n) |
		[.elsewhere, .pid_namespace > 0, .pid_namespace, (.writers | map([.pid, .command, .alive]))]')" \
		"[true,true,$(stat -Lc %i "/proc/$(pgrep -P "$writer")/ns/pid"),[[1,\"make_timeline\",null]]]"
	is '... where a timeline of this namespace has its number' "$("$ctl" list --json | jq -c --arg n "$ns-2" \
		'.timelines[] | select(.name == $n) | [.elsewhere, .pid_namespace]')" \
		"[false,$(stat -Lc %i /proc/self/ns/pid)]"
	lacks '... and no reason' "$("$ctl" list)" "^$ns-2: its writers are"

	ends 'save from outside' 0 "$ctl" save "$ns" "$work/ns.tl"
	is '... keeps the namespace, as --info shows it' \
		"$("$dump" --info --json "$work/ns.tl" | jq .creator.pid_namespace)" \
		"$("$ctl" list --json | jq --arg n "$ns" '.timelines[] | select(.name == $n) | .pid_namespace')"

	"$ctl" record "$ns" -o "$work/ns.trace" --for 300ms >"$work/rec" 2>"$work/err"
	is 'record from outside takes the names that the timeline has' "$? $(cat "$work/err")" '0 '
	is '... not those of processes out here' \
		"$("$dump" --json "$work/ns.trace" | jq -rs 'map("\(.process) \(.thread) \(.pid)") | unique | .[]')" \
		'make_timeline make_timeline 1'
	recorder=$("$dump" --json "$work/ns.trace" | wc -l)
	is '... and all entries' "$(grep -c "[: ]$recorder entries, 0 lost" "$work/rec")" 1

	kill -KILL "$writer" # unshare ignores SIGTERM
	wait "$writer" 2>/dev/null
	lacks 'list does not take the end of another process for that of a writer' \
		"$("$ctl" list | grep "^$ns ")" 'ended'
	ends 'remove from outside' 0 "$ctl" remove "$ns"

	ends 'a timeline of an earlier version, without a namespace' 0 "$ctl" create "$ns"
	printf '\0\0\0\0\0\0\0\0' | dd of="/dev/shm$ns" bs=1 seek=544 conv=notrunc status=none
	ends '... is shared as before' 0 "${inside[@]}" "$make" "$ns" known
	is '... and has none in --info' "$("$dump" --info --json "$ns" | jq .creator.pid_namespace)" null
	"$ctl" remove "$ns"
	"$ctl" remove "$ns-2"
}
namespaces
