/* SPDX-License-Identifier: Apache-2.0 */
/* table.js - statistics of what the picture shows, or of the measured range:
 * spans by their duration, all else by the interval between two. */
const COLUMNS = [["message", "Message"], ["count", "Count"],
	["rate", "Rate"], ["min", "Min"], ["median", "Median"],
	["p99", "p99"], ["max", "Max"], ["total", "Total"]];
/* No more rows are made: a person reads the first. */
const ROWS_MAX = 200;

const statistics = {sort: "count", down: true, timer: 0, rows: []};

function statisticsSoon() {
	clearTimeout(statistics.timer);
	statistics.timer = setTimeout(showStatistics, 150);
}

function statisticsRange() {
	return view.mark ? [...view.mark].sort((a, b) => a - b) :
		[view.from, view.to];
}

/* Samples of each message: how many first, then what they are. */
function collectSamples(from, to) {
	const n = model.messages.length;
	const low = lowerBound(from);
	const high = Math.min(lowerBound(to), view.shownUpTo);
	const count = new Uint32Array(n), used = new Uint32Array(n);
	const room = new Uint32Array(n);
	for (let i = low; i < high; i++)
		if (view.shown[i] === SHOWN && model.kind[i] !== LOST) {
			room[model.message[i]]++;
			if ((model.kind[i] & 7) !== END)
				count[model.message[i]]++;
		}
	const samples = Array.from(room, (c) => c ? new Float64Array(c) :
		null);
	const before = new Float64Array(n);
	const interval = new Float64Array(n).fill(-1);
	const unsure = new Uint8Array(n);
	const longest = new Float64Array(n).fill(-1);
	const where = new Int32Array(n).fill(-1);
	const add = (m, ns, i) => {
		samples[m][used[m]++] = ns;
		if (ns > longest[m])
			[longest[m], where[m]] = [ns, i];
	};
	for (let i = low; i < high; i++) {
		const kind = model.kind[i] & 7, m = model.message[i];
		if (view.shown[i] !== SHOWN || kind === LOST)
			continue;
		unsure[m] |= model.overlaps[i];
		if (kind === BEGIN || kind === END) {
			const s = tracks.spanOf[i] - 1;
			if (s >= 0 && tracks.span.end[s] >= 0 &&
			    tracks.span.begin[s] === i &&
			    !tracks.span.unsure[s])
				add(m, spanLength(s), i);
			continue;
		}
		const observed = model.observed[i];
		if (observed >= 0 && observed === interval[m])
			add(m, model.t[i] - before[m], i);
		interval[m] = observed;
		before[m] = model.t[i];
	}
	return {count, where, unsure, samples: samples.map((s, m) =>
		s && s.subarray(0, used[m]).sort())};
}

function computeStatistics() {
	const [from, to] = statisticsRange();
	const {count, where, unsure, samples} = collectSamples(from, to);
	const rows = [];
	const low = Math.max(from, model.count ? model.t[0] : 0);
	const high = Math.min(to, newestTime());
	model.messages.forEach((m, i) => {
		const s = samples[i];
		if (!s || count[i] + s.length === 0)
			return;
		const at = (share) => s.length === 0 ? NaN : s[Math.min(
			s.length - 1, Math.ceil(share * s.length) - 1)];
		rows.push({message: m.name, key: m.key, count: count[i],
			level: m.level, category: m.category, samples: s, span: m.kind === 2,
			unsure: unsure[i] === 1,
			rate: count[i] * 1e9 / Math.max(high - low, 1),
			min: at(1e-12), median: at(0.5), p99: at(0.99),
			max: at(1), where: where[i], total: m.kind === 2 ?
				s.reduce((a, b) => a + b, 0) : NaN});
	});
	return rows;
}

/* The same of all entries, as the daemon counted them. */
function summaryRows() {
	const [from, to] = summary.measured;
	return summary.messages.filter((m) => m.count > 0 &&
		m.level >= view.level && (view.category === "" ||
		m.category === view.category)).map((m) => ({
		message: m.name, key: m.category + "\n" + m.text,
		count: m.count, level: m.level, category: m.category,
		span: m.kind === 2, unsure: false, where: -1,
		rate: m.count * 1e9 / Math.max(Math.min(to, summary.newest) -
			Math.max(from, summary.since), 1),
		histogram: m.histogram ?? [], min: m.min ?? NaN,
		median: m.median ?? NaN, p99: m.p99 ?? NaN, max: m.max ?? NaN,
		total: m.kind === 2 ? m.total : NaN}));
}

function compareRows(a, b) {
	const x = a[statistics.sort], y = b[statistics.sort];
	const order = typeof x === "string" ? (x > y) - (x < y) :
		Number.isNaN(x) ? (Number.isNaN(y) ? 0 : -1) :
		Number.isNaN(y) ? 1 : x - y;
	return statistics.down ? -order : order;
}

/* What a person wants first: where it took so long. */
function longestButton(r, text) {
	const entry = model.dropped + r.where;
	const b = button(text, "go to the longest, " + text, () => {
		const i = entry - model.dropped;
		if (i >= 0)
			select(i, true);
	});
	b.className = "link longest";
	b.title = r.span ? "go to the longest span" :
		"go to where the longest interval ends";
	return b;
}

function statisticsRow(r) {
	const row = element("tr");
	const name = element("td", "message");
	const only = button(r.message, "show only " + r.message, () => {
		view.only = view.only === r.key ? "" : r.key;
		if (view.only)
			histogram.message = r.key;
		judgeAll(true);
		statisticsSoon();
		addressSoon();
	});
	only.className = "link";
	only.setAttribute("aria-pressed", String(view.only === r.key));
	only.title = r.message.slice(0, 1000);
	const mark = element("i", "swatch level-" + r.level);
	mark.title = NAMES[r.level];
	name.append(mark, only, element("small", "", r.category));
	if (r.unsure) {
		const tilde = element("small", "unsure", "~");
		tilde.title = "some may have come before or after their " +
			"neighbours of other hosts";
		name.append(tilde);
	}
	row.append(name);
	const cells = [countText(r.count), rateText(r.rate),
		...["min", "median", "p99", "max", "total"].map((k) =>
			durationText(r[k]))];
	for (const text of cells)
		row.append(element("td", "number", text));
	if (r.where >= 0)
		row.children[6].replaceChildren(longestButton(r, cells[5]));
	row.children[3].dataset.of = r.span ? "duration" : "interval";
	return row;
}

/* What the figures are of: all entries, or a part. */
function statisticsBasis(isCounted) {
	if (isCounted)
		return "counted by timelined, percentiles within 10 %";
	return view.words.length || view.level > 1 || view.category ||
		view.only ? "entries that match" : "all entries";
}

/* The range that the figures are of.  Of a time that is long over, timelined has
 * counts of longer ranges only. */
function statisticsRangeText(isCounted) {
	const [from, to] = statisticsRange(), [low, high] = summary.measured;
	const what = view.mark ? "measured range" : "visible range";
	const shown = what + " of " + durationText(to - from);
	return !isCounted || !isCoarse() ? shown : durationText(high - low) +
		" around the " + shown + ", as nothing shorter was counted " +
		"then";
}

function showStatistics() {
	const isCounted = !picture.detailed;
	const rows = statistics.rows = isCounted ? summaryRows() :
		computeStatistics();
	rows.sort(compareRows);
	byId("rows").replaceChildren(...rows.slice(0, ROWS_MAX)
		.map(statisticsRow));
	byId("statistics-range").textContent = isEmpty() ? "" :
		statisticsRangeText(isCounted) + (rows.length > ROWS_MAX ?
		", first " + ROWS_MAX + " of " + rows.length : "") +
		", " + statisticsBasis(isCounted);
	showBelow();
	for (const th of byId("columns").children)
		th.setAttribute("aria-sort",
			th.dataset.column !== statistics.sort ? "none" :
			statistics.down ? "descending" : "ascending");
}

function setUpTable() {
	for (const [key, title] of COLUMNS) {
		const th = element("th");
		th.dataset.column = key;
		th.scope = "col";
		th.append(button(title, "sort by " + title.toLowerCase(),
			() => {
				statistics.down = statistics.sort === key ?
					!statistics.down : key !== "message";
				statistics.sort = key;
				showStatistics();
			}));
		byId("columns").append(th);
	}
}
