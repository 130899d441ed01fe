-- SPDX-License-Identifier: Apache-2.0
-- fleet_losses.sql - hosts whose timelines have holes: how much was lost, what
-- part of all that was logged, and how many spans lie around a hole.
--
--	duckdb -f fleet_losses.sql
--
-- A timeline that loses entries is too short for its rate, or was read too
-- late: give it more bytes, or ship it more often.
SELECT host, timeline, sum(lost)::UBIGINT AS lost,
	round(100 * sum(lost) / sum(coalesce(lost, 1)), 3) AS percent,
	count(lost) AS holes, count(*) FILTER (lossy) AS lossy_spans,
	min(time) FILTER (lost > 0) AS first, max(time) FILTER (lost > 0) AS last
FROM read_parquet('fleet/**/*.parquet')
GROUP BY host, timeline
HAVING count(lost) > 0
ORDER BY lost DESC, host;
