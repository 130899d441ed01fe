# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Streams of blocks: several traces in one file, through a pipe, or from a
# server.

blocks=$build/tests/tool/make_blocks
stream=$work/stream
"$blocks" alpha 1 0 2 >"$stream"
whole='job
tick n(0)
tick n(1)
tick n(2)
tick n(3)
tick n(4)
tick n(5)
tick n(6)
tick n(7)
tick n(8)
tick n(9)
tick n(10)
tick n(11)'
# words prints only the messages of a listing.
words() { sed -E 's/^.* work +(> )?//'; }

ends 'blocks of a chain are one timeline' 0 "$dump" --oldest-first "$stream"
is '... of which nothing comes twice' "$(words <<<"$out")" "$whole"
is '... nor is anything said of it' "$err" ''
is '... newest first it is turned round' "$("$dump" "$stream" | tac | words)" "$whole"
is '... through a pipe it is the same' "$("$dump" --oldest-first - < <(cat "$stream") | words)" "$whole"
has '... it is called by its host' "$("$dump" --info "$stream")" "^file: $stream: alpha/demo\$"
has '... and has one tree' "$("$dump" --tree "$stream")" '^  tick n\(11\)$'
{ "$blocks" alpha 1 2; "$blocks" alpha 1 0; "$blocks" alpha 1 2; "$blocks" alpha 1 1; } >"$work/mixed"
is 'their order does not matter, nor one that comes twice' \
	"$("$dump" --oldest-first "$work/mixed" | words)" "$whole"
is 'timeline-convert reads them, too' \
	"$("$bin/timeline-convert" -q --to jsonl "$work/mixed" -o - | wc -l)" 13

# == missing and damaged blocks ==
{ "$blocks" alpha 1 0; "$blocks" alpha 1 5; } >"$work/hole"
ends 'blocks that are missing are a failure' 1 "$dump" --oldest-first "$work/hole"
is '... of which the numbers are said' "$err" \
	"timeline-dump: $work/hole: alpha/demo: blocks 1 to 4 are missing"
has '... in their place' "$(sed -n 6p <<<"$out")" '^\.\.\. entries lost here, unknown how many'
is '... and a span that goes on began once' "$(grep -c job <<<"$out")" 1
{ "$blocks" alpha 1 0; "$blocks" alpha 1 1 1 1-3; "$blocks" alpha 1 4; } >"$work/dropped"
ends 'what a shipper had to drop is counted' 0 "$dump" --oldest-first "$work/dropped"
has '... in its place' "$(sed -n 6p <<<"$out")" '^\.\.\. 100 entries lost here'
"$blocks" alpha 1 7 8 >"$work/late"
ends 'a chain may begin anywhere' 0 "$dump" --oldest-first "$work/late"
is '... with what is open there' "$(grep -c job <<<"$out")" 1
{ cat "$stream"; echo garbage; "$blocks" beta 2 0; } >"$work/damaged"
ends 'what lies between two traces is damage' 1 "$dump" "$work/damaged"
has '... and said with its place' "$err" "byte $(wc -c <"$stream"): 8 bytes are of no trace\$"
is '... which the others survive' "$(wc -l <<<"$out")" 18
{ "$blocks" alpha 1 0 1; "$blocks" alpha 1 2 | sed 's/tick/tack/'; } >"$work/undefined"
ends 'the definitions of a block are damaged: --list shows the others' 1 "$dump" --list "$work/undefined"
# shellcheck disable=SC2016 # the text of a message
has '... with what is known of them' "$out" ' 8 info +instant work +tick \$n'
{ "$blocks" alpha 1 0; "$blocks" alpha 1 1 | head -c 300; "$blocks" alpha 1 2; } >"$work/torn"
ends 'a block that was torn is damage' 1 "$dump" "$work/torn"
is '... no more than that' "$("$dump" "$work/torn" 2>/dev/null | grep -c tick)" 8
head -c 100000 /dev/urandom >"$work/noise"
{ cat "$stream" "$work/noise" "$stream"; } >"$work/noisy"
is 'noise is passed over' "$("$dump" --oldest-first "$work/noisy" 2>/dev/null | words)" "$whole"

# == several hosts ==
{ cat "$stream"; "$blocks" beta 2 0 1; } >"$work/fleet"
is '--host chooses hosts' "$("$dump" --host 'b*' "$work/fleet" | grep -c tick)" 8
is '... of files as well' "$("$dump" --host 'b*' "$stream" "$work/fleet" | grep -c tick)" 8
ends '... and says when none is left' 1 "$dump" --host gamma "$work/fleet"
has '... what for' "$err" 'there is nothing of such a host$'
chmod 600 "$work/fleet"
for host in '*' 'a*' 'b*'; do
	(umask 022 && "$bin/timeline-convert" -q -f --host "$host" "$work/fleet" -o "$work/host.csv")
	is "a private file of hosts becomes a private one ($host)" \
		"$(stat -c %a "$work/host.csv")" 600
done
chmod 644 "$work/fleet"
for ((i = 0; i < 70; i++)); do "$blocks" alpha - "$i"; done >"$work/lone"
is 'many traces without a chain are one timeline' \
	"$("$dump" --info "$work/lone" | grep -c '^file: ')" 1
is '... with all there is' "$("$dump" "$work/lone" | grep -c tick)" 280

# == blocks are shown as they come ==
is '--follow of a pipe shows what comes' "$("$dump" -f - < <(cat "$stream") | words)" "$whole"
has '... of which host' "$("$dump" -f - < <(cat "$work/fleet"))" '~ beta  work       tick n\(0\)$'
is '... in order of time' "$("$dump" -f - < <(cat "$work/fleet") | awk '{ sub("~", "", $1); print $1 }')" \
	"$("$dump" --oldest-first "$work/fleet" 2>/dev/null | awk '{ sub("~", "", $1); print $1 }')"
# followed prints for each entry that -f shows its number, its host, and how
# uncertain its place is.
followed() { "$dump" -f "$@" --json - < <(cat) | jq -r '[.args.n, .host, .sync_error_us, .overlaps] | @csv'; }
is '... what nobody knows is marked' "$(followed --host '*' <"$work/fleet" | sed 's/^[0-9]*,//' | sort -u)" \
	'"alpha",,true
"beta",,true'
is '... also as text' "$("$dump" -f - < <(cat "$work/fleet") | grep -c '+00:00~ ')" 22
is 'one host alone has no marks' "$("$dump" -f - < <(cat "$stream") | grep -c '~')" 0
{ SYNC_US=200 "$blocks" alpha 1 0; SYNC_US=200 "$blocks" beta 2 0; } >"$work/synced"
is '... those that are synchronised have them where they are too near' \
	"$(followed <"$work/synced" | sed 's/2[0-9][0-9]/200/' | sort -u)" \
	',"alpha",200,true
,"beta",200,true
0,"alpha",200,true
0,"beta",200,true
1,"alpha",200,true
1,"beta",200,true
2,"alpha",200,true
2,"beta",200,true
3,"alpha",200,true
3,"beta",200,true'
is '--offset moves a host that comes' \
	"$(followed --offset beta=500us <"$work/synced" | sed 's/2[0-9][0-9]/200/' | head -4)" \
	',"alpha",200,
,"beta",200,
0,"alpha",200,
0,"beta",200,'
is '... by the name of its timeline, and one that never comes does not matter' \
	"$("$dump" -f --offset gamma=1s --offset beta/demo=1s - < <(cat "$work/synced") | tail -1 | cut -c 1-38)" \
	'2026-01-01T00:00:01.004000000+00:00  b'
is '... --host leaves out the others' "$(followed --host 'b*' <"$work/fleet" | cut -d, -f 2 | sort -u)" '"beta"'
is '... so does an expression' "$(followed -e 'host == "beta"' <"$work/fleet" | cut -d, -f 2 | sort -u)" '"beta"'
is '... a line says its host also when hosts come late' \
	"$({ sleep 0.3; cat "$stream"; } | followed | cut -d, -f 2 | sort -u)" '"alpha"'
mkfifo "$work/blocks"
exec 9<>"$work/blocks" # there is a writer before anybody reads
"$dump" -f "$work/blocks" >"$work/live" 2>&1 9>&- &
follower=$!
cat "$stream" >&9
until_true grep -q 'n(11)' "$work/live"
is '... while more may come' "$(words <"$work/live")" "$whole"
"$blocks" alpha 1 3 >&9
exec 9>&-
wait "$follower"
is '... and what comes then' "$(tail -n 1 "$work/live" | words)" 'tick n(15)'

# A program that stands for timeline-ship reads from a server.
cat >"$work/ship" <<'END'
#!/bin/sh
printf '%s\n' "$@" >"$SHIP_LOG"
cat "$SHIP_STREAM"
exit "${SHIP_STATUS:-0}"
END
chmod +x "$work/ship"
export TIMELINE_SHIP=$work/ship SHIP_LOG=$work/ship.log SHIP_STREAM=$stream
ends 'a name with a scheme is read by timeline-ship' 0 "$dump" --oldest-first nats://a/b
is '... as blocks are' "$(words <<<"$out")" "$whole"
is '... which is asked for all' "$(cat "$SHIP_LOG")" 'read
nats://a/b'
"$dump" --host 'a;b' --host c --since 2026-01-01 --until @1767225600.5 nats://a \
	>/dev/null 2>&1
is '... or for what is wanted' "$(cat "$SHIP_LOG")" 'read
--host
a;b
--host
c
--since
@1767225600.000000000
--until
@1767225600.500000000
nats://a'
"$dump" -f --since -10s nats://a >/dev/null
is '... or for what comes' "$(cat "$SHIP_LOG")" 'read
-f
nats://a'
SHIP_STATUS=1 ends 'its failure is one' 1 "$dump" --oldest-first nats://a
is '... but what came is shown' "$(words <<<"$out")" "$whole"
has '... and it is said' "$err" 'nats://a: alpha/demo: timeline-ship failed: entries may be missing$'
SHIP_STATUS=1 ends '... with --follow, too' 1 "$dump" -f nats://a
SHIP_STREAM=/dev/null ends 'nothing is said, too' 1 "$dump" nats://a
has '... as what it is' "$err" 'there is nothing that was asked for$'
TIMELINE_SHIP=$work/none ends 'without timeline-ship' 1 "$dump" nats://a
has '... it is said what is missing' "$err" 'timeline-ship cannot be run'
SHIP_STREAM=$work/noise ends 'noise from a server' 1 "$dump" nats://a
unset TIMELINE_SHIP SHIP_LOG SHIP_STREAM
