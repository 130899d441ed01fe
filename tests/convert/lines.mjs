/* SPDX-License-Identifier: Apache-2.0 */
/* lines.mjs - reads our JSON lines, the truth of a written file; every
 * number keeps all of its digits. */
import fs from "node:fs";

const [,, packages] = process.argv;
export const {parse, isLosslessNumber} = await import(packages +
	"/lossless-json/lib/esm/index.js");

const NAME = /\$([A-Za-z0-9_]+)(%[a-z])?/g;
/* The spans of these messages of write_viewers go from thread to thread. */
const OF_SOURCE = /^job |^\$label/;

export const text = (value) => String(isLosslessNumber(value)
	? value.toString() : value);
/* plain returns an integer of any base as one text. */
export const plain = (value) => /^-?[0-9]+$|^0x[0-9a-f]+$/.test(text(value))
	? BigInt(text(value)).toString() : text(value);
export const read = (file) => parse(fs.readFileSync(file, "utf8"));

function eventOf(line) {
	if (line.lost !== undefined)
		return {kind: "lost", ns: 0n, lost: text(line.lost)};
	if (line.overwritten !== undefined)
		return {kind: "overwritten", ns: 0n, lost: text(line.overwritten)};
	const isSpan = line.kind === "begin" || line.kind === "end";
	return {kind: line.kind, ns: BigInt(text(line.ns)),
		place: isSpan && OF_SOURCE.test(line.message) ? "source"
			: line.pid + "/" + line.tid,
		cat: line.category, priority: line.priority,
		name: line.message.split("\n")[0].replace(NAME, "$1"),
		args: Object.entries(line.args).map(([k, v]) => [k, plain(v)])};
}

/* An event whose first argument is its label has the label as its whole name
 * in a trace of Chrome, except an end without arguments and a counter. */
export function labelled(e) {
	const [key, value] = e.args?.[0] ?? [];
	if (key !== "label" || !e.name.startsWith("label") ||
		e.kind === "counter")
		return e;
	return {...e, name: value, args: e.args.slice(1)};
}

/* events returns the events of a file of lines. */
export function events(file) {
	return fs.readFileSync(file, "utf8").trim().split("\n")
		.map((line) => eventOf(parse(line)));
}

/* differences prints lines that only one of two lists has: > the first, <
 * the second. */
export function differences(first, second) {
	const left = new Map();
	for (const line of second)
		left.set(line, (left.get(line) ?? 0) + 1);
	for (const line of first)
		if (left.get(line) > 0)
			left.set(line, left.get(line) - 1);
		else
			console.log("> " + JSON.stringify(line));
	for (const [line, count] of left)
		if (count > 0)
			console.log("< " + JSON.stringify(line) + " x" + count);
}
