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

# What people hold in their hands is named.
named() { # SENTENCE FILE WORDS
	ends "$1" 1 "$dump" "$2"
	has '... by name' "$err" "unknown file format: a $3"
}
for to in perfetto sqlite; do
	"$bin/timeline-convert" -f --to $to -o "$work/named.$to" "$known" 2>/dev/null || continue
	named "a file of $to is not read" "$work/named.$to" '(Perfetto trace|SQLite database) \(timeline-convert writes one, and reads none\)'
done
printf '# callgrind format\nversion: 1\ncreator: callgrind-3.19\n' >"$work/named"
named 'a profile of callgrind is not read' "$work/named" 'profile of callgrind'
printf '{"nodes":[{"id":1}],"samples":[1],"timeDeltas":[10]}' >"$work/named"
named 'a CPU profile is not read' "$work/named" 'CPU profile of V8'
printf 'PERFILE2%064d' 0 >"$work/named"
named 'a file of perf is not read' "$work/named" 'perf.data file'
