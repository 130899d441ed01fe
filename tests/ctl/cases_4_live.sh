# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# top: a limited number of rounds, live timelines, on a terminal and off it.

busy
until_true test -e "/dev/shm$name-busy"
round=$(timeout "$patience" "$ctl" top -n 2 -d 2s --json "$name-busy")
is 'top prints so many rounds' "$(wc -l <<<"$round")" 2
is '... each with the messages of its time' \
	"$(jq -r -s '.[1].messages[] | select(.category == "example" and .rate > 0) | .message' <<<"$round")" \
	'processed $tcp, $udp, and $other'
is '... and who writes' "$(jq -r -s '.[1].writers[0] | "\(.command) \(.alive)"' <<<"$round")" 'make_timeline true'
is '... and the rest' "$(jq -s -c '.[1] | [.name, .level, .lost_in_round, .share_seen, .kept_ns > 0, .round_ns >= 2e9]' <<<"$round")" \
	"[\"$name-busy\",\"trace+++\",0,1,true,true]"
is 'totals add up' "$(jq -s '(.[1].messages | map(.total) | add) >= (.[0].messages | map(.total) | add)' <<<"$round")" true
ends 'top where there is no terminal: one round' 0 "$ctl" top -d 100ms "$name-busy"
has '... as text' "$out" '^ +[0-9.]+ +[0-9]+ trace +example +processed'
is '... once' "$(grep -c ENTRIES/S <<<"$out")" 1
ends 'top -s name' 0 "$ctl" top -d 50ms -s name "$name-busy"
for wrong in '-d 1ms' '-d soon' '-s color' '-n 0'; do
	# shellcheck disable=SC2086
	ends "top $wrong is a usage error" 2 "$ctl" top $wrong "$name-busy"
done
# The first timeline gets more entries in a round than top looks at.
"$make" "$name-flood" entries=400000 known
"$make" "$name-took" timed=1000
"$ctl" top -n 1 -d 12s --json "$name-flood" >"$work/flood" &
flood=$!
"$ctl" top -n 1 -d 12s --json "$name-took" >"$work/took" &
took=$!
# The program has mapped the timeline NAME and sleeps until its round ends.
waits() { # PID NAME
	find "/proc/$1/fd" -lname "*$2" | grep -q . &&
		grep -q '^State:.*S' "/proc/$1/status"
}
until_true waits "$flood" "$name-flood"
until_true waits "$took" "$name-took"
"$make" "$name-took" timed=100
"$make" "$name-flood" plain=300000
wait "$flood" "$took"
is 'a flood is sampled, and its rate is right all the same' \
	"$(jq -c '[.share_seen < 0.5, (.messages[0].total > 290000), (.messages[0].total < 310000)]' "$work/flood")" \
	'[true,true,true]'
is "... and nothing of before counts" "$(jq -r ".messages[].message" "$work/flood")" \
	"processed \$tcp, \$udp, and \$other"
is 'timers count the spans of the round alone' "$(jq -c '.timers[0] | [.category, .message, .priority, .total, .rate > 0]' "$work/took")" \
	'["timed","timed $n","info",100,true]'
is '... and show how long these took' "$(jq '.timers[0] | [.p50_ns / 5e8, .p99_ns / 9.9e8, .max_ns / 1e9] | all(. - 1 | . > -0.01 and . < 0.017)' "$work/took")" true
is '... null where there were none' "$("$ctl" top -d 10ms --json "$name-took" | jq -c '.timers[0] | [.rate, .total, .p50_ns, .p99_ns, .max_ns]')" \
	'[0,0,null,null,null]'
has '... as text' "$("$ctl" top -d 10ms "$name-took")" '^ +0 +- +- +- timed +timed \$n$'
lacks 'a timeline without timers has no table of them' "$("$ctl" top -d 10ms "$name-flood")" SPANS/S

"$make" "$name-gone" plain=3
"$ctl" top -n 10000 -d 50ms "$name-gone" >"$work/out" 2>"$work/err" &
gone=$!
until_true grep -q ENTRIES/S "$work/out"
"$ctl" remove "$name-gone"
wait "$gone"
is "top says when it is removed, before all its rounds" "$? $(cat "$work/err")" "1 timelinectl: $name-gone: removed"

if has_terminals; then
	rm -f "$work/screen"
	on_screen() { cat -v "$work/screen" | grep -qE -- "$1"; }
	keys() { # [KEYS REGEX]...: presses keys, waits for REGEX, ends with q
		until_true on_screen 'processed'
		while [ $# -gt 0 ]; do
			printf '%b' "$1"
			until_true on_screen "$2"
			shift 2
		done
		printf q
		until_true on_screen '\[\?1049l'
	}
	# Keys that arrive together are handled one by one.
	keys 's\033[6~\033[Bp' PAUSED '\033[Ap' . |
		timeout 600 script -qec "$ctl top -d 100ms $name-busy" /dev/null >"$work/screen" 2>&1
	is 'q ends top on a terminal' "$?" 0
	screen=$(cat -v "$work/screen")
	has 'top takes a screen of its own' "$screen" '\^\[\[\?1049h'
	has '... gives it back' "$screen" '\^\[\[\?25h\^\[\[\?1049l'
	has '... shows the messages' "$screen" 'processed \$tcp'
	has '... sorts by another key' "$screen" 'sorted by total'
	has '... pauses' "$screen" PAUSED
	has '... in colours' "$screen" '\^\[\[2m'
	rm -f "$work/screen"
	keys | NO_COLOR=1 timeout 600 script -qec "$ctl top -d 100ms $name-busy" /dev/null >"$work/screen" 2>&1
	lacks '... but not with NO_COLOR' "$(cat -v "$work/screen")" '\^\[\[(2|7)m'
	on_terminal "$ctl top -n 1 -d 10ms $name-hostile" >"$work/out"
	lacks 'a hostile timeline does not steer a terminal' "$(cat -v "$work/out")" '\^\[\](0|31|5)'
fi
