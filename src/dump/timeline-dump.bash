# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# timeline-dump.bash - bash completion.

# Offer words for the last of several, separated by commas.
_timeline_dump_list() {
	local before=''
	[[ $2 == *,* ]] && before=${2%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

_timeline_dump() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local options='--from --max --oldest-first --follow --since --until --category
		--message --min-priority --pid --tid --cpu --expression --slower --host --offset
		--pair
		--columns
		--time --explain --format --json --color --no-pager --no-progress --output --list
		--stats --by --info --check --why --slowest --all --brief --tree --critical --path-of --script --view --trusted
		--path --depth --children --verbose --style --paths --help --help=all --version'
	local columns='time host cpu pid tid priority delta-cycles delta-ns duration tsc
		clock-error category message'
	local priorities='fatal error warning info debug trace trace+ trace++
		trace+++'
	local -a live=()
	local file

	COMPREPLY=()
	case $before in
	--from)
		mapfile -t COMPREPLY < <(compgen -W "chrome core csv jsonl lincheck
			lms packed rtl timeline timelogger trace" -- "$word")
		return
		;;
	--columns)
		_timeline_dump_list "$columns" "$word"
		return
		;;
	-p | --min-priority)
		mapfile -t COMPREPLY < <(compgen -W "$priorities" -- "$word")
		return
		;;
	--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json csv' -- "$word")
		return
		;;
	--style)
		mapfile -t COMPREPLY < <(compgen -W lincheck -- "$word")
		return
		;;
	--time)
		mapfile -t COMPREPLY < <(compgen -W 'utc local delta relative' -- "$word")
		return
		;;
	--color)
		mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word")
		return
		;;
	--view)
		mapfile -t COMPREPLY < <(compgen -W "help $("${COMP_WORDS[0]}" \
			--view help 2>/dev/null | cut -d' ' -f1)" -- "$word")
		return
		;;
	-n | --max | --since | --until | --category | --message | --pid | \
		--tid | --cpu | -e | --expression | --path | --depth | --children | --host | --offset | \
		--pair | --why | --slower | --slowest | --by)
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -f -- "$word")
	# A live timeline is a file of /dev/shm, by its name alone.
	if [[ $word == /* && ${word:1} != */* ]] &&
		[[ $before != -o && $before != --output ]]; then
		for file in /dev/shm"$word"*; do
			[[ $(head -c 8 "$file" 2>/dev/null) == TIMELINE ]] &&
				live+=("${file#/dev/shm}")
		done
		COMPREPLY+=("${live[@]}")
	fi
}

complete -o filenames -F _timeline_dump timeline-dump
