# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# samples.sh - a file of each format that is read, $in.FORMAT; the cases source
# this file, which makes the samples once.  Needs the variables build, here, live
# and work of the runner.

convert=$build/bin/timeline-convert
dump=$build/bin/timeline-dump
make=$build/tests/tool/make_timeline
top=$(cd "$here/../.." && pwd)
unset TIMELINE TIMELINE_PRIORITY
in=$work/in # the samples, by format: $in.FORMAT

[ -x "$convert" ] || exit 1

# to FORMAT IN... converts quietly to standard output.
to() { "$convert" -q --to "$@"; }
# formats CONDITION prints the formats for which a condition of jq holds.
formats() { "$convert" --list-formats --json | jq -r "select($1).name"; }
# left NAME prints the files in the tests' folder whose names begin with NAME.
left() { (cd "$work" && for f in "$1"*; do [ -e "$f" ] && echo "$f"; done); }

# entries FILE... prints all entries as CSV without the host and the timeline: a
# timeline whose name is unknown is called after its file.
entries() { to csv "$@" | sed -E 's/(,[^,]*){2}$//'; }

[ -z "${readable:-}" ] || return 0
"$make" "$live" known spans=20 "save=$in.timeline" remove || exit 1
"$make" "$live" plain=3000 spans=500 "save=$work/more.tl" remove || exit 1
readable=$(formats .read) writable=$(formats .write)
for f in $readable; do
	case $f in
	timeline) ;;
	core) "$build/tests/tool/make_core" core "$in.core" "$in.timeline" ;;
	*) "$convert" -q --to "$f" "$in.timeline" -o "$in.$f" ;;
	esac || exit 1
done
# In LMS, half a span would be damage.
{
	printf '2,0,outer\n0,0,1795304293265445\n2,1,inner\n'
	for ((i = 0; i < 20; i++)); do printf '0,1,%d\n1,1,17\n' $i; done
	echo 1,0,3
} >"$in.lms"
