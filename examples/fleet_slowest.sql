-- SPDX-License-Identifier: Apache-2.0
-- fleet_slowest.sql - the slowest spans of a fleet, with what they were about.
--
--	timeline-convert host.tl -o fleet/host.parquet      on each host
--	duckdb -f fleet_slowest.sql
--
-- The row of a span's end has its duration and, where it was logged without
-- arguments, those of its begin.  lossy: entries were lost while it was open,
-- and the begin may be that of another one.
SELECT duration_ns / 1000 AS us, host, timeline, pid, tid, time, text, lossy
FROM read_parquet('fleet/**/*.parquet')
WHERE duration_ns IS NOT NULL
ORDER BY duration_ns DESC, host, time
LIMIT 20;
