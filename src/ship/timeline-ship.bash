# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# timeline-ship.bash - bash completion.

# Live timelines by name, as the word before the cursor begins: /demo or demo.
_timeline_ship_names() {
	local word=$1 slash='' file
	[[ $word == /* ]] && slash=/
	for file in /dev/shm/"${word#/}"*; do
		[[ -f $file && $(head -c 8 "$file" 2>/dev/null | tr -d '\0') == TIMELINE ]] &&
			COMPREPLY+=("$slash${file#/dev/shm/}")
	done
}

_timeline_ship() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local cluster='--tls-ca --tls-cert --tls-key --creds --nkey --user
		--password-file --token-file'
	local verb='' options='' i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		run | read) verb=${COMP_WORDS[i]} && break ;;
		esac
	done
	case $before in
	--format)
		mapfile -t COMPREPLY < <(compgen -W 'trace jsonl parquet' -- "$word")
		return
		;;
	--parquet-time)
		mapfile -t COMPREPLY < <(compgen -W 'nanos micros' -- "$word")
		return
		;;
	--to)
		mapfile -t COMPREPLY < <(compgen -d -W 'nats:// tls:// clickhouse:// clickhouses:// -' -- "$word")
		return
		;;
	--spool)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	--tls-ca | --tls-cert | --tls-key | --creds | --nkey | --password-file | \
		--token-file)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	--expression | -e | --host | --timeline | --for | --linger | --block-size | --every | \
		--spool-size | --part-size | --part-age | --since | --until | \
		-n | --count | --user | --replicas | --stream-size | --keep-size | \
		--stream-age)
		return
		;;
	esac
	case $verb in
	run) options="--to --all --expression --host --for --linger --block-size --every --zstd
		--spool --spool-size --format --parquet-time --part-size --part-age
		$cluster --replicas --stream-size --keep-size --stream-age
		--json --quiet --help --version" ;;
	read) options="--host --timeline --since --until --follow --count
		$cluster --help --version" ;;
	*) options='run read --help --help=all --version' ;;
	esac
	if [[ -z $verb || $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	elif [[ $verb == run ]]; then
		_timeline_ship_names "$word"
	else
		mapfile -t COMPREPLY < <(compgen -W 'nats:// tls://' -- "$word")
	fi
}

complete -F _timeline_ship timeline-ship
