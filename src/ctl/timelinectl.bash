# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# timelinectl.bash - bash completion.

# Live timelines by name, as the word before the cursor begins: /demo or demo.
_timelinectl_names() {
	local word=$1 slash='' file name
	[[ $word == /* ]] && slash=/
	if [[ ${word#/} == */* ]]; then # a path
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
	fi
	for file in /dev/shm/"${word#/}"*; do
		name=${file#/dev/shm/}
		[[ -f $file && $(head -c 8 "$file" 2>/dev/null | tr -d '\0') == TIMELINE ]] &&
			COMPREPLY+=("$slash$name")
	done
}

_timelinectl() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local verbs='list create remove save priority burst level slower top
		record kernel status snapshot reload page help'
	local levels='fatal error warning info debug trace trace+ trace++
		trace+++'
	local verb='' options='--help' place=0 i
	local skip=0

	COMPREPLY=()
	# which verb, and how many words came after it?
	for ((i = 1; i < COMP_CWORD; i++)); do
		if ((skip)); then
			skip=0
			continue
		fi
		case ${COMP_WORDS[i]} in
		-n | -d | -s | --count | --delay | --sort | --entries | --strings | \
			--mode | --tiers | --cpu-lanes | --fallback-lanes | --stamp | \
			--category | -o | --output | --for | --size | --buffer | --socket) skip=1 ;;
		-*) ;;
		*) if [[ -z $verb ]]; then verb=${COMP_WORDS[i]}; else place=$((place + 1)); fi ;;
		esac
	done
	case $before in
	--stamp)
		mapfile -t COMPREPLY < <(compgen -W 'tsc realtime' -- "$word")
		return
		;;
	-s | --sort)
		mapfile -t COMPREPLY < <(compgen -W 'rate total priority name' -- "$word")
		return
		;;
	--tiers)
		mapfile -t COMPREPLY < <(compgen -W '1 2' -- "$word")
		return
		;;
	-o | --output | --socket)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	((skip)) && return
	case $verb in
	'') options='--help --help=all --version' ;;
	list) options+=' --json' ;;
	status | snapshot) options+=' --json --socket' ;;
	reload | page) options+=' --socket' ;;
	create) options+=' --json --entries --keep --rate --strings --mode --tiers --cpu-lanes
		--fallback-lanes --stamp' ;;
	save) options+=' --json --compress --force' ;;
	level | slower) options+=' --category' ;;
	top) options+=' --json --count --delay --sort' ;;
	record) options+=' --json --output --for --size --zstd --kernel --buffer
		--faults --names' ;;
	kernel) options+=' --json --buffer --faults --names' ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		return
	fi
	case $verb:$place in
	:*) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word") ;;
	help:0) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word") ;;
	priority:1) mapfile -t COMPREPLY < <(compgen -W "$levels off" -- "$word") ;;
	burst:1) mapfile -t COMPREPLY < <(compgen -W "$levels" -- "$word") ;;
	level:2) mapfile -t COMPREPLY < <(compgen -W "$levels off default" -- "$word") ;;
	slower:2) mapfile -t COMPREPLY < <(compgen -W '1ms p99 off' -- "$word") ;;
	save:1) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	remove:0 | save:0 | priority:0 | burst:0 | level:0 | slower:0 | top:0 | \
		snapshot:0 | list:* | record:*) _timelinectl_names "$word" ;;
	esac
}

complete -o filenames -F _timelinectl timelinectl
