# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The documents quote existing things: commands, options and figures;
# timeline-troubleshooting(7) explains errors that really occur.

ctl=$bin/timelinectl
trouble=$top/src/ring/timeline-troubleshooting.7
overview=$top/src/ring/timeline.7
quoted=$work/quoted
(cd "$top" && find . -name build -prune -o \( -name '*.md' -o \
	-name '*.[1-8]' -o -name '*.3lua' \) -type f -print | LC_ALL=C sort |
	xargs awk -f "$here/commands.awk") >"$quoted"
is 'the documents quote commands' "$(($(wc -l <"$quoted") > 150))" 1

declare -A helps
help_of() { # help_of PROGRAM [VERB]: keeps the help in helps
	local key="$*"
	[ -n "${helps[$key]:-}" ] || helps[$key]=$(
		if [ $# -gt 1 ]; then
			"$bin/$1" "$2" --help
		else
			"$bin/$1" --help=all
		fi 2>/dev/null)
	[ -n "${helps[$key]}" ] || helps[$key]=none
	[ "${helps[$key]}" != none ]
}
every=
for program in timelinectl timeline-dump timeline-convert timeline-ship timelined; do
	[ -x "$bin/$program" ] && help_of $program && every+=${helps[$program]}
done
helps[any]=$every
foreign='--(ipc|pid|shm-size|name)' # options of docker and of a script

wrong_commands() {
	local file line command words word program verb key
	while IFS=$'\t' read -r file line command; do
		read -ra words <<<"$command"
		program=${words[0]} key=${words[0]}
		[ "$program" = any ] || [ -x "$bin/$program" ] || continue
		if [[ $program = timelinectl && ${words[1]:-} =~ ^[a-z]+$ ]]; then
			verb=${words[1]} key="$program $verb"
			help_of "$program" "$verb" ||
				echo "$file:$line: $command: no such verb"
		fi
		for word in "${words[@]:1}"; do
			[[ $word = -- || $word = '\-\-' ]] && break # not ours
			word=${word#[\[\"\']}
			[[ $word =~ ^(--[a-z][a-z-]*|-[a-zA-Z]$) ]] || continue
			word=${BASH_REMATCH[1]}
			[[ $program = any && $word =~ ^$foreign$ ]] && continue
			grep -qE -- "(^|[ ,])$word([ ,=[]|\$)" <<<"${helps[$key]}" ||
				echo "$file:$line: $command: no option $word"
		done
	done <"$quoted"
}
is 'each command that a document quotes has its verb and its options' \
	"$(wrong_commands)" ''
if command -v mandoc >/dev/null; then
	# .Ql and .Dq quote the rest of the line: a second macro on the line
	# would stand inside the first quotation.
	is 'no man page has a quotation inside another by mistake' "$(cd "$top" &&
		for page in src/*/*.[1-8] lua/*.3lua; do
			mandoc -T utf8 "$page" | grep -nP '(\xe2\x80[\x99\x9d]){2}' | sed "s|^|$page:|"
		done)" ''
fi

# == figures ==
info() { "$dump" --info "$@"; }
is 'timeline(7) names the format of the files' "$(sed -nE 's/^The format has a version of its own: ([0-9.]+) .*/\1/p' "$overview")" \
	"$(info "$known" | sed -n 's/^format: //p')"
# The creator must be able to use a lane for each CPU: any other creator makes
# the lanes for its threads as large as the lanes of all CPUs together.
"$ctl" create --cpu-lanes 2 "$name-d"
if info "$name-d" | grep -q 'tier 0  entries of each lane 131072  entries of each fallback lane 262144 '; then
	skip 'figures of the default: no lanes of CPUs here'
	"$ctl" remove "$name-d"
else
	is 'the default is 163840 entries, two rings of 131072 on two CPUs' \
		"$(info "$name-d" | grep -oE 'entries asked.*|tier 0  entries of each lane [0-9]+')" \
	$'entries asked: 163840\ntier 0  entries of each lane 131072'
	is '... 24 MiB in total' "$((($(du -k "/dev/shm$name-d" | cut -f1) + 512) / 1024))" 24
	"$ctl" remove "$name-d"
	# Each capacity recommended for a small /dev/shm is smaller.
	small=0
	while read -r words; do
		# shellcheck disable=SC2086
		"$ctl" create --cpu-lanes 2 $words "$name-d" >/dev/null || break
		[ "$(du -k "/dev/shm$name-d" | cut -f1)" -lt 14000 ] && small=$((small + 1))
		"$ctl" remove "$name-d"
	done < <(sed -n '/^Ask for less/,/^\.It/s/^\.Ql \(timelinectl create \)\?\(--.*[0-9k]\).*/\2/p' "$trouble")
	is 'what is advised for a full /dev/shm takes half of the default or less' "$small" 2
fi

# == timeline-troubleshooting(7): each error has its section ==
headings=$(sed -nE 's/^\.Ss //; T; s/\\&//g; p' "$trouble")
documented() { # documented SENTENCE ERROR HEADING
	has "$1" "$2" "$3"
	has '... which has its section' "$headings" "$3"
}
zstd -dqf "$top/tests/data/v1/live.tl.zst" -o "/dev/shm$name-old" 2>/dev/null &&
	documented 'a timeline of format 1.0 is refused' "$("$make" "$name-old" plain=1 2>&1)" \
		'in format 1.0: stop its programs and remove the file'
rm -f "/dev/shm$name-old"
"$ctl" create --entries 2000 "$name-t" && exec 7<"/dev/shm$name-t"
"$ctl" remove "$name-t"
has 'a timeline that was removed while a program has it open says so' \
	"$(info "/proc/$BASHPID/fd/7")" '^superseded: yes$'
"$ctl" create --entries 2000 "$name-t" && exec 7<"/dev/shm$name-t"
"$make" "$name-t" plain=3
rm "/dev/shm$name-t"
has '... and by rm, so does its link in /proc' "$(readlink "/proc/$BASHPID/fd/7")" \
	"^/dev/shm$name-t \\(deleted\\)\$"
is '... through which its entries can be read' "$("$dump" "/proc/$BASHPID/fd/7" | wc -l)" 3
exec 7<&-
for reason in GLIBC_TUNABLES=glibc.pthread.rseq=0 TIMELINE_NO_RSEQ=1; do
	"$ctl" create --entries 2000 "$name-t"
	env "$reason" "$make" "$name-t" plain=3
	has "with ${reason%%=*} the entries are under cpu -" "$(info "$name-t")" 'cpu -  tier 0 .* logged 3 '
	"$ctl" remove "$name-t"
done
"$ctl" create --entries 2000 --stamp realtime "$name-t"
documented 'without a counter --info says so' "$(info "$name-t" | sed -n 's/^ *stamps/stamps/p')" '^stamps: realtime$'
"$ctl" remove "$name-t"
"$ctl" create --entries 256 "$name-t"
"$make" "$name-t" plain=5000
has 'what newer entries have replaced is counted as overwritten' "$(info "$name-t")" '^    overwritten: [1-9]'
has '... and not in the column LOST' "$("$ctl" list | grep -F "$name-t ")" ' 5000 +0 '
"$ctl" remove "$name-t"
user=(setpriv --reuid 1001 --regid 1001 --clear-groups)
# shellcheck disable=SC2016
if [ "$(id -u)" != 0 ] || ! "${user[@]}" true 2>/dev/null; then
	skip 'the sections about users: only root can be another'
elif ! "${user[@]}" "$ctl" --version >/dev/null 2>&1 || ! "${user[@]}" "$make" 2>&1 | grep -q .; then
	skip 'the sections about users: another user cannot run the programs'
else
	"$ctl" create --entries 2000 "$name-t"
	documented 'another user may not read a timeline' "$("${user[@]}" "$dump" "$name-t" 2>&1)" 'Permission denied'
	chgrp 1001 "/dev/shm$name-t" && chmod g+r "/dev/shm$name-t"
	is '... until its group may' "$("${user[@]}" "$dump" "$name-t" 2>&1)" ''
	has '... which does not let it log' "$("${user[@]}" "$make" "$name-t" plain=1 2>&1)" 'Permission denied'
	"$ctl" remove "$name-t"
	"$ctl" create --entries 2000 --mode 0660 "$name-t" && chgrp 1001 "/dev/shm$name-t"
	is 'one that root creates for its group lets it' "$("${user[@]}" "$make" "$name-t" plain=1 2>&1)" ''
	"$ctl" remove "$name-t"
	"${user[@]}" "$ctl" create --entries 2000 --mode 0666 "$name-t"
	documented 'one of another user is refused' "$(setpriv --reuid 1002 --regid 1002 --clear-groups "$make" "$name-t" plain=1 2>&1)" \
		'belongs to user 1001'
	rm -f "/dev/shm$name-t"
fi
# make deps installs every program that the blocks of README.md and
# examples/README.md call.
needs=$(make -C "$top" -pn deps 2>/dev/null | sed -n 's/^DEPS := //p')
for program in cmake python3 luajit; do
	[[ $needs == *$program* ]] || echo "$program"
done >"$work/out"
is 'make deps has what the blocks call' "$(cat "$work/out")" ''
if unshare -m mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
	full=$(unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm; "$0" create /server 2>&1; ls /dev/shm
		mount -o remount,size=64m /dev/shm; "$0" create --cpu-lanes 2 /server >/dev/null' "$ctl")
	has 'a full /dev/shm is told, and nothing is left' "$full" \
		'no room for /dev/shm/server \([0-9]+ bytes\): No space left on device$'
	has '... which has its section' "$headings" 'no room for /dev/shm/server \([0-9]+ bytes\): No space left on device'
	is '... and once it is larger there is room' "$(wc -l <<<"$full")" 1
	unknown=$(unshare -m sh -c 'mount -t tmpfs tmpfs /dev/shm; "$0" create /server
		mount --bind /dev/null /proc/sys/kernel/random/boot_id; "$1" /server plain=1
		"$0" list' "$ctl" "$make" 2>&1)
	documented 'without the boot id a timeline is refused' "$unknown" 'cannot tell whether it is of this boot'
	has '... and shown as unknown' "$unknown" '^/server .* unknown '
else
	skip 'the sections about /dev/shm and /proc: nothing can be mounted here'
fi
