# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# after.sh - runs in the README's room, in /timeline, after the last block of
# README.md: the things that a person would look at, and packages of other
# kinds.

begin 'the page is served to who has its address'
curl -fsS "$(timelinectl page | grep -o 'http://[^ ]*')" | grep -qi '<title>'
end
begin 'what the page shows first is alive'
cat /proc/[0-9]*/comm 2>/dev/null | grep -qx first
end
begin 'a page and a trace for Perfetto were made'
for file in first/first.{tl.zst,html,pftrace} timeline-tour/tour.{tl,html}; do
	test -s "$file"
done
end
begin 'programs of C++ and CMake log too'
for program in first++ build/first; do
	timeout -s KILL 0.3 "first/$program" || test $? = 137
done
end
begin 'lintian finds no error and no warning in the packages'
lintian --allow-root --fail-on error,warning build/deb/*.changes
cp build/deb/*.deb /out
end
begin 'LuaRocks builds and installs both modules'
for spec in src/packaging/*.rockspec; do luarocks lint "$spec"; done
luarocks --lua-version 5.1 --tree /rocks make src/packaging/timeline-0.1.0-1.rockspec
luarocks --lua-version 5.4 --tree /rocks make src/packaging/timeline-reader-0.1.0-1.rockspec
test -s /rocks/share/lua/5.1/timeline.lua
test -s /rocks/lib/lua/5.4/timeline.so
end
begin 'rpmbuild makes the packages of the spec file'
make rpm RPMFLAGS='--nodeps --with ship'
test "$(find build/rpm/RPMS -name '*.rpm' | wc -l)" -ge 7
end
begin 'what the Dockerfile runs to build runs'
eval "$(sed -n 's/^RUN \(cc .*\)/\1/p' src/packaging/Dockerfile)"
cp /hello /out
cp src/packaging/Dockerfile /out
end
