# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The verbs that ask the daemon, against a server whose answers are given here.

for verb in status reload "snapshot $name"; do
	# shellcheck disable=SC2086
	ends "without a daemon: $verb" 1 "$ctl" $verb
	has '... says that none runs' "$err" '^timelinectl: .*none\.sock: no timelined runs here'
done
# answers ANSWER [endless] starts such a server in place of the last one.
answers() {
	[ -z "${daemon:-}" ] || kill "$daemon" 2>/dev/null
	rm -f "$work/daemon.sock" "$work/requests"
	printf '%b' "$1" | "$answer" "$work/daemon.sock" "$work/requests" ${2:+"$2"} &
	daemon=$!
	started+=("$daemon")
	until_true test -S "$work/daemon.sock"
}
export TIMELINED_SOCKET=$work/daemon.sock
answers 'ok\nall is well\n'
ends 'status' 0 "$ctl" status
is '... shows what it answers' "$out" 'all is well'
ends 'reload' 0 "$ctl" reload
ends 'snapshot' 0 "$ctl" snapshot demo
ends 'snapshot --json' 0 "$ctl" snapshot --json /demo
ends 'status --json' 0 "$ctl" status --json
ends 'status --socket' 0 env TIMELINED_SOCKET="$work/none.sock" \
	"$ctl" status --socket "$work/daemon.sock"
is '... asks another socket' "$(tail -n 1 "$work/requests")" status
sed -i '$d' "$work/requests"
ends '... which may not be there' 1 "$ctl" reload --socket="$work/none.sock"
has '... and is named' "$err" 'none\.sock: no timelined runs here'
is 'each asks in one line' "$(cat "$work/requests")" 'status
reload
snapshot demo
snapshot /demo json
status json'
for wrong in 'two words' $'two\nlines' ''; do
	ends 'a name that cannot be said is refused' 2 "$ctl" snapshot "$wrong"
done
is '... and not said' "$(wc -l <"$work/requests")" 5
answers 'ok\n{"a":"quote \\" and \\\\ and \\u001b","n":[1,2]}\n'
is 'JSON comes through as it is' "$("$ctl" status --json | jq -c .)" \
	'{"a":"quote \" and \\ and \u001b","n":[1,2]}'
answers 'error nobody knows /demo\n'
ends 'an error of the daemon is ours' 1 "$ctl" snapshot demo
is '... in its words' "$err" 'timelinectl: timelined: nobody knows /demo'
answers 'ok\nred \033[31m bell \007 c1 \302\233 raw \377 bidi \342\200\256\nnext\n'
ends 'a hostile answer' 0 "$ctl" status
is '... is escaped' "$out" 'red \x1b[31m bell \x07 c1 \xc2\x9b raw \xff bidi \xe2\x80\xae
next'
ends '... as JSON, too' 0 "$ctl" status --json
lacks '... is escaped' "$(cat -v <<<"$out")" '\^|M-'
answers 'error \033]0;owned\007\n'
ends 'a hostile error' 1 "$ctl" status
lacks '... is escaped' "$(cat -v <<<"$err")" '\^'
for wrong in 'maybe\n' 'ok' 'okay\n' 'error\n' '\000\000\n'; do
	answers "$wrong"
	ends 'what is no answer' 1 "$ctl" status
	has '... is called so' "$err" 'not an answer of timelined'
done
answers ''
ends 'a daemon that hangs up' 1 "$ctl" status
has '... is told' "$err" 'closed the connection without an answer'
answers 'ok\nand on, and on, and on, and on, and on, and on, and on\n' endless
ends 'an endless answer' 1 "$ctl" status
has '... is not read to its end' "$err" 'too long'
kill "$daemon"
wait "$daemon" 2>/dev/null
ends 'a socket that a dead daemon left' 1 "$ctl" status
has '... says that none runs' "$err" 'no timelined runs here \(Connection refused\)'
TIMELINED_SOCKET=$work/$(printf 'x%.0s' {1..200})
ends 'a path that is too long for a socket' 1 "$ctl" status
has '... is told' "$err" 'too long for a socket'
export TIMELINED_SOCKET=$work/daemon.sock
if [ ${#nobody[@]} -gt 0 ]; then
	answers 'ok\n'
	chmod 600 "$work/daemon.sock"
	ends 'a person without rights' 1 "${nobody[@]}" env "TIMELINED_SOCKET=$work/daemon.sock" "$ctl" status
	has '... is refused clearly' "$err" 'no access to timelined \(Permission denied\)'
fi

# == the page ==
answers 'ok\nhttp://127.0.0.1:9464/?token=0123\n'
mkdir -p "$work/desktop" "$work/runtime"
cat >"$work/desktop/xdg-open" <<END
#!/bin/sh
echo "\$@" >"$work/opened~"
cp "\$1" "$work/redirect"
stat -c %a "\$1" >>"$work/opened~"
mv "$work/opened~" "$work/opened"
END
chmod +x "$work/desktop/xdg-open"
is 'page prints the address' "$(env PATH="$work/desktop:$PATH" \
	XDG_RUNTIME_DIR="$work/runtime" DISPLAY=:0 "$ctl" page)" \
	'http://127.0.0.1:9464/?token=0123'
is '... and opens nothing where nobody looks' "$([ -e "$work/opened" ] || echo none)" none
if has_terminals; then
	seen() { on_terminal env PATH="$work/desktop:$PATH" \
		XDG_RUNTIME_DIR="$work/runtime" "$@" "$ctl" page; }
	has 'on a terminal, too' "$(seen DISPLAY= WAYLAND_DISPLAY=)" \
		'token=0123'
	is '... and nothing where there is no desktop' "$([ -e "$work/opened" ] || echo none)" none
	has 'on a desktop, too' "$(seen DISPLAY=:0)" 'token=0123'
	until_true test -e "$work/opened"
	is '... which opens a file that only its user can read' "$(cat "$work/opened")" \
		"$work/runtime/timelined-page.html
600"
	has '... and that leads to the page' "$(cat "$work/redirect")" \
		'url=http://127\.0\.0\.1:9464/\?token=0123"'
	rm "$work/opened"
	answers 'ok\nhttp://127.0.0.1:9464/"><script>\n'
	has 'an address that is none is printed' "$(seen DISPLAY=:0)" 'script'
	answers 'ok\njavascript:alert()\n'
	has '... as is another scheme' "$(seen DISPLAY=:0)" 'javascript'
	is '... and not opened' "$([ -e "$work/opened" ] || echo none)" none
fi
kill "$daemon"
wait "$daemon" 2>/dev/null
