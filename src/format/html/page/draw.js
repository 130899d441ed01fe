/* SPDX-License-Identifier: Apache-2.0 */
/* draw.js - the picture: rows with ticks, bars, plots and holes. */
const GUTTER = 132, AXIS = 26, BAND = 18, TICKS = 20, BAR = 16, PLOT = 44;
const ROW_GAP = 9;
/* A mark of a warning is so high where no more are so near, pixels. */
const MARK = 5, MARK_FEW = 3, MARK_NEAR = 8;
/* Colours of levels that lines of a plot take, as different as can be. */
const LINE_LEVELS = [4, 7, 6, 9, 5, 8, 2, 1];

const picture = {
	canvas: null, c: null, height: 1,
	layout: [],	/* {row, y, height, ticks} of the rows shown */
	contentHeight: 0,
	/* of each pixel of each row: */
	counts: null, dims: null,
	tops: null,	/* highest level */
	calm: null,	/* ... below warning */
	loud: null,	/* entries that are not */
	busy: null,	/* share of the time in which a span was open */
	lost: null,
	detailed: true,	/* drawn from entries, not from the daemon's counts */
	raster: null,	/* pixels of all ticks */
	most: 1,	/* entries in one pixel */
	whiskers: 0,	/* of entries whose time is not sure */
	drawn: 0,	/* entries that the last picture stands for */
	bars: 0,	/* spans that it draws or merges */
	colors: {}, hatch: null,
	fine: null,	/* hatch of details that were not observed */
};

function readColors() {
	const style = getComputedStyle(document.documentElement);
	const get = (name) => style.getPropertyValue(name).trim();
	const colors = {levels: [get("--dim")], bars: [], lines: [],
		states: [get("--line")]};
	for (let i = 1; i < STATE_WORDS.length; i++)
		colors.states.push(get("--state-" + i));
	for (let i = 1; i <= 9; i++)
		colors.levels.push(get("--level-" + i));
	colors.levels.push(get("--line"));
	for (let i = 0; i < 8; i++)
		colors.bars.push(get("--bar-" + i));
	for (let i = 0; i < 8; i++)
		colors.lines.push(get("--level-" + LINE_LEVELS[i]));
	for (const name of ["back", "row", "line", "text", "dim", "accent",
		"lost", "bar-text", "mark", "over", ...SHADES.slice(1)])
		colors[name] = get("--" + name);
	colors.font = get("--font");
	colors.inks = colors.levels.map((color) => ink(color, 1));
	colors.dimInk = ink(colors.dim, 0.35);
	colors.busyInk = ink(colors.over, 0.8);
	colors.lostInk = ink(colors.lost, 1);
	picture.colors = colors;
	picture.hatch = makeHatch(colors.lost);
	picture.fine = makeHatch(colors.row);
	changed();
}

/* #rrggbb as a pixel of ImageData on a little-endian machine. */
function ink(color, alpha) {
	const n = parseInt(color.slice(1), 16);
	return (Math.round(255 * alpha) << 24 | (n & 255) << 16 |
		n & 0xff00 | n >> 16) >>> 0;
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

/* The rows of a host that were pinned come first. */
function byPin(a, b) {
	return a.host - b.host || view.pins.has(b.key) - view.pins.has(a.key);
}

function byLane(a, b) {
	return byPin(a, b) || a.source - b.source || a.lane - b.lane;
}

/* Threads stand with their process; processes that have ended come last, and
 * threads that have within their process. */
function sortThreads() {
	const process = (row) => row.source + ":" + row.pid;
	const live = new Set(tracks.threads.filter((row) => !row.ended)
		.map(process));
	return [...tracks.threads].sort((a, b) => byPin(a, b) ||
		a.source - b.source ||
		live.has(process(b)) - live.has(process(a)) ||
		a.pid - b.pid || Boolean(a.ended) - Boolean(b.ended) ||
		a.tid - b.tid);
}

/* Where each row lies; rows of no entry that is shown stay, so that the
 * picture does not jump. */
function layOut() {
	const lanes = view.mode === "lanes";
	const list = lanes ? [...tracks.lanes].sort(byLane) :
		[...sortThreads(), ...tracks.sources];
	const layout = [];
	let y = 4;
	for (const row of list) /* whose band can be seen there */
		if (row.sched < row.entries && statesOf(row))
			statesOf(row).shown = true;
	for (const row of withHosts([...list.filter((r) => !isBandOnly(r)),
		...tracks.counters])) {
		const counter = row.kind === "counter";
		if (row.kind === "thread")
			nameRow(row);
		const ticks = row.kind === "lane" || row.kind === "thread" ?
			TICKS : 0;
		const depth = Math.max(row.depth, row.busy ? 1 : 0);
		const height = counter ? PLOT :
			ticks + depth * BAR + (ticks && depth ? 2 : 0);
		const band = Boolean(statesOf(row));
		const all = Math.max(height, TICKS) +
			(band ? STATE_HEIGHT + 2 : 0);
		layout.push({row, y, height: all, ticks, band});
		y += all + ROW_GAP;
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

/* What each pixel of each row stands for. */
const COLUMN_TYPES = {counts: Float32Array, dims: Uint32Array,
	tops: Uint8Array, calm: Uint8Array, loud: Float32Array,
	busy: Float32Array, lost: Uint8Array};

function clearColumns() {
	const width = Math.ceil(view.width);
	const size = width * Math.max(picture.layout.length, 1);
	for (const [name, Type] of Object.entries(COLUMN_TYPES))
		if (picture[name]?.length === size)
			picture[name].fill(0);
		else
			picture[name] = new Type(size);
	return width;
}

/* Can a part of the row be seen, if the first row begins at top? */
function isInSight(line, top) {
	return top + line.y <= picture.height &&
		top + line.y + line.height >= AXIS + BAND;
}

/* Count the entries of the range by row and pixel: those that are here, or
 * all of them as the daemon did, for the rows in sight: a timeline has many
 * threads. */
function binEntries(top) {
	const width = clearColumns();
	picture.detailed = isDetailed();
	if (picture.detailed)
		binDetails(width);
	else
		picture.layout.forEach((line, i) => {
			if (line.row.bins && isInSight(line, top))
				binSummary(line.row.bins, line.row.at, width,
					i * width);
		});
	let most = 1;
	for (const n of picture.counts)
		if (n > most)
			most = n;
	picture.most = most;
	return width;
}

function binDetails(width) {
	const {counts, dims, tops, calm, loud} = picture;
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
		if (l >= 7)
			loud[at]++;
		else if (l > calm[at])
			calm[at] = l;
	}
	picture.drawn = drawn;
}

/* Fill part of a column of the raster, from y to y + height. */
function fillColumn(raster, x, y, height, color) {
	const {width, pixels} = raster;
	const end = Math.min(Math.round(y + height), raster.height);
	for (let k = Math.max(Math.round(y), 0); k < end; k++)
		pixels[k * width + x] = color;
}

/* How high the mark of each pixel from base on is.  Where many are near each
 * other, their height tells which part of the entries they are. */
function markHeights(loud, counts, base, width) {
	const heights = new Uint8Array(width), size = 2 * MARK_NEAR + 1;
	const sums = new Float64Array(width + 1);
	for (let x = 0; x < width; x++)
		sums[x + 1] = sums[x] + Math.min(loud[base + x], 1);
	for (let x = 0; x < width; x++) {
		const from = Math.max(0, Math.min(x - MARK_NEAR, width - size));
		const near = sums[Math.min(from + size, width)] - sums[from];
		if (loud[base + x] > 0)
			heights[x] = near <= MARK_FEW ? MARK : Math.max(1,
				Math.round((MARK - 1) * Math.sqrt(
					loud[base + x] / counts[base + x])));
	}
	return heights;
}

/* Ticks of a row.  Where many entries share a pixel, their height tells how
 * many, and warnings among them stand on top.  Below it, where spans are not
 * drawn one by one, for how much of the time one was open. */
function rasterRow(raster, index, y) {
	const {counts, dims, tops, calm, loud, busy, lost, colors} = picture;
	const {width} = raster, base = index * width, {row} =
		picture.layout[index];
	const dense = picture.most > 4 || !picture.detailed;
	const ink = colors.inks;
	const marks = markHeights(loud, counts, base, width);
	let most = 1;
	for (let x = 0; x < width; x++)
		most = Math.max(most, counts[base + x]);
	for (let x = 0; x < width; x++) {
		const at = base + x, top = tops[at], low = calm[at];
		const apart = dense || (marks[x] > 0 && marks[x] < MARK);
		if (dims[at])
			fillColumn(raster, x, y + TICKS / 2, TICKS / 2,
				colors.dimInk);
		if (counts[at] > 0) {
			const height = dense ? 3 + (TICKS - 9) *
				Math.sqrt(counts[at] / most) : TICKS;
			const wide = dense || x + 1 === width ||
				counts[at + 1] > 0 ? 1 : 2;
			for (let k = 0; k < wide; k++)
				fillColumn(raster, x + k, y + TICKS - height,
					height, ink[apart && low || top]);
			if (apart && low > 0)
				fillColumn(raster, x, y, marks[x], ink[top]);
		}
		if (row.busy && busy[at] > 0)
			fillColumn(raster, x, y + TICKS + 2 + (BAR - 2) *
				(1 - busy[at]), (BAR - 2) * busy[at],
			colors.busyInk);
		if (lost[at])
			for (let k = 0; k < TICKS; k++)
				if ((x + k) % 4 === 0)
					fillColumn(raster, x, y + k, 1,
						colors.lostInk);
	}
}

/* All rows as pixels, which is much quicker than a rectangle for each. */
function drawAllTicks(c, top) {
	const width = binEntries(top), height = Math.ceil(picture.height);
	let {raster} = picture;
	if (raster?.width !== width || raster.height !== height) {
		const canvas = document.createElement("canvas");
		canvas.width = width;
		canvas.height = height;
		const context = canvas.getContext("2d");
		const image = context.createImageData(width, height);
		raster = picture.raster = {width, height, canvas, context,
			image, pixels: new Uint32Array(image.data.buffer)};
	}
	raster.pixels.fill(0);
	picture.layout.forEach((line, i) => {
		if (line.ticks && isInSight(line, top))
			rasterRow(raster, i, top + line.y);
	});
	raster.context.putImageData(raster.image, 0, 0);
	c.drawImage(raster.canvas, 0, 0);
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
	if (!picture.detailed)
		return;
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

function colorOfMessage(m) {
	return m.color ??= colorOf(m.category, m.name);
}

/* A span that is not sure is hollow. */
function fillBar(c, i, m, x0, x1, y) {
	const s = tracks.span, color = picture.colors.bars[colorOfMessage(m)];
	const width = Math.max(x1 - x0 - (x1 - x0 > 4 ? 0.5 : 0), 1);
	c.fillStyle = c.strokeStyle = color;
	c.lineWidth = 1;
	if (s.unsure[i])
		c.strokeRect(x0 + 0.5, y + 0.5, Math.max(width - 1, 1),
			BAR - 2);
	else
		c.fillRect(x0, y, width, BAR - 1);
	if (!s.unsure[i])
		drawHidden(c, i, m, y, x0, x1);
	if (s.end[i] >= 0 && !s.unsure[i])
		return;
	c.fillStyle = picture.hatch;
	c.fillRect(x0, y, x1 - x0, BAR - 1);
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
	fillBar(c, i, m, x0, x1, y);
	if (m.level >= 7) {
		c.fillStyle = picture.colors.levels[m.level];
		c.fillRect(x0, y, x1 - x0, 2);
	}
	if (why.key && s.end[i] >= 0 && !s.unsure[i] &&
	    isSlow(m, spanLength(i))) {
		c.fillStyle = picture.colors.lost;
		c.fillRect(x0, y + BAR - 5, x1 - x0, 4);
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
	if (s.end[i] >= 0)
		text += "  " + durationText(spanLength(i));
	if (s.unsure[i])
		text += " ?";
	c.fillStyle = picture.colors[s.unsure[i] ? "text" : "bar-text"];
	c.fillText(fitText(c, text, room), Math.max(x0, 0) + 4, y + BAR / 2);
}

function newestTime() {
	return Math.max(model.count ? model.t[model.count - 1] : 0,
		summary.is ? summary.newest : -Infinity);
}

/* A text over whatever was plotted; its width. */
function plotLabel(c, text, y, x) {
	const {width} = c.measureText(text);
	c.globalAlpha = 0.8;
	c.fillStyle = picture.colors.row;
	c.fillRect(x - 2, y - 1, width + 4, 12);
	c.globalAlpha = 1;
	c.fillStyle = picture.colors.dim;
	c.fillText(text, x, y);
	return width;
}

/* Add values at pixel x to the last column, or to a new one. */
function addToColumns(columns, x, least, greatest, last) {
	const column = columns.at(-1);
	if (!column || x - column[0] >= 1) {
		columns.push([x, least, least, greatest, last]);
		return;
	}
	column[2] = Math.min(column[2], least);
	column[3] = Math.max(column[3], greatest);
	column[4] = last;
}

/* Steps of a counter from the last one before the picture on, as
 * [pixel, first, least, greatest, last] of each pixel column. */
function plotColumns(points) {
	const columns = [];
	const first = firstPlace(points.length,
		(k) => model.t[points[k]] < view.from);
	for (let k = Math.max(first - 1, 0); k < points.length; k++) {
		const x = Math.max(toX(model.t[points[k]]), 0);
		const v = model.pool[model.at[points[k]]];
		if (!Number.isFinite(v))
			continue;
		if (x > view.width)
			break;
		addToColumns(columns, x, v, v, v);
	}
	return columns;
}

/* A line of its own for each process. */
function drawPlot(c, line, y) {
	const {low, high} = line.row, lines = picture.detailed ?
		line.row.lines : line.row.counted, several = lines.size > 1;
	const range = high - low || 1, h = line.height - 8;
	const toY = (value) => y + 4 + h - (value - low) / range * h;
	let at = 60;
	c.font = "10px " + picture.colors.font;
	c.textBaseline = "top";
	[...lines].sort(([a], [b]) => a - b).forEach(([pid, points], k) => {
		const color = several ? picture.colors.lines[k % 8] :
			picture.colors.accent;
		drawPlotLine(c, picture.detailed ? plotColumns(points) :
			countedColumns(points), toY, color);
		if (several && at < view.width - 80) {
			c.fillStyle = color;
			c.fillRect(at, y + 5, 8, 3);
			at += 12 + plotLabel(c, processName(pid), y + 2,
				at + 10);
		}
	});
	if (lines.size > 0) {
		plotLabel(c, doubleText(high), y + 2, 4);
		plotLabel(c, doubleText(low), y + line.height - 12, 4);
	}
}

function drawPlotLine(c, columns, toY, color) {
	c.strokeStyle = color;
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
