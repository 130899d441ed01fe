# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# timeline-convert.bash - bash completion.

# The names of the formats that are read, or written.
_timeline_convert_formats() {
	local name reads writes
	while read -r name reads writes _; do
		[[ $reads == "$1" || $writes == "$1" ]] && echo "$name"
	done < <("${COMP_WORDS[0]}" --list-formats 2>/dev/null)
}

_timeline_convert() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local options='--from --to --list-formats --rtl-us --parquet-time
		--since --until --category --message --min-priority --pid --tid --cpu
		--expression --slower --host --offset
		--output --force --quiet
		--json --no-progress --trusted --help --help=all --version'
	local priorities='fatal error warning info debug trace trace+ trace++
		trace+++'
	local -a live=()
	local file

	COMPREPLY=()
	case $before in
	--from)
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_timeline_convert_formats read)" -- "$word")
		return
		;;
	--to)
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_timeline_convert_formats write)" -- "$word")
		return
		;;
	--parquet-time)
		mapfile -t COMPREPLY < <(compgen -W 'nanos micros' -- "$word")
		return
		;;
	-p | --min-priority)
		mapfile -t COMPREPLY < <(compgen -W "$priorities" -- "$word")
		return
		;;
	--since | --until | --category | --message | --pid | --tid | --cpu | \
		-e | --expression | --slower | --host | --offset)
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

complete -o filenames -F _timeline_convert timeline-convert
