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

/* Of each message: entries, those in observed time, and samples.  A span counts
 * where it ends, and nothing counts before all entries are there. */
function collectSamples(from, to) {
	const low = lowerBound(from);
	const high = Math.min(lowerBound(to), view.shownUpTo);
	const since = model.history.map((_, source) => completeFrom(source));
	const list = model.messages.map(() => ({count: 0, observed: 0, older: 0,
		samples: [], unsure: false, longest: -1, where: -1,
		sources: new Set(), before: 0, interval: -1}));
	const add = (r, ns, i) => {
		r.samples.push(ns);
		if (ns > r.longest)
			[r.longest, r.where] = [ns, i];
	};
	for (let i = low; i < high; i++) {
		const kind = model.kind[i] & 7, r = list[model.message[i]];
		const s = kind === END ? tracks.spanOf[i] - 1 : -1;
		const shown = s >= 0 ? tracks.span.begin[s] : i;
		const {source} = model.places[model.place[i]];
		if (view.shown[shown] !== SHOWN || kind === LOST)
			continue;
		const isOlder = model.t[i] < since[source];
		r.unsure ||= model.overlaps[i] === 1;
		r.sources.add(source);
		if (kind === END) {
			const sure = s >= 0 && !tracks.span.unsure[s];
			r.older += sure && isOlder;
			if (sure && !isOlder)
				add(r, spanLength(s), shown);
			continue;
		}
		const observed = model.observed[i];
		r.count += !isOlder;
		r.observed += !isOlder && observed >= 0;
		if (kind === BEGIN)
			continue;
		if (observed >= 0 && observed === r.interval && !isOlder)
			add(r, model.t[i] - r.before, i);
		r.interval = observed;
		r.before = model.t[i];
	}
	return list;
}

/* What timeline logs about itself is listed where it is asked for. */
function isListed(category, key, builtin) {
	return !builtin || view.category === category || view.only === key ||
		view.words.length > 0;
}

function computeStatistics() {
	const [from, to] = statisticsRange();
	const rows = [];
	collectSamples(from, to).forEach((r, i) => {
		const m = model.messages[i];
		const s = Float64Array.from(r.samples).sort();
		if (r.count + s.length + r.older === 0 ||
		    !isListed(m.category, m.key, m.builtin))
			return;
		const at = (share) => s.length === 0 ? NaN : s[Math.min(
			s.length - 1, Math.ceil(share * s.length) - 1)];
		const time = observedTime(r.sources, m.gate, from, to);
		rows.push({...r, message: m.name, key: m.key, level: m.level,
			category: m.category, samples: s, span: m.kind === 2,
			time, rate: r.observed * 1e9 / time,
			min: at(1e-12), median: at(0.5), p99: at(0.99),
			max: at(1), total: m.kind === 2 ?
				s.reduce((a, b) => a + b, 0) : NaN});
	});
	return rows;
}

/* The same of all entries, as the daemon counted them. */
function summaryRows() {
	const keyOf = (m) => m.category + "\n" + m.text;
	return summary.messages.filter((m) => m.count + m.samples + m.older > 0 &&
		m.level >= view.level && (view.category === "" ||
		m.category === view.category) &&
		isListed(m.category, keyOf(m), m.builtin)).map((m) => ({
		message: m.text, key: keyOf(m), observed: m.observed,
		count: m.count, level: m.level, category: m.category,
		span: m.kind === 2, unsure: false, where: -1, older: m.older,
		time: m.observed_ns, rate: m.observed * 1e9 / m.observed_ns,
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
	row.children[2].title = countText(r.observed) + " in " +
		durationText(r.time) + " of observed time";
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

/* Spans that ended while other entries of their time are overwritten. */
function olderText(rows) {
	const n = rows.reduce((sum, r) => sum + r.older, 0);
	return n === 0 ? "" : ", " + countText(n) + (n === 1 ? " older span" :
		" older spans") + " left out";
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
		", " + statisticsBasis(isCounted) + olderText(rows);
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
