# shellcheck shell=bash disable=SC2154,SC2016,SC2013,SC2017
# SPDX-License-Identifier: Apache-2.0
# Files that are damaged, truncated, foreign, or from the future; losses.

ends 'a foreign file is refused' 1 "$dump" "$work/foreign"
has '... with a reason' "$err" '^timeline-dump: .*foreign: (byte [0-9]+: )?unknown file format'
: >"$work/empty"
ends 'an empty file is refused' 1 "$dump" "$work/empty"
head -c 100 "$known" >"$work/short.tl"
ends 'a file cut in its header is refused' 1 "$dump" "$work/short.tl"
has '... with the place' "$err" 'short\.tl: byte 100: truncated'
cp "$known" "$work/future.tl"
printf '\x63' | put "$work/future.tl" 8
ends 'a file of the future is refused' 1 "$dump" "$work/future.tl"
has '... with a reason' "$err" 'future\.tl: (byte [0-9]+: )?.*version'
ends 'a directory is refused' 1 "$dump" "$work"
mkfifo "$work/fifo"
ends 'a FIFO without a writer is refused' 1 "$dump" "$work/fifo"
head -c $((size / 2)) "$known" >"$work/half.tl"
ends 'a truncated file is read as far as it goes' 1 "$dump" "$work/half.tl"
has '... and the damage has its place' "$err" "half\.tl: byte $((size / 2)): truncated"
# The lanes are there, but the messages are not: one cause is one fault.
strings=$((size - $("$dump" --info --json "$known" | jq .geometry.string_table)))
head -c "$strings" "$known" >"$work/lanes.tl"
ends 'a file without its messages is read, too' 1 "$dump" "$work/lanes.tl"
is '... the cause is said once' \
	"$(sed 's/.*lanes\.tl: //; s/^byte [0-9]*: the/byte AT: the/' <<<"$err")" \
	"byte $strings: truncated: $strings bytes of $size
byte AT: the messages are cut off: entries are shown without text"
head -c $((size - 100)) "$known" >"$work/tail.tl"
ends 'a file that lacks its end' 1 "$dump" "$work/tail.tl"
is '... is shown all the same' "$(untimed <<<"$out")" "$newest_first"
ends '--check of it fails' 1 "$dump" --check "$work/tail.tl"
has '... says what is damaged and where' "$out" "tail\.tl: byte $((size - 100)): truncated"
has '... and that it is' "$out" 'tail\.tl: damaged, [0-9]+ faults?: 11 entries'
is '... once' "$err" ''
is '--check --json has the place' \
	"$("$dump" --check --json "$work/tail.tl" | jq -c '[.whole, .faults[0].byte]')" "[false,$((size - 100))]"
ends '--check of a file that is none fails' 1 "$dump" --check "$work/foreign" "$known"
has '... says so' "$out" 'foreign: cannot be read'
has '... and still checks the others' "$out" 'known\.tl: whole'

# Older entries of a lane were overwritten while the file was copied: the head's
# first is 2, but 1 was wanted.
lane=$("$dump" --info --json "$known" | jq '[.lanes[] | select(.tier == 0)] | max_by(.end).lane')
kept=$("$dump" --info --json "$known" | jq ".lanes[$lane].end - 2")
cp "$known" "$work/part.tl"
printf '\2' | put "$work/part.tl" $((4096 + lane * 128 + 72))
printf '\1' | put "$work/part.tl" $((4096 + lane * 128 + 104))
ends 'a lane that was copied in part is no damage' 0 "$dump" --check "$work/part.tl"
has '... --check tells how much of it there is' "$out" \
	"part\.tl: (CPU [0-9]+|threads without a CPU), tier 0: the newest $kept entr(y is|ies are) kept; 1 older one was overwritten while the file was copied\$"
is '... in JSON' "$("$dump" --check --json "$work/part.tl" | jq -c '[.whole, .left_out]')" '[true,1]'
is '... and so does --info' "$("$dump" --info --json "$work/part.tl" |
	jq -c "[.lanes[$lane].left_out, .losses.left_out]")" '[1,1]'

# An entry that is not whole is reported as a loss in its place.  The test
# damages the stamp of entry 2 in the fullest lane.
info=$("$dump" --info --json "$known")
lane=$(jq '[.lanes[] | select(.tier == 0)] | max_by(.end).lane' <<<"$info")
room=$(jq '.geometry.tiers[0].entries_of_each_lane' <<<"$info")
start=$(jq '.geometry.tiers[0].at_byte' <<<"$info")
tiers=$(jq '.geometry.tiers | length' <<<"$info")
at=$((start + (lane / tiers * room + 2) * 64))
cp "$known" "$work/torn.tl"
printf '\0\0\0\0\0\0\0\0' | put "$work/torn.tl" $((at + 56))
listing=$("$dump" "$work/torn.tl" | grep -B1 -A1 lost | sed -E 's/^2[^ ]* //; s/[0-9]+\)$/N)/; s/no cpu/cpu N/')
is 'a loss is said in the listing where it happened' "$listing" \
	'example    processed tcp(-1), udp(-2), and other(N)
... 1 entry lost here (cpu N)
example    processed tcp(50), udp(60), and other(N)'
is 'a loss in JSON' "$("$dump" --json "$work/torn.tl" | jq -c 'select(.lost) | keys_unsorted' )" '["lost","cpu"]'
is 'a loss in CSV' "$("$dump" --format csv "$work/torn.tl" | grep -c ',lost,lost,1,')" 1
is '-n counts entries, not losses' "$("$dump" -n 9 "$work/torn.tl" | grep -vc lost)" 9
# An entry whose message number does not exist is reported as damage with its
# place.
cp "$known" "$work/bad.tl"
printf '\xf0\xff\xff\x7f' | put "$work/bad.tl" $((at + 16))
ends 'an entry of no message is damage' 1 "$dump" "$work/bad.tl"
has '... at this byte' "$err" "bad\.tl: byte ($at|$((at + 16))): "
is '... and the others are shown' "$(grep -vc lost <<<"$out")" 10

# Whatever byte is flipped, the program does not crash or hang, and gives an
# answer.
flips() {
	local i at value way status
	RANDOM=4711
	for ((i = 0; i < ${FLIPS:-100}; i++)); do
		cp "$known" "$work/flip.tl"
		case $((i % 3)) in
		0) at=$((RANDOM % 1024)) ;; # the header
		1) at=$((size - 1048576 + RANDOM % 4096)) ;; # the string table
		2) at=$((4096 + RANDOM % 8192)) ;; # heads and first entries
		esac
		value=$((RANDOM % 256))
		# shellcheck disable=SC2059
		printf "\\x$(printf %02x "$value")" | put "$work/flip.tl" "$at"
		for way in --explain --stats --info --list; do
			timeout "$patience" "$dump" "$way" "$work/flip.tl" >"$work/out" 2>&1
			status=$?
			[ $status -le 1 ] ||
				echo "status $status with $way, byte $at set to $value"
		done
	done
}
is 'no flipped byte makes it crash or hang' "$(flips)" ''
