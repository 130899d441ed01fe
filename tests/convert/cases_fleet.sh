# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# cases_fleet.sh - timelines of several hosts in one archive for Perfetto, as
# tar, jq and protoc read it.  Needs build, here and work of the runner.

# shellcheck source=tests/convert/made.sh
. "$here/made.sh"
convert=$build/bin/timeline-convert
fleet=$work/fleet

# be FILE HOST BOOT SYNC: make a saved timeline one of another host and boot,
# whose clock is said to be so far off
be() {
	mv "$1" "$1.own" && "$build/tests/tool/make_host" "$1.own" "$1" \
		"host=$2" "boot=$3" "sync=$4"
}
# packets FILE: of a trace, by our own list of fields
fleet_packets() {
	protoc -I "$here" --decode=Trace perfetto.proto <"$1" 2>&1
}
# dumped FILE...: how many entries a listing of them has
dumped() {
	"$build/bin/timeline-dump" --json "$@" | jq -c 'select(.ns)' | wc -l
}

fleet_cases() {
	local make=$build/tests/tool/make_timeline list text name n
	mkdir "$fleet" "$fleet/out" || return
	for n in web db old; do
		"$make" "$live-fleet" plain=100 spans=20 \
			"save=$fleet/$n.tl" remove || return
	done
	be "$fleet/web.tl" web 17 1ms
	be "$fleet/db.tl" db 34 20us
	be "$fleet/old.tl" web 51 none
	cp "$fleet/web.tl" "$fleet/web2.tl"

	ends 'timelines of several hosts become an archive' 0 "$convert" -q \
		--to perfetto-fleet "$fleet/web.tl" "$fleet/db.tl" \
		"$fleet/old.tl" "$fleet/web2.tl" -o "$fleet/fleet.tar"
	is 'nothing is wrong with it' "$err" ''
	list=$(tar tf "$fleet/fleet.tar" 2>&1)
	is 'tar lists a manifest and a trace for each host' "$list" \
		'perfetto_manifest.json
web__boot_11111111_.pftrace
db.pftrace
web__boot_33333333_.pftrace'
	tar xf "$fleet/fleet.tar" -C "$fleet/out"
	is 'the manifest is one by its first bytes' \
		"$(head -c 21 "$fleet/out/perfetto_manifest.json")" \
		'{"perfetto_manifest":'
	text=$(jq -c '.perfetto_manifest | [.version, .trace_time.clock,
		.trace_time.file]' "$fleet/out/perfetto_manifest.json")
	is 'all are aligned by the clock of the wall' "$text" \
		'[1,"REALTIME","web__boot_11111111_.pftrace"]'
	is 'every trace has the name of its machine' "$(jq -r \
		'.perfetto_manifest.files[] | .path + " " + .machine.name' \
		"$fleet/out/perfetto_manifest.json")" \
		'web__boot_11111111_.pftrace web (boot 11111111)
db.pftrace db
web__boot_33333333_.pftrace web (boot 33333333)'
	for name in web__boot_11111111_=web.tl=web2.tl db=db.tl \
		web__boot_33333333_=old.tl; do
		text=$(fleet_packets "$fleet/out/${name%%=*}.pftrace")
		is "protoc knows every field of ${name%%=*}" \
			"$(count "$text" '^ *[0-9]+[ :]|Failed')" 0
		n=$(cd "$fleet" && IFS='=' && set -- ${name#*=} && dumped "$@")
		is '... and every event is there' \
			"$(count "$text" '^  event \{')" "$n"
		has '... with the name of its machine' "$text" \
			"machine_name: \"${name%%[_=]*}"
	done
	is 'the manifest says how sure clocks are' "$(jq -c \
		'.perfetto_manifest.attributes | [.[] | if type == "number"
			then . / 1000 | round else . end]' \
		"$fleet/out/perfetto_manifest.json")" '[1,0,"unbounded"]'
	text=$(fleet_packets "$fleet/out/db.pftrace")
	n=$(grep -A1 -E '^ +id: 64$' <<<"$text" | grep -oE '[0-9]{10,}')
	ends 'an offset moves a host' 0 "$convert" -q --offset db=1s \
		"$fleet/web.tl" "$fleet/db.tl" --to perfetto-fleet \
		-o "$fleet/moved.tar"
	text=$(tar xOf "$fleet/moved.tar" db.pftrace |
		protoc -I "$here" --decode=Trace perfetto.proto)
	is '... by just as much' "$(grep -A1 -E '^ +id: 64$' <<<"$text" |
		grep -oE '[0-9]{10,}')" $((n + 1000000000))
	ends 'one host is a fleet, too' 0 "$convert" -q "$fleet/db.tl" \
		--to perfetto-fleet -o "$fleet/one.tar"
	is '... of one trace' "$(tar tf "$fleet/one.tar" | wc -l)" 2
	ends 'the name of the output says enough' 0 "$convert" -q \
		"$fleet/db.tl" "$fleet/old.tl" -o "$fleet/named.tar"
	is '... for an archive' "$(tar tf "$fleet/named.tar" | wc -l)" 3
	ends 'it goes into a pipe' 0 bash -c "$convert -q --to perfetto-fleet \
		'$fleet/db.tl' '$fleet/old.tl' | tar tf - | wc -l"
	is '... as into a file' "$out" 3
}

with protoc fleet_cases
