/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_marks.js - marks of warnings and errors in busy rows (make_page busy):
 * every fourth call of the first thread fails, none of the second, one of the
 * third.
 */
"use strict";
const {execFileSync} = require("child_process");

/* SHARE is the share of pixels of a row's ticks that have the colour of
 * errors. */
const SHARE = (row) => `(() => {
	const {y, ticks} = timeline.rows[${row}], w = Math.floor(view.width);
	const d = picture.c.getImageData(GUTTER, y, w, ticks).data;
	const n = parseInt(picture.colors.levels[8].slice(1), 16);
	let same = 0;
	for (let i = 0; i < d.length; i += 4)
		same += d[i] === n >> 16 && d[i + 1] === (n >> 8 & 255) &&
			d[i + 2] === (n & 255);
	return same / (d.length / 4); })()`;
/* FAILED is an error of a thread in the middle. */
const FAILED = (row) => `[...Array(timeline.count).keys()].find((i) =>
	i >= timeline.count / 2 &&
	model.messages[model.message[i]].level === 8 && rowOf(i) === tracks.threads[${row}])`;

async function marks(p, name, {same, holds}) {
	const quiet = [];
	for (const part of [1, 0.4, 0.2, 0.1]) {
		await p.run(`setRange(0, ${part} * newestTime())`);
		await p.ready();
		await p.run("drawPicture()");
		quiet.push([await p.run(SHARE(0)), await p.run(SHARE(1))]);
	}
	holds("errors of a busy row cover less than a tenth of it, " + name,
		quiet.every(([share]) => share > 0 && share < 0.1), quiet);
	same("... and a row without errors has none of their colour",
		quiet.map(([, share]) => share), [0, 0, 0, 0]);
	await p.run("timeline.fit()");
	await p.ready();
	await p.run("drawPicture()");
	holds("a lone error among as many calls is as high as ever",
		await p.run(`${SHARE(2)} * 20 * Math.floor(view.width) >= 5`),
		await p.run(SHARE(2)));
	const overview = await p.run(`(() => {
		drawOverview();
		const canvas = byId("overview"), {width} = canvas;
		const d = canvas.getContext("2d").getImageData(GUTTER, 0,
			width - GUTTER, 12).data;
		const n = parseInt(picture.colors.levels[8].slice(1), 16);
		let same = 0;
		for (let i = 0; i < d.length; i += 4)
			same += d[i] === n >> 16 && d[i + 1] === (n >> 8 & 255);
		return same / (width - GUTTER); })()`);
	holds("... and in the overview errors are a line",
		overview > 0 && overview <= 1, overview);
}

/* strength: the marks of a column grow with the share of errors in it. */
async function strength(p, {same}) {
	const of = (loud, counts) => p.run(`[...markHeights(Float32Array.from(${
		JSON.stringify(loud)}), Float32Array.from(${
		JSON.stringify(counts)}), 0, ${loud.length})]`);
	const many = Array(40).fill(100);
	const alone = many.map((_, x) => x === 20 ? 3 : 0);
	same("a mark that is alone is as high as ever",
		(await of(alone, many))[20], 5);
	const heights = [];
	for (const n of [1, 20, 50, 100])
		heights.push((await of(many.map(() => n), many))[20]);
	same("marks that are many grow with their share", heights,
		[1, 2, 3, 4]);
	same("a row ends where the next one begins", await of([0, 0, 1, 0],
		[9, 9, 9, 9]), [0, 0, 5, 0]);
}

async function hints(p, {same, holds}) {
	await p.run("timeline.fit()");
	await p.ready();
	const over = async (row) => {
		const [x, y] = await p.run(`(() => { const i = ${FAILED(row)};
			const box = picture.canvas.getBoundingClientRect();
			return [Math.floor(timeline.x(i)) + 0.5,
				box.top + timeline.rows[${row}].y + 3]; })()`);
		await p.mouse("mouseMoved", x, y);
		return p.run("byId('hint').innerText");
	};
	const busy = await over(0);
	const [wanted, all] = await p.run(`(() => { const x = Math.floor(
		toX(model.t[${FAILED(0)}]));
		let n = 0, all = 0;
		for (let i = 0; i < timeline.count; i++)
			if (rowOf(i) === tracks.threads[0] &&
			    Math.floor(toX(model.t[i])) === x) {
				all++;
				n += model.messages[model.message[i]].level > 6;
			}
		return [n, all]; })()`);
	holds("the tooltip of a mark counts them", busy.includes(
		"warnings and errors here: " + wanted + " of " + all +
		" entries") && wanted > 1, busy, wanted, all);
	const lone = await over(2);
	holds("... also where there is one",
		/here: 1 of \d+ entries/.test(lone), lone);
	const calm = await p.run(`(() => { showHint(300, timeline.rows[1].y + 3,
		400, 300); return byId("hint").innerText; })()`);
	holds("... and none where there are none", calm.length > 0 &&
		!calm.includes("here:"), calm);
	same("the legend says what they mean", await p.run("[...document" +
		".querySelectorAll('#legend li')].filter((e) => " +
		"/share of warnings and errors/.test(e.innerText)).length"), 1);
}

/* The daemon's counts show the same. */
async function counted(p, {folder, make, same, holds}) {
	const answer = JSON.parse(execFileSync(make, ["busy-summary"]));
	await p.open("file://" + folder + "/live.html");
	await p.run(`(takeSummary(${JSON.stringify(answer)}, 0, 5e8, [0, 5e8]),
		cover.from = Infinity, view.chosen = true, timeline.fit())`);
	await p.until("!view.changed && !picture.detailed");
	const counts = await p.run(`[0, 1, 2].map((row) => {
		const w = Math.ceil(view.width);
		return Math.round(picture.loud.subarray(row * w, row * w + w)
			.reduce((a, b) => a + b, 0)); })`);
	holds("timelined counts errors, too", Math.abs(counts[0] - 3000) < 30 &&
		counts[1] === 0 && counts[2] === 1, counts);
	const shares = await p.run(`[${[0, 1, 2].map(SHARE)}]`);
	holds("... which are as quiet then, and a lone one is seen",
		shares[0] > 0 && shares[0] < 0.1 && shares[1] === 0 &&
		shares[2] * 20 * await p.run("view.width") >= 5, shares);
	const hint = await p.run(`(() => { showHint(view.width / 3,
		timeline.rows[0].y + 3, 400, 300);
		return byId("hint").innerText; })()`);
	holds("... and the tooltip counts them",
		/^warnings and errors here: \d+ of \d+ entries$/.test(hint),
		hint);
}

exports.run = async (t) => {
	await t.on("marks", "file://" + t.folder + "/busy.html", async (p) => {
		await p.run("setMode('threads')");
		await p.ready();
		await marks(p, "by thread", t);
		await strength(p, t);
		await hints(p, t);
	});
	const page = await t.browser.page();
	await page.open("file://" + t.folder + "/busy.html");
	await page.ready();
	await counted(page, t);
};
