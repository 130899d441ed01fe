# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# copied.sh - functions for the script that script.awk makes of README.md; they
# stand before the script.

set -eE
title=
begin() {
	title=$1
	started=$SECONDS
}
end() { printf '  ok      %s (%d s)\n' "$title" $((SECONDS - started)); }
failed() {
	trap - ERR
	printf '  FAIL    %s\n' "$title"
	exit 1
}
trap failed ERR

# shape: numbers, with or without a unit, and the widths of columns differ from
# run to run; the words do not.
shape() { sed -E 's/[0-9][0-9.,:T+-]*(ns|us|ms|s|%|[KMG])?/N/g; s/ +/ /g; s/ $//'; }
# transcript COMMAND EXPECTED: the command prints each line of EXPECTED.
transcript() {
	local line
	eval "$1" >/tmp/transcript 2>&1
	while IFS= read -r line; do
		[ -n "$line" ] || continue
		if ! shape </tmp/transcript | grep -qFx -- "$(shape <<<"$line")"; then
			printf '$ %s\nprints no line like\n%s\nbut\n' "$1" "$line"
			head -20 /tmp/transcript
			return 1
		fi
	done <<<"${2%$'\n'}"
}
