# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2016
# Metrics and the page's answers, as curl, promtool, jq and a Prometheus ask for
# them.

# public PATH [OPTION...] asks as any local user, ask PATH [OPTION...] with the
# token.
public() { curl -s -m "$patience" "http://127.0.0.1:$port$1" "${@:2}"; }
ask() { public "$1" -H "Authorization: Bearer $token" "${@:2}"; }
# status PATH [OPTION...] prints the number of the answer.
status() { ask "$1" -o /dev/null -w '%{http_code}' "${@:2}"; }

# The first name tries to break out of its label, the second is no UTF-8.
hostile=$name-$'h"\\\n{}\e[2J'
invalid=$name-$'i\xff'
start_daemon 'timelines = {
	{ name = "'"$name"'-metrics", create = { entries = "4096" }, priority = "info",
	  bursts = { levels = { "trace" }, length = "100us", period = "10ms" },
	  triggers = { { name = "a\"b\\c\n{}", level = "fatal" } } },
	{ name = "'"$name"'-*" } }'
address=$("$ctl" page)
has 'timelinectl page prints the address, with a token' "$address" \
	"^http://127\.0\.0\.1:$port/\?token=[0-9a-f]{32}$"
token=${address##*=}
start_load "$name-metrics"
for other in "$hostile" "$invalid"; do
	"$load" "/$other" </dev/null
done
until_true eval '[ "$(ask /timelines.json | jq length)" = 3 ]'
tell rate 200 info >/dev/null
until_true eval '[ "$(metric timeline_stream_entries_total priority=.info)" -ge 50 ]'
is 'entries are counted as they come' $? 0
until_true eval '[ "$(metric timeline_bursts_total priority=.trace.})" -ge 5 ]'
is 'and so are bursts' $? 0

# -- Prometheus
if command -v promtool >/dev/null; then
	is 'promtool has nothing to complain of' \
		"$(ask /metrics | promtool check metrics 2>&1)" ''
else
	skip 'no promtool'
fi
text=$(ask /metrics)
has 'the type of the text is said' "$(ask /metrics -D - -o /dev/null)" \
	'Content-Type: text/plain; version=0\.0\.4'
is 'no sample is there twice' \
	"$(grep -v '^#' <<<"$text" | sed 's/ [^ ]*$//' | sort | uniq -d)" ''
has 'a hostile name stays a label' "$text" \
	'^timeline_size_bytes\{timeline="'"$name"'-h\\"\\\\\\\\\\\\n\{\}\\\\x1b\[2J"\} [0-9]+$'
has 'and one of a trigger' "$text" \
	'^timeline_trigger_fired_total\{.*trigger="a\\"b\\\\\\\\c\\\\n\{\}"\} 0$'
manual=$here/../../src/daemon/timelined-metrics.5
sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' <<<"$text" | while read -r metric; do
	grep -q "^\.It Va $metric Ta" "$manual" || echo "$metric"
done >"$work/unknown"
is 'every metric has its line in the manual page' "$(cat "$work/unknown")" ''

# -- JSON
json=$(ask /metrics.json)
is 'JSON is one object' "$(jq -r type <<<"$json")" object
is 'it has the same timelines' "$(jq '.timelines | length' <<<"$json")" 3
is 'a hostile name stays a string' \
	"$(jq -r '.timelines[].timeline' <<<"$json" | grep -cF "$name-h\"\\")" 1
is 'it has as many lanes as the text' \
	"$(jq '[.timelines[].lanes[]] | length' <<<"$json")" \
	"$(grep -c '^timeline_entries_appended_total{' <<<"$text")"
is 'what was appended is a number' \
	"$(jq '[.timelines[].lanes[].entries_appended | type] | unique[]' <<<"$json")" \
	'"number"'

# -- clients without a token
without() { public "$1" -o /dev/null -w '%{http_code}' "${@:2}"; }
is 'metrics are for every local user' "$(without /metrics)" 200
for path in / /metrics.json /timelines.json /recordings.json \
	"/timers.json?timeline=$name-metrics" "/live.json?timeline=$name-metrics"; do
	is "without the token there is no $path" "$(without "$path")" 401
done
is 'nor a snapshot' "$(without "/snapshot?timeline=$name-metrics" \
	-X POST -H 'X-Timeline: 1')" 401
has 'the answer names the remedy' "$(public /)" 'timelinectl page'
is 'a token that is cut short is none' "$(without /timelines.json \
	-H "Authorization: Bearer ${token:0:31}")" 401
is 'the address of the page sets a cookie' \
	"$(public "/?token=$token" -c "$work/cookies" -o /dev/null -w '%{http_code}')" 200
is 'with which the rest is there' \
	"$(without /timelines.json -b "$work/cookies")" 200
has 'no script sees the cookie' "$(cat "$work/cookies")" '^#HttpOnly_127.0.0.1'
lacks 'no text of a message is among the metrics' "$(public /metrics)" 'tick'

# -- requests that must be refused
is 'a page under another name is refused' "$(status /metrics -H 'Host: evil.example')" 403
is 'a snapshot is not saved without our header' \
	"$(status "/snapshot?timeline=$name-metrics" -X POST)" 403
is 'nor for a page of elsewhere' "$(status "/snapshot?timeline=$name-metrics" \
	-X POST -H 'X-Timeline: 1' -H 'Origin: http://evil.example')" 403
where=$(ask "/snapshot?timeline=$name-metrics" -X POST -H 'X-Timeline: 1' | jq -r .path)
is 'our page hears where its snapshot lies' "$([ -s "$where" ] && echo there)" there
is 'it holds what was logged' \
	"$("$dump" "$where" 2>/dev/null | grep -qE 'tick n' && echo yes)" yes
is 'HEAD has no body' "$(ask /metrics -I | tail -n +2 | grep -c timeline_)" 0
is 'another method is told so' "$(status /metrics -X DELETE)" 405
is 'what is not there is not found' "$(status /metric)" 404
is 'a long path is refused' \
	"$(status "/$(printf '%070000d' 0)" | grep -cE '4..|000')" 1
is 'bad percent escapes are no path' "$(status '/%zz%')" 404

# -- timers: 1000 spans of 10 ms, 20 ms ... 10 s
timed=$name-timed
make=$build/tests/tool/make_timeline
"$make" "/$timed" entries=4096 timed=1000
timer=timeline_timer_duration_seconds
until_true eval '[ "$(metric ${timer}_count "$timed")" = 1000 ]'
is 'a timer is counted' $? 0
until_true reaches 1000 timeline_stream_entries_total "$timed.*info"
is '... each entry once, though it is read as begin and end' \
	"$(metric timeline_stream_entries_total "$timed.*info")" \
	"$(metric timeline_entries_appended_total "$timed.*tier=\"0\"")"
samples=$(ask /metrics | grep "^$timer.*$timed")
bucket() { sed -n "s/^${timer}_bucket.*,le=\"$1\"} //p" <<<"$samples"; }
is '... as a histogram' "$(ask /metrics | grep "^# TYPE $timer")" "# TYPE $timer histogram"
is '... that has the sum of all spans' \
	"$(awk '/_sum/ { print ($NF > 5004.9 && $NF < 5010) }' <<<"$samples")" 1
is '... whose buckets are cumulative' \
	"$(awk '/_bucket/ { if ($NF < last) bad = 1; last = $NF; n++ } END { print n, bad + 0, last }' <<<"$samples")" \
	'29 0 1000'
is '... and right but for one part in a hundred' \
	"$(echo "$(bucket 0.005) $(bucket 1) $(bucket 2.5) $(bucket 5) $(bucket 25) $(bucket '+Inf')" |
		awk '{ print $1, ($2 >= 98 && $2 <= 102), ($3 >= 246 && $3 <= 254),
			($4 >= 494 && $4 <= 506), $5, $6 }')" '0 1 1 1 1000 1000'
# The times are compared in ms: the rate of the clock becomes more exact from
# look to look.
is '... and for the page, as timeline-dump shows it' \
	"$(ask "/timers.json?timeline=$timed" | jq -c '.timers[] | [.message, .count,
		(.p50_ns, .p99_ns, .p999_ns, .max_ns, .sum_ns, .slower_ns | . / 1e6 | round)]')" \
	"$("$dump" --stats --json "/$timed" | jq -c 'select(.timer) | [.message, .timer.count,
		(.timer.p50_ns, .timer.p99_ns, .timer.p999_ns, .timer.max_ns, .timer.sum_ns,
		.slower_ns | . / 1e6 | round)]')"
threshold() { "$dump" --stats --json "/$timed" | jq '.slower_ns // empty'; }
"$ctl" slower "/$timed" 'timed*' p99
is 'p99 is a threshold' "$(threshold | jq '. > 9.8e9 and . < 10e9')" true
"$make" "/$timed" timed=2000
until_true eval '[ "$(threshold)" -gt 19000000000 ]'
is '... that the daemon keeps as spans become slower' $? 0
rm -f "/dev/shm/$timed"

# -- the page
is 'the page gets its entries' "$(ask "/live.json?timeline=$name-metrics" |
	jq 'has("next") and (.chunks | length > 0)')" true
mark=$(ask "/live.json?timeline=$name-metrics" | jq -r .next)
is 'and later only the new ones' \
	"$(ask "/live.json?timeline=$name-metrics&after=$mark&max=10" | jq 'has("next")')" true
is 'one with a hostile name, too' "$(ask '/live.json' -G \
	--data-urlencode "timeline=$hostile" | jq 'has("next")')" true
"$ctl" create --entries 1M "/$name-lane" >/dev/null
taskset -c 0 "$load" "/$name-lane" <<<'many 150000' >/dev/null
counted() { ask "/summary.json?timeline=$name-lane" | jq .total; }
for _ in $(seq 20); do counted >/dev/null; done # each counts 20,000
[ "$(counted)" -ge 150000 ]
is 'it counts what one lane holds, and leaves no share to empty lanes' $? 0
is '... which is all' "$(ask "/summary.json?timeline=$name-lane" | jq .part)" null
rm -f "/dev/shm/$name-lane"
has 'the page is HTML' "$(ask /)" '<html'

# -- clients that misbehave: more than there are places, and each comes back
mkfifo "$work/slow"
perl "$here/slow.pl" "$port" 400 <"$work/slow" >"$work/held" &
slow=$!
exec 9>"$work/slow"
until_true grep -q held "$work/held"
for _ in {1..5}; do
	public /metrics -o /dev/null -w '%{http_code} %{time_total}\n'
done >"$work/times"
is 'slow clients hold up nobody' "$(cut -d' ' -f1 "$work/times" | uniq)" 200
[ "$(awk '{ print int($2) }' "$work/times" | sort -n | head -1)" = 0 ]
is 'metrics come within a second' $? 0
exec 9>&-
wait "$slow"
seq 200 | xargs -P 200 -I{} curl -s -m 300 -o /dev/null -w '%{http_code}\n' \
	"http://127.0.0.1:$port/metrics" >"$work/codes"
is 'two hundred at once are answered' \
	"$(sort "$work/codes" | uniq -c | awk '{ print $1, $2 }')" '200 200'

# -- many clients that ask for large answers; the one program that plays them
# takes what there is at once, also on a loaded machine, so that the order in
# which it reads is the order in which the daemon answers
at_once=(chrt -f 1)
"${at_once[@]}" true 2>/dev/null || at_once=()
"$ctl" create --entries 65536 "$name-much"
until_true eval 'ask /timelines.json | grep -q "$name-much"'
"$load" "/$name-much" <<<$'rate 1000000\nwork 200000\nquit' >/dev/null
has '/metrics does not wait for thirty answers with many entries' \
	"$("${at_once[@]}" perl "$here/order.pl" "$port" "$token" 30 "/live.json?timeline=$name-much&from=0&max=200000" /metrics)" \
	'^([0-9]|1[0-4]) begun before; 31 x 200$'
rm -f "/dev/shm/$name-much"

# -- an address that cannot be had
cp "$work/conf" "$work/conf-first"
sed "s/127.0.0.1:0/127.0.0.1:$port/; s|$TIMELINED_SOCKET|$work/sock2|; s/$name-[*m]/none-/" \
	"$work/conf-first" >"$work/conf2"
ends 'a second daemon cannot have the same address' 1 \
	env -u TIMELINED_SOCKET "$daemon" -c "$work/conf2"
has 'it is named' "$err" "127\.0\.0\.1:$port: Address already in use"
rm -f "/dev/shm/none-"*
is 'the first goes on' "$(status /metrics)" 200
stop_load
stop_daemon

# -- a real Prometheus
if command -v prometheus >/dev/null; then
	start_daemon 'timelines = { { name = "'"$name"'-metrics" } }'
	mkdir "$work/prometheus"
	web=$((port % 10000 + 20000))
	cat >"$work/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: timeline
		    static_configs: [ { targets: ["127.0.0.1:$port"] } ]
	END
	prometheus --config.file="$work/prometheus.yml" \
		--storage.tsdb.path="$work/prometheus" --log.level=error \
		--web.listen-address="127.0.0.3:$web" \
		>"$work/prometheus.log" 2>&1 </dev/null &
	scraper=$!
	scraped() {
		curl -s -m 20 -G "http://127.0.0.3:$web/api/v1/query" \
			--data-urlencode 'query=count(timeline_entries_appended_total)' |
			jq -e '.data.result[0].value[1] | tonumber > 0'
	}
	until_true scraped
	is 'a real Prometheus scrapes it' $? 0
	kill "$scraper"
	wait "$scraper" 2>/dev/null
	stop_daemon
else
	skip 'no Prometheus'
fi
rm -f "/dev/shm/$name-"*
