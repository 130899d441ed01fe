-- SPDX-License-Identifier: Apache-2.0
-- fleet_errors.sql - bursts of errors, and what else happened in the same
-- second on any host that is seldom otherwise.
--
--	duckdb -f fleet_errors.sql
--
-- A burst is a second with ten errors or more.  What is told of it are
-- messages that come at least five times as often as in a second without a
-- burst, the strangest first: the cause is often among them.
-- Where levels were opened for such a second, what was closed before comes more
-- often for that reason alone.
-- Clocks of hosts differ: sync_us is by how much, at most, where it is known.
WITH events AS (
	SELECT date_trunc('second', time) AS second, host, message, level
	FROM read_parquet('fleet/**/*.parquet')
	WHERE message IS NOT NULL),
bursts AS (
	SELECT second, count(*) AS errors
	FROM events WHERE level >= 8
	GROUP BY second HAVING count(*) >= 10),
calm AS (
	SELECT count(DISTINCT second) AS seconds
	FROM events ANTI JOIN bursts USING (second)),
often AS (
	SELECT host, message, count(*) / any_value(calm.seconds) AS rate
	FROM events ANTI JOIN bursts USING (second) CROSS JOIN calm
	GROUP BY host, message)
SELECT second, errors, host, message, count(*) AS entries,
	round(coalesce(any_value(rate), 0), 2) AS usual
FROM events JOIN bursts USING (second) LEFT JOIN often USING (host, message)
GROUP BY second, errors, host, message
HAVING entries >= 5 * usual
ORDER BY second, entries / (usual + 1) DESC, host, message;
