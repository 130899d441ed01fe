/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same_chrome.mjs - compares the events of a Chrome trace with our lines.
 *
 *	node same_chrome.mjs PACKAGES CHROME JSONL
 *
 * A parser that keeps 64-bit integers reads both.  Prints the number of events
 * and the events that only one of the two has.  An X counts as its begin and
 * its end.
 */
import {differences, events, labelled, plain, read, text} from "./lines.mjs";

const [,,, chromeFile, linesFile] = process.argv;
const trace = read(chromeFile);
const base = BigInt(trace.otherData.base_ns);
/* Sources have their own threads. */
const SOURCES = 0x7f000000;
const KINDS = {B: "begin", E: "end", C: "counter", i: "instant",
	I: "instant"};

/* Microseconds with three decimal digits are nanoseconds. */
function nsOf(number) {
	const [, minus, us, part] = /^(-?)([0-9]+)\.([0-9]{3})$/
		.exec(text(number));
	const ns = BigInt(us) * 1000n + BigInt(part);
	return minus ? -ns : ns;
}

/* The names of an end's arguments have a suffix; the begin's names have
 * none. */
const END = /\$end$/;
const argsOf = (args, isEnd) => Object.entries(args)
	.filter(([k]) => END.test(k) === isEnd)
	.map(([k, v]) => [k.replace(END, ""), plain(v)]);

function* eventsOf(e) {
	const {name, args: {priority, ...args}} = e;
	const ns = base + nsOf(e.ts);
	const tid = e.lane_of ?? e.tid;
	const common = {ns, cat: e.cat, name, priority,
		place: tid > SOURCES ? "source" : e.pid + "/" + tid,
		args: argsOf(args, false)};

	if (e.cat === "timeline" && e.name === "entries lost")
		yield {kind: "lost", ns: 0n, lost: text(args.lost)};
	else if (e.cat === "timeline" && e.name === "entries overwritten")
		yield {kind: "overwritten", ns: 0n, lost: text(args.overwritten)};
	else if (e.ph === "X") {
		yield {...common, kind: "begin"};
		yield {...common, kind: "end", ns: ns + nsOf(e.dur),
			args: argsOf(args, true)};
	} else
		yield {...common, kind: e.alone ?? KINDS[e.ph] ?? e.ph};
}

/* line keeps the fields that both can have: a counter has one value and no
 * priority; an end without arguments has neither. */
function line(e) {
	const isBare = e.kind === "end" &&
		e.args.every(([, v]) => v === "0" || v === "#0");
	const args = isBare ? [] : e.kind === "counter" ? e.args.slice(0, 1)
		: e.args;
	return [e.kind, e.ns, e.place, e.cat, e.name, e.lost, isBare ||
		e.kind === "counter" ? "" : e.priority, args]
		.map((v) => typeof v === "bigint" ? v.toString() : v)
		.map((v) => JSON.stringify(v)).join(" ");
}

/* An end with the arguments of its begin has none in a trace of Chrome. */
const open = new Map();
function withoutBegins(e) {
	const key = [e.place, e.cat, e.name].join();
	const begins = open.get(key) ?? [];

	open.set(key, begins);
	if (e.kind === "begin")
		begins.push(JSON.stringify(e.args));
	else if (e.kind === "end" && begins.pop() === JSON.stringify(e.args))
		return {...e, args: []};
	return e;
}

const seen = trace.traceEvents.filter((e) => e.ph !== "M")
	.flatMap((e) => [...eventsOf(e)]);
console.log(seen.length + " events");
differences(seen.map(line), events(linesFile).map(labelled).map(withoutBegins)
	.map(line));
