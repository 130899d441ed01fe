# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Files of other formats, compressed by gzip or zstd, are read as they are.

for i in $(seq 1 20000); do
	printf '%s{"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":%d,"name":"n%d","args":{"i":%d}}\n' \
		"${comma-}" $((i % 3)) $((i * 7)) $((i % 50)) $((i * i % 97)) "$i"
	comma=,
done >"$work/events"
{ echo '{"traceEvents":[' && cat "$work/events" && echo ']}'; } >"$work/x.json"
plain=$("$dump" "$work/x.json" | md5sum)
gzip -k "$work/x.json"
zstd -q -k "$work/x.json"
holds() { is "$1" "$("${@:2}" && echo yes)" yes; }
same_as() { [ "$("$dump" "$@" | md5sum)" = "$plain" ]; }
holds 'a trace in gzip is read' same_as "$work/x.json.gz"
holds '... in zstd' same_as "$work/x.json.zst"
holds '... through a pipe' same_as - < <(cat "$work/x.json.gz")
holds '... in zstd, too' same_as - < <(cat "$work/x.json.zst")
holds '... from standard input' same_as - <"$work/x.json.zst"
{ head -c 300000 "$work/x.json" | gzip && tail -c +300001 "$work/x.json" | gzip; } >"$work/two.gz"
holds '... that was appended to another' same_as "$work/two.gz"
{ head -c 300000 "$work/x.json" | zstd -q && tail -c +300001 "$work/x.json" | zstd -q; } >"$work/two.zst"
holds '... in zstd, too' same_as "$work/two.zst"
"$dump" --oldest-first --format csv "$work/x.json" | gzip >"$work/x.csv.gz"
is 'other formats are, too' "$("$dump" "$work/x.csv.gz" | md5sum)" "$plain"
is 'timeline-convert reads them' \
	"$("$bin/timeline-convert" --to csv -o - "$work/x.json.gz" 2>/dev/null | md5sum)" \
	"$("$bin/timeline-convert" --to csv -o - "$work/x.json" 2>/dev/null | md5sum)"
is '... when it is told what they are' \
	"$("$bin/timeline-convert" --from chrome --to csv -o - "$work/x.json.zst" 2>/dev/null | md5sum)" \
	"$("$bin/timeline-convert" --to csv -o - "$work/x.json" 2>/dev/null | md5sum)"

# Damage: the beginning is listed, and the damage is reported.
part() { # the listing is a part from the beginning
	local n
	"$dump" --oldest-first --json "$1" >"$work/part" 2>"$work/said"
	[ $? = 1 ] || return
	n=$(grep -c '"kind":"begin"' "$work/part")
	[ "$n" -gt 1000 ] && [ "$n" -lt 20000 ] &&
		"$dump" --oldest-first --json "$work/x.json" |
		grep '"kind":"begin"' | head -n "$n" |
			cmp -s - <(grep '"kind":"begin"' "$work/part")
}
for way in gz zst; do
	size=$(stat -c %s "$work/x.json.$way")
	head -c $((size * 3 / 4)) "$work/x.json.$way" >"$work/cut.$way"
	holds "a file that is cut is read as far as it goes ($way)" part "$work/cut.$way"
	has '... and called cut off' "$(cat "$work/said")" \
		"byte $((size * 3 / 4)): cut off: the end of the compressed data is missing"
	{
		head -c $((size / 2)) "$work/x.json.$way"
		head -c 1000 /dev/zero
		tail -c +$((size / 2 + 1001)) "$work/x.json.$way"
	} >"$work/bad.$way"
	"$dump" "$work/bad.$way" >/dev/null 2>"$work/said"
	is 'a damaged one is an error' $? 1
	has '... that is named' "$(cat "$work/said")" 'damaged in the'
done
{ cat "$work/x.json.gz" && echo more; } >"$work/tail.gz"
holds 'what follows the data is left alone' same_as "$work/tail.gz"
has '... and reported' "$("$dump" "$work/tail.gz" 2>&1 >/dev/null)" \
	'what follows the gzip data is not read'

# Some compressed files are not read; the reason is given.
echo hello | gzip >"$work/hello.gz"
has 'what is no format is an error' "$("$dump" "$work/hello.gz" 2>&1)" \
	'unknown file format within gzip'
"$bin/timeline-convert" --to timeline -o "$work/x.tl" "$work/x.json" 2>/dev/null
gzip -k "$work/x.tl"
has 'a saved timeline in gzip says what to do' "$("$dump" "$work/x.tl.gz" 2>&1)" \
	'format timeline is not read from gzip: gunzip it first'
has 'a compressed file is not followed' "$("$dump" --follow "$work/x.json.gz" 2>&1)" \
	'does not grow'

# A few hundred KB become 400 MB.
{
	echo '[{"ph":"i","ts":1,"name":"a"},'
	head -c 400000000 /dev/zero | tr '\0' ' '
	echo '{"ph":"i","ts":2,"name":"b"}]'
} | tee >(gzip >"$work/bomb.gz") | zstd -q >"$work/bomb.zst"
wait
zstd -q -d -c "$work/bomb.zst" | zstd -q --long=31 --stream-size=400000060 -o "$work/long.zst"
has 'what needs more is an error that says what to do' "$("$dump" "$work/long.zst" 2>&1)" \
	'needs more than 128 MiB to decode: decompress it with zstd -d --long=31'
# A sanitizer reserves more than any bound.
bound=400000
! ldd "$dump" | grep -q 'lib[at]san' || bound=unlimited
bounded() { (ulimit -v "$bound" && "$dump" "$1" | wc -l); }
is 'memory is bounded whatever it holds' "$(bounded "$work/bomb.gz")" 2
is '... in zstd' "$(bounded "$work/bomb.zst")" 2
