# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# timelined.bash - bash completion.

_timelined() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local options='--config --check --keeper --quiet --help --version'

	COMPREPLY=()
	case $before in
	-c | --config)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	--keeper)
		mapfile -t COMPREPLY < <(compgen -u -- "$word")
		return
		;;
	esac
	compopt +o filenames
	mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}

complete -o filenames -F _timelined timelined
