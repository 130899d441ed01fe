/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.js - where entries are of several hosts: whose rows are whose, and how
 * sure their times are.
 *
 *	  |-----#-----|		when an entry may have been: the mark in the
 *				middle of a whisker, over a shade
 */
/* Narrower than this a shade is not seen beside its mark, pixels. */
const BOUND_WIDTH_MIN = 3;
/* Where a row has more in sight, they are shades without whiskers; those of
 * neighbours lie above each other. */
const WHISKERS_MAX = 60, WHISKER_STEPS = 4;

/* Rows host by host, each behind a heading. */
function withHosts(list) {
	if (model.hosts.length === 0)
		return list;
	return model.hosts.flatMap((host, i) => {
		const own = list.filter((row) => row.host === i);
		return own.length === 0 ? [] : [{kind: "host", host: i,
			depth: 0, number: i, label: host.name,
			note: boundText(host.bound)}, ...own];
	});
}

/* Is a row the heading of a host whose clock nobody bounds? */
function isUnbounded(row) {
	return row.kind === "host" &&
		model.hosts[row.host].bound === Infinity;
}

function hostColor(host) {
	return picture.colors.bars[host % picture.colors.bars.length];
}

/* At the left edge: which rows belong together. */
function drawHostStripe(c, row, y, height) {
	c.fillStyle = hostColor(row.host);
	c.fillRect(0, y - ROW_GAP / 2, 4, height + ROW_GAP);
}

/* When the entries in sight may have been, as rises and falls of each row,
 * and their whiskers.  Those beside the picture reach into it. */
function collectBounds() {
	const width = Math.ceil(view.width), row = placeRows();
	const scale = view.width / (view.to - view.from);
	const steps = picture.layout.map(() => null);
	const whiskers = picture.layout.map(() => []);
	const end = Math.min(lowerBound(view.to + model.most),
		view.shownUpTo);
	for (let i = lowerBound(view.from - model.most); i < end; i++) {
		const half = model.bound[i] * scale, r = row[model.place[i]];
		if (2 * half < BOUND_WIDTH_MIN || half === Infinity ||
		    r < 0 || view.shown[i] !== SHOWN)
			continue;
		const x = toX(model.t[i]);
		if (x + half < 0 || x - half > view.width)
			continue;
		steps[r] ??= new Int32Array(width + 2);
		steps[r][Math.max(Math.floor(x - half), 0)]++;
		steps[r][Math.min(Math.ceil(x + half), width) + 1]--;
		if (whiskers[r].length <= WHISKERS_MAX || i === view.selected)
			whiskers[r].push([x, half, i]);
	}
	return {steps, whiskers};
}

/* One shade wherever any of a row may have been. */
function drawShade(c, steps, y) {
	let depth = 0, from = -1;
	for (let x = 0; x < steps.length; x++) {
		depth += steps[x];
		if (depth > 0 && from < 0)
			from = x;
		if (depth === 0 && from >= 0) {
			c.fillRect(from, y, x - from, TICKS);
			from = -1;
		}
	}
}

function drawWhisker(c, x, half, y, thick) {
	c.fillRect(x - half, y - thick / 2, 2 * half, thick);
	c.fillRect(x - half, y - 3, thick, 6);
	c.fillRect(x + half - thick, y - 3, thick, 6);
	picture.whiskers++;
}

/* The whiskers of a row; that of the selected entry stands out. */
function drawWhiskers(c, list, y) {
	const {colors} = picture;
	const of = ([, , i]) => i === view.selected;
	c.fillStyle = colors.text;
	if (list.length <= WHISKERS_MAX)
		list.forEach(([x, half], k) => drawWhisker(c, x, half,
			y + 3 + (k % WHISKER_STEPS + 0.5) *
			(TICKS - 6) / WHISKER_STEPS, 1));
	c.fillStyle = colors.mark;
	for (const [x, half] of list.filter(of))
		drawWhisker(c, x, half, y + TICKS / 2, 2);
}

/* A host whose clock nobody bounds: any of its entries may have been at any
 * time that is seen. */
function drawUnbounded(c, top) {
	c.globalAlpha = 0.3;
	c.fillStyle = picture.hatch;
	for (const {row, y, ticks} of picture.layout)
		if (ticks && model.hosts[row.host].bound === Infinity)
			c.fillRect(0, top + y, view.width, TICKS);
	c.globalAlpha = 1;
}

function drawBounds(c, top) {
	picture.whiskers = 0;
	if (model.hosts.length === 0)
		return;
	const {layout} = picture;
	const {steps, whiskers} = collectBounds();
	drawUnbounded(c, top);
	steps.forEach((of, r) => {
		c.fillStyle = hostColor(layout[r].row.host);
		c.globalAlpha = 0.35;
		if (of)
			drawShade(c, of, top + layout[r].y);
	});
	c.globalAlpha = 1;
	whiskers.forEach((list, r) => drawWhiskers(c, list,
		top + layout[r].y));
}

/* Levels are those of the selected entry's host. */
function levelsHost() {
	return view.selected < 0 ? 0 : hostOfEntry(view.selected);
}

function levelsText() {
	if (model.hosts.length === 0)
		return "open level";
	const {name} = model.hosts[levelsHost()];
	return "open level, " + shortText(name, 12);
}

/* The legend: who is there, and how sure its times are. */
function showHosts() {
	const list = byId("hosts");
	list.hidden = model.hosts.length === 0;
	list.replaceChildren(...model.hosts.map((host, i) => {
		const item = element("li"), swatch = element("i", "swatch");
		swatch.style.background = "var(--bar-" + i % 8 + ")";
		item.append(swatch, element("bdi", "", host.name),
			element("span", host.bound === Infinity ? "bad" : "",
				boundText(host.bound)));
		return item;
	}));
}
