# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The spool: blocks that do not arrive wait, blocks beyond the spool's size are
# dropped and counted, and another process goes on where the last one stopped.

w=$work/again
mkdir "$w"

re=$name-re
"$make" "$re" entries=65536 plain=3000

ends 'a target that is away keeps nothing from being spooled' 0 \
	"$ship" run --to /dev/null/dir --spool "$w/sp" --all --for 300ms --linger 0s --block-size 16K --every 50ms "$re"
has '... which is said' "$err" '^timeline-ship: /dev/null/dir: Not a directory; blocks are kept and sent again$'
has '... and summed up' "$out" '^3000 entries, 0 lost, 0 blocks \(0\) sent, [0-9]+ \([0-9.]+K\) waits?'
"$make" "$re" plain=2000
ends 'the next run sends what waits, and goes on' 0 \
	"$ship" run --to "$w/re" --spool "$w/sp" --for 1ms --block-size 16K "$re"
is '... every entry once' "$(numbers_in "$w/re" | wc -l)" 5000
is '... as one chain' "$(blocks "$w/re" | grep -oE '[0-9a-f]{32}' | sort -u | wc -l)" 1
is '... nothing is left in the spool' "$(find "$w/sp" -type f -name '*.trace')" ''

start --to "$w/busy" --spool "$w/busy-spool" --every 50ms "$re"
sleep 0.4
ends 'two cannot have one spool' 1 "$ship" run --to "$w/busy" --spool "$w/busy-spool" "$re"
has '... the second is told' "$err" "^timeline-ship: $w/busy-spool: in use by another timeline-ship$"

# The shipper is killed while it runs, and the timeline is created anew
# meanwhile.
"$make" "$re" plain=10
stop KILL
"$ctl" remove "$re"
"$make" "$re" entries=65536 plain=700
ends 'a timeline that was made again is taken from its first entry' 0 \
	"$ship" run --to "$w/busy" --spool "$w/busy-spool" --for 1ms "$re"
is '... all of it' "$(numbers_in "$w/busy" | tail -n 1)" 699

# == more blocks than the spool has room for ==
"$make" "$re" plain=20000
ends 'what there is no room for is dropped' 0 "$ship" run --to /dev/null/dir \
	--spool "$w/small" --spool-size 64K --block-size 16K --all --for 1ms --linger 0s "$re"
has '... and counted' "$out" '^20700 entries, 0 lost, .* wait, [0-9]+ dropped with [0-9]+ entries'
dropped=$(grep -oE 'with [0-9]+' <<<"$out" | grep -oE '[0-9]+')
is '... the spool stays within its bound' \
	"$(($(du -s --block-size=1 "$w/small" | cut -f1) <= 96 << 10))" 1
ends 'the next run sends what is left' 0 \
	"$ship" run --to "$w/dropped" --spool "$w/small" --block-size 16K --for 1ms "$re"
is '... and tells in the stream what was dropped' \
	"$(numbers_in "$w/dropped" | wc -l) $(totals_in "$w/dropped" | cut -d' ' -f2)" \
	"$((20700 - dropped)) $dropped"

# Detail is dropped first: no entry of warning or above is dropped.
"$make" "$name-thin" entries=65536 plain=5000 known plain=5000 known plain=5000 known
important() { "$dump" --json -p warning "$@" 2>/dev/null | jq -c 'select(.priority) | [.priority, .message]' | sort; }
important "$name-thin" >"$work/important"
ends 'a spool that is too small loses its detail' 0 "$ship" run --to /dev/null/dir --json \
	--spool "$w/thin" --spool-size 64K --block-size 16K --all --for 1ms --linger 0s "$name-thin"
is '... blocks are thinned' "$(jq -c '.blocks_thinned > 0' <<<"$out")" true
is '... which is counted by priority' "$(jq -c '[.entries_dropped > 0,
	.entries_dropped == (.dropped_by_priority | add),
	.dropped_by_priority.warning + .dropped_by_priority.error + .dropped_by_priority.fatal]' <<<"$out")" '[true,true,0]'
ends 'the next run sends what is left of it' 0 \
	"$ship" run --to "$w/thinned" --spool "$w/thin" --block-size 16K --for 1ms "$name-thin"
stream "$w/thinned"
is '... every warning and error among it' \
	"$(important "$work/stream.trace" | cmp - "$work/important" 2>&1; wc -l <"$work/important")" \
	"$(important "$name-thin" | wc -l)"

# == a timeline that overwrites entries that nobody has read ==
"$make" "$name-ring" entries=2048 plain=500
ends 'a small timeline' 0 "$ship" run --to "$w/ring" --spool "$w/ring-spool" --all --for 1ms "$name-ring"
"$make" "$name-ring" plain=30000
ends '... that was overwritten meanwhile' 0 "$ship" run --to "$w/ring" --spool "$w/ring-spool" --for 1ms "$name-ring"
lost=$(totals_in "$w/ring" | cut -d' ' -f2)
is '... is counted exactly' "$(($(numbers_in "$w/ring" | wc -l) + lost)) $((lost > 0))" '30500 1'

# == hostile files in a spool ==
chain=$(find "$w/sp" -mindepth 1 -type d | head -1)
echo garbage >"$chain/7.trace"
printf 'x' >"$chain/$(printf '\033[31m')"
ln -sf /etc/passwd "$chain/8.trace"
mkfifo "$chain/9.trace"
mkdir "$chain/10.trace" "$w/sp/a=b"
head -c 300000 /dev/urandom >"$w/sp/a=b/state"
"$make" "$re" plain=5
ends 'hostile files in a spool break nothing' 0 \
	"$ship" run --to "$w/hostile" --spool "$w/sp" --all --for 1ms "$re"
has '... they are moved aside' "$(find "$w/sp")" '7\.trace\.bad'
moved=$(sed -nE 's/.*block 7\.trace was moved aside, to (.*\.bad): .*/\1/p' <<<"$err")
is '... which is said, with the place' "$([ -f "$moved" ] && cat "$moved")" garbage
lacks '... and nothing of them reaches a terminal' "$err" $'\033'
ends '... the second time nobody minds' 0 \
	"$ship" run --to "$w/hostile" --spool "$w/sp" --all --for 1ms "$re"
lacks '... but for what is no block' "$err" 'trace was moved'
