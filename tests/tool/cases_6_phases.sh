# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# A priority closes messages for a while: what --stats says of spans of each kind.

phases=$work/phases.tl
truth=$("$build/tests/tool/make_phases" "$name-phases" "$phases") || exit 1
# row MESSAGE FILTER: of one row
row() { "$dump" --stats --json --message "$1*" "${3:-$phases}" | jq -c "$2"; }

for message in plain proven timed; do
	is "no interval of $message reaches over closed time" "$(row $message .interval_ns.count)" 298
done
is '... and all are where nothing was closed' "$(row always .interval_ns.count)" 449
