/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_account.js - the page of a workload whose rates and shares are known
 * (make_page account), from its entries and from the daemon's counts.
 */
"use strict";
const {execFileSync} = require("child_process");

const ROWS = `Object.fromEntries(statistics.rows.map((r) => [r.message,
	[r.count, r.samples?.length, Math.round(r.rate / 5) * 5,
	durationText(r.median), durationText(r.total)]]))`;
/* TIMES lists the times, in ms, that have each shade for debug. */
const TIMES = `Object.fromEntries(shadesOf(historyOf(0), 5, view.width = 1000)
	.map((shares, k) => [SHADES[k], shadeRuns(shares).filter((r) => r[1] > 1)
	.map(([x, size]) => [x, x + size])]).slice(1))`;
/* SHARES lists the percentages that the flame view shows. */
const SHARES = `Object.fromEntries([...document.querySelectorAll(".frame")].map(
	(f) => [f.firstChild.textContent, f.lastChild.textContent]))`;
/* COLOR is the name of the colour of most pixels around a time at a height. */
const COLOR = (ms, y) => `(() => {
	const c = picture.canvas.getContext("2d"), n = new Map();
	const d = c.getImageData(GUTTER + Math.round(toX(${ms} * 1e6)) - 2, ${y},
		4, 2).data;
	for (let i = 0; i < d.length; i += 4) {
		const key = "#" + [...d.slice(i, i + 3)].map((v) => v.toString(16)
			.padStart(2, 0)).join("");
		n.set(key, (n.get(key) ?? 0) + 1);
	}
	const [[most]] = [...n].sort((a, b) => b[1] - a[1]);
	return [...SHADES.slice(1), "row", "back"].find((name) =>
		picture.colors[name] === most) ?? most; })()`;

const CLOSED = [[50, 100], [120, 300], [320, 500], [520, 700], [710, 900],
	[920, 1000]];
/* near says whether two lists of ranges differ by a pixel at most. */
const near = (seen, wanted) => seen.length === wanted.length &&
	seen.every((range, i) => range.every((x, k) =>
		Math.abs(x - wanted[i][k]) <= 2));

async function shades(p, {holds, same}) {
	await p.run("timeline.fit(); view.from = 0; view.to = 1e9; changed()");
	await p.ready();
	const times = await p.run(TIMES);
	holds("closed levels have a shade", near(times.closed, CLOSED), times);
	holds("... what was overwritten in part another",
		near(times.overwritten, [[0, 50]]), times);
	holds("... and lost time another", near(times["lost-time"], [[698, 710]]),
		times);
	await p.run("changed()");
	await p.ready();
	const {y} = (await p.run("timeline.rows"))[0];
	const seen = [];
	for (const ms of [25, 200, 110, 704])
		seen.push(await p.run(COLOR(ms, y - 2)));
	same("each is drawn in its own colour", seen,
		["overwritten", "closed", "row", "lost-time"]);
	same("the legend names each reason", await p.run("[...document" +
		".querySelectorAll('#legend li')].map((e) => e.innerText.trim())" +
		".filter((t) => /^(levels closed|overwritten$|lost$)/.test(t))"),
	["levels closed: not observed", "overwritten", "lost"]);
}

async function figures(p, {same}) {
	await p.run("timeline.fit(); showTab('table'); showStatistics()");
	/* The queries after the loss are not in a burst that is known. */
	same("rates are those of observed time, and spans count where they end",
		await p.run(ROWS), {"request $id path $path": [470, 470, 500,
			"1.9ms", "893ms"], "query $rows": [45, 40, 500, "1.7ms",
			"68ms"]});
	same("... and what is left out is said", await p.run("document" +
		".getElementById('statistics-range').textContent.match(/, (\\d+ " +
		"older.*)/)?.[1]"), "25 older spans left out");
	await p.run("showTab('flame')");
	same("shares are of the time in which details were observed",
		await p.run(SHARES), {"all threads": "893ms · 100.0 %",
			"request $id path $path": "893ms · 100.0 %",
			"details closed": "816.992ms",
			"query $rows": "68ms · 89.5 %"});
}

async function logged(p, {same}) {
	const rows = "statistics.rows.map((r) => r.category).sort().join()";
	await p.run("showTab('table')");
	same("what timeline logs about itself is no row", await p.run(rows),
		"db,http");
	await p.run("view.category = 'timeline', judgeAll(true), " +
		"showStatistics()");
	await p.ready();
	same("... unless it is asked for", await p.run(
		"showStatistics(), " + rows), "timeline");
	await p.run("view.category = '', judgeAll(true)");
	await p.ready();
}

async function counted(p, {folder, make, same, holds}) {
	const offline = [await p.run("showStatistics(), " + ROWS),
		await p.run("showTab('flame'), " + SHARES)];
	const answer = JSON.parse(execFileSync(make, ["account-summary"]));
	await p.open("file://" + folder + "/live.html");
	await p.run(`(takeSummary(${JSON.stringify(answer)}, 0, 1e9, [0, 1e9]),
		cover.from = Infinity, view.from = 0, view.to = 1e9,
		view.chosen = true, picture.detailed = false, showStatistics())`);
	const seen = await p.run(ROWS);
	same("the daemon counts the same", Object.entries(seen).map(
		([key, [count, , rate]]) => [key, count, rate]),
	Object.entries(offline[0]).map(([key, [count, , rate]]) =>
		[key, count, rate]));
	same("... with the same shares", await p.run("showTab('flame'), " +
		SHARES), offline[1]);
	const times = await p.run(TIMES);
	holds("... and shades", near(times.closed, CLOSED) &&
		near(times.overwritten, [[0, 50]]) &&
		near(times["lost-time"], [[698, 710]]), times);
}

exports.run = async (t) => {
	await t.on("account", "file://" + t.folder + "/account.html",
		async (p) => {
			for (const cases of [shades, figures, logged])
				await cases(p, t);
		});
	await t.on("handed", "file://" + t.folder + "/handed.html",
		async (p) => {
			await p.run("timeline.fit()");
			t.same("spans that another thread ends do not nest",
				await p.run("tracks.threads.map((r) => r.depth)"),
				[1, 0]);
			t.same("... and end there", await p.run("showStatistics()," +
				"showFlame(), [statistics.rows[0].samples.length, " +
				"timeline.flame.total]"), [10, 1e7]);
		});
	const page = await t.browser.page();
	await page.open("file://" + t.folder + "/account.html");
	await page.ready();
	await counted(page, t);
};
