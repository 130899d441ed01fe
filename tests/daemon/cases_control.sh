# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2016
# The control socket: timelinectl's questions, and who may ask.

# say LINE sends a line by hand and prints the answer.
say() {
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$!\n";
		$s->print($ARGV[1]); $s->shutdown(1); local $/; my $a = <$s>; print $a // ""' \
		"$TIMELINED_SOCKET" "$1" 2>&1
}

configure 'timelines = { { name = "'"$name"'-control", create = { entries = "4096" } } }'
# TIMELINED_SOCKET would override the configuration: the daemon runs without the
# variable.
daemon_at_once=$daemon
daemon=$work/without-environment
printf '#!/bin/sh\nunset TIMELINED_SOCKET\nexec "%s" "$@"\n' "$daemon_at_once" >"$daemon"
chmod +x "$daemon"
start_daemon
is 'the socket is for its user and group' "$(stat -c %a "$TIMELINED_SOCKET")" 660
has 'status is text for a person' "$(say $'status\n')" '^ok$'
has 'which names the timeline' "$(say $'status\n')" "^$name-control: room for [0-9]+ entries, "
is 'status json is an object' \
	"$(say $'status json\n' | tail -n +2 | jq -r '.timelines[0].timeline')" \
	"$name-control"
answer=$(say "snapshot $name-control"$'\n')
has 'a snapshot is answered with its path' "$answer" "^$snapshots/$name-control-"
is 'the file is whole by then' \
	"$([ -s "$(tail -1 <<<"$answer")" ] && echo there)" there
is 'and in JSON' "$(say "snapshot $name-control json"$'\n' | tail -n +2 |
	jq -r .timeline)" "$name-control"
"$build/bin/timelinectl" create "$name-control.sched" # as if the kernel were recorded
is "the kernel's events are saved beside it" \
	"$([ -s "$(say "snapshot $name-control"$'\n' | tail -1).sched" ] && echo there)" there
rm -f "/dev/shm/$name-control.sched"
is 'a timeline it does not know is refused' "$(say $'snapshot none\n')" \
	'error none: timelined is not attached to a timeline of this name'
is '... with the nearest name' "$(say "snapshot $name-contrl"$'\n')" \
	"error $name-contrl: timelined is not attached to a timeline of this name; did you mean $name-control?"
has 'so is what is no verb, without its bytes' "$(say $'\e[2J\n')" \
	'^error unknown verb: \\x1b\[2J$'
is 'half a line is no order' "$(say reload)" ''
is 'nor is it done' "$(metric timelined_reloads_total)" 0

# -- the page
has 'page is its address' "$(say $'page\n')" \
	"^http://127\.0\.0\.1:$port/\?token=[0-9a-f]{32}$"
is 'it takes nothing' "$(say $'page x\n')" 'error page: takes no argument'

# -- reload
is 'reload says ok' "$(say $'reload\n')" ok
is 'and is counted' "$(metric timelined_reloads_total)" 1
cp "$work/conf" "$work/conf-good"
echo 'return {' >"$work/conf"
has 'a wrong file is named with what is wrong' "$(say $'reload\n')" \
	"^error $work/conf:"
is 'that is counted, too' "$(metric timelined_reload_faults_total)" 1
has 'everything goes on' "$(say $'status\n')" "^$name-control: "
sed "s|$TIMELINED_SOCKET|$work/moved|" "$work/conf-good" >"$work/conf"
is 'a reload that moves the socket still answers' "$(say $'reload\n')" ok
until_true test -S "$work/moved"
has 'the socket is there' \
	"$(TIMELINED_SOCKET=$work/moved say $'status\n')" '^ok$'
is 'and no longer here' "$([ -e "$TIMELINED_SOCKET" ] || echo gone)" gone
cp "$work/conf-good" "$work/conf"
is 'it moves back' "$(TIMELINED_SOCKET=$work/moved say $'reload\n')" ok

# -- a reload whose address cannot be had
perl -MIO::Socket::INET -e '$| = 1;
	my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.2") or die;
	print $s->sockport, "\n"; sleep' >"$work/taken" &
taker=$!
until_true test -s "$work/taken"
taken=127.0.0.2:$(cat "$work/taken")
sed "s|127.0.0.1:0|$taken|; s|$TIMELINED_SOCKET|$work/moved|" \
	"$work/conf-good" >"$work/conf"
has 'a reload that cannot listen says so' "$(say $'reload\n')" \
	"^error .*$taken: Address already in use"
until_true test -S "$work/moved"
has 'the socket moves all the same' \
	"$(TIMELINED_SOCKET=$work/moved say $'status\n')" '^ok$'
is 'the next reload fails again' \
	"$(TIMELINED_SOCKET=$work/moved say $'reload\n' | cut -d' ' -f1)" error
kill "$taker"
wait "$taker" 2>/dev/null
is 'until the address is free' \
	"$(TIMELINED_SOCKET=$work/moved say $'reload\n')" ok
is 'then it is served' "$(curl -s -m 60 -o /dev/null -w '%{http_code}' \
	"http://$taken/metrics")" 200
sed "s|listen = [^,]*|listen = false, page = \"$work/page\"|" \
	"$work/conf-good" >"$work/conf"
is 'the page moves to a socket' "$(TIMELINED_SOCKET=$work/moved say $'reload\n')" ok
is 'there it needs no token' "$(curl -s -m 60 -o /dev/null -w '%{http_code}' \
	--unix-socket "$work/page" http://localhost/)" 200
has 'page names it' "$(say $'page\n')" "^error .* UNIX socket $work/page$"
cp "$work/conf-good" "$work/conf"
is 'it comes back' "$(say $'reload\n')" ok
port=$(sed -nE 's/.*:([0-9]+)\/.*/\1/p' <<<"$(say $'page\n')")
is 'and the page is at a port again' "$(curl -s -m 60 -o /dev/null \
	-w '%{http_code}' "http://127.0.0.1:$port/metrics")" 200
is 'its socket is gone' "$([ -e "$work/page" ] || echo gone)" gone

# -- users who may ask
if [ "$(id -u)" = 0 ]; then
	chmod 666 "$TIMELINED_SOCKET"
	chgrp 4242 "$TIMELINED_SOCKET"
	as() { setpriv --reuid=65534 --regid="$1" --clear-groups bash -c \
		"$(declare -f say); say \$'status\n'"; }
	has 'a stranger is refused in words' "$(as 65534)" '^error permission denied'
	has 'a member of the group is not' "$(as 4242)" '^ok$'
else
	skip 'no second user'
fi

# -- a second daemon
ends 'a second daemon on the socket says so and stops' 1 \
	"$daemon" -c "$work/conf"
has 'it names the socket' "$err" "another timelined runs: it listens on $TIMELINED_SOCKET"
has 'the first goes on' "$(say $'status\n')" '^ok$'
kill_daemon
is 'a killed daemon leaves its socket' \
	"$([ -S "$TIMELINED_SOCKET" ] && echo there)" there
start_daemon
has 'the next one takes its place' "$(say $'status\n')" '^ok$'
stop_daemon
is 'one that ends removes it' "$([ -e "$TIMELINED_SOCKET" ] || echo gone)" gone
rm -f "/dev/shm/$name-"*
daemon=$daemon_at_once
