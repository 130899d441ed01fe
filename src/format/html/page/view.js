/* SPDX-License-Identifier: Apache-2.0 */
/* view.js - what of it is looked at: the range of time, the rows, the filter,
 * the selection. */
const RANGE_MIN = 10;	/* ns */
const HIDDEN = 0, DIM = 1, SHOWN = 2;

const view = {
	from: 0, to: 1,		/* ns since model.base */
	width: 1,		/* of the picture, pixels */
	scroll: 0,		/* of the rows, pixels */
	mode: "threads",	/* or "lanes" */
	level: 1,		/* least that is shown */
	category: "",		/* "" all */
	only: "",		/* key of a message; "" all */
	words: [],		/* of the search */
	pins: new Set(),	/* keys of rows */
	shown: new Uint8Array(1024),
	shownUpTo: 0,
	matches: 0,		/* entries that are SHOWN */
	selected: -1,
	mark: null,		/* [from, to] that was measured */
	follow: false,		/* keep the newest in sight */
	chosen: false,		/* has a person chosen how much to see? */
	changed: false,		/* a frame will draw it */
};

function changed() {
	if (!view.changed)
		requestAnimationFrame(frame);
	view.changed = true;
}

function isEmpty() {
	return model.count === 0 && !summary.is;
}

function oldestTime() {
	return Math.min(model.count ? model.t[0] : Infinity,
		summary.is ? summary.since : Infinity);
}

function bounds() {
	if (isEmpty())
		return [0, 1000];
	const from = oldestTime(), to = newestTime();
	const edge = Math.max((to - from) * 0.01, RANGE_MIN / 2);
	return [from - edge, to + edge];
}

/* Show [from, to): kept within what there is. */
function setRange(from, to) {
	const [low, high] = bounds(), all = high - low;
	let range = Math.min(Math.max(to - from, RANGE_MIN),
		Math.max(all * 1.5, 1000));
	if (!(range > 0))
		range = all;
	const middle = (from + to) / 2;
	from = middle - range / 2;
	const slack = range * 0.75;
	from = Math.max(low - slack, Math.min(from, high + slack - range));
	view.from = from;
	view.to = from + range;
	changed();
	statisticsSoon();
	addressSoon();
	lookSoon();
}

function fitAll() {
	view.follow = false;
	view.chosen = true;
	setRange(...bounds());
}

function zoom(factor, at) {
	view.chosen = true;
	const range = (view.to - view.from) * factor;
	if (range < RANGE_MIN && factor < 1)
		factor = RANGE_MIN / (view.to - view.from);
	if (at === undefined)
		at = view.follow ? view.to : (view.from + view.to) / 2;
	setRange(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function pan(ns) {
	view.follow = false;
	view.chosen = true;
	setRange(view.from + ns, view.to + ns);
}

function toX(t) {
	return (t - view.from) * view.width / (view.to - view.from);
}

function toTime(x) {
	return view.from + x * (view.to - view.from) / view.width;
}

/* [from, to) of the pixels that the panel does not cover. */
function freePixels() {
	const {hidden, offsetTop, offsetLeft, offsetWidth} = byId("entry");
	return hidden || offsetTop > 0 ? [0, view.width] :
		offsetLeft > GUTTER ? [0, offsetLeft - GUTTER] :
		[offsetLeft + offsetWidth - GUTTER, view.width];
}

/* A span or a range with some room around it, beside the panel. */
function zoomTo(from, to) {
	const room = Math.max((to - from) * 0.1, RANGE_MIN / 2);
	const [a, b] = freePixels(), ns = (to - from + 2 * room) / (b - a);
	view.follow = false;
	view.chosen = true;
	setRange(from - room - a * ns, to + room + (view.width - b) * ns);
}

/* Move so that a time has this share of what is free before it. */
function moveTo(t, share) {
	const [a, b] = freePixels();
	const ns = toTime(a + (b - a) * share) - t;
	setRange(view.from - ns, view.to - ns);
}

/* Is a message let through by level, category, and "only this one"? */
function passes(m) {
	return m.level >= view.level &&
		(view.category === "" || m.category === view.category) &&
		(view.only === "" || m.key === view.only);
}

const UNITS = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};

/* "slower:1.5ms" as ["slower", 1500000]; null: another word. */
function limitOf(word) {
	const found = /^(slower|faster):(\d+(?:\.\d+)?)(ns|us|ms|s)$/.exec(word);
	return found && [found[1], found[2] * UNITS[found[3]]];
}

/* Does an entry belong to a span of such a duration? */
function isWithin(i, [which, ns]) {
	const span = spanOfEntry(i);
	if (!span || span.end < 0)
		return false;
	const length = spanLength(span.number);
	return which === "slower" ? length >= ns : length < ns;
}

/* "pid:41", "tid:42", "cpu:0" of a place, "host:web", "slower:1ms" and
 * "faster:2ms" of a span; any other word is text. */
function wordMatches(word, i, text) {
	const limit = limitOf(word);
	if (limit)
		return isWithin(i, limit);
	if (model.hosts.length && word.startsWith("host:"))
		return model.hosts[hostOfEntry(i)].name.toLowerCase()
			.includes(word.slice(5));
	const asked = /^(pid|tid|cpu|lane):(\d+)$/.exec(word);
	return asked ? String(model.places[model.place[i]][asked[1]]) ===
		asked[2] : text().includes(word);
}

/* What thread and process of an entry are called. */
function namesText(i) {
	return (namesOf(model.places[model.place[i]]) ?? [])
		.map((name) => " " + name).join("");
}

function matchesWords(i) {
	let lower = null;
	const m = model.messages[model.message[i]];
	const text = () => lower ??= ((model.kind[i] === LOST ? "" :
		m.category + " ") + entryText(i) + namesText(i)).toLowerCase();
	return view.words.every((word) => wordMatches(word, i, text));
}

function judge(i) {
	if (model.kind[i] === LOST)
		return view.words.length ? DIM : SHOWN;
	if (!passes(model.messages[model.message[i]]))
		return HIDDEN;
	return view.words.length === 0 || matchesWords(i) ? SHOWN : DIM;
}

/* Judge entries that were not, for some milliseconds; true when done. */
function judgeMore(milliseconds) {
	if (view.shown.length < model.count)
		view.shown = grown(view.shown,
			Math.max(model.count, view.shown.length * 2));
	const end = performance.now() + milliseconds;
	while (view.shownUpTo < model.count) {
		const i = view.shownUpTo++;
		const verdict = judge(i);
		view.shown[i] = verdict;
		if (verdict === SHOWN)
			view.matches++;
		if (i % 256 === 0 && performance.now() > end)
			break;
	}
	return view.shownUpTo === model.count;
}

let judging = 0;

/* After a filter changed or entries came: go on until all are judged. */
function judgeAll(restart) {
	if (restart) {
		view.shownUpTo = 0;
		view.matches = 0;
	}
	clearTimeout(judging);
	const done = judgeMore(12);
	changed();
	showMatches(done);
	if (done)
		statisticsSoon();
	else
		judging = setTimeout(() => judgeAll(false), 0);
}

function showMatches(done) {
	const all = countText(model.count);
	byId("matches").textContent = view.words.length === 0 &&
		view.level === 1 && view.category === "" && view.only === "" ?
		"" : countText(view.matches) + " of " + all +
		(done ? "" : " …");
}

/* The next entry that is shown from i in a direction, going by row. */
function neighbour(i, step) {
	const next = i + step;
	for (let k = next; k >= 0 && k < model.count; k += step)
		if (view.shown[k] === SHOWN)
			return k;
	return -1;
}

/* Select an entry, whose panel leaves pixel x free, and if it is to be brought,
 * make sure that it can be seen. */
function select(i, bring, x = 0) {
	view.selected = i;
	showEntry(i, x);
	if (i >= 0 && bring) {
		const [a, b] = freePixels(), at = toX(model.t[i]);
		if (at < a || at > b) {
			view.follow = false;
			moveTo(model.t[i], 0.5);
		}
		revealRow(i);
	}
	changed();
}
