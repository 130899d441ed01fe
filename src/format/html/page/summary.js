/* SPDX-License-Identifier: Apache-2.0 */
/* summary.js - the counts that the daemon made of all entries (summary.h):
 * they draw the picture where not every entry is on the page. */
const BIN_FIELDS = 7;	/* index, count, top, calm, loud, busy, missing */
const COARSE = 0.05;	/* share of a range that may be counted beside it */
const BIN_PARTS = 1024;	/* in which a bin tells where its entries lie */
const PLOT_FIELDS = 4;	/* index, least, greatest, last */

const summary = {
	is: false,		/* has there been an answer? */
	first: 0, bin: 1,	/* ns since model.base of bin 0, and its width */
	from: 0, to: 0,		/* the range that was asked for */
	since: 0, newest: 0,
	total: 0, lost: 0, overwritten: 0, entries: 0,
	overview: {first: 0, bin: 1, bins: [], at: []},
	messages: [], stacks: [],
	measured: [0, 0],	/* what messages and stacks are of, and */
	asked: [0, 0],		/* what was asked for */
	rows: [], counters: [],
	history: {t: [], kind: [], to: Infinity},
	part: false,		/* were older entries not read? */
};

function clearSummary() {
	Object.assign(summary, {is: false, total: 0, lost: 0, overwritten: 0,
		entries: 0, messages: [], stacks: [], rows: [],
		counters: [], history: emptyHistory(), part: false});
}

/* Digits of Unix time to ns since the base. */
function sinceBase(digits) {
	return Number(BigInt(digits) - model.base);
}

function takeSummary(answer, from, to, asked) {
	if (answer.since === undefined)
		return;
	model.base ??= BigInt(answer.since);
	const o = answer.overview;
	Object.assign(summary, {is: true, from, to, asked, bin: answer.bin,
		first: sinceBase(answer.first), since: sinceBase(answer.since),
		newest: Math.min(sinceBase(answer.newest), live.until), total: answer.total,
		lost: answer.total_lost, entries: answer.entries,
		overwritten: answer.total_overwritten,
		overview: {first: sinceBase(o.first), bin: o.bin, bins: o.bins,
			at: o.at},
		messages: answer.messages, stacks: answer.stacks,
		measured: answer.measured.map(sinceBase), rows: answer.rows,
		counters: answer.counters, part: Boolean(answer.part)});
	summary.history = countedHistory(answer.history ?? []);
	applySummary();
}

function countedHistory(list) {
	const h = {t: [], kind: [], to: Infinity};
	for (let i = 0; i < list.length; i += 2) {
		h.t.push(summary.first + list[i]);
		h.kind.push(summary.part && list[i + 1] === KIND_OVERWRITTEN &&
			i === 0 ? KIND_UNREAD : list[i + 1]);
	}
	return h;
}

/* Its rows become those of the picture, also where no entry of them is here. */
function applySummary() {
	for (const r of summary.rows) {
		const row = r.others ? othersRow() : r.lane >= 0 ?
			laneRow(0, r.lane) : threadRow(0, r.pid, r.tid);
		if (r.name || r.process)
			setNames(0, r.pid, r.tid, r.name ?? "",
				r.process ?? "");
		if (r.lane >= 0 && row.cpu === "" && r.cpu >= 0)
			row.cpu = String(r.cpu);
		row.ended = r.ended;
		row.total = r.entries;
		row.gate = r.gate;
		row.bins = r.bins;
		row.at = r.at;
		row.busy = r.lane < 0;
	}
	for (const c of summary.counters) {
		const row = counterRow(0, c.category, c.text);
		if (c.process)
			model.names.set("process " + c.pid, c.process);
		row.counted.set(c.pid, c);
		row.low = Math.min(row.low, c.low);
		row.high = Math.max(row.high, c.high);
	}
	judgeAllOpen();
}

function othersRow() {
	return makeRow(tracks.threads, "others", {source: 0, host: 0,
		pid: Infinity, tid: Infinity, kind: "thread",
		label: "others", note: "threads beyond 128"});
}

/* Are messages and stacks of more than was asked for?  What is before and after
 * all entries counts for nothing. */
function isCoarse() {
	const [low, high] = summary.measured, [from, to] = summary.asked;
	return Math.max(from, summary.since) - Math.max(low, summary.since) +
		Math.min(high, summary.newest) - Math.min(to, summary.newest) >
		COARSE * (to - from);
}

/* Does the picture stand for every entry because all of them are here? */
function isDetailed() {
	return !summary.is || (view.from >= cover.from - 1 &&
		Math.min(view.to, summary.newest) <= cover.to + HOLD * 200);
}

/* How many entries are in sight, as far as bins know. */
function entriesInSight() {
	const {first, bin, bins} = summary.overview;
	let n = 0, fine = 0;
	if (view.from >= summary.from && view.to <= summary.to) {
		const size = summary.to - summary.from;
		fine = summary.entries * (view.to - view.from) / size;
	}
	for (let i = 0; i < bins.length; i += BIN_FIELDS) {
		const t0 = first + bins[i] * bin;
		const part = Math.min(view.to, t0 + bin) -
			Math.max(view.from, t0);
		if (part > 0)
			n += bins[i + 1] * part / bin;
	}
	return Math.max(n, fine);
}

/* A counter by its bins, as plotColumns does of its entries. */
function countedColumns({before, bins}) {
	const columns = before === undefined ? [] :
		[[0, before, before, before, before]];
	for (let i = 0; i < bins.length; i += PLOT_FIELDS) {
		const x = toX(summary.first + bins[i] * summary.bin);
		const [least, greatest, last] = bins.slice(i + 1, i + 4);
		if (x > view.width)
			break;
		if (x < 0)
			columns[0] = [0, last, last, last, last];
		else
			addToColumns(columns, x, least, greatest, last);
	}
	return columns;
}

/* Call each(pixel, count) for the pixels of [0, width) that have entries of the
 * bin at i. The bin begins at pixel x and is `wide` pixels wide: many times the
 * width of the picture where the range is short. The first and the last entry
 * are where they were logged, the others are spread between them. */
function placeEntries(bins, at, i, x, wide, width, each) {
	const n = bins[i + 1], k = 2 * i / BIN_FIELDS;
	const a = Math.floor(x + at[k] * wide / BIN_PARTS);
	const b = Math.floor(x + at[k + 1] * wide / BIN_PARTS);
	const share = b > a && n > 2 ? (n - 2) / (b - a + 1) : 0;
	if (n > 0 && a >= 0 && a < width)
		each(a, b > a ? 1 : n);
	if (n > 1 && b > a && b >= 0 && b < width)
		each(b, 1);
	const end = share > 0 ? Math.min(b + 1, width) : 0;
	for (let p = Math.max(a, 0); p < end; p++)
		each(p, share);
}

/* The columns of one row of the picture, from base on, from its bins. */
function binSummary(bins, places, width, base) {
	const {counts, tops, calm, loud, busy, lost} = picture;
	const scale = view.width / (view.to - view.from);
	const wide = summary.bin * scale;
	for (let i = 0; i < bins.length; i += BIN_FIELDS) {
		const x = (summary.first + bins[i] * summary.bin -
			view.from) * scale;
		const from = Math.max(Math.floor(x), 0);
		const to = Math.min(Math.max(Math.ceil(x + wide), from + 1),
			width);
		if (x + wide < 0 || from >= width)
			continue;
		placeEntries(bins, places, i, x, wide, width, (k, n) => {
			counts[base + k] += n;
			tops[base + k] = Math.max(tops[base + k], bins[i + 2]);
			calm[base + k] = Math.max(calm[base + k], bins[i + 3]);
			loud[base + k] += n * bins[i + 4] / bins[i + 1];
		});
		for (let k = from; k < to; k++) {
			/* which part of the bin lies in the pixel */
			const part = (Math.min(k + 1, x + wide) -
				Math.max(k, x)) / wide;
			busy[base + k] = Math.min(busy[base + k] +
				bins[i + 5] * part * scale, 1);
			lost[base + k] |= bins[i + 6] > 0;
		}
	}
}
