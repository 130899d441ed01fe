/* SPDX-License-Identifier: Apache-2.0 */
/* download.js - the entries in sight as a trace in Chrome's JSON format, which
 * ui.perfetto.dev and profiler.firefox.com open. */

/* Values as numbers where a double holds them, else as text. */
function argumentValues(i) {
	const m = model.messages[model.message[i]], args = {};
	if (model.kind[i] & BARE)
		return args;
	m.args.forEach((arg, k) => {
		const at = model.at[i] + k, plain = model.pool[at];
		args[arg.name] = arg.format !== TEXT && arg.format !== HEX &&
			Number.isFinite(plain) && !model.wide.has(at) ? plain :
			valueText(i, k);
	});
	return args;
}

/* What every event has.  Times are microseconds since the first. */
function traceEvent(i, ph, more) {
	const m = model.messages[model.message[i]];
	const {pid, tid} = model.places[model.place[i]];
	return {name: m.text, cat: m.category, ph, pid, tid,
		ts: (model.t[i] - model.t[0]) / 1e3, args: argumentValues(i),
		...more};
}

/* Of a span that is not sure, begin and end are two instants. */
function isOfSureSpan(i) {
	const s = tracks.spanOf[i] - 1;
	return s >= 0 && !tracks.span.unsure[s];
}

function traceEvents(from, to) {
	const events = [], s = tracks.span;
	for (const row of tracks.threads) {
		const {pid, tid} = row, [name, process] = namesOf(row) ?? [];
		events.push({name: "thread_name", ph: "M", pid, tid,
			args: {name: name || "tid " + tid}},
		{name: "process_name", ph: "M", pid, tid,
			args: {name: process || "pid " + pid}});
	}
	for (let k = 0; k < tracks.spanCount; k++) {
		if (s.from[k] > to || s.to[k] < from || s.unsure[k] ||
		    view.shown[s.begin[k]] !== SHOWN)
			continue;
		events.push(s.end[k] < 0 ? traceEvent(s.begin[k], "B") :
			traceEvent(s.begin[k], "X",
				{ts: (s.from[k] - model.t[0]) / 1e3,
				 dur: spanLength(k) / 1e3}));
	}
	const high = Math.min(lowerBound(to), view.shownUpTo);
	for (let i = lowerBound(from); i < high; i++) {
		const kind = model.kind[i] & 7;
		if (view.shown[i] !== SHOWN || kind === LOST ||
		    isOfSureSpan(i))
			continue;
		const event = traceEvent(i, kind === COUNTER ? "C" : "i",
			kind === COUNTER ? {} : {s: "t"});
		events.push(event);
	}
	return events.sort((a, b) => (a.ts ?? -1) - (b.ts ?? -1));
}

function traceText() {
	const [from, to] = statisticsRange();
	return JSON.stringify({displayTimeUnit: "ns",
		otherData: {start: model.count ? String(model.ns[0]) : "0"},
		traceEvents: traceEvents(from, to)});
}

function download() {
	if (!picture.detailed) {
		say("zoom in until each entry is shown, or save a snapshot " +
			"and use timeline-convert", true);
		return;
	}
	const link = element("a");
	link.href = URL.createObjectURL(new Blob([traceText()],
		{type: "application/json"}));
	link.download = (live.name || document.title).replace(/[^\w.-]+/g,
		"_") + ".trace.json";
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
