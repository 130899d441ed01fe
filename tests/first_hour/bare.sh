# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2164
# bare.sh - runs in /out of a room that has nothing but the packages.

cd /tmp
begin 'the image of the Dockerfile: libtimeline0 alone, and a program'
cp /out/libtimeline0_*.deb .
eval "$(sed -n 's/^RUN \(dpkg .*\)/\1/p' /out/Dockerfile)"
/out/hello
end
begin 'the packages install with what they depend on'
apt-get update
apt-get install -y --no-install-recommends /out/libtimeline{0,-read0,-formats0}_*.deb \
	/out/timeline*_*.deb /out/lua-timeline_*.deb
end
begin 'the tools show what the program has logged'
test "$(timeline-dump /timeline-example | grep -c processed)" = 2
timelinectl list | grep -q example
timeline-convert /timeline-example -o example.html
for program in timelinectl timeline-dump timeline-convert timeline-ship timelined; do
	$program --version | grep -q "^$program 0.1.0"
	test -s "/usr/share/bash-completion/completions/$program"
done
end
begin 'the daemon has a user, a folder, a unit and a configuration that holds'
getent passwd timeline
test "$(stat -c %U /var/lib/timeline)" = timeline
test -s /lib/systemd/system/timelined.service
timelined --check --config /etc/timeline/timelined.conf
end
begin 'the daemon runs as its user and attaches to a timeline of that user'
TIMELINE=/daemon runuser -u timeline -- /out/hello
runuser -u timeline -- timelined -c /etc/timeline/timelined.conf &
for try in {1..600}; do
	timelinectl status | grep -q '^daemon:' && break
	sleep 0.1
done
test "$try" -lt 600
kill $!
wait $! || true
end
begin 'LuaJIT logs and Lua 5.4 reads'
apt-get install -y --no-install-recommends luajit lua5.4
luajit -e 'local t = require "timeline"; local tl = t.open("/timeline-example")
	t.define(tl, "user", "info", "from luajit $n")(7)'
lua5.4 -e 'local n = 0
	for _ in require "timeline".open("/timeline-example"):events() do n = n + 1 end
	assert(n >= 3, n)'
end
begin 'libtimeline-dev is all that a compiler needs'
apt-get install -y --no-install-recommends /out/libtimeline-dev_*.deb gcc libc6-dev pkg-config
cc -O2 -o first /first.c $(pkg-config --cflags --libs timeline)
cc -O2 -static-pie -o first-static /first.c /usr/lib/*/libtimeline.a ||
	cc -O2 -o first-static /first.c /usr/lib/*/libtimeline.a
for program in ./first ./first-static; do
	$program &
	for try in {1..600}; do
		timeline-dump -n 1 /first 2>/dev/null | grep -q . && break
		sleep 0.1
	done
	kill -KILL $!
	timeline-dump -n 1 /first | grep -q .
	rm /dev/shm/first
done
end
begin 'what is purged leaves nothing'
apt-get purge -y 'libtimeline*' 'timeline*' lua-timeline
test -z "$(find /usr /etc /lib/systemd -name '*timeline*' ! -path '*/python*')"
end
