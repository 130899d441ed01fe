# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# No ordinary file is taken for a recording: programs, libraries, bytecode, tables
# and texts of this system, and random bytes.

refused=0 taken=
ordinary() {
	find /usr/bin /usr/lib/x86_64-linux-gnu -maxdepth 1 -type f -size -300k | sort | head -150
	find /usr/lib/python3* -name '*.pyc' -size -100k 2>/dev/null | sort | head -150
	find /etc /usr/share/doc /usr/share/zoneinfo -type f -readable -size +0 -size -100k 2>/dev/null | sort | awk 'NR % 7 == 0' | head -200
	for i in 1 2 3 4 5 6 7 8; do
		head -c $((i * 1000)) /dev/urandom >"$work/random-$i"
		head -c $((i * 1000)) /dev/zero >"$work/zeros-$i"
		seq -s , "$i" 3 2000 | tr , '\n' | paste -sd ',\n' >"$work/columns-$i"
		printf '%s\n' "$work/random-$i" "$work/zeros-$i" "$work/columns-$i"
	done
}
while read -r file; do
	if "$dump" -n 1 "$file" 2>&1 </dev/null | grep -qa 'unknown file format'; then
		refused=$((refused + 1))
	else
		taken+=" $file"
	fi
done < <(ordinary)
is 'no ordinary file is taken for a recording' "$taken" ''
is '... of many' "$((refused > 200))" 1
