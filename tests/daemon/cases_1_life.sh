# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# The daemon starts, checks, adopts timelines, refuses, lets go and ends.

ends '--version says it' 0 "$daemon" --version
has 'it is the version of the library' "$out" '^timelined [0-9]+\.[0-9]+\.[0-9]+$'
ends '--help says what there is' 0 "$daemon" --help
has 'help names the check' "$out" '-n, --check'
ends 'an unknown option is a mistake of usage' 2 "$daemon" --nonsense
ends 'an operand is a mistake of usage' 2 "$daemon" something
ends 'a missing configuration is an error' 1 "$daemon" -c "$work/none"
has 'it is named' "$err" 'none.*No such file'

configure 'timelines = { { name = "'"$name"'-x", bursts = { length = "soon" } } }'
ends 'a wrong value is an error' 1 "$daemon" -n -c "$work/conf"
has 'the error says where and what' "$err" 'conf.*timelines\[1\]\.bursts\.length'
configure 'timelines = { { name = "'"$name"'-x", triggers = { { event = {}, when = "1 +" } } } }'
ends 'an expression that does not compile is an error' 1 "$daemon" -n -c "$work/conf"
configure 'timelines = { { name = "'"$name"'-x" } }'
ends '-n checks and stops' 0 "$daemon" -n -c "$work/conf"

# -- creating and adopting
start_daemon 'timelines = {
	{ name = "'"$name"'-made", create = { entries = "4096", mode = "0640" }, priority = "info" },
	{ name = "'"$name"'-*" } }'
is 'a configured timeline is created with its mode' \
	"$(stat -c %a "/dev/shm/$name-made" 2>&1)" 640
has 'and its priority' "$("$dump" --info "/$name-made" 2>&1)" 'info'
start_load "$name-came"
until_true logged "$name-came: attached"
logged "$name-came: attached"
is 'a timeline that appears is adopted' $? 0
rm "/dev/shm/$name-came"
until_true logged "$name-came: detached"
logged "$name-came: detached"
is 'its removal is noticed' $? 0
stop_load
start_load "$name-came"
until_true lines 2 'came: attached'
is 'one that is made again is adopted again' \
	"$(grep -c 'came: attached' "$work/log")" 2

# The daemon tries a timeline that another process has locked again, and reports
# the lock once.
elsewhere=/dev/shm/tl-elsewhere-$$
"$ctl" create --entries 4096 "/${elsewhere##*/}" >/dev/null
# shellcheck disable=SC2016
perl -MFcntl=:DEFAULT,:seek -e 'open(F, "+<", $ARGV[0]) or die;
	my $lock = pack("s s x4 q q i", F_WRLCK, SEEK_SET, 0, 0, 0);
	fcntl(F, F_SETLK, $lock) or die;
	rename($ARGV[0], $ARGV[1]) or die; sleep(1000)' \
	"$elsewhere" "/dev/shm/$name-held" &
holder=$!
until_true logged "$name-held: not attached: another timelined"
kill "$holder"
until_true logged "$name-held: attached"
is 'one that was locked is attached when it is free' \
	"$(grep -c "$name-held: not attached" "$work/log") $(grep -c "$name-held: attached" "$work/log")" '1 1'
rm -f "/dev/shm/$name-held"

# -- without file descriptors
prlimit --pid "$daemon_pid" \
	--nofile="$(($(find "/proc/$daemon_pid/fd" -mindepth 1 | wc -l) + 60)):"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	cp "/dev/shm/$name-made" "/dev/shm/$name-many-$i"
done
until_true logged 'not attached: no file descriptors are left'
prlimit --pid "$daemon_pid" --nofile="$(ulimit -Hn):"
cp "/dev/shm/$name-made" "/dev/shm/$name-many-13"
until_true lines 13 'many-[0-9]*: attached'
is 'attaching waits for descriptors, and says so once' \
	"$(grep -c 'many-[0-9]*: attached' "$work/log") $(grep -c 'no file descriptors' "$work/log")" '13 1'
rm -f "/dev/shm/$name-many-"*

# -- files that must not be opened
if [ "$(id -u)" = 0 ]; then
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$load" "/$name-foreign" </dev/null
	until_true logged "$name-foreign: not attached: its owner is not trusted; see"
	logged "$name-foreign: not attached: its owner is not trusted; see"
	is 'a timeline of another user is refused' $? 0
	sleep 0.3
	is 'and that is said once' "$(grep -c 'foreign: not' "$work/log")" 1
	rm -f "/dev/shm/$name-foreign"
	# There are more names than the daemon can remember: the log must not
	# grow with each look.
	# shellcheck disable=SC2016
	setpriv --reuid=65534 --regid=65534 --clear-groups bash -c \
		'for ((i = 0; i < 4200; i++)); do : >"/dev/shm/$0-crowd-$i"; done' "$name"
	crowd() { [ "$(grep -c 'crowd-[0-9]*: not attached' "$work/log")" -ge 4000 ]; }
	until_true crowd
	for i in 1 2 3; do
		cp "/dev/shm/$name-made" "/dev/shm/$name-look-$i"
		until_true logged "$name-look-$i: attached"
	done
	[ "$(grep -c 'crowd-[0-9]*: not attached' "$work/log")" -le 4200 ]
	is 'a crowd of them does not fill the log' $? 0
	rm -f "/dev/shm/$name-look-"*
	find /dev/shm -maxdepth 1 -name "$name-crowd-*" -delete
else
	skip 'no second user'
fi
ln -s "/dev/shm/$name-came" "/dev/shm/$name-link"
mkfifo "/dev/shm/$name-fifo"
echo 'no timeline' >"/dev/shm/$name-text"
until_true logged "$name-fifo: not attached"
until_true logged "$name-link: not attached"
logged "$name-link: not attached: not a regular file"
is 'a symbolic link is refused' $? 0
logged "$name-fifo: not attached: not a regular file"
is 'a fifo is refused' $? 0
logged "$name-text"
is 'a file that is no timeline is nobody'"'"'s business' $? 1
rm -f "/dev/shm/$name-link" "/dev/shm/$name-fifo" "/dev/shm/$name-text"

# -- a file that is cut short under the daemon
cp "/dev/shm/$name-made" "/dev/shm/$name-cut"
until_true logged "$name-cut: attached"
truncate -s 4096 "/dev/shm/$name-cut"
until_true logged "$name-cut: detached: it was truncated"
logged "$name-cut: detached: it was truncated"
is 'one that is cut short is detached' $? 0
rm -f "/dev/shm/$name-cut"
kill -0 "$daemon_pid" 2>/dev/null
is 'the daemon lives on' $? 0

# -- a second daemon
cp "$work/conf" "$work/conf2"
sed -i "s|socket = \"[^\"]*\"|socket = \"$work/sock2\"|" "$work/conf2"
ends 'a second daemon on the same timelines stops' 1 \
	env -u TIMELINED_SOCKET "$daemon" -c "$work/conf2"
has 'and says why' "$err" 'another timelined is attached to it'
ends 'a second daemon on the same socket stops' 1 "$daemon" -c "$work/conf"
has 'and says why' "$err" 'sock'

# -- reloading
configure 'timelines = { { name = "'"$name"'-came", nonsense = 1 } }'
kill -HUP "$daemon_pid"
until_true logged 'not reloaded'
logged 'not reloaded.*nonsense'
is 'a wrong configuration is not taken' $? 0
configure 'timelines = { { name = "'"$name"'-came" } }'
kill -HUP "$daemon_pid"
until_true logged 'timelined: reloaded'
logged "$name-made: detached: no section names it any more"
is 'a timeline that is named no more is detached' $? 0
stop_load

# -- the end
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is 'SIGTERM ends it with 0' $? 0
[ -S "$work/sock" ]
is 'its socket is gone' $? 1
[ -e "/dev/shm/$name-made" ]
is 'the timelines stay' $? 0

# -- many
start_daemon 'timelines = { { name = "'"$name"'-many-*" } }'
for i in $(seq 64); do cp "/dev/shm/$name-made" "/dev/shm/$name-many-$i"; done
until_true lines 64 'many-.*: attached'
is '64 timelines are attached at once' \
	"$(grep -c 'many-.*: attached' "$work/log")" 64
until_true reaches 64 timeline_room_entries 'many-'
rm -f "/dev/shm/$name-many-"*
until_true lines 64 'many-.*: detached'
is 'and detached' "$(grep -c 'many-.*: detached' "$work/log")" 64
stop_daemon
rm -f "/dev/shm/$name"*

# -- the supervisor, in whose place a socket prints a line for each message
# shellcheck disable=SC2016
perl -MSocket -e '$| = 1; socket(S, AF_UNIX, SOCK_DGRAM, 0) or die;
	bind(S, sockaddr_un($ARGV[0])) or die;
	while (defined recv(S, my $m, 1024, 0)) { $m =~ s/\n/ /g; print "$m\n" }' \
	"$work/notify" >"$work/notified" &
supervisor=$!
notified() { grep -qxE -- "$1" "$work/notified"; }
until_true test -S "$work/notify"
export NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=200000
start_daemon 'timelines = { { name = "'"$name"'-*" } }'
unset NOTIFY_SOCKET WATCHDOG_USEC
until_true notified 'READY=1 STATUS=0 timelines'
notified 'READY=1 STATUS=0 timelines'
is 'a supervisor hears when it is ready' $? 0
until_true notified 'WATCHDOG=1'
notified 'WATCHDOG=1'
is '... and within each half of the watchdog that it is alive' $? 0
kill -HUP "$daemon_pid"
until_true notified 'RELOADING=1 MONOTONIC_USEC=[1-9][0-9]*'
ready_again() { [ "$(grep -c READY=1 "$work/notified")" = 2 ]; }
until_true ready_again
notified 'RELOADING=1 MONOTONIC_USEC=[1-9][0-9]*'
is '... the time of a reload' $? 0
is '... and that it is ready again' \
	"$(grep -oE 'READY=1|RELOADING=1' "$work/notified" | paste -sd,)" \
	'READY=1,RELOADING=1,READY=1'
stop_daemon
until_true notified 'STOPPING=1'
notified 'STOPPING=1'
is '... and when it stops' $? 0
kill "$supervisor"
rm -f "$work/notify"
