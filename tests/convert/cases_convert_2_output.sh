# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2016
# The output file OUT is whole or absent, replaced or refused; pipes, devices
# and terminals.

# shellcheck source=tests/convert/samples.sh
. "$here/samples.sh"

# == an OUT that exists stays ==
echo mine >"$work/there.csv"
ends 'an OUT that exists is refused' 1 "$convert" -q "$in.timeline" -o "$work/there.csv"
has '... and said' "$err" 'there\.csv: exists already; --force replaces it$'
is '... it stays' "$(cat "$work/there.csv")" mine
ends '--force replaces it' 0 "$convert" -q --force "$in.timeline" --output "$work/there.csv"
has '... by what was asked for' "$(head -1 "$work/there.csv")" '^ns,tsc'
is '... and nothing else is left' "$(left there)" there.csv
ln -s "$work/nowhere" "$work/link.csv"
ends 'a link to nowhere is an OUT that exists' 1 "$convert" -q "$in.timeline" -o "$work/link.csv"
ends '... which --force replaces' 0 "$convert" -q -f "$in.timeline" -o "$work/link.csv"
is '... itself' "$(test -L "$work/link.csv" || head -c 2 "$work/link.csv")" ns

# A file made of another gives group and others no more rights than its input.
#
# wider OUT MODE prints the files of OUT that give group or others a right that
# MODE lacks.  A folder may be entered by everyone who may read the input.
wider() {
	local path mode of
	find "$1" "$1".idx 2>/dev/null | while read -r path; do
		mode=0$(stat -c %a "$path") of=$2
		[ -f "$path" ] || of=$((of | (of & 044) >> 2))
		[ $((mode & ~of & 077)) = 0 ] || echo "$path $mode"
	done
}
cp "$in.timeline" "$work/private.tl"
for mode in 0600 0640 0604 0444; do
	chmod $mode "$work/private.tl"
	for f in $writable; do
		rm -rf "$work/made.$f"*
		(umask 0 && exec "$convert" -q --to "$f" "$work/private.tl" -o "$work/made.$f") 2>"$work/err"
		is "$f of a file of mode $mode is no wider" "$? $(wider "$work/made.$f" $mode)" '0 '
	done
done
(umask 0 && exec "$convert" -q "$work/private.tl" -o "$work/made.tl.zst")
is '... nor is it compressed' "$? $(wider "$work/made.tl.zst" 0444)" '0 '
# mode WORD... prints the mode of the file that these inputs become.
mode() {
	rm -f "$work/mode.jsonl"
	(umask 022 && exec "$convert" -q --to jsonl "$@" -o "$work/mode.jsonl") 2>"$work/err"
	stat -c %a "$work/mode.jsonl"
}
cp "$in.csv" "$work/wide.csv"
cp "$in.csv" "$work/group.csv"
chmod 666 "$work/wide.csv"
chmod 660 "$work/group.csv"
chmod 604 "$work/private.tl"
is 'the umask says who may read it' "$(mode "$work/wide.csv")" 644
is 'of several files none gives more than each' \
	"$(mode "$work/wide.csv" "$work/group.csv") $(mode "$work/group.csv" "$work/private.tl")" '640 600'
if chgrp 1 "$work/group.csv" 2>/dev/null; then
	is '... nor gives a group what another had' "$(mode "$work/group.csv")" 600
	chgrp "$(id -g)" "$work/group.csv"
else
	skip 'a file of another group: only root makes one'
fi
is 'a file at standard input counts' "$(mode --from csv - <"$work/group.csv")" 640
is '... a pipe has no mode that counts' \
	"$(chmod 600 "$work/group.csv" && mode --from csv - < <(cat "$work/group.csv"))" 644
is 'it counts with --force, which replaces a file that all may read' \
	"$(cp "$work/wide.csv" "$work/over.csv" && chmod 644 "$work/over.csv" &&
		"$convert" -q -f "$work/group.csv" -o "$work/over.csv" && stat -c %a "$work/over.csv")" 600
"$build/bin/timelinectl" create -q "$live-private" 2>/dev/null ||
	"$build/bin/timelinectl" create "$live-private" >/dev/null
is 'so does a live timeline' "$(mode "$live-private")" 600
chmod 640 "/dev/shm$live-private"
is '... whatever its mode is' "$(mode "$live-private")" 640
ends 'a trace of the name of a live timeline is written' 0 \
	env -C "$work" "$convert" -q --to trace "$in.csv" -o "${live#/}-private"
ends '... with its index' 0 test -s "$work/${live#/}-private.idx"

ends 'a folder that is not there fails' 1 "$convert" -q "$in.timeline" -o "$work/no/x.csv"
has '... and says so' "$err" 'no/x\.csv: No such file'
ends 'a file cannot replace a directory' 1 "$convert" -q -f --to csv "$in.timeline" -o "$work/"
cp "$in.csv" "$work/same.csv"
ends 'a file may be converted into itself' 0 "$convert" -q -f --to jsonl "$work/same.csv" -o "$work/same.csv"
is '... whole' "$(jq -s length "$work/same.csv")" "$(wc -l <"$in.jsonl")"

# == databases ==
echo mine >"$work/s2.db"
ends 'a database does not replace a file' 1 "$convert" -q "$in.timeline" -o "$work/s2.db"
is '... that stays' "$(cat "$work/s2.db")" mine
ends '... unless it is told to' 0 "$convert" -q -f "$in.timeline" -o "$work/s2.db"
is '... and nothing else is left' "$(left s2)" s2.db

# == directories ==
trace=$work/t.ctf
"$convert" -q "$work/more.tl" -o "$trace"
before=$(cksum "$trace"/*)
ends 'a trace that exists is refused' 1 "$convert" -q "$in.timeline" -o "$trace"
is '... it stays' "$(cksum "$trace"/*)" "$before"
touch "$trace/notes.txt"
ends 'a trace with something else in it is not replaced' 1 "$convert" -q -f "$in.timeline" -o "$trace"
has '... and said' "$err" 't\.ctf: not the directory of a trace'
ends '... its file stays' 0 rm "$trace/notes.txt"
is '... and all else' "$(cksum "$trace"/*)" "$before"
mkdir "$trace/stream_9"
ends 'nor one with a folder in it' 1 "$convert" -q -f "$in.timeline" -o "$trace"
rmdir "$trace/stream_9"
mkdir "$work/full.ctf" && touch "$work/full.ctf/stream_0"
ends 'nor one without metadata' 1 "$convert" -q -f "$in.timeline" -o "$work/full.ctf"
touch "$work/file.ctf"
ends 'nor a file' 1 "$convert" -q -f "$in.timeline" -o "$work/file.ctf"
ends '--force replaces a trace' 0 "$convert" -q -f "$in.timeline" -o "$trace/"
lacks '... by another' "$(cksum "$trace"/*)" "${before%% *}"
mkdir "$work/empty.ctf"
ends '... and an empty directory' 0 "$convert" -q -f "$in.timeline" -o "$work/empty.ctf"
ends '... and nothing' 0 "$convert" -q -f "$in.timeline" -o "$work/new.ctf"
is 'nothing is left beside them' "$(left t.) $(left empty) $(left new)" \
	't.ctf empty.ctf new.ctf'

# A device or a descriptor is written as the data comes; a regular file is made
# under another name first.
ends 'a device is written' 0 "$convert" -q --to csv "$in.timeline" -o /dev/null
has '... and is one still' "$(stat -c %F /dev/null)" 'character special'
is '/dev/fd/N is written' "$( (to csv "$in.timeline" -o /dev/fd/3) 3>&1 | cksum)" \
	"$(cksum <"$in.csv")"
is '/dev/stdout is standard output, a file, too' \
	"$(to csv "$in.timeline" -o /dev/stdout >"$work/std" && cksum <"$work/std")" "$(cksum <"$in.csv")"
mkfifo "$work/out_fifo"
timeout "$patience" cat "$work/out_fifo" >"$work/of_fifo" &
ends 'a FIFO is written' 0 "$convert" -q --to csv "$in.timeline" -o "$work/out_fifo"
wait
is '... and all comes through' "$(cksum <"$work/of_fifo")" "$(cksum <"$in.csv")"
ends 'no database goes into a device' 1 "$convert" -q --to sqlite "$in.timeline" -o /dev/null
for f in ctf sqlite; do
	ends "$f cannot go through a pipe" 2 "$convert" --to $f "$in.timeline"
	ends '... nor by -' 2 "$convert" --to $f "$in.timeline" -o -
done
to csv "$work/more.tl" 2>"$work/err" | head -1 >/dev/null
is 'a reader that leaves early is no error' "${PIPESTATUS[0]} $(cat "$work/err")" '0 '
if [ -w /dev/full ]; then
	ends 'a full disk is an error' 1 "$convert" -q --to csv "$in.timeline" -o /dev/full
	has '... that is named' "$err" '/dev/full: No space left'
fi
ends 'a standard output that is closed is one' 1 \
	bash -c "exec '$convert' -q --to csv '$in.timeline' >&-"

# == no room ==
for f in jsonl timelogger perfetto sqlite ctf; do
	ends "a $f that finds no room is an error" 1 \
		bash -c "ulimit -f 16; exec '$convert' -q --to $f '$work/more.tl' -o '$work/room.$f'"
	has '... that is named with its remedy' "$err" \
		"room.$f: File too large: raise the limit of this process, ulimit -f\$"
	is '... and nothing is left' "$(left room)" ''
done
echo mine >"$work/room.csv"
ends 'what it was to replace' 1 \
	bash -c "ulimit -f 16; exec '$convert' -q -f '$work/more.tl' -o '$work/room.csv'"
is '... stays' "$(left room) $(cat "$work/room.csv")" 'room.csv mine'

# OUT is created by another program during the conversion.
mkfifo "$work/late"
for f in csv db ctf; do
	exec 9<>"$work/late"
	timeout "$patience" "$convert" -q "$work/late" -o "$work/late.$f" 9>&- 2>"$work/err" &
	until_true compgen -G "$work/late.$f.*"
	head -3 "$in.jsonl" >&9
	[ $f = ctf ] && mkdir "$work/late.ctf" && touch "$work/late.ctf/x"
	[ $f = ctf ] || echo mine >"$work/late.$f"
	exec 9>&-
	wait $!
	is "a $f that comes to be meanwhile is not replaced" "$? $(left "late.$f")" \
		"1 late.$f"
	has '... which is said' "$(cat "$work/err")" 'exists already'
done
is '... it stays' "$(cat "$work/late.csv" "$work/late.db"; ls "$work/late.ctf")" \
	$'mine\nmine\nx'

# == stopped while reading and while writing ==
mkfifo "$work/slow"
has_ended() { [[ ! -e /proc/$1 || $(cat "/proc/$1/stat") == *') Z '* ]]; }
# stop SIGNAL OUT IN WORD... prints the exit status.
stop() {
	local signal=$1 to=$2 from=$3 pid
	shift 3
	env --default-signal=INT,TERM,HUP "$convert" -q "$@" "$from" -o "$work/$to" 2>/dev/null &
	pid=$!
	until_true compgen -G "$work/$to.*" || echo 'nothing begins'
	sleep 0.1
	kill "-$signal" $pid
	until_true has_ended $pid || kill -KILL $pid
	wait $pid
	echo $?
}
exec 9<>"$work/slow"
head -c 5000 "$in.jsonl" >&9
endless='(function() while true do end end)()'
for signal in INT TERM HUP; do
	is "SIG$signal while it reads ends it" "$(stop $signal stop.csv "$work/slow")" \
		$((128 + $(kill -l $signal)))
	for f in csv db ctf; do
		is "SIG$signal while it writes a $f ends it" \
			"$(stop $signal stop.$f "$in.timeline" -e "$endless")" \
			$((128 + $(kill -l $signal)))
	done
done
exec 9>&-
is 'nothing is left of what was stopped' "$(left stop)" ''
echo mine >"$work/stop.csv"
stop TERM stop.csv "$in.timeline" --force -e "$endless" >/dev/null
is '... and what was to be replaced stays' "$(left stop) $(cat "$work/stop.csv")" \
	'stop.csv mine'
env --ignore-signal=HUP "$convert" -q "$in.timeline" -o "$work/nohup.csv" -e "$endless" 2>/dev/null &
until_true compgen -G "$work/nohup.csv.*"
kill -HUP $!
sleep 0.2
is 'what is told to ignore a signal does' "$(kill -0 $! && echo alive)" alive
kill -TERM $!
wait $!
is '... and another one ends it' "$(left nohup)" ''

# == terminals ==
ends 'no progress outside a terminal' 0 "$convert" -q --to csv "$work/more.tl"
is '... nor anything else' "$err" ''
if has_terminals; then
	for f in perfetto timelogger; do
		has "$f is not for a terminal" \
			"$(on_terminal "$convert" -q --to $f "$in.timeline")" \
			'^timeline-convert: standard output: not for a terminal'
	done
	is 'text is' "$(on_terminal "$convert" -q --to csv "$in.timeline" | cksum)" \
		"$(cksum <"$in.csv")"
fi
