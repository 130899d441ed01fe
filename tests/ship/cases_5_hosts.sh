# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Four hosts with different clocks send each other messages and ship their
# entries, while servers, a shipper and the whole cluster go away.  Every entry
# arrives once and in order, or is counted as lost.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"

w=$work/hosts
names='h1 h2 h3 h4'
nodes=${QUICK:+1} nodes=${nodes:-3}
away=${QUICK:+3} away=${away:-30} # seconds without a cluster
declare -A shippers=()

# host_ships NAME starts the host's shipper on the host's spool.
host_ships() {
	"$ship" run --to "$url" --host "$1" --spool "$w/spool-$1" --all \
		--every 250ms --linger 20s --replicas "$nodes" "$name-$1" \
		>"$w/said-$1" 2>>"$w/errors-$1" 7>&- &
	shippers[$1]=$!
	started+=("$!")
}
host_stops() { # NAME SIGNAL
	kill "-$2" "${shippers[$1]}"
	wait "${shippers[$1]}" 2>/dev/null
}
arrived() { # MORE MESSAGES THAN
	[ "$(stream_says TIMELINE .state.messages)" -gt "$1" ]
}
# goes_on SENTENCE: more messages arrive than before.
goes_on() {
	local before more
	before=$(stream_says TIMELINE .state.messages)
	more=$((before + 8))
	until_true arrived "$more" || until_true arrived "$more"
	is "$1" "$(arrived "$more"; echo $?)" 0
}

# numbers_of compares lines "NAME NUMBER", the entries in the stream, with lines
# "NAME ENTRIES SHIFT_NS BOUND_NS", the entries that the fleet logged.  Prints
# wrong numbers, and for each host how many entries came and how many are
# missing.
numbers_of() { # FLEET <numbers
	awk 'NR == FNR { logged[$1] = $2; last[$1] = -1; next }
		!($1 in logged) { print "who is " $1 "?"; next }
		$2 <= last[$1] { print $1 ": " $2 " after " last[$1] }
		{ gone[$1] += $2 - last[$1] - 1; last[$1] = $2; seen[$1]++ }
		END { for (h in logged) print h, seen[h] + 0,
			gone[h] + logged[h] - 1 - last[h] }' "$1" - | sort
}
# hosts_in FILE.jsonl prints each host with its number of lines.
hosts_in() { jq -r .host "$1" | sort | uniq -c | awk '{ print $2, $1 }'; }

hosts_log_and_ship() {
	local h leader

	mkfifo "$w/fleet.in"
	"$build/tests/ship/make_fleet" "$name" h1:37ms:200ms h2:-120ms:200ms \
		h3:2.5ms:none:1024 h4:0s:50ms <"$w/fleet.in" >"$w/fleet.out" &
	fleet=$!
	started+=("$fleet")
	exec 7>"$w/fleet.in"
	until_true grep -q ready "$w/fleet.out"
	for h in $names; do host_ships "$h"; done
	goes_on 'four hosts ship what they log'

	leader=$(stream_leader TIMELINE || echo 1)
	node_kill "$leader"
	sleep 1
	[ -n "${QUICK:-}" ] || goes_on '... also when the leader was killed'
	node_start "$leader"
	until_true cluster_ready
	goes_on '... and when it is there again'

	host_stops h3 KILL
	sleep 2 # the timeline overwrites entries meanwhile
	host_ships h3

	cluster_pause
	host_stops h1 KILL # waiting blocks are in the spool
	host_ships h1
	sleep "$away"
	cluster_resume
	goes_on '... and when the cluster was away and a shipper was killed'

	exec 7>&-
	wait "$fleet"
	grep -v ready "$w/fleet.out" >"$w/fleet"
	for h in $names; do
		host_stops "$h" TERM
		is "the shipper of $h has sent all there is" \
			"$? $(grep -c ' wait' "$w/said-$h")" '0 0'
	done
}

# == every entry arrives once ==
entries_arrive() {
	ends 'all of it is read as JSON lines' 0 \
		"$convert" -f "$url" --to jsonl -o "$w/all.jsonl"
	has '... whose clock has no bound is said' "$err" \
		'timeline-convert: h3: clock not synchronised'
	is '... only of that one' "$(grep -c 'not synchronised' <<<"$err")" 1
	jq -r 'select(.args) | "\(.host) \(.args.n)"' "$w/all.jsonl" >"$w/numbers"
	"$ship" read "$url" 2>"$work/err" | "$build/tests/ship/drive" check >"$w/checked"
	is 'no block is missing, or damaged' "$(cat "$work/err")" ''
	is '... twice, or out of order' \
		"$(grep -c ' again 0 back 0 missing 0$' "$w/checked") $(wc -l <"$w/checked")" '4 4'
	is 'every entry of every host is there once, in order, or counted as lost' \
		"$(numbers_of "$w/fleet" <"$w/numbers")" \
		"$(sed 's|/[^ ]*||' "$w/checked" | awk '{ print $1, $5, $7 }' | sort)"
	is '... which with the lost ones is all that was logged' \
		"$(sed 's|/[^ ]*||' "$w/checked" | awk '{ print $1, $5 + $7 }' | sort)" \
		"$(cut -d' ' -f1,2 "$w/fleet" | sort)"
	is '... lost only by who had no room' \
		"$(sed 's|/[^ ]*||' "$w/checked" | awk '$7 > 0 { print $1 }')" h3
	is 'one that came twice, and one that is missing, would be seen' \
		"$(sed -n '5{p;p;};6d;p' "$w/numbers" | numbers_of "$w/fleet" |
			diff - <(numbers_of "$w/fleet" <"$w/numbers") >"$w/diff"; echo $?)" 1
}

# == clocks ==
clocks_are_right() {
	is 'what each host says of its clock is told' \
		"$("$dump" --info --json "$url" 2>/dev/null | jq -r '.host | "\(.name) \(.clock) \(.clock_bound_ns)"' | sort)" \
		'h1 synchronised 200000000
h2 synchronised 200000000
h3 unsynchronised null
h4 synchronised 50000000'
	is 'nothing is ordered that has no order' \
		"$(jq -r 'select(.host == "h3" and .args) | .overlaps' "$w/all.jsonl" | sort -u)" true
}

# == a part of the stream ==
numbers_in_file() { jq -r 'select(.args) | "\(.host) \(.args.n)"' "$1" | sort; }
# in_window SINCE UNTIL FILE prints the numbers of entries between whole
# seconds, including UNTIL itself.
in_window() {
	jq -r --arg since "$1" --arg until "$2" '
		select(.args and (.ns | tostring | .[:10]) >= $since and
		((.ns | tostring | .[:10]) < $until or
		(.ns | tostring) == $until + "000000000")) |
		"\(.host) \(.args.n)"' "$3" | sort
}
windows() {
	local since until
	ends 'some hosts are read' 0 \
		"$convert" -qf "$url" --host 'h[12]' --to jsonl -o "$w/some.jsonl"
	is '... all of them, and nobody else' "$(hosts_in "$w/some.jsonl")" \
		"$(hosts_in "$w/all.jsonl" | grep -E '^h[12] ')"
	# The window has two seconds from the middle of the record.
	since=$(jq -r 'select(.args) | .ns' "$w/all.jsonl" |
		awk '{ a[NR] = $1 } END { print substr(a[int(NR / 2)], 1, 10) }')
	until=$((since + 2))
	ends 'a time is read' 0 "$convert" -qf "$url" --since "@$since" \
		--until "@$until" --to jsonl -o "$w/window.jsonl"
	is '... all of it, and nothing else' "$(numbers_in_file "$w/window.jsonl")" \
		"$(in_window "$since" "$until" "$w/all.jsonl")"
	is '... which is something' "$(($(wc -l <"$w/window.jsonl") > 100))" 1
	ends '... of some hosts' 0 "$dump" --json --host 'h[34]' \
		--since "@$since" --until "@$until" "$url"
	is '... the same' "$(hosts_in "$work/out")" \
		"$(hosts_in "$w/window.jsonl" | grep -E '^h[34] ')"
	"$convert" -qf "$url" --since "@$since" --until "@$until" --to html -o "$w/window.html"
	# A window of corrected time is another one.
	"$convert" -qf "$url" --offset h2=120ms --to jsonl -o "$w/right.jsonl"
	ends '... by clocks that were put right' 0 "$convert" -qf "$url" --offset h2=120ms \
		--since "@$since" --until "@$until" --to jsonl -o "$w/window.jsonl"
	is '... all of it, and nothing else' "$(numbers_in_file "$w/window.jsonl")" \
		"$(in_window "$since" "$until" "$w/right.jsonl")"
}

# == other formats ==
page_names_it() {
	local browser
	browser=$(command -v chromium || command -v chromium-browser) || {
		skip 'no chromium to look at the page'
		return
	}
	timeout -k 1 60 "$browser" --headless --no-sandbox --disable-gpu \
		"--user-data-dir=$w/browser" --dump-dom "file://$w/window.html" \
		>"$w/page" 2>/dev/null
	has 'the page names who is not synchronised' "$(tr -d '\n' <"$w/page")" \
		'>h3<[^h]*(h[^0-9][^h]*)*clock not synchronised'
}
other_formats() {
	"$convert" -qf "$url" --to perfetto -o "$w/all.pftrace"
	is 'a process in Perfetto begins with its host' \
		"$(grep -aoE 'h[1-4]: ' "$w/all.pftrace" | sort -u | tr -d ':\n')" \
		'h1 h2 h3 h4 '
	"$convert" -qf "$url" --to parquet -o "$w/all.parquet"
	is 'a table has the four hosts' \
		"$(head -c 4 "$w/all.parquet") $(grep -aoE 'h[1-4]' "$w/all.parquet" | sort -u | paste -sd' ')" \
		'PAR1 h1 h2 h3 h4'
	page_names_it
}

if ! has_nats; then
	skip 'several hosts: nats-server is not installed'
else
	mkdir "$w"
	cluster_start "$nodes"
	url=$(cluster_url)
	hosts_log_and_ship
	entries_arrive
	clocks_are_right
	windows
	other_formats
	cluster_stop
fi
