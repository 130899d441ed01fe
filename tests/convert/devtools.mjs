/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devtools.mjs - reads a trace with the trace engine of Chrome's DevTools.
 *
 *	node devtools.mjs PACKAGES CHROME JSONL
 *
 * Prints how many processes, named threads, spans and instants the engine
 * shows, how many spans have their true length, and the spans and instants that
 * differ from our lines.
 */
import fs from "node:fs";
import {differences, events, labelled} from "./lines.mjs";

const [,, packages, chromeFile, linesFile] = process.argv;
const engine = packages + "/@paulirish/trace_engine/";
const {polyfillDOMRect} = await import(engine + "analyze-trace.mjs");
const {TraceModel} = await import(engine + "models/trace/trace.js");

/* Sources have their own threads. */
const SOURCES = 0x7f000000;

/* The engine's times are doubles of microseconds. */
const ns = (us) => Math.round(us * 1000);

/* spansOf returns the spans whose begin and end are there; an end takes the
 * last open begin: [name, category, place, begin, duration]. */
function spansOf(list) {
	const open = new Map(), spans = [];
	for (const e of list) {
		const key = [e.cat, e.name, e.place].join("\0");
		if (e.kind === "begin")
			open.set(key, [...open.get(key) ?? [], e]);
		else if (e.kind === "end") {
			const begin = open.get(key)?.pop();
			if (begin)
				spans.push([begin, e.ns - begin.ns]);
		}
	}
	return spans;
}

async function load(traceEvents) {
	polyfillDOMRect();
	const model = TraceModel.Model.createWithAllHandlers();
	await model.parse(traceEvents, {metadata: {}, isCPUProfile: false});
	return model.parsedTrace().data;
}

const trace = JSON.parse(fs.readFileSync(chromeFile, "utf8"));
const base = BigInt(trace.otherData.base_ns);
const {Meta, Renderer} = await load(trace.traceEvents);
const list = events(linesFile).map(labelled);
const spans = [], instants = [];
let threads = 0;

function show(pid, tid, e) {
	const of = e.lane_of ?? tid;
	const what = [e.cat, e.name, of > SOURCES ? "source" : pid + "/" + of, ns(e.ts)];
	if (e.ph !== "X")
		instants.push(what.join(" "));
	else if (e.dur > 0)
		spans.push([what.join(" "), ns(e.dur)].join(" for "));
}

for (const [pid, process] of Renderer.processes)
	for (const [tid, thread] of process.threads)
		for (const entry of thread.entries)
			if (pid !== 0) /* no losses */
				show(pid, tid, entry);
for (const process of Meta.threadsInProcess.values())
	threads += process.size;
const wanted = spansOf(list).map(([e, duration]) =>
	[[e.cat, e.name, e.place, e.ns - base].join(" "), duration]
		.join(" for "));
const long = new Set(wanted);
console.log(`${Meta.processNames.size} processes, ${threads} threads, ` +
	`${spans.length} spans, ${spans.filter((s) => long.has(s)).length} ` +
	`as long as they were, ${instants.length} instants`);
const without = (span) => span.replace(/ for [0-9]+$/, "");
differences(spans.map(without), wanted.map(without));
differences(instants, list.filter((e) => e.kind === "instant").map((e) =>
	[e.cat, e.name, e.place, e.ns - base].join(" ")));
