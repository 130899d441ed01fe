# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Files of older versions: tests/data/v1 has the listings that the programs of
# that version printed, with their times.

if command -v zstd >/dev/null; then
	old=$top/tests/data/v1
	for state in live saved; do
		zstd -dqf "$old/$state.tl.zst" -o "$work/$state.tl"
	done
	is "a snapshot of version 1 is listed as it was" \
		"$("$dump" "$work/saved.tl" 2>&1)" "$(cat "$old/saved.txt")"
	# The clock of a live file goes on: the last digits of the times are
	# newer estimates.
	is "a live file of version 1 is listed as it was" \
		"$("$dump" "$work/live.tl" 2>&1 | untimed)" \
		"$(untimed <"$old/live.txt")"
	is "... in its compressed form, too" \
		"$("$dump" "$old/live.tl.zst" 2>&1 | untimed)" \
		"$(untimed <"$old/live.txt")"
	has "--info says which version it is" \
		"$("$dump" --info "$work/saved.tl")" '^format: 1.0$'
	ends "no damage is found in a snapshot of version 1" 0 \
		"$dump" --check "$work/saved.tl"
	ends "a program does not write to a file of version 1" 1 \
		"$bin/timelinectl" priority "$work/live.tl" info
	has "... and says what to do" "$err" \
		'in format 1.0: stop its programs and remove the file'
fi
