/* SPDX-License-Identifier: Apache-2.0 */
/* history.js - which level was the lowest that was open, and why nothing is
 * observed (tl_html_put_history): no time is drawn as empty that was not
 * counted, and own time of spans is divided by it (event/details.h). */
const LEVEL_NONE = 10, KIND_OVERWRITTEN = 11, KIND_LOST = 12, KIND_UNREAD = 13;
/* What a moment is for a message: observed, or the shade that says why not. */
const SHADES = ["", "closed", "overwritten", "lost-time", "unread"];
const PARTS = ["itself", "details closed", "details overwritten",
	"details lost"];

function emptyHistory() {
	return {t: [], kind: [], to: -Infinity};
}

/* The place behind the last change that is not after t. */
function changesUpTo(h, t) {
	return firstPlace(h.t.length, (i) => h.t[i] <= t);
}

/* Take a list that an input goes on with from its first time. */
function readHistory(list, isWhole) {
	const h = model.history[list[0]] ??= emptyHistory();
	let t = sinceBase(list[1]);
	const n = changesUpTo(h, t);
	h.t.length = h.kind.length = n > 0 && h.t[n - 1] === t ? n - 1 : n;
	h.to = isWhole ? t + list[2] : Infinity;
	for (let i = 3; i < list.length; i += 2) {
		h.t.push(t);
		h.kind.push(list[i]);
		t += list[i + 1] ?? 0;
	}
}

/* Of counted entries, where not every entry in sight is here. */
function historyOf(source) {
	return picture.detailed ? model.history[source] ?? emptyHistory() :
		summary.history;
}

function sourceOf(row) {
	return row.source ?? Math.max(model.hostOf.indexOf(row.host), 0);
}

/* Call each(from, to, kind) for the parts of a range. */
function walkHistory(h, from, to, each) {
	const end = Math.min(to, h.to, newestTime());
	for (let i = Math.max(changesUpTo(h, from) - 1, 0);
	    i < h.t.length && h.t[i] < end; i++) {
		const a = Math.max(from, h.t[i]);
		const b = Math.min(end, h.t[i + 1] ?? Infinity);
		if (a < b)
			each(a, b, h.kind[i]);
	}
}

/* The index in SHADES. */
function shadeOf(kind, gate) {
	return kind > LEVEL_NONE ? kind - LEVEL_NONE + 1 : kind > gate ? 1 : 0;
}

/* Since when no entry of a source is missing. */
function completeFrom(source) {
	const h = model.history[source];
	return h?.kind[0] === KIND_OVERWRITTEN ? h.t[1] ?? Infinity : -Infinity;
}

/* The length of time in which a message of some sources was observed. */
function observedTime(sources, gate, from, to) {
	const list = [];
	for (const source of sources)
		walkHistory(model.history[source] ?? emptyHistory(), from, to,
			(a, b, kind) => shadeOf(kind, gate) || list.push([a, b]));
	let sum = 0, last = -Infinity;
	for (const [a, b] of list.sort((x, y) => x[0] - y[0])) {
		sum += Math.max(b - Math.max(a, last), 0);
		last = Math.max(last, b);
	}
	return sum;
}

/* message -> the lowest gate of the spans that nest in its spans. */
function gatesWithin() {
	const {begin, parent} = tracks.span, gates = new Map();
	for (let s = 0; s < tracks.spanCount; s++) {
		if (parent[s] < 0)
			continue;
		const outer = model.message[begin[parent[s]]];
		const {gate} = model.messages[model.message[begin[s]]];
		gates.set(outer, Math.min(gates.get(outer) ?? LEVEL_NONE, gate));
	}
	return gates;
}

/* The index in PARTS: gate is that of what is within, if there is any. */
function partOf(kind, gate) {
	return gate === undefined ? 0 : shadeOf(kind, Math.max(gate, 1));
}

/* The lowest gate of the messages of a row that are shown; 10: none. */
function lowestGate(row) {
	let gate = LEVEL_NONE;
	for (const m of row.messages)
		if (m.gate < gate && !m.builtin && !schedKind(m) && passes(m))
			gate = m.gate;
	return gate;
}

/* Which share of each pixel has each shade. */
function shadesOf(h, gate, width) {
	const shades = SHADES.map(() => new Float32Array(width));
	const add = (from, to, shade) => {
		const x0 = Math.max(toX(from), 0);
		const x1 = Math.min(toX(to), width);
		for (let x = Math.floor(x0); x < x1; x++)
			shades[shade][x] += Math.min(x + 1, x1) -
				Math.max(x, x0);
	};
	const first = h.t[0] ?? -Infinity;
	const before = summary.part ? 4 :
		(summary.is ? summary.overwritten : model.overwritten) ? 2 : 0;
	if (before)
		add(view.from, Math.min(first, view.to), before);
	walkHistory(h, view.from, view.to, (from, to, kind) => {
		const shade = shadeOf(kind, gate);
		if (shade)
			add(from, to, shade);
	});
	return shades;
}

/* Behind all rows; alike ones are computed once. */
function drawShades(c, top) {
	const width = Math.ceil(view.width), known = new Map();
	const detailed = isDetailed();
	for (const {row, y, height} of picture.layout) {
		if (row.kind === "host" || !isInSight({y, height}, top))
			continue;
		const source = sourceOf(row), gate = detailed ?
			lowestGate(row) : row.gate || LEVEL_NONE;
		const key = (detailed ? source : 0) + " " + gate;
		if (!known.has(key))
			known.set(key, shadesOf(historyOf(source), gate, width)
				.map(shadeRuns));
		known.get(key).forEach((runs, shade) => {
			c.fillStyle = picture.colors[SHADES[shade]];
			for (const [x, size, alpha] of runs) {
				c.globalAlpha = alpha;
				c.fillRect(x, top + y - 2, size, height + 4);
			}
		});
	}
	c.globalAlpha = 1;
}

/* [x, width, share] of pixels beside one another that are alike. */
function shadeRuns(shares) {
	const runs = [];
	for (let x = 0; x < shares.length; x++) {
		const alpha = Math.round(8 * Math.min(shares[x], 1)) / 8;
		const last = runs.at(-1);
		if (alpha === 0)
			continue;
		if (last && last[0] + last[1] === x && last[2] === alpha)
			last[1]++;
		else
			runs.push([x, 1, alpha]);
	}
	return runs;
}

/* The parts of a bar in which details of it were not observed. */
function drawHidden(c, i, m, y, x0, x1) {
	const s = tracks.span, gate = tracks.gates.get(m.number);
	const h = model.history[model.places[model.place[s.begin[i]]].source];
	let filled = x0;
	if (gate === undefined || !h || x1 - x0 < 2)
		return;
	c.fillStyle = picture.fine;
	c.globalAlpha *= 0.6;
	walkHistory(h, Math.max(s.from[i], view.from), s.to[i], (from, to, kind) => {
		const a = Math.max(toX(from), filled), b = Math.min(toX(to), x1);
		if (!partOf(kind, gate) || b - a < 0.5)
			return;
		c.fillRect(a, y, b - a, BAR - 1);
		filled = b;
	});
	c.globalAlpha /= 0.6;
}
