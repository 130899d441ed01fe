# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Bursts: reports show what was observed in bursts, and give no total.

samples=$work/samples.tl
"$build/tests/tool/make_samples" "$name-samples" "$samples" 50 5 || exit 1
info=$("$dump" --info --json "$samples")
is '--info counts samples' "$(jq -c '[.levels.bursts, .levels.bursts_sampled]' <<<"$info")" '[55,50]'
is '... and marks their windows' \
	"$(jq '[.levels.windows[] | select(.sample)] | length == 50 and all(.burst and (.merged | not))' <<<"$info")" true
# Durations are left out: an entry shows the rest of its burst when the writer
# was interrupted between burst and entry.
is 'a burst says in the listing whether it is a sample' \
	"$("$dump" --category timeline "$samples" | sed -E 's/^.* timeline   //; s/for [0-9.]+us/for T/' | sort | uniq -c | tr -s ' \n' ' ')" ' 5 burst to trace for T 50 burst to trace for T (sample) 55 in force: burst to trace for T 1 in force: priority info 1 priority info '
row=$("$dump" --stats --json --category work "$samples")
is '--stats tells what was observed in bursts' \
	"$(jq '.observed_count == .count and .observed_share > 0 and .observed_share < 1' <<<"$row")" true
is '... for as long as they were open' \
	"$(jq -n --argjson i "$info" --argjson r "$row" \
		'([$i.levels.windows[] | select(.burst).length_ns] | add) as $open | ($r.observed_ns / $open - 1 | fabs) < 0.001')" true
is '... whose rate is that of this time' \
	"$(jq '(.rate_per_s * .observed_ns / .observed_count / 1e9 - 1 | fabs) < 0.001' <<<"$row")" true
has '... in text' "$(COLUMNS=200 "$dump" --stats --category work "$samples")" \
	"^    trace  ([0-9]+) entries, \\1 in bursts, [0-9,]+/s of observed time \\([0-9.]+ % of all\\)$"
is 'no total follows from bursts' "$(jq -c '[.estimate, .starved]' <<<"$row")" '[null,null]'
csv=$("$dump" --stats --format csv --category work "$samples")
has '... in CSV' "$csv" '^[^,]*,work,trace,instant,step \$n,([0-9]+),[0-9.]+,\1,[0-9]+,0\.[0-9]+,,,,,interval,ns,'
is '... whose lines are as long as its heading' "$(awk -F, '{ print NF }' <<<"$csv" | sort -u | wc -l)" 1
is 'what the base opens is observed all the time' \
	"$("$dump" --stats --json --category timeline "$samples" | jq -s 'all(.observed_share == 1 and .estimate == null)')" true
lacks '... in text' "$("$dump" --stats --category timeline "$samples")" 'observed'
until=$(date -u -d "@$(jq -r '.levels.windows | map(select(.burst)) | .[9].to_ns | tostring | .[:-9] + "." + .[-9:]' <<<"$info")" +%FT%T.%N)
is 'observed time ends with the time range' \
	"$("$dump" --stats --json --category work --until "$until" "$samples" |
		jq --argjson r "$row" '.observed_count < $r.observed_count / 3 and .observed_ns < $r.observed_ns / 3
		and (.rate_per_s / $r.rate_per_s - 1 | fabs) < 0.5')" true
is 'the rate of a file of another format is the plain one' \
	"$("$bin/timeline-convert" -q "$samples" -o "$work/samples.jsonl" && "$dump" --stats --json --category work "$work/samples.jsonl" |
		jq '.observed_share == 1 and (.rate_per_s * .observed_ns / .count / 1e9 - 1 | fabs) < 0.01')" true
# A burst lasts 200 us, and 1 ms lies between two.
text=$("$dump" "$samples" --view latency -- 'step*' 'step*')
has '--view latency leaves out what closed levels lie between' "$text" '^(5[0-9]|6[0-9]) left out, whose answer was not observed$'
is '... so that nothing took longer than a burst' \
	"$(sed -nE 's/.* max ([0-9.]+)us.*/\1/p' <<<"$text" | awk '$1 > 0 && $1 <= 201 { print "short" }')" short
tick() { printf '{"ns":%d,"tsc":%d,"cpu":0,"pid":7,"tid":7,"priority":"info","category":"x","message":"tick","kind":"instant","args":{}}\n' "$1" "$1"; }
for i in 1 2 3 4; do tick "$((i * 1000000))"; done >"$work/one.jsonl"
for i in 1 2 3 4; do tick "$((i * 1000000 + 100000000))"; done >"$work/two.jsonl"
text=$("$dump" "$work/one.jsonl" "$work/two.jsonl" --view gaps 2>/dev/null)
has '--view gaps has the silences of an input' "$text" '^all +1ms '
lacks '... and none between two inputs' "$text" '97ms'
has '... and --view rate no rate' "$("$dump" "$work/one.jsonl" "$work/two.jsonl" --view rate -- 10 2>/dev/null)" '  not observed: no input$'
is '--stats fits 80 columns' "$(COLUMNS=80 "$dump" --stats "$samples" | awk 'length > 80')" ''

# Each span that began in a burst is recorded with its whole duration, so the
# spans of the bursts are a fair sample of all spans.
biased=$work/biased.tl
truth=$("$build/tests/tool/make_biased" "$name-biased" "$biased") || exit 1
fair=$(paste -d ' ' - <("$dump" --stats --json --category work "$biased" |
	jq -r '.duration_ns | .p50, .p90, .p99') <<<"$truth")
is 'percentiles of spans that are sampled on a schedule are those of all' \
	"$(awk '$4 >= $1 && $4 <= $2 * 1.01' <<<"$fair" | wc -l)" 3
is '... where those of spans that a burst holds whole are not' \
	"$(awk '$3 >= $1 && $3 <= $2' <<<"$fair" | wc -l)" 0
cat >"$work/biased.lua" <<'END'
local took = {}
for span in timeline.spans { category = "work" } do took[#took + 1] = span.duration end
table.sort(took)
print(took[math.ceil(#took * 0.9)])
END
is '... in Lua, too' "$("$dump" -s "$work/biased.lua" "$biased" |
	awk -v truth="$(sed -n 2p <<<"$truth")" '{ split(truth, t, " "); print ($1 >= t[1] && $1 <= t[2]) }')" 1
# no append has ended the burst in the header since
ended=$name-ended
"$bin/timelinectl" create --entries 256 "$ended" >/dev/null
"$bin/timelinectl" priority "$ended" info >/dev/null
"$bin/timelinectl" burst "$ended" debug 1ms >/dev/null
sleep 0.1
"$bin/timelinectl" save "$ended" "$work/ended.tl" 2>/dev/null
is '--info says what is logged after a burst, though nothing was' "$(
	"$dump" --info --json "$ended" | jq -r .levels.threshold_now
	"$dump" --info --json "$work/ended.tl" | jq -r .levels.threshold_now)" 'info
info'
"$bin/timelinectl" burst "$ended" debug 1h >/dev/null
is '... and during one' "$("$dump" --info --json "$ended" | jq -r .levels.threshold_now)" debug
rm -f "/dev/shm$ended"
