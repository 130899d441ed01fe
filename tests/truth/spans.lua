-- SPDX-License-Identifier: Apache-2.0
-- spans.lua - timeline-dump runs this script: prints every span that ended.
for s in timeline.spans { category = "truth" } do
	print(s.message:match("^%w+"), s.args[1] or "-", s.tsc, s.end_tsc, s.pid,
	    s.tid, s.lossy and "unsure" or "sure", s.ns, s.duration)
end
