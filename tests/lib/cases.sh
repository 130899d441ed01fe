# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases.sh - the runners of tests of programs source this file: each case is a
# sentence that holds or not.  Needs $work, a folder; counts passed, failed and
# skipped, which total prints.
export TIMELINE_PAGER= # no pager in tests of a terminal
passed=0 failed=0 skipped=0
# A command that takes longer than these seconds hangs: a machine under load is
# slow, never wrong.
patience=120

ok() {
	passed=$((passed + 1))
	printf '  ok      %s\n' "$1"
}
bad() { # SENTENCE; stdin has the output (no pipe: a subshell)
	failed=$((failed + 1))
	printf '  FAIL    %s\n' "$1"
	sed 's/^/    | /' | head -40
}
# is SENTENCE ACTUAL EXPECTED: the texts are equal.
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		bad "$1" < <(diff <(echo "$3") <(echo "$2"))
	fi
}
# has SENTENCE TEXT REGEX, lacks SENTENCE TEXT REGEX (of grep -E)
has() {
	if grep -qE -- "$3" <<<"$2"; then
		ok "$1"
	else
		bad "$1" <<<"no /$3/ in:"$'\n'"$2"
	fi
}
lacks() {
	if grep -qE -- "$3" <<<"$2"; then
		bad "$1" <<<"/$3/ in:"$'\n'"$2"
	else
		ok "$1"
	fi
}
# ends SENTENCE STATUS COMMAND...: the command ends with the status; $out and
# $err get the output.
ends() {
	local sentence=$1 want=$2 status
	shift 2
	timeout -k 1 "$patience" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	# shellcheck disable=SC2034
	out=$(tr -d '\0' <"$work/out")
	err=$(tr -d '\0' <"$work/err")
	if [ "$status" = "$want" ]; then
		ok "$sentence"
	else
		bad "$sentence" <<<"status $status, not $want, of $*"$'\n'"$err"
	fi
}
# untimed prints a listing without the times of lines and the durations of
# spans.
untimed() { sed -E 's/^[^ ]* //; s/  [0-9.]+([nmu]?s|m[0-9]+s)(\??)$/  T\2/'; }
# has_terminals: a bare folder without /dev/pts cannot make terminals.
has_terminals() {
	script -qec true /dev/null </dev/null >/dev/null 2>&1 && return
	skip 'no terminal can be made here'
	return 1
}
# on_terminal runs a command on a new terminal.
on_terminal() { script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
skip() { # WHY
	skipped=$((skipped + 1))
	printf '  skip    %s\n' "$1"
}
# until_true waits until a command succeeds.
until_true() {
	local end=$((SECONDS + patience))
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}
# reads PID FILE: the process has the file open.  A process just started has our
# descriptor 9 for a moment.
reads() { find "/proc/$1/fd" ! -name 9 -lname "$2" 2>/dev/null | grep -q .; }
# through_fifo FILE COMMAND... FIFO prints the output of a command that reads
# FILE out of the FIFO.  FILE is short and lies in the FIFO before the command
# starts.
through_fifo() {
	local reader fifo=${*: -1}
	mkfifo "$fifo"
	exec 9<>"$fifo"
	cat "$1" >&9
	"${@:2}" 9>&- &
	reader=$!
	until_true reads "$reader" "$fifo"
	exec 9>&-
	wait "$reader"
}
# sampled NUMBER: a repetition of this number is run.  SAMPLE=0, 1 or 2 chooses a
# third of them; without SAMPLE all are run.
sampled() { [ -z "${SAMPLE:-}" ] || [ $(($1 % 3)) -eq "$SAMPLE" ]; }
# total prints the last line of a runner and gives the runner's status.
total() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
