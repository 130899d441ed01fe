-- SPDX-License-Identifier: Apache-2.0
-- events.lua - timeline-dump runs this script: prints every event, oldest
-- first.
for e in timeline.events { order = "oldest" } do
	print(e.kind, e.tsc, e.ns, e.pid, e.tid, e.lane, e.number,
	    (e.message or "-"):match("^%w+") or "-", e.args and e.args[1] or 0)
end
