# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# cases_core.sh - timelines in cores and in images of memory.
make_core=$build/tests/tool/make_core
one=$name-core one_shm=/dev/shm$name-core
"$make" "$one" known
"$make_core" core "$work/one.core" "$one_shm"
"$make_core" core "$work/two.core" "/dev/shm$name" "$one_shm"
CUT=1 "$make_core" core "$work/cut.core" "/dev/shm$name" "$one_shm"
"$make_core" core "$work/none.core" "$0"
# entries leaves out values computed with the clock: the clock of a live file
# goes on.
entries() { lines "$@" | sed -E '/^before /d; s/  [0-9.]+[num]?s[?]?$//'; }
lines() { "$dump" --no-progress --columns tsc,cpu,pid,tid,category,message "$@"; }

is 'a timeline in a core is that of the process' \
	"$(entries "$work/one.core" | cksum)" "$(entries "$one" | cksum)"
is '... through a pipe' "$(entries - <"$work/one.core" | cksum)" \
	"$(entries "$one" | cksum)"
is '... and through a real one' \
	"$(dd if="$work/one.core" status=none | entries - | cksum)" \
	"$(entries "$one" | cksum)"
is 'its name is the path that was mapped' \
	"$("$dump" --info --json "$work/one.core" | jq -r .file)" \
	"$work/one.core: $one_shm"
is 'nothing is said of the time after its newest entry' \
	"$("$dump" --info --json "$work/one.core" | jq -c '[.state, .complete_to]')" \
	'["copy of a live one",null]'
"$make_core" core "$work/twice.core" "$one_shm" "$one_shm"
is 'a timeline that was mapped twice is read once' \
	"$(entries "$work/twice.core" | cksum)" "$(entries "$one" | cksum)"
head -c 5000 "$work/one.core" >"$work/cut_off.core"
has 'a core that is cut off before its timeline says so' \
	"$("$dump" "$work/cut_off.core" 2>&1)" 'the core is cut off.*ulimit -c'
has 'what has no room is in TMPDIR' \
	"$(TMPDIR=/no/such "$dump" "$work/one.core" 2>&1)" 'TMPDIR.*No such file'
is 'all timelines of a core are read' \
	"$("$dump" --json "$work/two.core" | jq -r .timeline | sort | uniq -c | xargs)" \
	"$("$dump" --json "/dev/shm$name" "$one_shm" | jq -r .timeline | sort | uniq -c | xargs)"
"$dump" "$work/cut.core" >"$work/said" 2>&1
is 'a core that lacks the end of a timeline is damaged' "$?" 1
has '... which is said, and the other timeline is there' "$(cat "$work/said")" \
	'cut.core: /dev/shm/tl-tool-[0-9]*-core: '
"$dump" "$work/none.core" >"$work/said" 2>&1
has 'a core without a timeline says what to set' "$(cat "$work/said")" \
	'no timeline in this core: set bit 3 of /proc/PID/coredump_filter'
{
	head -c 12288 "$work/foreign" /dev/zero | tail -c 12288
	cat "$one_shm"
	head -c 8192 /dev/zero
} >"$work/image"
is 'in an image of memory it is found where the user says so' \
	"$(entries --from core "$work/image" | cksum)" "$(entries "$one" | cksum)"
for n in 1 2 3; do
	head -c $((n * 700)) "$work/one.core" >"$work/short.core"
	"$dump" "$work/short.core" >"$work/said" 2>&1
	is "a core of $((n * 700)) bytes is refused" "$? $(wc -l <"$work/said")" '1 1'
done

# A process is killed at a random moment: it was the only writer, so its file
# has the same entries as the core.  If it was killed within an append to a
# fallback lane, the core says that this entry is lost; in a live timeline the
# entry may still come.
if nm "$build/lib/libtimeline.a" 2>/dev/null | grep -qE '__(asan|tsan)_'; then
	skip 'a process under a sanitizer leaves no core'
elif [ "$(cat /proc/sys/kernel/core_pattern /proc/sys/kernel/core_uses_pid | xargs)" = 'core 0' ] &&
	[ "$(ulimit -H -c)" = unlimited ]; then
	same=0 runs=${CORES:-10}
	whole_entries() { entries "$1" | grep -v '^\.\.\. 1 entry lost here'; }
	mkdir -p "$work/cores" && cd "$work/cores" || exit 1
	for ((i = 0; i < runs; i++)); do
		rm -f core "/dev/shm$name-dies"
		"$make_core" log "$name-dies" 2>/dev/null &
		until [ -n "$("$dump" -n 1 --category core "$name-dies")" ]; do
			sleep 0.001
		done
		sleep "0.0$((RANDOM % 9 + 1))"
		kill -SEGV $!
		wait $! 2>/dev/null
		[ -s core ] && cmp -s <(whole_entries core) <(whole_entries "$name-dies") &&
			same=$((same + 1))
	done 2>/dev/null
	cd - >/dev/null || exit 1
	is 'the core of who created a timeline has its name' \
		"$("$dump" --info --json "$work/cores/core" | jq -r .file)" \
		"$work/cores/core: /dev/shm$name-dies"
	is 'cores of killed writers have the entries of their timelines' \
		"$same" "$runs"
else
	skip "cores are limited, or elsewhere: $(cat /proc/sys/kernel/core_pattern)"
fi
