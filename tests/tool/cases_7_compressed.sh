# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Compressed snapshots: every answer about a compressed snapshot equals the
# answer about the plain one, and damage is reported.

if command -v zstd >/dev/null; then
	# Frames of 256 KiB that state their size, one after the other:
	# timelined writes this form, with a table at the end that is missing
	# here.
	pack() { # FILE OUT
		local part
		rm -rf "$work/parts" && mkdir "$work/parts"
		split -b 262144 -a 4 "$1" "$work/parts/"
		for part in "$work"/parts/*; do
			zstd -q --content-size "$part" -o "$part.zst"
		done
		cat "$work"/parts/*.zst >"$2"
	}
	pack "$known" "$work/any.name"
	packed=$work/any.name
	# Listings name the file: both copies have the same name.
	mkdir "$work/a" "$work/b"
	cp "$known" "$work/a/x.tl"
	cp "$packed" "$work/b/x.tl"
	same() { # WORDS... (the size of the file differs)
		is "compressed or not, the same with $*" \
			"$(cd "$work/b" && "$dump" "$@" x.tl 2>&1)" \
			"$(cd "$work/a" && "$dump" "$@" x.tl 2>&1 | sed "/^used: /d")"
	}
	for words in '' '-n 3' --oldest-first --explain --json '--format csv' \
		--stats --list --info --check '--view top' '-e pid>0' \
		'--since -1s'; do
		# shellcheck disable=SC2086
		same $words
	done
	ends '--check of a compressed one' 0 "$dump" --check "$packed"
	has '... says that it is whole' "$out" 'any\.name: whole: 11 entries'
	is 'a compressed and a plain one are merged' \
		"$("$dump" "$packed" "$known" | wc -l)" \
		"$("$dump" "$known" "$known" | wc -l)"
	is 'zstd gives the plain one back' \
		"$(zstd -dcq <"$packed" | cmp - "$known" 2>&1)" ''

	ends 'a compressed one cannot be followed' 1 "$dump" -f "$packed"
	has '... and that is said' "$err" 'any\.name: a saved timeline does not grow'

	# The file is one frame: nobody can seek in the frame, so all of it is
	# decoded.
	zstd -q <"$known" >"$work/stream.zst"
	is 'one frame of unknown size is read' \
		"$("$dump" "$work/stream.zst")" "$("$dump" "$known")"
	head -c "$(($(stat -c %s "$work/stream.zst") / 2))" "$work/stream.zst" \
		>"$work/half.zst"
	ends '... but not a half of it' 1 "$dump" "$work/half.zst"
	has '... with the place' "$err" 'half\.zst: byte [0-9]+: .*ends inside'
	head -c 40000000 /dev/zero | zstd -q --content-size --stream-size=40000000 \
		>"$work/large.zst"
	ends 'one large frame of something else is refused' 1 "$dump" "$work/large.zst"
	has '... with a reason' "$err" 'large\.zst: .*not a timeline'
	zstd -q --content-size "$work/foreign" -c \
		>"$work/foreign.zst"
	ends 'something else that is compressed is refused' 1 "$dump" "$work/foreign.zst"
	has '... with a reason' "$err" 'foreign\.zst: .*not a timeline'

	# == damage ==
	packed_size=$(stat -c %s "$packed")
	last=$(find "$work/parts" -name '*.zst' | sort | tail -1)
	last_size=$(stat -c %s "$last")
	head -c $((packed_size - last_size / 2)) "$packed" >"$work/cut.zst"
	ends 'a compressed one that was cut is read as far as it goes' 1 \
		"$dump" "$work/cut.zst"
	has '... and the damage has its place' "$err" \
		"cut\.zst: byte $((packed_size - last_size)): the file ends inside"
	has '... in what it decodes to, too' "$err" 'cut\.zst: byte [0-9]+: truncated'
	is '... and the entries are shown' "$(untimed <<<"$out" | grep -c processed)" 3
	# The damaged frame is the one where the string table begins.
	hole=$(((size - 1048576) / 262144))
	hole_at=$(find "$work/parts" -name '*.zst' | sort | head -n "$hole" |
		xargs cat | wc -c)
	cp "$packed" "$work/hole.zst"
	printf '\xff\xff\xff\xff' | put "$work/hole.zst" $((hole_at + 13))
	ends '--check of a damaged frame fails' 1 "$dump" --check "$work/hole.zst"
	has '... and has the place' "$out" \
		"hole\.zst: byte $hole_at: a compressed frame is damaged"

	# Nobody reads the unused room of the string table.
	cp "$packed" "$work/rest.zst"
	printf '\xff\xff\xff\xff' |
		put "$work/rest.zst" $((packed_size - last_size + 13))
	ends 'a damaged frame that is not needed is no harm' 0 "$dump" "$work/rest.zst"
	ends '... but --check finds it' 1 "$dump" --check "$work/rest.zst"
	has '... and has the place' "$out" \
		"rest\.zst: byte $((packed_size - last_size)): a compressed frame is damaged"

	packed_flips() {
		local i at value way status
		RANDOM=815
		for ((i = 0; i < ${FLIPS:-100}; i++)); do
			cp "$packed" "$work/flip.zst"
			at=$(((RANDOM * 32768 + RANDOM) % packed_size))
			value=$((RANDOM % 256))
			# shellcheck disable=SC2059
			printf "\\x$(printf %02x "$value")" | put "$work/flip.zst" "$at"
			for way in --explain --check; do
				timeout "$patience" "$dump" "$way" "$work/flip.zst" >"$work/out" 2>&1
				status=$?
				[ $status -le 1 ] ||
					echo "status $status with $way, byte $at set to $value"
			done
		done
	}
	is 'no flipped byte of a compressed one makes it crash or hang' "$(packed_flips)" ''
	if command -v lua5.4 >/dev/null && [ -e "$build/lib/lua/5.4/timeline.so" ] &&
		! nm -D "$build/lib/lua/5.4/timeline.so" | grep -qE "__(asan|ubsan|tsan)_"; then
		# shellcheck disable=SC2016
		lua_count='local n = 0
for _ in require "timeline".open(arg[1]):events() do n = n + 1 end
print(n)'
		echo "$lua_count" >"$work/count.lua"
		is 'Lua opens a compressed one' \
			"$(LUA_CPATH="$build/lib/lua/5.4/?.so" lua5.4 "$work/count.lua" "$packed" 2>&1)" 11
	fi
else
	skip 'no zstd'
fi
