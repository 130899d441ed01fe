# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Trees on the terminal: the test presses keys and reads the screen.

browse=$work/browse # WORD... of on_screen -- OPTION... of timeline-dump
cat >"$browse" <<'END'
#!/bin/bash
words=()
while [ "$1" != -- ]; do
	words+=("$1")
	shift
done
shift
TERM=${terminal-vt100} exec "$on_screen" "${words[@]}" -- "$dump" --browse "$@"
END
chmod +x "$browse"
export dump on_screen=$build/tests/tool/on_screen
# rows prints the rows between title and details, with every duration as one
# word.
rows() { sed -n 2,15p | sed -E 's/^ *[0-9.]+(ns|us|ms|s) /TIME /; s/^ +//; s/^(TIME|unfinished) +[0-9.]+% /\1 /; s/  +/ /g; /^$/d'; }
title() { sed -n 1p; }

if has_terminals && ! ldd "$dump" | grep -q libncurses; then
	"$build/tests/tool/make_trace" "$work/browse.trace" known
	has '--browse reports a build without ncurses' \
		"$("$browse" end raw -- "$work/browse.trace")" 'was built without ncurses: install libncurses-dev'
elif has_terminals; then
	trace=$work/browse.trace
	enter=$'\r'
	"$build/tests/tool/make_trace" "$trace" known hostile open=1
	seen=$("$browse" until=Thread screen keys=q end -- "$trace")
	is '--browse begins with the threads, folded' "$(rows <<<"$seen")" \
		$'+ # Thread 1 (first of make_trace)\n+ # Thread 2 (second of make_trace)'
	has '... which begin in the first column' "$(sed -n 2p <<<"$seen")" '^\+ # Thread 1'
	has '... and tells of the first' "$seen" '^events: 17$'
	has '... and how to get help' "$seen" '^\? help  q quit '
	ends 'q ends it' 0 "$browse" until=Thread keys=q end -- "$trace"
	seen=$("$browse" until=Thread keys=l keys=j keys=j keys=l screen keys=q end -- "$trace")
	is 'l unfolds, j moves' "$(rows <<<"$seen")" \
		'- # Thread 1 (first of make_trace)
TIME + request id(1)
TIME - request id(2)
note n(7)
TIME + open fd(3)
TIME open fd(4)
note n(8)
red \x1b[31m what(title \x1b]0;owned\x07) \xe2\x80\xae b
unfinished request id(0)
+ # Thread 2 (second of make_trace)'
	has '... the title tells where' "$(title <<<"$seen")" \
		'^ 1/1  2 of 5  # Thread 1 \(first of make_trace\)  /'
	has '... the details tell more' "$seen" '^argument id = 2$'
	has '... with the long text' "$seen" '^What a client asked for\.$'
	seen=$("$browse" until=Thread keys=l keys=j keys=j keys=l keys=h screen keys=q end -- "$trace")
	lacks 'h folds again' "$seen" 'note n\(7\)'
	seen=$("$browse" until=Thread keys=l keys=j keys=h screen keys=q end -- "$trace")
	has '... or goes to the parent' "$(title <<<"$seen")" '^ 1  1 of 2  '
	seen=$("$browse" until=Thread keys=s screen keys=q end -- "$trace")
	has 's goes to the slowest child' "$(title <<<"$seen")" '^ 1/1  '
	seen=$("$browse" until=Thread 'keys=:1/1' "keys=$enter" keys=S screen keys=q end -- "$trace")
	has 'S goes down the slowest path' "$(title <<<"$seen")" '^ 1/1/1/0  1 of 1  '
	seen=$("$browse" until=Thread 'keys=:1/1/1/0' "keys=$enter" keys=u keys=] screen keys='[' keys='[' screen keys=q end -- "$trace")
	has 'u goes up, ] to the next child' "$(title <<<"$seen")" '^ 1/1/2  3 of 3  '
	has '... [ to the one before' "$seen" '^ 1/1/0  1 of 3  '
	seen=$("$browse" until=Thread 'keys=:1/9' "keys=$enter" 'until=no such node' screen keys=q end -- "$trace")
	has 'a path that leads nowhere is said' "$seen" '^there is no such node$'
	seen=$("$browse" until=Thread keys=/note "keys=$enter" screen keys=n screen keys=n screen keys=N screen keys=q end -- "$trace")
	is '/ searches, n and N go on' "$(grep -oE '^ [12](/[0-9]+)+ ' <<<"$seen" | xargs)" \
		'1/1/0 1/2 2/0/0 1/2'
	seen=$("$browse" until=Thread keys=/nowhere "keys=$enter" screen keys=q end -- "$trace")
	has '... and what is not there is said' "$seen" '^not found$'
	seen=$("$browse" until=Thread keys=t screen keys=j "keys=$enter" screen keys=q end -- "$trace")
	has 't lists threads' "$seen" '^ # Thread 2 \(second of make_trace\)  3 events from 20'
	has '... Enter goes there' "$seen" '^ 2  2 of 2  # Thread 2 \(second of make_trace\)'
	seen=$("$browse" until=Thread 'keys=?' screen keys=x keys=d screen keys=q end -- "$trace")
	has '? shows the keys' "$seen" '^  s S  +longest child; the same down to the end'
	is '... d takes the details away' "$(grep -c '^events: 17$' <<<"$seen")" 0
	seen=$("$browse" until=Thread size=9x30 gone=events screen keys=q end -- "$trace")
	is 'a terminal that gets smaller gets less' "$(tail -9 <<<"$seen" | grep -c .)" 4
	seen=$("$browse" until=Thread size=60x120 'until=until:' screen keys=q end -- "$trace")
	is 'one that grows gets more' "$(grep -nE '^until: ' <<<"$seen" | cut -d: -f1)" 56
	seen=$("$browse" size=1x10 keys=jjl keys=q end -- "$trace"; echo $?)
	is 'the smallest of all is borne' "$seen" 0
	seen=$("$browse" size=10x20 until=Thread keys=/éééééééééééééééééééééééééééééé screen "keys=$enter" keys=q end -- "$trace")
	has 'of what is typed whole characters are cut off' "$seen" '^(é)+$'
	seen=$("$browse" until=Thread raw keys=/note "keys=$enter" raw keys=q raw end -- "$trace" | tr -d '\0')
	lacks 'no title is set, no bell rings' "$seen" $'\033]|\007'
	seen=$(terminal=xterm-256color "$browse" until=Thread keys=/note "keys=$enter" raw keys=q end -- "$trace" | tr -d '\0')
	has 'a warning is yellow' "$seen" $'\033\\[33m'
	seen=$(export NO_COLOR=1; terminal=xterm-256color "$browse" until=Thread keys=/note "keys=$enter" raw keys=q end -- "$trace" | tr -d '\0')
	lacks '... not with NO_COLOR' "$seen" $'\033\\[33m'
	has 'rows show the share of the parent' "$("$browse" until=Thread keys=ljj screen keys=q end -- "$trace")" \
		'^ +[0-9.]+[nmu]?s +[0-9]+\.[0-9]%  +[+] request id\(2\)'
	seen=$("$browse" size=30x150 until=Thread keys=ljj screen keys=cc screen keys=cccc screen keys=q end -- "$trace")
	has '... a wide terminal also own time and time since the start' "$seen" \
		'^ +[0-9.]+[nmu]?s +[0-9]+\.[0-9]% +[0-9.]+[nmu]?s +[0-9.]+[nmu]?s +[+] request id\(2\)'
	has '... c chooses one of them' "$seen" '^columns: own time$'
	has '... details have all' "$seen" '^since the start: [0-9.]+[nmu]?s, [0-9.]+% of the parent, own time [0-9.]+[nmu]?s$'
	seen=$("$browse" until=Thread keys=l keys=jj 'keys=>>' screen 'keys=<<<' screen keys=q end -- "$trace")
	has '> scrolls sideways' "$seen" '^ +[0-9.]+[nmu]?s +[0-9.]+% *(d\(2\))?$'
	seen=$("$browse" until=Thread keys=fnote "keys=$enter" screen keys=n screen keys=f "keys=$enter" screen keys=q end -- "$trace")
	is 'f shows rows with a text and the nodes around them' "$(sed 24q <<<"$seen" | rows)" \
		'- # Thread 1 (first of make_trace)
TIME - request id(2)
note n(7)
note n(8)
+ # Thread 2 (second of make_trace)'
	has '... the title tells' "$seen" '^ 1/1/0 \(filtered\)  1 of 3'
	has '... n goes on' "$seen" '^ 1/2 \(filtered\)  3 of 5'
	has '... nothing typed shows all again' "$(tail -24 <<<"$seen")" 'unfinished.* request id\(0\)'
	seen=$("$browse" until=Thread keys=fnowhere "keys=$enter" screen keys=q end -- "$trace")
	has '... not found is said' "$seen" '^not found: all rows are shown$'
	seen=$("$browse" until=Thread keys=m screen keys=G "keys=$enter" screen keys=q end -- "$trace")
	has 'm merges equal calls, largest total first' "$seen" '^ +[0-9.]+[nmu]?s +[0-9.]+% +[0-9.]+[nmu]?s +3  \+ request \$id$'
	has '... Enter goes to the longest of them' "$(tail -24 <<<"$seen")" '^ 1/3  4 of 5'
	mkdir -p "$work/source/tests/tool"
	printf '#!/bin/sh\necho "$@" >%q\n' "$work/edited" >"$work/editor"
	chmod +x "$work/editor"
	seen=$(cd "$work/source" && EDITOR=$work/editor "$browse" until=Thread keys=ljl keys=e screen keys=q end -- "$trace")
	has 'e without the source file says so' "$seen" '^no such file from here: '
	: >"$work/source/tests/tool/make_trace.c"
	seen=$(cd "$work/source" && EDITOR=$work/editor "$browse" until=Thread keys=ljl keys=e screen keys=q end -- "$trace")
	has '... with it the editor gets line and file' "$(cat "$work/edited")" '^\+[0-9]+ \./'
	seen=$(cd "$work/source" && VISUAL=false "$browse" until=Thread keys=ljl keys=e 'until=editor failed' screen keys=q end -- "$trace")
	has '... an editor that fails is said' "$seen" '^the editor failed: set VISUAL or EDITOR$'
	esc=$'\033'
	seen=$(terminal=xterm-256color "$browse" until=Thread "keys=${esc}[<0;9;3M${esc}[<0;9;3m" screen "keys=${esc}[<0;9;3M${esc}[<0;9;3m" screen "keys=${esc}[<64;9;3M" screen keys=q end -- "$trace")
	has 'a click goes to a row' "$(sed 24q <<<"$seen" | title)" '^ 2  2 of 2'
	has '... another one unfolds it' "$(sed -n 25,48p <<<"$seen")" '- # Thread 2'
	has '... the wheel scrolls' "$(sed -n 49p <<<"$seen")" '^ 1  1 of 2'
	printf '{"ns":%d,"tsc":1,"cpu":0,"pid":4,"tid":6,"thread":"%s","process":"p","priority":"info","category":"%s","message":"%s","kind":"instant","args":{}}\n' \
		1000 '作業者' '日本' '仕事 abc' 2000 '作業者' ab $'cafe\xcc\x81 \xf0\x9f\x98\x80 x' \
		3000 '作業者' '日本語' $'a\xffc' >"$work/wide.jsonl"
	"$build/bin/timeline-convert" -q "$work/wide.jsonl" -o "$work/characters.trace"
	is 'wide characters take two columns, marks none, and none is cut' "$(
		for columns in 29 30; do
			"$browse" size=9x$columns until=Thread keys=l screen keys=q end -- "$work/characters.trace" | head -4
		done | sed $'s/e\xcc\x81/\xc3\xa9/')" " 1  1 of 1  # Thread 1 (作業
- # Thread 1 (作業者 of p)
                        仕事
                        café
 1  1 of 1  # Thread 1 (作業者
- # Thread 1 (作業者 of p)
                        仕事 a
                        café"
	is '... nor when they are scrolled sideways' "$("$browse" size=9x40 until=Thread keys=l 'keys=>' screen \
		keys=q end -- "$work/characters.trace" | sed -n 2p)" '業者 of p)'
	is 'columns of a listing align, and bytes that are no UTF-8 are escaped' \
		"$("$dump" --columns tid,category,message "$work/wide.jsonl")" \
		$'作業者/6 日本語     a\\xffc\n作業者/6 ab         cafe\xcc\x81 \xf0\x9f\x98\x80 x\n作業者/6 日本       仕事 abc'
	is '... those of --stats' "$("$dump" --stats "$work/wide.jsonl" | grep -E '^[^ ]')" \
		$'日本       仕事 abc\nab         cafe\xcc\x81 \xf0\x9f\x98\x80 x\n日本語     a\\xffc'
	has '--path says where to begin' \
		"$("$browse" --path until=1/1/1 screen keys=q end -- --path 1/1/1 "$trace" | title)" '^ 1/1/1  '
	ends 'one that leads nowhere is a failure' 1 "$browse" end raw -- --path 1/7 "$trace"
	has '... that is said' "$out" '1/7: there is no such node'
	has 'options choose entries' "$("$browse" until=Thread keys=l screen keys=q end -- --category disk "$trace" | rows)" \
		'^TIME open fd\(4\)$'
	has 'a timeline has a tree' "$("$browse" until=Thread screen keys=q end -- "$known" | title)" '# Thread 1 \(process [0-9]+ '
	has 'what comes through a pipe has one' \
		"$(TERM=vt100 "$on_screen" until=Thread keys=l 'until=request id(1)' screen keys=q end -- \
			bash -c "'$dump' --browse - <'$trace'" | title)" '# Thread 1 .*  -$'
	for word in dumb nosuchterminal ''; do
		ends "--browse on a terminal '$word' is an error" 1 \
			env terminal="$word" "$browse" end -- "$trace"
	done
	has '... with a reason' "$(terminal=dumb "$browse" end raw -- "$trace")" \
		'this terminal cannot place its cursor'
	for signal in 2 15; do
		ends "signal $signal ends it" 1 "$browse" until=Thread "signal=$signal" end -- "$trace"
	done

	# A span whose begin is not in the record, but whose end proves its length.
	"$build/tests/tool/make_proven" "$name-browsed" "$work/browsed.tl" >"$work/browsed"
	seen=$("$browse" until=Thread keys=l 'keys=/order id' "keys=$enter" screen keys=q end -- "$work/browsed.tl")
	has 'an end that proves its span has its duration' "$seen" '^ *[0-9.]+([nmu]?s|m[0-9]+s) +< order id$'
	has '... in the details, too' "$seen" '^begin: not here, took [0-9.]+([nmu]?s|m[0-9]+s)$'

	# In a large tree only the visible part is read.
	[ -e "$work/wide.trace" ] || "$build/tests/tool/make_trace" "$work/wide.trace" wide=1000000
	seen=$("$browse" until=Thread 'keys=ljl' keys=G screen 'keys=:1/0/500000' "keys=$enter" screen keys=q end -- "$work/wide.trace")
	has 'the last of a million is there at once' "$seen" 'note n\(999999\)$'
	has '... and the one in the middle' "$seen" '^ 1/0/500000  500001 of 1000000  '
	seen=$("$browse" until=Thread 'keys=/n(654321)' "keys=$enter" until=1/0/654321 screen keys=q end -- "$work/wide.trace")
	has '... and one that is searched for' "$(title <<<"$seen")" '^ 1/0/654321  '
fi
ends '--browse without a terminal is a usage error' 2 "$dump" --browse "$known"
has '... with a reason' "$err" 'standard output is not a terminal'
ends '--browse has no JSON' 2 "$dump" --browse --json "$known"
