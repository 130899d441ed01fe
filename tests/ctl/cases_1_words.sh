# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The command line, the help, the man page and the completion.

ends '--help' 0 "$ctl" --help
help=$out
has '--help begins with how to call it' "$help" '^timelinectl VERB'
is 'help is the same' "$("$ctl" help)" "$help"
ends '--version' 0 "$ctl" --version
has '--version says it' "$out" '^timelinectl [0-9]+\.[0-9]+\.[0-9]+$'
ends 'no verb is a usage error' 2 "$ctl"
has '... that is told' "$err" '^timelinectl: no verb given$'
ends 'a typo is a usage error' 2 "$ctl" stauts
has '... and the nearest verb is suggested' "$err" 'stauts: no such verb; did you mean status\?'
ends 'a typo of help, too' 2 "$ctl" help brust
has '... is met with the nearest' "$err" 'did you mean burst\?'
ends 'a word that is near nothing' 2 "$ctl" xylophone
lacks '... brings no suggestion' "$err" 'did you mean'
ends 'an unknown option is a usage error' 2 "$ctl" list --nose
ends 'an option of another verb is a usage error' 2 "$ctl" list --entries 5
has '... that names both' "$err" '--entries: not an option of list'
ends 'a letter that the verb does not take' 2 "$ctl" status -s "$work/x"
has '... is named as it was typed' "$err" '-s: not an option of status'
ends '... and a long name as it was' 2 "$ctl" status --sort=rate
has '... too' "$err" ' --sort: not an option of status'
ends 'a missing word is a usage error' 2 "$ctl" burst "$name" trace
has '... that says what is needed' "$err" 'burst needs NAME LEVEL DURATION'
ends 'one word too many is a usage error' 2 "$ctl" status more
ends 'an option without its value' 2 "$ctl" top -n
ends 'no NAME and no TIMELINE' 2 "$ctl" top
has '... is told' "$err" 'no timeline given, and TIMELINE is not set'
ends 'an empty name is refused' 2 "$ctl" remove ''
ends 'a hostile word is escaped' 2 "$ctl" $'\033[31m'
lacks '... in what is said of it' "$err" $'\033'

# Every verb and option of the tables is in the help, the man page and the
# completion.
verbs=$(sed -nE 's/^VERB\("([a-z]+)".*/\1/p' "$top/src/ctl/verbs.def")
options=$(sed -nE 's/^OPTION\(.*, "([a-z-]+)", .*/\1/p' "$top/src/ctl/options.def")
is 'the tables are found' "$(($(wc -w <<<"$verbs") > 15 && $(wc -w <<<"$options") > 20))" 1
page=$top/src/ctl/timelinectl.1
completion=$top/src/ctl/timelinectl.bash
help=$("$ctl" --help=all)
for verb in $verbs; do
	grep -qE "^  $verb " <<<"$help" || echo "--help lacks $verb"
	grep -qE "^\.(It|)( ?)Cm $verb( |$)" "$page" || echo "the man page lacks $verb"
	grep -qw "$verb" "$completion" || echo "the completion lacks $verb"
	"$ctl" "$verb" --help >"$work/help" || echo "$verb --help fails"
	"$ctl" help "$verb" | cmp -s - "$work/help" || echo "help $verb differs"
	# The completion offers exactly the options of the verb.
	words=$(bash -c '. "$0"; COMP_WORDS=(timelinectl "$1" --); COMP_CWORD=2; _timelinectl
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$verb" | sort)
	takes=$(grep -oE -- ' --[a-z-]+' "$work/help" | grep -v version | tr -d ' ' | sort)
	[ "$words" = "$takes" ] || echo "$verb takes $takes, offered $words"
done >"$work/out"
is 'help, man page and completion know every verb and its options' "$(cat "$work/out")" ''
for option in $options; do
	grep -qE "^\.It .*Fl -$option( |$)" "$page" || echo "the man page lacks --$option"
	grep -q -- "--$option" "$completion" || echo "the completion lacks --$option"
done >"$work/out"
is 'man page and completion know every option' "$(cat "$work/out")" ''
if command -v mandoc >/dev/null; then
	is 'the man page is clean' "$(mandoc -Tlint -Wwarning "$page")" ''
fi
complete_line() { # prints the words offered for the last argument
	bash -c 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		. "$0" && _timelinectl && printf "%s\n" "${COMPREPLY[@]}"' \
		"$completion" timelinectl "$@"
}
"$ctl" create "$name-complete" --entries 100
is 'the completion finishes a verb' "$(complete_line prio)" priority
is '... a priority' "$(complete_line burst x warn)" warning
is '... a name' "$(complete_line top "${base:0:9}" | grep -x "$base-complete")" "$base-complete"
is '... a name with a slash' "$(complete_line top "$name-c")" "$name-complete"
is '... a name behind an option' "$(complete_line top -n 3 "$base-c")" "$base-complete"
"$ctl" remove "$name-complete"
