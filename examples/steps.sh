# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# steps.sh - sourced by tour.sh and fleet.sh: a folder and a timeline of their
# own, and commands that are shown and run.  At the end the timeline is removed,
# and so is the folder unless it is to be kept.
#
# Needs $build, where make put things, and $keep, the folder that is kept, which
# must not exist, or nothing; goes to $work, which is empty.

if [ -n "${keep:-}" ]; then
	mkdir "$keep" || exit
	work=$(cd "$keep" && pwd)
else
	work=$(mktemp -d)
fi
TIMELINE=/timeline-$(basename "$0" .sh)-$$
PATH=$build/bin:$build/examples:$PATH
export TIMELINE PATH
unset TIMELINE_PRIORITY
rm -f "/dev/shm$TIMELINE" "/dev/shm$TIMELINE"-* # of one that was killed

finish()
{
	status=$?
	for job in $(jobs -p); do
		kill "$job" 2>/dev/null || true
	done
	wait
	rm -f "/dev/shm$TIMELINE" "/dev/shm$TIMELINE"-*
	[ -n "${keep:-}" ] || rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM
cd "$work" || exit

say()
{
	printf '\n'
	printf '# %s\n' "$@"
}

# Print a command as it would be typed, and run it.
run()
{
	printf '$ %s\n' "$1"
	eval "$1"
}

# Wait until a command succeeds.
until_true()
{
	for _ in $(seq 600); do
		eval "$1" >/dev/null 2>&1 && return
		sleep 0.1
	done
	echo "never: $1" >&2
	return 1
}
