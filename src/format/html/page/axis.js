/* SPDX-License-Identifier: Apache-2.0 */
/* axis.js - what stands around the rows: time, levels, names, the overview;
 * and the frame that draws all of it. */

/* 1, 2 or 5 times a power of ten, about so many ns. */
function niceStep(ns) {
	const power = 10 ** Math.floor(Math.log10(Math.max(ns, 1)));
	for (const n of [1, 2, 5])
		if (n * power >= ns)
			return Math.max(n * power, 1);
	return 10 * power;
}

/* Time as far as the step needs: 19:24:18, 18.123, 18.123 456 */
function axisText(ns, step) {
	const text = timeText(ns);
	if (text[0] === "@")
		return text;
	if (step >= 1e9)
		return text.slice(11, 19);
	const digits = step >= 1e6 ? 3 : step >= 1e3 ? 6 : 9;
	const fraction = text.slice(20, 20 + digits)
		.replace(/(\d{3})(?=\d)/g, "$1\u2009");
	return text.slice(step >= 1e6 ? 14 : 17, 19) + "." + fraction;
}

function exactTime(t) {
	return model.base === null ? 0n : model.base + BigInt(Math.round(t));
}

/* [pixel, text] of each label. */
function axisLabels() {
	const range = view.to - view.from;
	const step = niceStep(range / Math.max(view.width / 130, 1));
	const low = exactTime(view.from), by = BigInt(step);
	const [whole] = divide(low, by);
	const list = [];
	for (let n = 0n; n < 100n; n++) {
		const ns = (whole + n) * by;
		const t = Number(ns - (model.base ?? 0n)), x = toX(t);
		if (x > view.width)
			break;
		if (x >= 0)
			list.push([Math.round(x), axisText(ns, step)]);
	}
	return list;
}

function drawGrid(c, list) {
	c.fillStyle = picture.colors.line;
	for (const [x] of list)
		c.fillRect(x, AXIS - 5, 1, picture.height);
}

function drawAxis(c, list) {
	c.font = "11px " + picture.colors.font;
	c.textBaseline = "middle";
	c.fillStyle = picture.colors.text;
	for (const [x, text] of list)
		c.fillText(text, x + 4, AXIS / 2);
}

function drawLevel(c, level, x0, x1, burst) {
	const y = AXIS + 2, h = BAND - 5;
	c.globalAlpha = burst ? 1 : 0.3;
	c.fillStyle = picture.colors.levels[Math.min(level, 10)];
	c.fillRect(x0, y, Math.max(x1 - x0, 1), h);
	c.globalAlpha = 1;
	if (x1 - x0 > 60) {
		c.save();
		c.beginPath();
		c.rect(x0, y, x1 - x0, h);
		c.clip();
		c.fillStyle = picture.colors[burst ? "bar-text" : "text"];
		c.fillText((burst ? "burst " : "") + NAMES[level],
			Math.max(x0, 0) + 4, y + h / 2);
		c.restore();
	}
}

/* The level that was open longest: bursts are lower. */
function usualLevel(h) {
	const times = new Float64Array(LEVEL_NONE + 1);
	walkHistory(h, -Infinity, Infinity, (from, to, kind) => {
		if (kind <= LEVEL_NONE)
			times[kind] += to - from;
	});
	return times.indexOf(Math.max(...times));
}

/* {level, burst, from, to} of the host whose levels are shown. */
function openLevels(from = -Infinity, to = Infinity) {
	const h = historyOf(sourceOf({host: levelsHost()})), list = [];
	const usual = usualLevel(h);
	walkHistory(h, from, to, (a, b, level) => {
		if (level > 0 && level <= LEVEL_NONE)
			list.push({level, burst: level < usual, from: a, to: b});
	});
	return list;
}

/* Which priorities were open: bursts stand out. */
function drawLevels(c) {
	let filled = -1;
	c.font = "10px " + picture.colors.font;
	c.textBaseline = "middle";
	for (const l of openLevels(view.from, view.to)) {
		const x0 = toX(l.from), x1 = toX(l.to);
		if (x1 - x0 < 1 && x0 < filled)
			continue;
		drawLevel(c, l.level, x0, x1, l.burst);
		filled = Math.max(x1, x0 + 1);
	}
}

/* As much of a text as fits, with an ellipsis where it is cut. */
function fitText(c, text, room = GUTTER - 16) {
	const fits = (part) => c.measureText(part).width <= room;
	return fits(text) ? text : shortText(text, 1 + firstPlace(
		text.length - 1, (n) => fits(shortText(text, n + 2))));
}

function drawNames(c, top) {
	const {colors} = picture;
	c.fillStyle = colors.back;
	c.fillRect(0, 0, GUTTER, picture.height);
	c.textBaseline = "middle";
	c.save();
	c.beginPath();
	c.rect(0, top, GUTTER - 6, picture.height - top);
	c.clip();
	for (const {row, y, height} of picture.layout) {
		const at = top - view.scroll + y +
			Math.min(height / 2, TICKS / 2 + 2);
		if (at < top - 20 || at > picture.height + 20)
			continue;
		if (model.hosts.length)
			drawHostStripe(c, row, top - view.scroll + y, height);
		if (view.pins.has(row.key)) {
			c.fillStyle = colors.accent;
			c.fillRect(3, top - view.scroll + y, 2, height);
		}
		c.font = "600 12px " + colors.font;
		c.fillStyle = row.ended ? colors.dim : colors.text;
		c.fillText(fitText(c, row.label ?? laneLabel(row)), 8, at - 5);
		c.font = "10px " + colors.font;
		c.fillStyle = isUnbounded(row) ? colors.lost : colors.dim;
		c.fillText(fitText(c, (row.ended ? "ended, " : "") + row.note),
			8, at + 7);
	}
	c.restore();
	c.font = "10px " + colors.font;
	c.fillStyle = colors.dim;
	c.fillText(levelsText(), 8, AXIS + BAND / 2 - 1, GUTTER - 16);
	c.fillText("UTC", 8, AXIS / 2);
	c.fillStyle = colors.line;
	c.fillRect(GUTTER - 1, 0, 1, picture.height);
	c.fillRect(0, top - 1, picture.canvas.clientWidth, 1);
}

/* The line of the selection, and the range that was measured. */
function drawMarks(c) {
	const {colors} = picture;
	if (view.mark) {
		const [a, b] = [...view.mark].sort((p, q) => p - q);
		const x0 = toX(a), x1 = toX(b);
		c.fillStyle = colors.mark;
		c.globalAlpha = 0.16;
		c.fillRect(x0, 0, x1 - x0, picture.height);
		c.globalAlpha = 1;
		c.fillRect(x0, 0, 1, picture.height);
		c.fillRect(x1, 0, 1, picture.height);
		c.font = "600 12px " + colors.font;
		c.textBaseline = "middle";
		c.fillText(durationText(b - a), x1 + 5, picture.height - 12);
	}
	if (view.selected >= 0) {
		const x = toX(model.t[view.selected]);
		c.fillStyle = colors.mark;
		c.fillRect(x, AXIS - 8, 1, picture.height);
		c.beginPath();
		c.moveTo(x - 5, AXIS - 9);
		c.lineTo(x + 6, AXIS - 9);
		c.lineTo(x + 0.5, AXIS - 1);
		c.fill();
	}
}

function drawScrollBar(c, top) {
	const room = picture.height - top, all = picture.contentHeight;
	if (all <= room)
		return;
	const height = Math.max(room * room / all, 20);
	c.fillStyle = picture.colors.dim;
	c.globalAlpha = 0.5;
	c.fillRect(picture.canvas.clientWidth - 6,
		top + (room - height) * view.scroll / (all - room), 5, height);
	c.globalAlpha = 1;
}

/* Rows are as long as something was read: beyond that there is no input. */
function drawRowBacks(c, top) {
	const x0 = Math.max(toX(oldestTime()), 0);
	const x1 = Math.min(toX(newestTime()), view.width);
	c.fillStyle = picture.colors.row;
	for (const {row, y, height} of picture.layout)
		if (row.kind !== "host" && x1 > x0)
			c.fillRect(x0, top + y - 2, x1 - x0, height + 4);
}

function drawRows(c, top) {
	drawAllTicks(c, top);
	for (const line of picture.layout) {
		const y = top + line.y;
		if (line.row.kind === "counter" && y <= picture.height &&
		    y + line.height >= 0)
			drawPlot(c, line, y);
	}
	drawBounds(c, top);
	drawBars(c, top);
	drawAllStates(c, top);
}

function drawPicture() {
	const {canvas, colors} = picture, c = fitCanvas(canvas);
	picture.c = c;
	picture.height = canvas.clientHeight;
	view.width = Math.max(canvas.clientWidth - GUTTER, 10);
	layOut();
	const top = AXIS + BAND;
	c.fillStyle = colors.back;
	c.fillRect(0, 0, canvas.clientWidth, picture.height);
	c.save();
	c.translate(GUTTER, 0);
	const labels = isEmpty() ? [] : axisLabels();
	c.save();
	c.beginPath();
	c.rect(0, top, view.width, picture.height);
	c.clip();
	drawRowBacks(c, top - view.scroll);
	drawShades(c, top - view.scroll);
	drawGrid(c, labels);
	drawRows(c, top - view.scroll);
	drawLosses(c, top - view.scroll);
	c.restore();
	drawAxis(c, labels);
	drawLevels(c);
	drawMarks(c);
	c.restore();
	drawNames(c, top);
	drawScrollBar(c, top);
}

/* Entries over all time, and where the picture is in it. */
function drawOverview() {
	const canvas = byId("overview"), c = fitCanvas(canvas);
	const {colors} = picture, [low, high] = bounds();
	const width = Math.max(canvas.clientWidth - GUTTER, 10);
	const height = canvas.clientHeight, scale = width / (high - low);
	c.fillStyle = colors.row;
	c.fillRect(0, 0, canvas.clientWidth, height);
	const {counts, tops, loud} = overviewBins(Math.ceil(width), low, scale);
	const marks = markHeights(loud, counts, 0, counts.length);
	const most = counts.reduce((a, b) => Math.max(a, b), 1);
	for (let x = 0; x < counts.length; x++) {
		if (counts[x] === 0)
			continue;
		const h = 2 + (height - 12) * Math.sqrt(counts[x] / most);
		c.fillStyle = colors.over;
		c.fillRect(GUTTER + x, height - h, 1, h);
		c.fillStyle = colors.levels[tops[x]];
		c.fillRect(GUTTER + x, 3, 1, marks[x]);
	}
	const x0 = GUTTER + (view.from - low) * scale;
	const x1 = Math.max(GUTTER + (view.to - low) * scale, x0 + 2);
	c.fillStyle = colors.back;
	c.globalAlpha = 0.55;
	c.fillRect(GUTTER, 0, x0 - GUTTER, height);
	c.fillRect(x1, 0, canvas.clientWidth - x1, height);
	c.globalAlpha = 1;
	c.strokeStyle = colors.accent;
	c.lineWidth = 1.5;
	c.strokeRect(x0, 1, x1 - x0, height - 2);
	c.fillStyle = colors.back;
	c.fillRect(0, 0, GUTTER, height);
	c.fillStyle = colors.dim;
	c.font = "10px " + colors.font;
	c.textBaseline = "middle";
	c.fillText("all of it", 8, height / 2 - 6);
	c.fillText(durationText(high - low), 8, height / 2 + 7);
}

const overviewCache = {key: "", counts: null, tops: null, loud: null};

function overviewBins(width, low, scale) {
	const key = [width, low, scale, view.shownUpTo, view.matches,
		model.version, model.dropped, summary.total].join();
	if (overviewCache.key === key)
		return overviewCache;
	if (summary.is)
		return Object.assign(overviewCache, {key},
			binOverview(width, low, scale));
	const counts = new Uint32Array(width), tops = new Uint8Array(width);
	const loud = new Float32Array(width);
	for (let i = 0; i < view.shownUpTo; i++) {
		if (view.shown[i] !== SHOWN || model.kind[i] === LOST)
			continue;
		const x = (model.t[i] - low) * scale | 0;
		const {level} = model.messages[model.message[i]];
		counts[x]++;
		loud[x] += level >= 7;
		if (level > tops[x])
			tops[x] = level;
	}
	return Object.assign(overviewCache, {key, counts, tops, loud});
}

/* The same of the daemon's counts. */
function binOverview(width, low, scale) {
	const {first, bin, bins, at} = summary.overview;
	const counts = new Float64Array(width), tops = new Uint8Array(width);
	const loud = new Float32Array(width);
	for (let i = 0; i < bins.length; i += BIN_FIELDS)
		placeEntries(bins, at, i, (first + bins[i] * bin - low) * scale,
			bin * scale, width, (k, n) => {
				counts[k] += n;
				tops[k] = Math.max(tops[k], bins[i + 2]);
				loud[k] += n * bins[i + 4] / bins[i + 1];
			});
	return {counts, tops, loud};
}

/* One picture for however many changes. */
function frame() {
	view.changed = false;
	drawPicture();
	drawOverview();
	byId("range").textContent = isEmpty() ? "" :
		timeText(exactTime(view.from)) + " · " +
		durationText(view.to - view.from) + " shown" +
		(picture.detailed ? "" : " · " + (view.words.length ||
		view.level > 1 || view.category || view.only ?
			"all entries are counted here; zoom in to search " +
			"and filter" : "all entries, counted by timelined; " +
			"zoom in to see each"));
	showEmpty();
}
