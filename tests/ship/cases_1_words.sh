# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The command line, the help, the man page, the completion and the unit.

ends '--help' 0 "$ship" --help
help=$out
has '--help begins with how to call it' "$help" '^timeline-ship VERB'
ends '--version' 0 "$ship" --version
has '--version says it' "$out" '^timeline-ship [0-9]+\.[0-9]+\.[0-9]+$'
ends 'no verb is a usage error' 2 "$ship"
has '... that is told' "$err" '^timeline-ship: no verb given: run or read$'
ends 'nor is an unknown one' 2 "$ship" send
ends 'a hostile word is escaped' 2 "$ship" $'\033[31m'
lacks '... in what is said of it' "$err" $'\033'
ends 'so is a URL' 2 "$ship" read $'nats://\033[31m'
has '... in what is said of it' "$err" 'nats://.*invalid character in the name of a server'
lacks '... in plain words' "$err" $'\033'
while read -r words; do
	# shellcheck disable=SC2086
	ends "\"$words\" is a usage error" 2 "$ship" $words
	has '... with a word of advice' "$err" '^Try timeline-ship --help\.$'
done <<'WORDS'
run
run app
run --to
run --to dir
run --to dir --since -1h app
run --to dir --every 0s app
run --to dir --every never app
run --to dir --block-size 1K app
run --to dir --block-size 64M app
run --to dir --spool-size 256K app
run --to dir --format csv app
run --to - --format parquet app
run --to dir --format parquet --parquet-time days app
run --to dir --format jsonl --parquet-time micros app
run --to dir --parquet-time micros app
run --to nats://127.0.0.1 --format jsonl app
run --to dir --host a --host b app
run --to dir --nose app
read
read dir
read nats://127.0.0.1 nats://127.0.0.1
read --since someday nats://127.0.0.1
read --all nats://127.0.0.1
read nats://
read --password-file x nats://127.0.0.1
WORDS
ends 'a target of no kind is said' 1 "$ship" run --to ftp://there app
has '... as such' "$err" 'unknown kind of target'
if has_terminals; then
	has 'blocks are binary: redirect standard output' \
		"$(on_terminal "$ship" run --to - --for 10ms "$name-none")" 'blocks are binary: redirect standard output'
fi

options=$(sed -nE 's/^OPTION\([^,]*, "([a-z-]+)", .*/\1/p' "$top/src/ship/options.def")
is 'the table is found' "$(($(wc -w <<<"$options") > 30))" 1
page=$top/src/ship/timeline-ship.1
completion=$top/src/ship/timeline-ship.bash
help=$("$ship" --help=all)
for option in $options; do
	grep -q -- "--$option" <<<"$help" || echo "--help lacks --$option"
	grep -qE "^\.It .*Fl -$option( |$)" "$page" || echo "the man page lacks --$option"
done >"$work/out"
is 'help and man page know every option' "$(cat "$work/out")" ''
for verb in run read; do
	grep -qE "^\.Cm $verb" "$page" || echo "the man page lacks $verb"
	offered=$(bash -c '. "$0"; COMP_WORDS=(timeline-ship "$1" --); COMP_CWORD=2; _timeline_ship
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$verb" | sort)
	takes=$("$ship" "$verb" --help=all | sed -nE 's/^ +(-.*[^ ])  .*/\1/p' | grep -oE -- '--[a-z-]+' | sort)
	[ "$offered" = "$takes" ] || diff <(echo "$offered") <(echo "$takes")
done >"$work/out"
is 'the completion offers what each verb takes' "$(cat "$work/out")" ''
if command -v mandoc >/dev/null; then
	is 'the man page is clean' "$(mandoc -Tlint -Wwarning "$page")" ''
fi
if command -v systemd-analyze >/dev/null; then
	sed "s|@PREFIX@/bin/timeline-ship|$ship|" "$top/src/ship/timeline-ship.service" >"$work/timeline-ship.service"
	is 'the unit is clean' "$(systemd-analyze verify "$work/timeline-ship.service" 2>&1 |
		grep -F timeline-ship | grep -vE 'Command .*(is not executable|failed)')" ''
fi
