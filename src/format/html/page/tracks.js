/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.js - what belongs together: lanes, threads, spans, counters, the
 * levels that were open.  Built entry by entry, oldest first. */
const DEPTH_MAX = 24;

const tracks = {
	upTo: 0,	/* entries [0, upTo) are in */
	lanes: [],	/* rows {key, label, note, depth, ...} */
	threads: [],
	sources: [],	/* one for each span message of scope source */
	counters: [],
	laneOf: [],	/* place -> row */
	threadOf: [],
	span: null,	/* columns of spans */
	spanCount: 0,
	spanOf: null,	/* entry -> span + 1 */
	losses: [],	/* entries */
	changes: [],	/* entries that change levels */
	counts: new Map(),
	states: new Map(),	/* "host:pid:tid" -> states of a thread */
	gates: new Map(),	/* message -> lowest gate of spans within */
	late: false,	/* are there spans that come after others in them? */
	kernelUpTo: [],	/* source -> time of its last event of the kernel */
};

function clearTracks() {
	Object.assign(tracks, {upTo: 0, lanes: [], threads: [], sources: [],
		counters: [], laneOf: [], threadOf: [], spanCount: 0,
		losses: [], changes: [], states: new Map(), kernelUpTo: [],
		late: false, gates: new Map()});
	rows.open.clear();
	rows.proven.clear();
	rows.index.clear();
	rows.losses = [];
	tracks.span = {begin: new Uint32Array(256), end: new Int32Array(256),
		from: new Float64Array(256), to: new Float64Array(256),
		thread: new Uint32Array(256), lane: new Uint32Array(256),
		parent: new Int32Array(256),
		depth: new Uint8Array(256), slot: new Uint8Array(256),
		unsure: new Uint8Array(256)};
	tracks.spanOf = new Uint32Array(1024);
}

/* What is needed while building only. */
const rows = {open: new Map(), index: new Map(),
	proven: new Map(),	/* stamp of a begin whose end will have it */
	losses: []};	/* of each host, entries */
clearTracks();

/* Losses of the host of a row or entry so far. */
function lossesOf(host) {
	return rows.losses[host] ??= [];
}

function makeRow(list, key, fields) {
	let row = rows.index.get(key);
	if (!row) {
		row = {key, number: list.length, depth: 0, slots: [],
			stack: [], entries: 0, sched: 0,
			messages: new Set(), ...fields};
		list.push(row);
		rows.index.set(key, row);
	}
	return row;
}

/* ", file 2" where there are several. */
function fileNote(source) {
	return source && model.hosts[hostOf(source)]?.files !== 1 ?
		", file " + source : "";
}

/* What a process is called; its number where that is not known. */
function processName(pid) {
	const name = model.names.get("process " + pid);
	return name ? name + "/" + pid : "pid " + pid;
}

/* A row of a thread is called as the thread is now. */
function nameRow(row) {
	const names = namesOf(row);
	if (!names)
		return;
	row.label = names[0] ? names[0] + "/" + row.tid : "tid " + row.tid;
	row.note = processName(row.pid) + fileNote(row.source);
}

function laneRow(source, lane) {
	return makeRow(tracks.lanes, "lane " + source + ":" + lane,
		{source, host: hostOf(source), lane, cpu: "", kind: "lane",
		 note: "lane " + lane + fileNote(source)});
}

function threadRow(source, pid, tid) {
	return makeRow(tracks.threads,
		"thread " + source + ":" + pid + ":" + tid,
		{source, host: hostOf(source), pid, tid, kind: "thread",
		 label: "tid " + tid,
		 note: "pid " + pid + fileNote(source)});
}

/* Entries of formats that know no threads. */
function noThreadRow(source) {
	const row = threadRow(source, 0, 0);
	row.label = "no thread";
	row.note = fileNote(source).slice(2);
	return row;
}

function addPlace(n) {
	const p = model.places[n], cpu = p.cpu < 0 ? "" : String(p.cpu);
	const lane = laneRow(p.source, p.lane);
	if (lane.cpu !== cpu && cpu !== "")
		lane.cpu = lane.cpu === "" ? cpu : "shared";
	tracks.laneOf[n] = lane;
	tracks.threadOf[n] = p.pid === 0 && p.tid === 0 ? null :
		threadRow(p.source, p.pid, p.tid);
}

function laneLabel(row) {
	return row.cpu === "shared" || row.cpu === "" ? "shared lane" :
		"CPU " + row.cpu;
}

/* The lowest place that is free in a row of bars. */
function takeSlot(row) {
	let slot = row.slots.indexOf(false);
	if (slot < 0)
		slot = row.slots.length;
	if (slot >= DEPTH_MAX)
		return DEPTH_MAX - 1;
	row.slots[slot] = true;
	row.depth = Math.max(row.depth, slot + 1);
	return slot;
}

function growSpans() {
	for (const [name, column] of Object.entries(tracks.span))
		tracks.span[name] = grown(column, column.length * 2);
}

function spanKey(i, m) {
	const p = model.places[model.place[i]];
	return m.scope === SCOPE_SOURCE ? m.number + " " + p.source :
		m.number + " " + p.source + ":" + p.pid + ":" + p.tid;
}

/* The row whose depth a span adds to: its thread's or its message's. */
function spanRow(i, m) {
	if (m.scope !== SCOPE_SOURCE)
		return tracks.threadOf[model.place[i]] ||
			tracks.laneOf[model.place[i]];
	const host = hostOfEntry(i);
	return makeRow(tracks.sources, "source " + m.number + " " + host,
		{kind: "source", host, message: m.number, label: m.name,
		 note: m.category});
}

function beginSpan(i, m) {
	const s = tracks.spanCount++;
	if (s === tracks.span.begin.length)
		growSpans();
	const row = spanRow(i, m), lane = tracks.laneOf[model.place[i]];
	const proven = model.whole[i] === -1, c = tracks.span;
	const key = spanKey(i, m) + (proven ? " proven" : "");
	row.messages.add(m);
	cutBefore(row, key);
	if (model.observed[i] >= 0)
		cutUnknown(row, model.gap[i]);
	if (!proven)
		cutUnobserved(key, model.observed[i]);
	c.begin[s] = i;
	c.parent[s] = row.stack.length && row.kind === "thread" ?
		row.stack[row.stack.length - 1].s : -1;
	c.end[s] = -1;
	c.from[s] = model.t[i];
	c.to[s] = Infinity;
	c.thread[s] = row.number;
	c.lane[s] = lane.number;
	c.depth[s] = takeSlot(row);
	c.slot[s] = takeSlot(lane);
	c.unsure[s] = 0;
	tracks.spanOf[i] = s + 1;
	const entry = {s, row, lane, key, m, proven, gone: false, observed: model.observed[i],
		losses: lossesOf(row.host).length, outlived: Infinity};
	const open = rows.open.get(key);
	if (open)
		open.push(entry);
	else
		rows.open.set(key, [entry]);
	row.stack.push(entry);
	if (proven)
		rows.proven.set(provenKey(i), entry);
}

function provenKey(i) {
	return model.message[i] + " " + model.places[model.place[i]].source +
		" " + model.stamp[i];
}

function freeSlots({s, row, lane}) {
	row.slots[tracks.span.depth[s]] = false;
	lane.slots[tracks.span.slot[s]] = false;
}

/* It is open no longer: its place in its row's stack. */
function takeOpen(entry) {
	const {row, key} = entry, open = rows.open.get(key);
	const k = row.stack.lastIndexOf(entry);
	open.splice(open.lastIndexOf(entry), 1);
	if (open.length === 0)
		rows.open.delete(key);
	row.stack.splice(k, 1);
	freeSlots(entry);
	entry.gone = true;
	return k;
}

/* It is not known whether or when it ended. */
function cutSpan(entry, to) {
	const c = tracks.span, {s} = entry;
	takeOpen(entry);
	c.to[s] = Math.max(to, c.from[s]);
	c.unsure[s] = 1;
}

/* Open spans of a message whose observed interval is not that of its next
 * event: their ends are not in the record, nor is it known how long they
 * were. */
function cutUnobserved(key, observed) {
	for (let open; (open = rows.open.get(key));) {
		const entry = open[open.length - 1];
		if (entry.observed === observed || entry.observed < 0 ||
		    observed < 0)
			return;
		cutSpan(entry, -Infinity);
	}
}

/* May the end of a begin be before an entry that is observed, although it is not
 * here?  Ends of what begins where nothing is observed may be overwritten, and
 * entries were skipped. */
function isUnknown({s, observed}, gap) {
	return observed < 0 || model.gap[tracks.span.begin[s]] !== gap;
}

/* Such a span is around no later event, unless it proves itself later. */
function cutUnknown(row, gap) {
	for (const entry of row.stack.filter((e) => isUnknown(e, gap)))
		cutSpan(entry, -Infinity);
}

/* Spans of a row from its stack's place on that were open while entries were
 * lost: their ends are among these, or they would have ended by now. */
function cutSpans(row, from) {
	const lost = lossesOf(row.host);
	for (const entry of row.stack.slice(from))
		if (entry.losses !== lost.length)
			cutSpan(entry, model.t[lost[entry.losses]]);
}

/* The same message begins again although one from before a loss is open. */
function cutBefore(row, key) {
	if (row.stack.length === 0)
		return;
	const k = row.stack.findIndex((entry) => entry.key === key &&
		entry.losses !== lossesOf(row.host).length);
	if (k >= 0)
		cutSpans(row, k);
}

/* Spans of a thread that are still open within one that has ended: they cross
 * it, or their ends are missing. */
function outlive(row, from, t) {
	if (row.kind === "thread")
		for (const entry of row.stack.slice(from))
			entry.outlived = Math.min(entry.outlived, t);
}

function endSpan(i, m) {
	const key = spanKey(i, m), c = tracks.span;
	if (model.whole[i] >= 0)
		return endProven(i, m, key);
	cutUnobserved(key, model.observed[i]);
	const entry = rows.open.get(key)?.at(-1);
	if (!entry)
		return;
	endEntry(i, entry);
	if (entry.losses !== lossesOf(entry.row.host).length ||
	    entry.observed < 0 || model.observed[i] < 0)
		c.unsure[entry.s] = 1;
}

function endEntry(i, entry) {
	const {s, row, gone} = entry, c = tracks.span;
	if (!gone) {
		const k = takeOpen(entry);
		outlive(row, k, model.t[i]);
		cutSpans(row, k);
	}
	c.end[s] = i;
	c.to[s] = Math.max(model.t[i], c.from[s]);
	c.unsure[s] = 0;
	tracks.spanOf[i] = s + 1;
	if (gone)
		putAround(s, row);
}

/* The open span that began when an end says, maybe in another thread. */
function begunWith(i, m) {
	const {source} = model.places[model.place[i]];
	const from = model.t[i] - model.whole[i];
	return [...rows.open.values()].flat().find((e) => e.m === m &&
		Math.abs(tracks.span.from[e.s] - from) < 2 &&
		model.places[model.place[tracks.span.begin[e.s]]].source ===
		source);
}

/* An end that has the stamp of its begin.  Begins of the thread within the span
 * have no end.  A begin of another process makes it unsure: that one was
 * forked within the span. */
function endProven(i, m, key) {
	const at = provenKey(i);
	const entry = rows.proven.get(at) ?? begunWith(i, m);
	const forked = entry && m.scope !== SCOPE_SOURCE &&
		model.places[model.place[tracks.span.begin[entry.s]]].pid !==
		model.places[model.place[i]].pid;
	if (entry && !forked) {
		rows.proven.delete(at);
		endEntry(i, entry);
	} else {
		addAlone(i, m, forked ? 1 : 0);
	}
	if (m.scope === SCOPE_SOURCE)
		return;
	for (const k of [key, key + " proven"])
		for (let open; (open = rows.open.get(k)?.at(-1));) {
			if (tracks.span.from[open.s] <=
			    model.t[i] - model.whole[i])
				break;
			cutSpan(open, -Infinity);
		}
}

/* A span that was not known to be open: spans of its thread that were in it came
 * before, and move down. */
function putAround(s, row) {
	const c = tracks.span, from = c.from[s];
	if (row.kind !== "thread")
		return;
	const gap = model.gap[c.end[s]];
	const around = row.stack.filter((e) => c.from[e.s] <= from &&
		!isUnknown(e, gap)).at(-1);
	const depth = around ? c.depth[around.s] + 1 : 0;
	tracks.late = true;
	c.parent[s] = around ? around.s : -1;
	c.depth[s] = Math.min(depth, DEPTH_MAX - 1);
	row.depth = Math.max(row.depth, c.depth[s] + 1);
	const open = new Set(row.stack.map((e) => e.s));
	for (let k = tracks.spanCount - 1; k >= 0; k--) {
		if (c.from[k] < from && c.begin[k] !== c.end[k])
			break;
		if (k === s || c.thread[k] !== row.number || open.has(k) ||
		    c.from[k] < from || c.to[k] > c.to[s] ||
		    c.depth[k] < depth || model.messages[model.message[
		    c.begin[k]]].scope === SCOPE_SOURCE)
			continue;
		c.depth[k] = Math.min(c.depth[k] + 1, DEPTH_MAX - 1);
		row.depth = Math.max(row.depth, c.depth[k] + 1);
		if (c.parent[k] === c.parent[s])
			c.parent[k] = s;
	}
}

/* A span whose begin is not here: the end stands for it. */
function addAlone(i, m, unsure) {
	const s = tracks.spanCount++;
	if (s === tracks.span.begin.length)
		growSpans();
	const row = spanRow(i, m), lane = tracks.laneOf[model.place[i]];
	const c = tracks.span;
	c.begin[s] = c.end[s] = i;
	c.from[s] = model.t[i] - model.whole[i];
	c.to[s] = model.t[i];
	c.unsure[s] = unsure;
	c.parent[s] = -1;
	c.thread[s] = row.number;
	c.lane[s] = lane.number;
	c.depth[s] = 0;
	row.depth = Math.max(row.depth, 1);
	c.slot[s] = takeSlot(lane);
	lane.slots[c.slot[s]] = false;
	tracks.spanOf[i] = s + 1;
	putAround(s, row);
}

/* How long a span that has ended took. */
function spanLength(s) {
	const whole = model.whole[tracks.span.end[s]];
	return whole >= 0 ? whole : tracks.span.to[s] - tracks.span.from[s];
}

/* Spans, those around others first. */
function spanOrder() {
	const order = new Uint32Array(tracks.spanCount).map((_, s) => s);
	const {from, to} = tracks.span;
	return tracks.late ? order.sort((a, b) => from[a] - from[b] ||
		to[b] - to[a]) : order;
}

/* Was a message closed by levels between a time and now? */
function wasClosed(m, row, since) {
	let closed = false;
	walkHistory(model.history[sourceOf(row)] ?? emptyHistory(), since,
		Infinity, (from, to, kind) => {
			closed ||= shadeOf(kind, m.gate) === 1;
		});
	return closed;
}

/* Until when a thread, or a process that has ended, is known to have been
 * there; Infinity: it is still. */
function lastOf(row, i) {
	const {pid, tid} = model.places[model.place[i]];
	const threads = row.kind === "thread" ? [row] :
		tracks.threads.filter((r) => r.host === row.host &&
			r.pid === pid && (pid || r.tid === tid));
	return live.on && !threads.every((r) => r.ended) ? Infinity :
		threads.reduce((t, r) => Math.max(t, r.last ?? -Infinity),
			model.t[i]);
}

/* What is known of a span that is open: with the last entry of its thread it
 * ends, once the thread has ended, and nobody knows what came after a page was
 * written.  It is not sure that it is open where its end may be missing. */
function judgeOpen(entry) {
	const {s, row, m, proven, losses, outlived} = entry;
	const c = tracks.span, lost = lossesOf(row.host);
	const to = losses !== lost.length ? model.t[lost[losses]] :
		isUnknown(entry, model.gaps) || (!proven &&
		wasClosed(m, row, c.from[s])) ? c.from[s] : outlived;
	c.unsure[s] = to < Infinity ? 1 : 0;
	c.to[s] = Math.max(c.from[s], to < Infinity ? to :
		lastOf(row, c.begin[s]));
}

function judgeAllOpen() {
	for (const list of rows.open.values())
		list.forEach(judgeOpen);
}

function counterRow(host, category, text) {
	const key = category + "\n" + text;
	return makeRow(tracks.counters, "counter " + host + " " + key,
		{kind: "counter", host, message: key, label: text,
		 note: category, lines: new Map(), counted: new Map(),
		 low: Infinity, high: -Infinity});
}

function addCounter(i, m) {
	const row = counterRow(hostOfEntry(i), m.category, m.text);
	row.messages.add(m);
	if (m.args.length === 0)
		return;
	const value = model.pool[model.at[i]];
	const {pid} = model.places[model.place[i]];
	const points = row.lines.get(pid);
	if (points)
		points.push(i);
	else
		row.lines.set(pid, [i]);
	row.low = Math.min(row.low, value);
	row.high = Math.max(row.high, value);
}

function addTrack(i) {
	const n = model.place[i], kind = model.kind[i];
	if (tracks.laneOf[n] === undefined)
		addPlace(n);
	if (kind === LOST) {
		tracks.losses.push(i);
		lossesOf(tracks.laneOf[n].host).push(i);
		loseStates(i);
		return;
	}
	const m = model.messages[model.message[i]];
	tracks.laneOf[n].entries++;
	tracks.threadOf[n] ??= noThreadRow(model.places[n].source);
	tracks.threadOf[n].entries++;
	tracks.threadOf[n].last = model.t[i];
	tracks.laneOf[n].messages.add(m);
	tracks.threadOf[n].messages.add(m);
	if (schedKind(m)) {
		tracks.threadOf[n].sched++;
		addSched(i, m);
	} else {
		addOwn(i);
	}
	if (kind === BEGIN)
		beginSpan(i, m);
	else if ((kind & 7) === END)
		endSpan(i, m);
	else if (kind === COUNTER)
		addCounter(i, m);
	else if (m.isChange)
		tracks.changes.push(i);
}

/* Bring the tracks up to the model. */
function buildTracks() {
	if (tracks.spanOf.length < model.count)
		tracks.spanOf = grown(tracks.spanOf,
			Math.max(model.count, tracks.spanOf.length * 2));
	while (tracks.upTo < model.count)
		addTrack(tracks.upTo++);
	judgeAllOpen();
	tracks.gates = gatesWithin();
}

/* All again: entries have moved. */
function rebuildTracks() {
	clearTracks();
	buildTracks();
}

/* {begin, end, from, to, unsure} of the span that entry i belongs to. */
function spanOfEntry(i) {
	const s = tracks.spanOf[i] - 1, c = tracks.span;
	if (s < 0)
		return null;
	return {number: s, begin: c.begin[s], end: c.end[s], from: c.from[s],
		to: c.to[s], unsure: c.unsure[s] === 1};
}
