# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# create, list, remove and save; damaged and foreign files; rights.

ends 'create' 0 "$ctl" create "$base"
has '... says what was made' "$out$err" \
	"^$name: [0-9.]+M in use, [0-9]+ entries for each of [0-9]+ CPUs; [0-9]+ in all lanes\$"
is '... makes what only its owner may read' "$(stat -c %a "/dev/shm$name")" 600
ends 'creating it again is an error' 1 "$ctl" create "$name"
is '... that is told' "$err" "timelinectl: $name: exists already"
ends 'create with all that can be said' 0 "$ctl" create "$name-2" --entries 1000 \
	--strings 100000 --mode 0640 --tiers 1 --cpu-lanes 2 --fallback-lanes 3 \
	--stamp realtime --json
is '... makes it so' "$(jq -c . <<<"$out")" \
	"{\"name\":\"$name-2\",\"size\":$(stat -c %s "/dev/shm$name-2"),\"used\":$(used "/dev/shm$name-2"),\"entries\":3200,\"entries_asked\":1000,\"tiers\":1,\"cpu_lanes\":2,\"fallback_lanes\":3,\"stamp\":\"realtime\"}"
is '... with its mode' "$(stat -c %a "/dev/shm$name-2")" 640
ends 'list of one name' 0 "$ctl" list "$base-2"
is '... has it alone' "$(awk '{ print $1 }' <<<"$out" | tr '\n' ' ')" "NAME $name-2 "
is '... and of two in the order of names' "$("$ctl" list "$name-2" "$base" --json | jq -r '.timelines[].name' | tr '\n' ' ')" \
	"$name $name-2 "
ends '... or of none that is' 1 "$ctl" list "$base-22"
has '... with the nearest' "$err" "^timelinectl: $name-22: no such timeline; did you mean $name-2\?"
is '... also by its path' "$("$ctl" list "/dev/shm$name-2" --json | jq -r '.timelines[].name')" "/dev/shm$name-2"
ends '... but not of another file' 1 "$ctl" list "$0"
has '... which says so' "$err" 'not a timeline'
ends 'create --stamp tsc' 0 "$ctl" create "$name-3" --stamp tsc --entries 100
for wrong in '--entries 0' '--entries many' '--tiers 3' '--mode 1777' '--mode rw' \
	'--stamp sundial' '--cpu-lanes 5000' '--strings 5G'; do
	# shellcheck disable=SC2086
	ends "create $wrong is a usage error" 2 "$ctl" create "$name-4" $wrong
done
is "... and makes nothing" "$(find /dev/shm -name "$base-4")" ""
ends 'create --keep --rate computes the capacity' 0 "$ctl" create "$name-4" --keep 2s \
	--rate 10k --cpu-lanes 3
is '... 20000 entries for each CPU, rounded up, and states it' "${out%;*}" \
	"$name-4: $(used "/dev/shm$name-4" |
		awk '{ m = int($1 / 1048576 * 10) / 10; printf m < 10 ? "%.1fM" : "%dM", m }') in use, 32768 entries for each of 3 CPUs: 3.276s at 10000 entries a second"
has '... as --info shows it' "$("$dump" --info "$name-4")" 'tier 0 +entries of each lane 32768 '
"$ctl" remove "$name-4"
ends 'create says how many entries there are where others were asked for' 0 "$ctl" create \
	"$name-4" --entries 163840 --cpu-lanes 2 --fallback-lanes 1
has '... with their sum' "$out" \
	' in use, 131072 entries for each of 2 CPUs; 368640 in all lanes, 163840 asked for$'
[ "$(used "/dev/shm$name-4")" -lt "$(stat -c %s "/dev/shm$name-4")" ] &&
	ok 'a file takes less memory than its size, for it has no timer yet'
is '... which list shows' "$("$ctl" list | awk -v n="$name-4" '$1 == n { print $2 }') $(of "$name-4" .used)" \
	"$("$dump" 2>/dev/null | awk -v n="$name-4" '$1 == n { print $2 }') $(used "/dev/shm$name-4")"
is '... and --info' "$("$dump" --info --json "$name-4" | jq "[.size, .used]" -c)" \
	"[$(stat -c %s "/dev/shm$name-4"),$(used "/dev/shm$name-4")]"
"$ctl" remove "$name-4"
ends 'create --keep --rate --json prints JSON and nothing else' 0 "$ctl" create "$name-4" \
	--keep 1ms --rate 1M --cpu-lanes 1 --json
is '... a lane of 1024' "$(jq -c '[.cpu_lanes, .size > 65536]' <<<"$out")" '[1,true]'
"$ctl" remove "$name-4"
for wrong in '--keep 60s' '--rate 5' '--keep 60 --rate 5' '--keep 0s --rate 5' \
	'--keep 1s --rate 5x' '--keep 1s --rate 2G' '--keep 1s --rate 0' '--keep 1h --rate 1M' \
	'--keep 1s --rate 1k --entries 5'; do
	# shellcheck disable=SC2086
	ends "create $wrong is a usage error, too" 2 "$ctl" create "$name-4" $wrong
	has '... that is explained' "$err" 'keep|rate|duration|length|second'
done
is '... and makes nothing, either' "$(find /dev/shm -name "$base-4")" ""
ends 'create where there is no folder' 1 "$ctl" create "$work/none/x"
is '... says how the name was understood' "$err" \
	"timelinectl: $work/none/x: no such folder: a name with a slash inside is a path"
ends 'create of more than there can be' 1 "$ctl" create "$name-4" --entries 1T
has '... names the limit' "$err" ': a lane has at most 2G entries'
ends 'create --entries 4K --strings 64K: sizes have suffixes' 0 "$ctl" create "$name-4" \
	--entries 4K --strings 64K --cpu-lanes 1 --json
"$ctl" create "$name-4b" --entries 4096 --strings 65536 --cpu-lanes 1
is '... of 1024' "$(jq .size <<<"$out")" "$(stat -c %s "/dev/shm$name-4b")"
"$ctl" remove "$name-4"
"$ctl" remove "$name-4b"
ends 'create by a process without rseq' 0 env TIMELINE_NO_RSEQ=1 "$ctl" create \
	"$name-7" --entries 4K --cpu-lanes 2 --stamp tsc
has '... gives lanes of CPUs their size, for those that attach' "$("$dump" --info "$name-7")" \
	'tier 0 +entries of each lane 2048 +entries of each fallback lane 4096 '
is '... without a warning' "$(of "$name-7" .small_lanes; "$ctl" list | grep -c "^$name-7: ")" $'false\n0'
# A file of an earlier version holds a larger entries_asked.
printf '\1\20\0\0\0\0\0\0' | dd of="/dev/shm$name-7" bs=1 seek=112 conv=notrunc status=none
has 'list warns where lanes of CPUs hold less than was asked for' "$("$ctl" list)" \
	"^$name-7: the lane of each CPU holds 2048 entries, 4097 were asked for: remove"
is '... --json, too' "$(of "$name-7" .small_lanes)" true
has '... and --info' "$("$dump" --info "$name-7")" '^    warning: the lanes of CPUs hold fewer entries'
is '... --json, too' "$("$dump" --info --json "$name-7" | jq .geometry.small_lanes)" true
"$ctl" remove "$name-7"
ends 'create elsewhere than in /dev/shm' 0 "$ctl" create "$work/file.tl" --entries 100

is 'list shows it' "$(of "$name-2" '"\(.size) \(.state) \(.level) \(.base) \(.entries) \(.lost) \(.kept_ns) \(.fault) \(.owner)"')" \
	"$(stat -c %s "/dev/shm$name-2") live trace+++ trace+++ 0 0 null null $(id -u)"
has 'list has a line of text for it' "$("$ctl" list)" "^$name-2 +[0-9.]+[KM] trace\\+\\+\\+ +0 +0 +0 +- -$"
ends 'remove' 0 "$ctl" remove "$base-2"
"$ctl" create "$name-5" --entries 100
ln "/dev/shm$name-5" "/dev/shm$name-6"
is 'list: a timeline with two names is live' "$(of "$name-6" .state)" live
"$ctl" remove "$name-5"
is 'list shows that one of them was taken away' "$(of "$name-6" .state)" superseded
has '... in text' "$("$ctl" list)" "^$name-6 +[0-9.]+[KM] superseded "
has '... and so does --info' "$("$dump" --info "$name-6")" '^superseded: yes'
"$ctl" remove "$name-6"
ends 'remove what is not there' 1 "$ctl" remove "$base-2"
has '... says so' "$err" "^timelinectl: $name-2: no such timeline"
echo 'not a timeline' >"/dev/shm$name-foreign"
ends 'remove does not touch other files' 1 "$ctl" remove "$base-foreign"
is '... and says why' "$err" "timelinectl: $name-foreign: is not a timeline"
[ -e "/dev/shm$name-foreign" ] && ok '... which stay'
is 'list does not show other files' "$(of "$name-foreign" .name)" ''

# == writers, alive and ended ==
"$make" "$name-w" plain=5 sleep=600000 &
writer=$!
started+=("$writer")
logged() { [ "$(of "$name-w" .entries)" -ge 5 ]; }
until_true logged
is 'list shows who writes' "$(of "$name-w" '.writers[] | "\(.pid) \(.command) \(.alive)"')" \
	"$writer make_timeline true"
has '... in text' "$("$ctl" list)" "^$name-w .* make_timeline $writer\$"
"$ctl" priority "$base-w" info
for ((i = 0; i < 60; i++)); do "$ctl" burst "$base-w" trace 1us; done
is '... and not who steers it' "$(of "$name-w" '.writers | length')" 1
kill -9 "$writer"
wait "$writer" 2>/dev/null
is 'list shows who has ended' "$(of "$name-w" '.writers[] | "\(.pid) \(.alive)"')" "$writer false"
has '... in text' "$("$ctl" list)" "^$name-w .* make_timeline $writer ended\$"
all_columns='NAME USED LEVEL ENTRIES/S ENTRIES LOST HISTORY WRITERS'
if has_terminals; then
	for columns in 60 80 120; do
		seen=$(on_terminal "stty cols $columns; $ctl list $base-w")
		is "list fits a terminal of $columns columns" \
			"$(awk -v most="$columns" 'length > most' <<<"$seen")" ''
		has '... with the name, the level and the writers' "$seen" \
			"^$name-w .*info .* make_timeline $writer ended\$"
		heading=$(head -1 <<<"$seen" | xargs)
		case $columns in
		120) is '... and all else' "$heading" "$all_columns" ;;
		60) lacks '... and not all else' "$heading" 'ENTRIES ' ;;
		esac
	done
fi
is 'list fits COLUMNS' "$(COLUMNS=30 "$ctl" list "$base-w" | head -1 | xargs)" 'NAME LEVEL WRITERS'
is '... and has all columns without' "$("$ctl" list "$base-w" | head -1 | xargs)" "$all_columns"
is 'list shows how far back it reaches' "$(of "$name-w" '.kept_ns > 0')" true

busy
rising() { [ "$(of "$name-busy" '.rate > 0')" = true ]; }
if until_true rising; then ok 'list shows the rate'; else bad 'list shows the rate' <<<''; fi

# == save ==
ends 'save' 0 "$ctl" save "$base-w" "$work/w.tl"
is '... keeps every entry' "$("$dump" --category example "$work/w.tl" | wc -l)" 5
is '... for its owner alone' "$(stat -c %a "$work/w.tl")" 600
ends 'save does not replace a file' 1 "$ctl" save "$base-w" "$work/w.tl"
has '... and names the option that does' "$err" 'w\.tl: exists already; --force replaces it$'
ends 'save --force replaces it' 0 "$ctl" save -f "$base-w" "$work/w.tl" --json
is '... and says how large it is' "$(jq -c . <<<"$out")" \
	"{\"name\":\"$name-w\",\"file\":\"$work/w.tl\",\"size\":$(stat -c %s "$work/w.tl"),\"used\":$(used "$work/w.tl"),\"left_out\":[]}"
echo >"$work/w.tl.sched" # as if kernel events had been saved with NAME
ends 'save refuses kernel events of another snapshot' 1 "$ctl" save "$base-w" "$work/w.tl"
has '... and names the file' "$(rm -f "$work/w.tl"; "$ctl" save "$base-w" "$work/w.tl" 2>&1)" \
	'w\.tl\.sched: exists already; --force replaces it'
ends '... and saves nothing' 1 test -e "$work/w.tl"
ends '... and removes them with --force' 0 "$ctl" save -f "$base-w" "$work/w.tl"
is '... and leaves one file' "$(ls "$work"/w.tl*)" "$work/w.tl"
mkfifo "$work/fifo"
ends 'save refuses what is no regular file' 1 "$ctl" save -f "$base-w" "$work/fifo"
has '... and says what to do' "$err" 'fifo: not a regular file; name a file to save to$'
ends '... and leaves it' 0 test -p "$work/fifo"
rm "$work/w.tl"
ln -s /nowhere "$work/w.tl.sched"
ends '... and refuses a link in their place' 1 "$ctl" save "$base-w" "$work/w.tl"
has '... with the same sentence' "$err" 'w\.tl\.sched: exists already'
ends '... and leaves it' 0 test -L "$work/w.tl.sched"
ends '... and removes it with --force' 0 "$ctl" save -f "$base-w" "$work/w.tl"
is '... which is gone' "$(find "$work" -name 'w.tl*')" "$work/w.tl"
if command -v strace >/dev/null; then
	echo kept >"$work/w.tl.sched"
	before=$(cksum <"$work/w.tl")
	ends 'save reports kernel events that it cannot remove' 1 \
		strace -o /dev/null -e inject=unlink:error=EPERM:when=1 \
		"$ctl" save -f "$base-w" "$work/w.tl"
	is '... with their file and the cause' "$err" \
		"timelinectl: $work/w.tl.sched: cannot remove: Operation not permitted"
	is '... and leaves both files as they were' \
		"$(cksum <"$work/w.tl") $(cat "$work/w.tl.sched") $(find "$work" -name "w.tl*" | wc -l)" \
		"$before kept 2"
	strace -o /dev/null -e inject=rename:signal=KILL:when=1 \
		"$ctl" save -f "$base-w" "$work/w.tl" >/dev/null 2>&1
	ends 'save that is killed leaves no kernel events beside another snapshot' 1 \
		test -e "$work/w.tl.sched"
	rm -f "$work"/.w.tl* "$work"/w.tl.*
fi
ends 'save to a name in .zst' 0 "$ctl" save "$base-w" "$work/w.tl.zst"
zstd -dqc "$work/w.tl.zst" >"$work/w2.tl"
is '... compresses' "$("$dump" --category example "$work/w2.tl" | untimed)" \
	"$("$dump" --category example "$work/w.tl" | untimed)"
[ "$(stat -c %s "$work/w.tl.zst")" -lt "$(stat -c %s "$work/w.tl")" ] && ok '... to less'
ends 'save --compress' 0 "$ctl" save --compress "$base-w" "$work/packed"
is '... compresses, too' "$(head -c 4 "$work/packed" | od -An -tx1 | tr -d ' ')" 28b52ffd
# To standard output
mkdir "$work/here"
ends 'save to -' 0 bash -c "cd '$work/here' && exec '$ctl' save '$base-w' - >'$work/w3.tl'"
is '... is standard output, as it is a pipe' "$("$ctl" save "$base-w" - | "$dump" --category example - | untimed)" \
	"$("$dump" --category example "$work/w.tl" | untimed)"
is '... and makes no file' "$(ls -A "$work/here")" ''
is '... the same snapshot' "$("$dump" --category example "$work/w3.tl" | untimed)" \
	"$("$dump" --category example "$work/w.tl" | untimed)"
is '... or compressed' "$("$ctl" save --compress "$base-w" - | head -c 4 | od -An -tx1 | tr -d ' ')" 28b52ffd
ends '... but not with the JSON about it' 2 "$ctl" save --json "$base-w" -
has '... which says why' "$err" '--json: the snapshot goes to standard output; name a file'
ends '... nor to a closed one' 1 bash -c "exec '$ctl' save '$base-w' - >&-"
touch "/dev/shm$name-w.sched"
ends 'save to - of one with kernel events' 0 bash -c "exec '$ctl' save '$base-w' - >/dev/null"
has '... says that it leaves them out' "$err" "$name-w.sched: kernel events are not saved to standard output; name a file"
rm "/dev/shm$name-w.sched"
ends 'save where there is no folder' 1 "$ctl" save "$base-w" "$work/none/x.tl"
has '... says so' "$err" "^timelinectl: $work/none/x.tl: No such file"
ends 'save of a snapshot is refused' 1 "$ctl" save "$work/w.tl" "$work/x.tl"
has '... with a reason' "$err" 'a snapshot already'
is 'no half file is left' "$(find "$work" -name 'x.tl*')" ''
ends 'create past the limit of the process is an error' 1 \
	bash -c "ulimit -f 16; exec '$ctl' create '$work/limited'"
has '... with the remedy' "$err" "no room for $work/limited .*: File too large: .*ulimit -f$"
ends '... and so is save' 1 bash -c "ulimit -f 16; exec '$ctl' save '$base-w' '$work/limited'"
has '... which names the file' "$err" "^timelinectl: $work/limited: File too large: .*ulimit -f$"
ends '... or save --compress' 1 \
	bash -c "ulimit -f 0; exec '$ctl' save --compress '$base-w' '$work/limited'"
is '... and nothing is left' "$(find "$work" -name 'limited*')" ''
if [ -w /dev/full ]; then
	ends 'a full disk is told' 1 sh -c "\"$ctl\" list >/dev/full"
fi

# == damaged, foreign and hostile files ==
cp "/dev/shm$name-w" "/dev/shm$name-cut"
truncate -s 1000 "/dev/shm$name-cut"
is 'a truncated file is listed with the reason' "$(of "$name-cut" .fault)" 'truncated in its header'
head -c 8192 /dev/zero >"/dev/shm$name-zero"
printf TIMELINE | dd of="/dev/shm$name-zero" conv=notrunc status=none
has 'a damaged header, too' "$(of "$name-zero" .fault)" version
cp "/dev/shm$name-w" "/dev/shm$name-later"
printf '\x09' | dd of="/dev/shm$name-later" bs=1 seek=8 conv=notrunc status=none
has 'a file of a later version is not called damaged' "$("$ctl" list | grep -- "$name-later")" \
	' unreadable: a timeline of version 9\.[0-9]+, .*: upgrade the program$'
has '... by timeline-dump neither' "$("$dump" | grep -- "$name-later")" ' of another version$'
rm -f "/dev/shm$name-later"
cp "/dev/shm$name-w" "/dev/shm$name-short"
truncate -s 8192 "/dev/shm$name-short"
for verb in list "top -n 1 $name-cut" "save $name-short $work/short.tl" "priority $name-zero info" "priority $name-short info" \
	"burst $name-cut info 1ms" "level $name-short chatter off" "top -n 1 -d 10ms $name-short" \
	"top -n 1 -d 10ms $name-zero" "remove $name-none" \
	"top /dev/null" "top $work" "top $work/w.tl"; do
	# shellcheck disable=SC2086
	timeout "$patience" "$ctl" $verb >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[ "$status" -le 1 ] || echo "$verb: status $status $(cat "$work/err")"
	[ "$status" = 0 ] || grep -q '^timelinectl: ' "$work/err" || echo "$verb: no reason"
done >"$work/seen"
is 'damage is told and never harms' "$(cat "$work/seen")" ''
# Bytes of the header are damaged one at a time.
cp "/dev/shm$name-3" "$work/good"
cp "/dev/shm$name-3" "/dev/shm$name-flip"
for ((at = 0; at < 700; at += 13)); do
	printf '\xff' | dd of="/dev/shm$name-flip" bs=1 seek="$at" conv=notrunc status=none
	timeout "$patience" "$ctl" list --json 2>&1 | jq -e . >/dev/null || echo "list: $at"
	timeout "$patience" "$ctl" top -n 1 -d 10ms --json "$name-flip" >"$work/out" 2>&1
	[ $? -le 1 ] || echo "top: $at"
	dd if="$work/good" of="/dev/shm$name-flip" conv=notrunc status=none
done >"$work/seen"
# The heads of the lanes are damaged, too.
for ((at = 4096; at < 4096 + 6 * 128; at += 37)); do
	printf "\xff\xff\xff\xff" | dd of="/dev/shm$name-flip" bs=1 seek="$at" conv=notrunc status=none
	for verb in "list --json" "top -n 1 -d 10ms --json $name-flip"; do
		# shellcheck disable=SC2086
		timeout "$patience" "$ctl" $verb >"$work/out" 2>"$work/err"
		[ $? -le 1 ] || echo "$verb: $at"
	done
	dd if="$work/good" of="/dev/shm$name-flip" conv=notrunc status=none
done >>"$work/seen"
is 'no byte of a header does harm' "$(cat "$work/seen")" ''
rm -f "/dev/shm$name-flip"
touch "/dev/shm$name-"$'\033[31m\n'
cp "/dev/shm$name-3" "/dev/shm$name-"$'\033[31m\n'
"$make" "$name-hostile" hostile priority=info sleep=1
steering='[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xff|\xfe'
for verb in list 'list --json' "top -n 1 -d 10ms $name-hostile" \
	"top -n 1 -d 10ms --json $name-hostile"; do
	# shellcheck disable=SC2086
	timeout "$patience" "$ctl" $verb >"$work/out" 2>&1
	[ -s "$work/out" ] || echo "$verb: nothing"
	if grep -qaP "$steering" "$work/out"; then echo "$verb"; fi
	if [[ $verb == *json* ]]; then jq -e . "$work/out" >/dev/null || echo "$verb: no JSON"; fi
done >"$work/seen"
is 'no byte of a file reaches the terminal unescaped' "$(cat "$work/seen")" ''
is 'JSON has every byte of a name' \
	"$("$ctl" list --json | jq --arg n "$name-"$'\033[31m\n' '[.timelines[] | select(.name == $n)] | length')" 1

# == rights ==
if [ ${#nobody[@]} -gt 0 ]; then
	chmod 600 "/dev/shm$name-w"
	has 'what may not be read is listed with the reason' \
		"$("${nobody[@]}" "$ctl" list)" "^$name-w .*Permission denied"
	for verb in "priority $name-w info" "remove $name-w" \
		"save $name-w $work/x.tl" "top -n 1 $name-w" \
		"level $name-w chatter off" "burst $name-w info 1ms"; do
		# shellcheck disable=SC2086
		ends "without rights: $verb" 1 "${nobody[@]}" "$ctl" $verb
		has '... is refused clearly' "$err" "^timelinectl: $name-w: (Permission denied|Operation not permitted)"
	done
	chmod 666 "/dev/shm$name-w"
	ends 'with the rights that a mode gives' 0 "${nobody[@]}" "$ctl" priority "$name-w" debug
	"${nobody[@]}" "$ctl" create "$name-nobody" --entries 100
	ends 'root may steer what another owns' 0 "$ctl" priority "$name-nobody" debug
	is '... and it is done' "$(of "$name-nobody" '"\(.level) \(.owner)"')" 'debug 65534'
else
	skip 'rights: not root, or another user cannot run this build'
fi
