# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# room.sh - a bare Debian in a folder, made once and used as often as wanted;
# tests/first_hour/run sources this file.  Needs $cache, a folder that stays.
#
# A room is an overlay above the base, in its own mount namespace: changes in
# the room are gone with the room.  The room has its own /dev/shm, /proc and
# process numbers, and the network of this machine.

suite=bookworm
mirror=${MIRROR:-http://deb.debian.org/debian}
# A person who reads the README has these packages already.
has_already=ca-certificates,curl

# why_not prints why there can be no room; it fails if there can be one.
why_not() {
	if [ "$(id -u)" -ne 0 ]; then
		echo 'only root makes a folder with a system in it'
	elif ! command -v debootstrap >/dev/null; then
		echo 'debootstrap is not installed: make deps-packages'
	elif ! unshare -m -p -f true 2>/dev/null; then
		echo 'no namespace can be made here'
	else
		return 1
	fi
}
make_base() {
	local log=$cache/debootstrap.log
	[ ! -e "$cache/base.ready" ] || return 0
	mkdir -p "$cache/archives/partial"
	rm -rf "$cache/base"
	if ! debootstrap --variant=minbase --include="$has_already" \
		"$suite" "$cache/base" "$mirror" >"$log" 2>&1; then
		tail -3 "$log"
		return 1
	fi
	touch "$cache/base.ready"
}
# in_room PREPARE COMMAND... runs PREPARE, an exported function, outside of the
# room with the path of the room's root, then the command inside.  /out of the
# room is $cache/out.  The room ends after ROOM_SECONDS.
in_room() {
	local upper
	upper=$(mktemp -d "$cache/room.XXXXXX")
	# shellcheck disable=SC2016
	timeout -k 10 "${ROOM_SECONDS:-1800}" unshare -m -p -f --propagation private \
		--kill-child bash -c '
		set -e
		cache=$1 upper=$2 prepare=$3
		shift 3
		mkdir "$upper/top" "$upper/work" "$upper/root"
		root=$upper/root
		mount -t overlay -o "lowerdir=$cache/base,upperdir=$upper/top,workdir=$upper/work" \
			overlay "$root" 2>/dev/null || cp -a "$cache/base/." "$root"
		mount -t proc proc "$root/proc"
		mount --rbind -o ro /sys "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs -o size=1g tmpfs "$root/dev/shm"
		mount --bind "$cache/archives" "$root/var/cache/apt/archives"
		mkdir "$root/out"
		mount --bind "$cache/out" "$root/out"
		cp /etc/resolv.conf "$root/etc/resolv.conf"
		printf "#!/bin/sh\nexit 101\n" >"$root/usr/sbin/policy-rc.d"
		chmod 755 "$root/usr/sbin/policy-rc.d"
		"$prepare" "$root"
		exec chroot "$root" env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive "$@"' \
		room "$cache" "$upper" "$@"
	local status=$?
	rm -rf --one-file-system "$upper"
	return $status
}
