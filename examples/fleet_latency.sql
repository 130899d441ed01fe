-- SPDX-License-Identifier: Apache-2.0
-- fleet_latency.sql - how long spans take: percentiles of each message and
-- host, in microseconds.
--
--	duckdb -f fleet_latency.sql
--
-- Spans while which entries were lost are left out: their pairs may be wrong.
SELECT message, host, count(*) AS spans,
	round(quantile_cont(duration_ns, 0.5) / 1000, 3) AS p50,
	round(quantile_cont(duration_ns, 0.9) / 1000, 3) AS p90,
	round(quantile_cont(duration_ns, 0.99) / 1000, 3) AS p99,
	max(duration_ns) / 1000 AS longest
FROM read_parquet('fleet/**/*.parquet')
WHERE duration_ns IS NOT NULL AND NOT lossy
GROUP BY message, host
ORDER BY message, p99 DESC, host;
