/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet.mjs - reads Parquet files with two foreign readers.
 *
 *	node parquet.mjs PACKAGES same READER PARQUET LINES
 *	node parquet.mjs PACKAGES rows READER PARQUET
 *	node parquet.mjs PACKAGES bounds PARQUET
 *	node parquet.mjs PACKAGES ask QUERY...
 *
 * READER is duckdb or hyparquet.  same compares every column of every row with
 * the lines that test_format_parquet_rows made, and prints the number of rows,
 * then the first differences.  rows prints the rows as JSON without NULLs.
 * bounds checks that the least and the greatest value given for a chunk hold,
 * and that an exact bound is in the chunk; prints the number of bounds and the
 * wrong ones.  ask prints DuckDB's answers, a row a line, | between values.
 */
import fs from "node:fs";

const [,, packages, verb, ...words] = process.argv;
const SHOWN_MAX = 5;
const NS_MAX = (1n << 63n) - 1n;

async function duckdb() {
	const {DuckDBInstance} = await import(packages +
		"/@duckdb/node-api/lib/index.js");
	return (await DuckDBInstance.create(":memory:")).connect();
}

async function hyparquet() {
	const {parquetReadObjects, parquetMetadataAsync, asyncBufferFromFile} =
		await import(packages + "/hyparquet/src/node.js");
	const {compressors} = await import(packages +
		"/hyparquet-compressors/src/index.js");
	return {parquetReadObjects, parquetMetadataAsync, asyncBufferFromFile,
		compressors};
}

const quoted = (file) => "'" + file.replaceAll("'", "''") + "'";

/* The readers return rows with every value; the time is in nanoseconds. */
const READERS = {
	async duckdb(file) {
		const reader = await (await duckdb()).runAndReadAll(
			"SELECT * REPLACE (epoch_ns(time) AS time) FROM " +
			quoted(file));
		return reader.getRowObjects();
	},
	async hyparquet(path) {
		const {parquetReadObjects, asyncBufferFromFile, compressors} =
			await hyparquet();
		return parquetReadObjects({file: await asyncBufferFromFile(path),
			compressors,
			parsers: {timestampFromNanoseconds: (ns) => ns}});
	},
};

/* shown returns a value as one text; equal numbers of any kind give the same
 * text. */
function shown(column, value) {
	if (typeof value === "boolean")
		return value ? "1" : "0";
	if (column.startsWith("double"))
		return String(Number(String(value).replace("inf", "Infinity")
			.replace(/^-?nan$/, "NaN")));
	return String(value);
}

function rowOf(object) {
	return Object.fromEntries(Object.entries(object)
		.filter(([, value]) => value !== null && value !== undefined)
		.map(([column, value]) => [column, shown(column, value)])
		.sort());
}

/* completed adds values that a line lacks: how long spans took, whether
 * entries of their source were lost meanwhile, and for a bare end the
 * arguments of its begin. */
function* completed(lines) {
	const open = new Map();
	const losses = new Map();
	for (const line of lines) {
		const key = [line.source, line.message, line.scope === "source"
			? "" : line.pid + "/" + line.tid].join(" ");
		const lost = losses.get(line.source) ?? 0;
		if (line.kind === "lost")
			losses.set(line.source, lost + 1);
		if (line.kind === "begin")
			open.set(key, [...(open.get(key) ?? []), {line, lost}]);
		const begin = line.kind === "end" ? open.get(key)?.pop()
			: undefined;
		if (begin) {
			const ns = BigInt(line.time) - BigInt(begin.line.time);
			line.duration_ns = String(ns < 0n ? 0n
				: ns > NS_MAX ? NS_MAX : ns);
			line.lossy = begin.lost === lost ? "0" : "1";
			if (line.bare === "1") {
				for (const column in begin.line)
					if (/^[a-z]+[1-4]$/.test(column))
						line[column] = begin.line[column];
				line.text = begin.line.text.replace(/^>/, "<");
			}
		}
		yield line;
	}
}

/* differences lists the columns in which a row differs from its line.  The
 * tests of spans check depth. */
function differences(row, line) {
	const is = (column, value) => value === null || value === undefined
		? undefined : shown(column, value);
	return Object.keys({...row, ...line})
		.filter((column) => column !== "depth" &&
			is(column, row?.[column]) !== is(column, line?.[column]))
		.map((column) => `${column}: ${row?.[column]} is ` +
			line?.[column]);
}

async function same(reader, parquet, lines) {
	const rows = await READERS[reader](parquet);
	const truth = [...completed(fs.readFileSync(lines, "utf8").trim()
		.split("\n").map((line) => JSON.parse(line)))];
	let different = 0;
	for (let i = 0; i < Math.max(rows.length, truth.length); i++) {
		const found = differences(rows[i], truth[i]);
		if (found.length > 0 && different++ < SHOWN_MAX)
			console.log(`row ${i}: ` + found.join(", "));
	}
	console.log(`${rows.length} rows, ${different} differ`);
}

/* order compares texts by their bytes. */
function order(a, b) {
	return typeof a === "string" ? Buffer.compare(Buffer.from(a),
		Buffer.from(b)) : Number(a > b) - Number(a < b);
}

/* wrong returns the fault in the bounds of a column's values in a chunk. */
function wrong(s, values) {
	const told = values.filter((v) => v !== null && v !== undefined);
	if (Number(s.null_count) !== values.length - told.length)
		return "nulls";
	if (s.min_value === undefined)
		return s.max_value === undefined ? "" : "a greatest alone";
	if (told.some((v) => order(v, s.min_value) < 0 ||
		order(v, s.max_value) > 0))
		return "beyond";
	const has = (bound) => told.some((v) => order(v, bound) === 0);
	return (s.is_min_value_exact && !has(s.min_value)) ||
		(s.is_max_value_exact && !has(s.max_value)) ? "not there" : "";
}

async function bounds(path) {
	const {parquetReadObjects, parquetMetadataAsync, asyncBufferFromFile,
		compressors} = await hyparquet();
	const file = await asyncBufferFromFile(path);
	const parsers = {timestampFromNanoseconds: (ns) => ns};
	const metadata = await parquetMetadataAsync(file, {parsers});
	let rowStart = 0, count = 0, cut = 0;
	for (const [i, group] of metadata.row_groups.entries()) {
		const rowEnd = rowStart + Number(group.num_rows);
		const rows = await parquetReadObjects({file, compressors,
			parsers, metadata, rowStart, rowEnd});
		for (const {meta_data: m} of group.columns) {
			const [name] = m.path_in_schema;
			const what = wrong(m.statistics, rows.map((r) => r[name]));
			count += m.statistics.min_value !== undefined;
			cut += m.statistics.is_max_value_exact === false;
			if (what)
				console.log(`group ${i}, ${name}: ${what}`);
		}
		rowStart = rowEnd;
	}
	console.log(`${count} bounds, ${cut} of them cut`);
}

async function ask(queries) {
	const connection = await duckdb();
	for (const query of queries) {
		const text = query.endsWith(".sql")
			? fs.readFileSync(query, "utf8") : query;
		const reader = await connection.runAndReadAll(text);
		for (const row of reader.getRowsJson())
			console.log(row.map((v) => v === null ? "NULL"
				: typeof v === "object" ? JSON.stringify(v) : v)
				.join("|"));
	}
}

if (verb === "same")
	await same(...words);
else if (verb === "rows")
	for (const row of await READERS[words[0]](words[1]))
		console.log(JSON.stringify(rowOf(row)));
else if (verb === "bounds")
	await bounds(...words);
else
	await ask(words);
