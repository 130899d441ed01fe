# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# The filter of system calls: the daemon has a filter, programs of triggers have
# none, and a daemon under the filter can still do everything that it did at its
# start.

# filters PID prints the number of filters on a process.
filters() { awk '/^Seccomp_filters:/ { print $2 }' "/proc/$1/status"; }
here_before=$(filters $$)
# trigger NAME WORD prints a rule that runs a program.
trigger() {
	echo "{ name = \"$1\", level = \"error\", every = \"1ms\",
		run = { \"$work/look\", \"$2\" } }"
}
cat >"$work/look" <<END
#!/bin/sh
grep Seccomp_filters /proc/self/status >"$work/\$1~"
ps -o ppid= -p \$\$ >>"$work/\$1~"
mv "$work/\$1~" "$work/\$1"
END
chmod +x "$work/look"
mkdir "$work/recording"
start_daemon 'timelines = { { name = "'"$name"'-s", create = { entries = "4096" },
	record = { directory = "'"$work"'/recording" },
	triggers = { '"$(trigger first ran-first)"' } } }'
start_load "$name-s"
tell fail 1 >/dev/null # runs a program, and begins a file of the recording
state=$("$ctl" status | sed -n 's/^  seccomp *//p')
case $state in
on)
	is 'the daemon has a filter of its own' "$(filters "$daemon_pid")" \
		$((here_before + 1))
	until_true reaches 1 timeline_record_files_total
	is 'each of its threads has it' "$(cat /proc/"$daemon_pid"/task/*/status |
		awk '/^Seccomp:/ { print $2 }' | sort -u)" 2
	is 'metrics show that' "$(metric timelined_seccomp)" 1
	;;
*)
	has 'without libseccomp, or with a sanitizer, there is no filter' "$state" \
		'^off: built without libseccomp$'
	logged 'the seccomp filter is off: built without'
	is 'and the log says so' $? 0
	;;
esac
until_true test -s "$work/ran-first"
is 'programs of triggers run without it, as children of the daemon' \
	"$(awk '{ print $NF }' "$work/ran-first")" "$here_before
$daemon_pid"

# -- work of a reload
perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Listen => 1,
	Local => $ARGV[0]) or die' "$work/dead"
configure 'page = "'"$work/dead"'", timelines = { { name = "'"$name"'-s", owners = { "root" },
	triggers = { '"$(trigger second ran-second)"' } } }'
sed -i 's/127.0.0.1:0/localhost:0/' "$work/conf"
kill -HUP "$daemon_pid"
until_true logged 'timelined: reloaded'
is 'a configuration with names of users and hosts is loaded' \
	"$(grep -c 'reloaded, but' "$work/log")" 0
is 'the socket of a dead process is replaced' "$(curl -s -m 60 -o /dev/null \
	-w '%{http_code}' --unix-socket "$work/dead" http://localhost/)" 200
tell fail 2 >/dev/null
until_true test -s "$work/ran-second"
is 'a program of the new configuration runs' \
	"$(awk '{ print $NF }' "$work/ran-second")" "$here_before
$daemon_pid"
is 'a snapshot is saved' "$(test -s "$("$ctl" snapshot "$name-s")" && echo there)" there
is 'nothing was refused' "$(grep -c 'Operation not permitted' "$work/log")" 0
runner=$(cat /proc/"$daemon_pid"/task/"$daemon_pid"/children)
kill_daemon
gone() { [ ! -e "/proc/${runner// /}" ]; }
until_true gone
gone
is 'the process that starts programs ends with the daemon' $? 0

# -- a filter that is switched off
start_daemon 'seccomp = false, timelines = { { name = "'"$name"'-s",
	triggers = { '"$(trigger third ran-third)"' } } }'
is 'seccomp = false switches it off' "$(filters "$daemon_pid")" "$here_before"
has 'and status says so' "$("$ctl" status)" '^  seccomp +off: seccomp = false$'
is 'metrics do, too' "$(metric timelined_seccomp)" 0
tell fail 3 >/dev/null
until_true test -s "$work/ran-third"
is 'programs run then, too' "$(tail -1 "$work/ran-third" | tr -d ' ')" "$daemon_pid"
stop_load
stop_daemon
rm -rf "/dev/shm/$name"* "$work/recording" "${snapshots:?}"/*
