/* SPDX-License-Identifier: Apache-2.0 */
/* draw.js - the picture: rows with ticks, bars, plots and holes. */
const GUTTER = 132, AXIS = 26, BAND = 18, TICKS = 20, BAR = 16, PLOT = 44;
const ROW_GAP = 9;

const picture = {
	canvas: null, c: null, height: 1,
	layout: [],	/* {row, y, height, ticks} of the rows shown */
	contentHeight: 0,
	counts: null, dims: null,
	tops: null,	/* highest level of a pixel */
	calm: null,	/* ... below warning */
	most: 1,	/* entries in one pixel */
	whiskers: 0,	/* of entries whose time is not sure */
	drawn: 0,	/* entries that the last picture stands for */
	bars: 0,	/* spans that it draws or merges */
	colors: {}, hatch: null,
};

function readColors() {
	const style = getComputedStyle(document.documentElement);
	const get = (name) => style.getPropertyValue(name).trim();
	const colors = {levels: [get("--dim")], bars: []};
	for (let i = 1; i <= 9; i++)
		colors.levels.push(get("--level-" + i));
	colors.levels.push(get("--line"));
	for (let i = 0; i < 8; i++)
		colors.bars.push(get("--bar-" + i));
	for (const name of ["back", "row", "line", "text", "dim", "accent",
		"lost", "bar-text", "mark", "over"])
		colors[name] = get("--" + name);
	colors.font = get("--font");
	picture.colors = colors;
	picture.hatch = makeHatch(colors.lost);
	changed();
}

function makeHatch(color) {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 8;
	const c = tile.getContext("2d");
	c.strokeStyle = color;
	c.lineWidth = 1.6;
	c.beginPath();
	for (const x of [-4, 4, 12]) {
		c.moveTo(x - 4, 8.5);
		c.lineTo(x + 4.5, 0);
	}
	c.stroke();
	return c.createPattern(tile, "repeat");
}

function fitCanvas(canvas) {
	const ratio = window.devicePixelRatio || 1;
	const width = canvas.clientWidth, height = canvas.clientHeight;
	if (canvas.width !== Math.round(width * ratio) ||
	    canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const c = canvas.getContext("2d");
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.direction = "ltr";
	return c;
}

function byLane(a, b) {
	return a.host - b.host || a.source - b.source || a.lane - b.lane;
}

function byThread(a, b) {
	return a.host - b.host || a.source - b.source || a.pid - b.pid ||
		a.tid - b.tid;
}

/* Where each row lies; rows of no entry that is shown stay, so that the
 * picture does not jump. */
function layOut() {
	const lanes = view.mode === "lanes";
	const list = lanes ? [...tracks.lanes].sort(byLane) :
		[...[...tracks.threads].sort(byThread), ...tracks.sources];
	const layout = [];
	let y = 4;
	for (const row of withHosts([...list, ...tracks.counters])) {
		const counter = row.kind === "counter";
		const ticks = row.kind === "lane" || row.kind === "thread" ?
			TICKS : 0;
		const height = counter ? PLOT :
			ticks + row.depth * BAR + (ticks && row.depth ? 2 : 0);
		layout.push({row, y, height: Math.max(height, TICKS), ticks});
		y += Math.max(height, TICKS) + ROW_GAP;
	}
	picture.layout = layout;
	picture.contentHeight = y;
	const room = picture.height - AXIS - BAND;
	view.scroll = Math.max(0, Math.min(view.scroll, y - room));
	return layout;
}

/* place -> index in the layout, or -1 */
function placeRows() {
	const of = view.mode === "lanes" ? tracks.laneOf : tracks.threadOf;
	const index = new Map(picture.layout.map((l, i) => [l.row, i]));
	return Int32Array.from(of, (row) => index.get(row) ?? -1);
}

/* Count the entries of the range by row and pixel. */
function binEntries() {
	const width = Math.ceil(view.width);
	const size = width * Math.max(picture.layout.length, 1);
	if (!picture.counts || picture.counts.length !== size) {
		picture.counts = new Uint32Array(size);
		picture.dims = new Uint32Array(size);
		picture.tops = new Uint8Array(size);
		picture.calm = new Uint8Array(size);
	} else {
		picture.counts.fill(0);
		picture.dims.fill(0);
		picture.tops.fill(0);
		picture.calm.fill(0);
	}
	const {counts, dims, tops, calm} = picture;
	const {t, place, message, kind} = model;
	const row = placeRows(), scale = view.width / (view.to - view.from);
	const level = Uint8Array.from(model.messages, (m) => m.level);
	const end = Math.min(lowerBound(view.to), view.shownUpTo);
	let drawn = 0;
	for (let i = lowerBound(view.from); i < end; i++) {
		const shown = view.shown[i], r = row[place[i]];
		if (shown === HIDDEN || kind[i] === LOST || r < 0)
			continue;
		const at = r * width + ((t[i] - view.from) * scale | 0);
		drawn++;
		if (shown === DIM) {
			dims[at]++;
			continue;
		}
		counts[at]++;
		const l = level[message[i]];
		if (l > tops[at])
			tops[at] = l;
		if (l > calm[at] && l < 7)
			calm[at] = l;
	}
	picture.drawn = drawn;
	picture.most = counts.reduce((a, b) => Math.max(a, b), 1);
	return width;
}

/* Ticks of a row.  Where many entries share a pixel, their height tells how
 * many, and warnings among them stand on top. */
function drawTicks(c, line, index, width, y) {
	const {counts, dims, tops, calm, colors} = picture;
	const base = index * width;
	let most = 1;
	for (let x = 0; x < width; x++)
		most = Math.max(most, counts[base + x]);
	const dense = picture.most > 4;
	c.fillStyle = colors.dim;
	c.globalAlpha = 0.35;
	for (let x = 0; x < width; x++)
		if (dims[base + x])
			c.fillRect(x, y + TICKS / 2, 1, TICKS / 2);
	c.globalAlpha = 1;
	for (let level = 1; level <= 10; level++) {
		c.fillStyle = colors.levels[level];
		for (let x = 0; x < width; x++) {
			const top = tops[base + x], low = calm[base + x];
			if (dense && top === level && low > 0 && low < top)
				c.fillRect(x, y, 1, 5);
			if ((dense && low || top) !== level)
				continue;
			const height = dense ? 3 + (TICKS - 9) *
				Math.sqrt(counts[base + x] / most) : TICKS;
			c.fillRect(x, y + TICKS - height,
				most === 1 ? 1.5 : 1, height);
		}
	}
}

/* Bars of all rows in one walk over the spans; bars that would share a pixel
 * merge. */
function drawBars(c, top) {
	const s = tracks.span, lanes = view.mode === "lanes";
	const of = new Map(picture.layout.map((l, i) => [l.row, i]));
	const list = {lane: tracks.lanes.map((r) => of.get(r)),
		thread: tracks.threads.map((r) => of.get(r)),
		source: tracks.sources.map((r) => of.get(r))};
	/* how far each depth of each row is filled */
	const filled = new Float64Array(picture.layout.length * DEPTH_MAX)
		.fill(-1);
	picture.bars = 0;
	c.font = "11px " + picture.colors.font;
	c.textBaseline = "middle";
	for (let i = 0; i < tracks.spanCount; i++) {
		if (s.from[i] > view.to || s.to[i] < view.from)
			continue;
		const shown = view.shown[s.begin[i]];
		if (shown === HIDDEN)
			continue;
		const m = model.messages[model.message[s.begin[i]]];
		const line = lanes ? list.lane[s.lane[i]] :
			m.scope === SCOPE_SOURCE ? list.source[s.thread[i]] :
			list.thread[s.thread[i]];
		if (line === undefined)
			continue;
		picture.bars++;
		const depth = lanes ? s.slot[i] : s.depth[i];
		const key = line * DEPTH_MAX + depth;
		const x0 = toX(s.from[i]), x1 = toX(s.to[i]);
		if (x1 - x0 < 1 && x0 < filled[key])
			continue;
		const {y, ticks} = picture.layout[line];
		filled[key] = Math.max(x1, Math.floor(x0) + 1);
		drawBar(c, i, m, top + y + ticks +
			(ticks ? 2 : 0) + depth * BAR, x0, x1, shown);
	}
	c.globalAlpha = 1;
}

function drawBar(c, i, m, y, x0, x1, shown) {
	const s = tracks.span, open = s.to[i] === Infinity;
	if (y > picture.height || y + BAR < AXIS + BAND)
		return;
	x0 = Math.max(x0, -2);
	x1 = Math.min(open ? toX(newestTime()) : x1, view.width + 2);
	if (x1 - x0 < 1) {
		x0 = Math.floor(x0);
		x1 = x0 + 1;
	}
	c.globalAlpha = shown === DIM ? 0.25 : 1;
	c.fillStyle = picture.colors.bars[m.number % 8];
	c.fillRect(x0, y, Math.max(x1 - x0 - (x1 - x0 > 4 ? 0.5 : 0), 1),
		BAR - 1);
	if (open || s.lossy[i]) {
		c.fillStyle = picture.hatch;
		c.fillRect(x0, y, x1 - x0, BAR - 1);
	}
	if (m.level >= 7) {
		c.fillStyle = picture.colors.levels[m.level];
		c.fillRect(x0, y, x1 - x0, 2);
	}
	if (x1 - x0 > 28)
		drawBarText(c, i, x0, x1, y);
	const selected = view.selected;
	if (selected >= 0 && (s.begin[i] === selected ||
	    s.end[i] === selected)) {
		c.strokeStyle = picture.colors.mark;
		c.lineWidth = 2;
		c.strokeRect(x0, y - 0.5, Math.max(x1 - x0, 2), BAR);
	}
}

function drawBarText(c, i, x0, x1, y) {
	const s = tracks.span, room = x1 - Math.max(x0, 0) - 8;
	let text = entryText(s.begin[i]).slice(2, 202);
	if (s.to[i] !== Infinity)
		text += "  " + durationText(s.to[i] - s.from[i]);
	c.save();
	c.beginPath();
	c.rect(Math.max(x0, 0) + 2, y, room + 4, BAR);
	c.clip();
	c.fillStyle = picture.colors["bar-text"];
	c.fillText(text, Math.max(x0, 0) + 4, y + BAR / 2);
	c.restore();
}

function newestTime() {
	return model.count ? model.t[model.count - 1] : 0;
}

/* A number over whatever was plotted. */
function plotLabel(c, text, y) {
	c.globalAlpha = 0.8;
	c.fillStyle = picture.colors.row;
	c.fillRect(2, y - 1, c.measureText(text).width + 4, 12);
	c.globalAlpha = 1;
	c.fillStyle = picture.colors.dim;
	c.fillText(text, 4, y);
}

/* Steps of a counter from the last one before the picture on, as
 * [pixel, first, least, greatest, last] of each pixel column. */
function plotColumns(points) {
	const columns = [];
	let a = 0, b = points.length;
	while (a < b) {
		const middle = (a + b) >> 1;
		if (model.t[points[middle]] < view.from)
			a = middle + 1;
		else
			b = middle;
	}
	for (let k = Math.max(a - 1, 0); k < points.length; k++) {
		const x = Math.max(toX(model.t[points[k]]), 0);
		const v = model.pool[model.at[points[k]]];
		const column = columns[columns.length - 1];
		if (!Number.isFinite(v))
			continue;
		if (x > view.width)
			break;
		if (!column || x - column[0] >= 1) {
			columns.push([x, v, v, v, v]);
			continue;
		}
		column[2] = Math.min(column[2], v);
		column[3] = Math.max(column[3], v);
		column[4] = v;
	}
	return columns;
}

function drawPlot(c, line, y) {
	const {points, low, high} = line.row;
	const range = high - low || 1, h = line.height - 8;
	const toY = (value) => y + 4 + h - (value - low) / range * h;
	const columns = plotColumns(points);
	c.strokeStyle = picture.colors.accent;
	c.lineWidth = 1.2;
	c.beginPath();
	let before = null;
	for (const [x, first, least, greatest, last] of columns) {
		if (before === null)
			c.moveTo(x, toY(first));
		else
			c.lineTo(x, toY(before));
		for (const value of [first, least, greatest, last])
			c.lineTo(x, toY(value));
		before = last;
	}
	if (before !== null)
		c.lineTo(Math.min(Math.max(toX(newestTime()), 0), view.width),
			toY(before));
	c.stroke();
	c.font = "10px " + picture.colors.font;
	c.textBaseline = "top";
	if (points.length > 0) {
		plotLabel(c, doubleText(high), y + 2);
		plotLabel(c, doubleText(low), y + line.height - 12);
	}
}

/* Holes: from the neighbour before to where the loss was said. */
function drawLosses(c, top) {
	const of = new Map(picture.layout.map((l) => [l.row, l]));
	c.fillStyle = picture.hatch;
	for (const i of tracks.losses) {
		const t = model.t[i], x = toX(t);
		if (x < -20 || x > view.width + 20)
			continue;
		const line = view.mode === "lanes" &&
			of.get(tracks.laneOf[model.place[i]]);
		const y = line ? top + line.y : top;
		c.fillRect(x - 7, y, 7, line ? line.height :
			picture.height - top);
	}
}
