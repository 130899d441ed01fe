# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The shipper is killed at system calls that change something: another process
# goes on, and every entry arrives once, or its loss is counted.

w=$work/kill
mkdir "$w"

ki=$name-ki
"$make" "$ki" entries=65536 plain=3500
"$make" "$ki-many" entries=65536 plain=12000
total=3500
format=trace
# The shipper is killed at one of $often calls that change something, and at one
# of $kill_every calls of the frequent kinds; make check-all kills at each of
# the former.
often=${ALL:+1}
often=${often:-3}
kill_every=${KILL_EVERY:-$((often == 1 ? 7 : 17))}

# kill_at CALL N WHERE returns false when fewer calls were made.
kill_at() {
	rm -rf "$w/ki-spool" "$w/ki-out"
	{ timeout 20 strace -f -o "$w/strace" -e trace="$1" \
		-e "inject=$1:signal=KILL:when=$2" "$ship" run --to "$3" \
		--spool "$w/ki-spool" --spool-size 64K --block-size 16K --all \
		--format "$format" --for 1ms --linger 200ms "$ki" >"$work/out" 2>"$work/err" </dev/null; } 2>/dev/null
	grep -q 'killed by SIGKILL' "$w/strace"
}

# after lets another process go on and prints the faults of the result.
after() {
	local entries lost
	timeout 20 "$ship" run --to "$w/ki-out" --spool "$w/ki-spool" \
		--spool-size 64K --block-size 16K --all --for 1ms --linger 5s \
		--format "$format" \
		"$ki" >"$work/out" 2>"$work/err" || echo "the next fails: $(cat "$work/err")"
	[ ! -s "$work/err" ] || echo "the next says: $(cat "$work/err")"
	if [ $format = trace ]; then
		numbers_in "$w/ki-out" >"$work/numbers"
		lost=$(totals_in "$w/ki-out" | cut -d' ' -f2)
	else
		find "$w/ki-out" -name '*.jsonl' -exec cat {} + >"$work/lines"
		jq -r 'select(.lost == null and .overwritten == null) | .args.tcp' "$work/lines" |
			sort -n >"$work/numbers"
		# a slow target: the spool was full, and the loss is counted
		lost=$(jq -n '[inputs | .lost // .overwritten // 0] | add // 0' "$work/lines")
	fi
	entries=$(wc -l <"$work/numbers")
	uniq -d "$work/numbers" | sed 's/^/twice: /' | head -3
	[ $((entries + lost)) -eq "$total" ] || echo "$entries entries, $lost lost"
	find "$w/ki-out" -name '.*' | sed 's/^/half: /'
	blocks "$w/ki-spool" | sed 's/^/left: /'
}

# every CALL STEP WHERE kills at each STEP-th call.
every() {
	local n wrong="was never killed" count=0
	for ((n = 1; n < 2000; n += $2)); do
		kill_at "$1" "$n" "$3" || break
		wrong=$(after)
		[ -z "$wrong" ] || break
		count=$((count + 1))
	done
	is "killed at any $1 ($count times) it loses nothing${4:-}" "$wrong" ''
}

if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	skip 'no strace, or it may not trace'
elif nm "$ship" 2>/dev/null | grep -qE '__(asan|tsan)_'; then
	skip 'a sanitizer has system calls of its own'
else
	for call in renameat unlinkat mkdirat write; do
		every "$call" "$often" "$w/ki-out"
	done
	for call in pwrite64 close openat; do
		every "$call" "$kill_every" "$w/ki-out"
	done
	format=jsonl
	for call in renameat unlinkat write; do
		every "$call" "$often" "$w/ki-out" ' of files of events'
	done
	every pwrite64 "$kill_every" "$w/ki-out" ' of files of events'
	format=trace
	# The target is away, and the spool is too small.
	ki=$ki-many total=12000
	for call in renameat unlinkat; do
		every "$call" "$often" /dev/null/away ' while it drops'
	done
	every pwrite64 "$kill_every" /dev/null/away ' while it drops'
fi

# The shipper is killed at any time, while other programs log.
li=$name-li
"$make" "$li" entries=65536
for i in 1 2 3 4 5 6 7 8; do
	start --to "$w/li" --spool "$w/li-spool" --all --every 10ms --block-size 16K "$li"
	for _ in 1 2 3; do
		"$make" "$li" plain=700
		sleep "0.0$((i * 7 % 10))"
	done
	stop KILL
done
ends 'killed while others log' 0 "$ship" run --to "$w/li" --spool "$w/li-spool" --for 1ms --linger 5s "$li"
is '... nothing is lost, nothing comes twice' \
	"$(numbers_in "$w/li" | wc -l) $(totals_in "$w/li" | cut -d' ' -f2)" '16800 0'
is '... and one chain it is, without a gap' \
	"$(blocks "$w/li" | grep -oE '[0-9]+\.trace' | cut -d. -f1 | sort -n |
		awk '$1 != NR - 1 { print "gap before " $1 }')" ''
