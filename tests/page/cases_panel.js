/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_panel.js - the panel of the entry that is chosen: it lies over the
 * picture, moves nothing of the picture, and does not cover what is chosen.
 */
"use strict";
const {serve} = require("./cases_live.js");

const TIMES = 20;
const BOX = `(({x, y, width, height}) => [x, y, width, height])(
	picture.canvas.getBoundingClientRect())`;
/* PANEL is [left, right] of the panel, or null while the panel is folded. */
const PANEL = `(() => {
	const {left, right} = byId("entry").getBoundingClientRect();
	return right > left ? [left, right] : null; })()`;
/* PLACES lists where the spans are. */
const PLACES = `[...tracks.span.from.subarray(0, tracks.spanCount)].map(toX)
	.concat(timeline.rows.map((r) => r.y))`;
const SUM = `(() => { drawPicture();
	const {canvas} = picture;
	const d = new Uint32Array(picture.c.getImageData(0, 0, canvas.width,
		canvas.height).data.buffer);
	let sum = 0;
	for (const pixel of d)
		sum = Math.imul(sum, 31) + pixel | 0;
	return sum; })()`;
/* LONG lists spans of at least 5 pixels of all that is in sight. */
const LONG = `[...Array(tracks.spanCount).keys()].filter((s) =>
	tracks.span.end[s] >= 0 && toX(tracks.span.to[s]) -
	toX(tracks.span.from[s]) > 5 && tracks.span.from[s] > view.from &&
	tracks.span.depth[s] < 2 && timeline.row(tracks.span.begin[s]) < 3 &&
	model.messages[model.message[tracks.span.begin[s]]].scope !==
	SCOPE_SOURCE)`;

const setSize = (p, width, height) => p.send(
	"Emulation.setDeviceMetricsOverride",
	{width, height, deviceScaleFactor: 1, mobile: false});

async function reset(p) {
	await p.run("select(-1, false); clearSelection(); timeline.fit(); " +
		"setMode('threads')");
	await p.ready();
}

/* placeOf returns where a span is in the window, 3 pixels from its begin. */
async function placeOf(p, s) {
	await p.run("drawPicture()");
	return p.run(`(() => {
		const {left, top} = picture.canvas.getBoundingClientRect();
		const c = tracks.span, row = timeline.rows[timeline.row(
			c.begin[${s}])];
		return [left + GUTTER + toX(c.from[${s}]) + 3, top + row.y +
			row.ticks + 2 + c.depth[${s}] * BAR + 8];
	})()`);
}

async function folds(p, {same, holds}) {
	const [width, ...boxes] = [await p.run("innerWidth")];
	await reset(p);
	boxes.push(await p.run(BOX));
	same("the panel folds until something is chosen", await p.run(PANEL),
		null);
	same("... and the picture has the whole width", boxes[0][2], width);
	const before = [await p.run(PLACES), await p.run(SUM)];
	await p.run("select(600, false)");
	await p.ready();
	const panel = await p.run(PANEL);
	holds("it opens over the right of the picture", panel &&
		panel[1] === width && panel[0] > width / 2, panel);
	same("... which keeps its place", await p.run(BOX), boxes[0]);
	same("... and its spans keep theirs", await p.run(PLACES), before[0]);
	same("... to the pixel", await p.run("(view.selected = -1, " + SUM +
		")"), before[1]);
	holds("... and shows where it ends", await p.run("parseFloat(" +
		"getComputedStyle(byId('entry')).borderLeftWidth) >= 1 && " +
		"getComputedStyle(byId('entry')).boxShadow !== 'none'"));
	holds("it leaves the statistics free", await p.run("byId('entry')" +
		".getBoundingClientRect().bottom <= document.querySelector(" +
		"'.statistics').getBoundingClientRect().top"));
}

/* choose double clicks spans while the panel is folded. */
async function choose(p, name, width, times, {same}) {
	const wrong = [];
	await reset(p);
	const list = await p.run(LONG);
	for (let k = 0; k < times; k++) {
		await reset(p);
		const s = list[Math.floor(k * list.length / times)];
		const folded = await p.run(PANEL) === null;
		const [x, y] = await placeOf(p, s);
		await p.click(x, y, 2);
		await p.ready();
		const seen = await p.run(`(() => { const {begin, from, to} =
			tracks.span, [a, b] = ${PANEL} ?? [0, 0];
			const x0 = toX(from[${s}]) + GUTTER;
			const x1 = toX(to[${s}]) + GUTTER;
			return [timeline.selected === begin[${s}], b > a,
				x0 >= GUTTER && x1 <= innerWidth &&
				(x1 <= a || x0 >= b),
				x1 - x0 > 0.7 * (innerWidth - GUTTER - b + a)];
		})()`);
		if (!folded || seen.includes(false))
			wrong.push([s, Math.round(x), folded, ...seen]);
	}
	same("a double click selects the span and shows all of it, " + name +
		", each of " + times + " times", [list.length > 3, wrong],
	[true, []]);
}

async function sides(p, {same, holds}) {
	await reset(p);
	const list = await p.run(LONG);
	const [x, y] = await placeOf(p, list.at(-1));
	await p.click(x, y);
	await p.ready();
	const panel = await p.run(PANEL);
	holds("a click where the panel would lie opens it on the left",
		x > 1100 && panel?.[0] === 132 && panel[1] < x, x, panel);
	await p.click(...await placeOf(p, list.at(-2)));
	await p.ready();
	same("... where it stays while it is open", await p.run(PANEL), panel);
	await reset(p);
	await p.run("select(600, false)");
	const [a, b] = await p.run(PANEL);
	const hidden = await p.run(`lowerBound(toTime(${a + b} / 2 - GUTTER))`);
	await p.run(`timeline.select(${hidden})`);
	await p.ready();
	const seen = await p.run(`timeline.x(${hidden})`);
	holds("what is stepped to is moved from under the panel", seen > 132 &&
		seen < a, seen, a, b);
	await p.run("timeline.zoomTo(1e7, 2e7); timeline.select(" +
		"lowerBound(1.05e7))");
	const range = await p.run("timeline.range");
	await p.run("timeline.select(lowerBound(1.1e7))");
	same("... and what is in sight stays", await p.run("timeline.range"),
		range);
	await p.key("End");
	await p.ready();
	const newest = await p.run("GUTTER + toX(newestTime())");
	holds("End shows the newest beside it", newest < a &&
		newest > 0.8 * a, newest, a);
}

async function closes(p, {same, holds}) {
	const open = async () => {
		await reset(p);
		await p.run("select(600, false)");
		await p.ready();
	};
	await open();
	await p.run("document.querySelector('#entry button').focus()");
	await p.key("Escape");
	await p.ready();
	same("Escape folds it, and keys are the picture's", await p.run("[" +
		PANEL + ", timeline.selected, document.activeElement.id]"),
	[null, -1, "picture"]);
	await open();
	const range = await p.run("timeline.range");
	const at = await p.run("(({x, y, width, height}) => " +
		"[x + width / 2, y + height / 2])(document.querySelector(" +
		"'#entry .fold').getBoundingClientRect())");
	await p.click(...at);
	same("its button folds it and keeps what is chosen", await p.run("[" +
		PANEL + ", timeline.selected, document.activeElement.id]"),
	[null, 600, "picture"]);
	await p.key("q");
	holds("q unfolds it", (await p.run(PANEL)) !== null &&
		await p.run("byId('entry').innerText.includes(" +
			"timeline.time(600))"));
	await p.key("q");
	same("... and folds it", await p.run(PANEL), null);
	await p.key("n");
	holds("a step to another entry unfolds it",
		(await p.run(PANEL)) !== null);
	await p.key("Escape");
	await p.key("q");
	same("where nothing is chosen there is nothing to unfold",
		await p.run(PANEL), null);
	same("... and the view is where it was", await p.run("timeline.range"),
		range);
	await p.key("?");
	holds("the help names the key", await p.run(
		"byId('help').innerText.includes('fold')"));
	await p.run("byId('help').close()");
}

async function drags(p, {same, holds}) {
	await reset(p);
	await p.run("getSelection().removeAllRanges(); select(600, false)");
	await p.ready();
	const [a, b] = await p.run(PANEL), [, y] = await p.run(BOX);
	const from = await p.run("timeline.range[0]");
	await p.drag(a - 100, y + 200, a + 150, y + 200);
	await p.ready();
	const moved = await p.run("(timeline.range[1] - timeline.range[0]) * " +
		"250 / view.width");
	holds("a drag over its edge moves on", Math.abs(from - moved -
		await p.run("timeline.range[0]")) < moved / 100, moved);
	same("... selects no text, and the entry stays chosen", await p.run(
		"[getSelection().toString(), timeline.selected]"), ["", 600]);
	const range = await p.run("timeline.range");
	await p.mouse("mouseMoved", (a + b) / 2, y + 200);
	await p.mouse("mouseWheel", (a + b) / 2, y + 200,
		{deltaX: 0, deltaY: 2000});
	await p.until("byId('entry').scrollTop > 0 || byId('entry')" +
		".scrollHeight <= byId('entry').clientHeight");
	await p.drag((a + b) / 2, y + 200, a - 50, y + 220);
	same("what is done over it is not done to the picture", await p.run(
		"[timeline.range, timeline.selected]"), [range, 600]);
}

/* sizes says what holds in a window of a width. */
async function sizes(p, t) {
	const {same, holds} = t;
	for (const width of [1280, 900, 660]) {
		await setSize(p, width, 800);
		await p.until(`innerWidth === ${width} && !view.changed`);
		await choose(p, width + " pixels wide", width, 5, t);
		await reset(p);
		const box = await p.run(BOX);
		await p.run("select(600, false)");
		await p.ready();
		const [a, b] = await p.run(PANEL);
		same("the picture keeps its place, " + width + " pixels wide",
			await p.run(BOX), box);
		holds("... and at least half of the rows is free", b - a <=
			(width - 132) / 2, a, b);
	}
	await setSize(p, 480, 800);
	await p.until("innerWidth === 480 && !view.changed");
	await reset(p);
	await p.run("scrollTo(0, 1e6)");
	const [box, at] = [await p.run(BOX), await p.run("scrollY")];
	await p.run("select(600, false)");
	await p.ready();
	const under = "(byId('entry').getBoundingClientRect().top >= " +
		"picture.canvas.getBoundingClientRect().bottom)";
	holds("in a narrow window it stands below the picture",
		await p.run(under));
	await p.run("select(-1, false)");
	await p.ready();
	same("... which keeps its place when it folds again", [await p.run(BOX),
		await p.run("scrollY")], [box, at]);
	await setSize(p, 1400, 900);
	await p.until("innerWidth === 1400 && !view.changed");
	await p.run("scrollTo(0, 0); select(600, false)");
	await p.send("Emulation.setEmulatedMedia", {media: "print"});
	holds("... and so it does on paper, all of it", await p.run(under +
		" && byId('entry').scrollHeight <= " +
		"byId('entry').clientHeight + 1"));
	await p.send("Emulation.setEmulatedMedia", {media: ""});
	await p.ready();
}

/* addresses: the address of a page with a panel leads to the same range. */
async function addresses(p, {same}) {
	await reset(p);
	await p.run("timeline.zoomTo(1e6, 3e6); timeline.select(600); " +
		"writeAddress()");
	const [hash, range] = await p.run("[location.hash, " +
		"timeline.range.map(Math.round)]");
	same("the address keeps the range and not the panel",
		[/^#range=\d+-\d+$/.test(hash), await p.run("(readAddress(), " +
		"goToAddress(), timeline.range.map(Math.round))")],
		[true, range]);
	await reset(p);
}

exports.run = async (t) => {
	await t.on("panel", "file://" + t.folder + "/plain.html", async (p) => {
		for (const cases of [folds, (...a) => choose(a[0],
			"1400 pixels wide", 1400, TIMES, a[1]), sides, closes,
		drags, sizes, addresses])
			await cases(p, t);
	});
	const {server, url} = await serve(t.folder, t.make);
	await t.on("panel of a live page", url, async (p) => {
		await p.until("timeline.count === 5000");
		await p.run("document.getElementById('pause').click()");
		await p.until("!live.busy && timeline.ready && " +
			"timeline.detailed");
		await folds(p, t);
		await choose(p, "live", 1400, 5, t);
		await closes(p, t);
	});
	server.closeAllConnections?.();
	server.close();
};
