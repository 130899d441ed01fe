-- SPDX-License-Identifier: Apache-2.0
-- fleet_rate.sql - entries a second of each host: how many there were in the
-- busiest second, in the median one of the seconds that have any, and when the
-- busiest was.  Those that timeline itself logs are entries, too.
--
--	duckdb -f fleet_rate.sql
--
-- Entries that were lost were logged, too: they are counted where they are
-- missing.
WITH seconds AS (
	SELECT host, date_trunc('second', time) AS second,
		sum(coalesce(lost, 1)) AS entries
	FROM read_parquet('fleet/**/*.parquet')
	GROUP BY ALL)
SELECT host, max(entries) AS busiest, median(entries) AS median,
	arg_max(second, entries) AS at
FROM seconds
GROUP BY host
ORDER BY busiest DESC, host;
