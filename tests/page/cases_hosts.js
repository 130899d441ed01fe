/* SPDX-License-Identifier: Apache-2.0 */
/* cases_hosts.js - entries of several hosts, and the bounds of their times. */
"use strict";

const DB = "db </script><img src=x onerror='window.owned = 1'>";
const TOP = "document.getElementById('picture').getBoundingClientRect().top";
const PANEL = "document.getElementById('entry').innerText";
/* DRAWN counts the pixels of a box of the picture that differ from the row's
 * background. */
const DRAWN = (x, y, width, height) => `(() => {
	const d = document.getElementById("picture").getContext("2d")
		.getImageData(${x}, ${y}, ${width}, ${height}).data;
	const back = document.getElementById("picture").getContext("2d");
	let n = 0;
	for (let i = 0; i < d.length; i += 4)
		n += d[i] !== 244 || d[i + 1] !== 245 || d[i + 2] !== 248;
	return n; })()`;

async function groups(p, {same, holds}) {
	same("every host is told, with how sure it is of its time",
		await p.run("timeline.hosts"), [["web", "± 20.48us"],
			[DB, "± 155.648us"],
			["far", "clock not synchronised"]]);
	await p.run("document.getElementById('lanes').click()");
	await p.ready();
	const rows = await p.run("timeline.rows.map((r) => " +
		"[r.kind, r.label])");
	same("its rows stand behind its name", rows.filter(([kind]) =>
		kind === "host").map(([, label]) => label),
	["web", DB, "far"]);
	const kinds = rows.map(([kind]) => kind[0]).join("");
	holds("... lanes first, then its counter",
		/^hl+chl+chl+c$/.test(kinds), kinds);
	await p.run("document.getElementById('threads').click()");
	await p.ready();
	const threads = (await p.run("timeline.rows.map((r) => r.kind)"))
		.map((kind) => kind[0]).join("");
	holds("threads are grouped, too", /^(ht+s?c){3}$/.test(threads),
		threads);
	await p.run("document.getElementById('lanes').click()");
	await p.ready();
	same("the legend says the same", await p.run(`[...document
		.querySelectorAll("#hosts li")].map((e) => e.textContent)`),
	["web± 20.48us", DB + "± 155.648us", "farclock not synchronised"]);
	same("no name is markup", await p.run("typeof window.owned + " +
		"document.querySelectorAll('img').length"), "undefined0");
	same("every entry but a loss is drawn, once",
		await p.run("timeline.drawn"), 3999);
	const cut = await p.run(`(() => { const s = tracks.span, hosts = [];
		for (let i = 0; i < tracks.spanCount; i++)
			if (s.unsure[i] && s.end[i] >= 0)
				hosts.push(tracks.lanes[s.lane[i]].host);
		return [...new Set(hosts)]; })()`);
	same("a loss cuts the spans of its own host only", cut, [2]);
}

/* FIND returns an entry of a host somewhere in the middle. */
const FIND = (host, more = "true") => `(() => { for (let i = 2100;; i++)
	if (hostOfEntry(i) === ${host} && ${more})
		return i; })()`;

async function shades(p, {same, holds}) {
	holds("from afar there are shades, and whiskers where there is room",
		await p.run("(timeline.fit(), drawPicture(), " +
			"timeline.whiskers)") < 20);
	const i = await p.run(FIND(1)), t = await p.run(`model.t[${i}]`);
	same("bounds are rounded up a little", await p.run(
		`timeline.bound(${i})`), 155648);
	await p.run(`timeline.zoomTo(${t} - 400000, ${t} + 400000)`);
	await p.ready();
	holds("near enough every entry has a whisker",
		await p.run("timeline.whiskers") > 20);
	/* The entry is alone in its row: only shade and whisker lie beside
	 * its mark. */
	const free = await p.run(`(() => { for (let i = 1000;; i++) {
		const r = timeline.row(i);
		if (hostOfEntry(i) === 1 && model.kind[i] === 1 &&
		    ![...Array(200).keys()].some((k) => k !== 100 &&
		    timeline.row(i - 100 + k) === r))
			return i; } })()`);
	await p.run(`timeline.zoomTo(...[-300000, 300000].map((d) =>
		model.t[${free}] + d))`);
	await p.run(`revealRow(${free})`);
	await p.run("drawPicture()");
	await p.ready();
	const x = Math.round(await p.run(`timeline.x(${free})`));
	const row = (await p.run("timeline.rows"))[
		await p.run(`timeline.row(${free})`)];
	const half = await p.run(`155648 * view.width /
		(view.to - view.from)`);
	const y = Math.round(row.y);
	holds("the shade reaches as far as the bound",
		await p.run(DRAWN(x - Math.floor(half) + 2, y + 3, 20,
			2)) >= 40);
	await p.run(`timeline.select(${free})`);
	await p.ready();
	holds("the panel names the host and its bound",
		(await p.run(PANEL)).includes(DB) &&
		(await p.run(PANEL)).includes("± 155.648us"),
		await p.run(PANEL));
}

async function order(p, {same, holds}) {
	const i = await p.run(FIND(0, "timeline.overlaps(i)"));
	const sure = await p.run(FIND(0, "!timeline.overlaps(i)"));
	same("which order is not sure is known of every entry",
		await p.run(`(() => { let n = 0;
			for (let i = 0; i < timeline.count; i++)
				n += timeline.overlaps(i) === (i % 7 === 3);
			return n; })()`), 4000);
	await p.run(`timeline.select(${i})`);
	holds("an entry whose order is not sure has a ~",
		/~ 2026-11-20T[^]*before or after/.test(await p.run(PANEL)));
	await p.run(`timeline.select(${sure})`);
	holds("... another has none", !(await p.run(PANEL)).includes("~"));
	await p.run("timeline.fit()");
	await p.ready();
	await p.until("document.querySelectorAll('#rows .unsure').length > 0");
	holds("the table has it, too", true);
}

async function unbounded(p, {holds}) {
	const i = await p.run(FIND(2));
	await p.run(`timeline.select(${i})`);
	await p.ready();
	holds("what no clock bounds is said so",
		(await p.run(PANEL)).includes("clock not synchronised"));
	await p.run(`timeline.zoomTo(...[-5000, 5000].map((d) =>
		model.t[${i}] + d))`);
	await p.run("timeline.select(-1)");
	await p.run(`revealRow(${i})`);
	await p.run("drawPicture()");
	const row = (await p.run("timeline.rows"))[
		await p.run(`timeline.row(${i})`)];
	const y = Math.round(row.y);
	holds("... and hatched over all that is seen",
		await p.run(DRAWN(140, y + 2, 200, 14)) > 200 &&
		await p.run(DRAWN(1000, y + 2, 20, 14)) > 20);
}

async function finds(p, {same}) {
	const type = (text) => p.run(`(() => {
		const e = document.getElementById("search");
		e.value = ${JSON.stringify(text)};
		e.dispatchEvent(new Event("input")); })()`);
	await type("host:web");
	await p.ready();
	same("a host can be searched for", await p.run("timeline.matches"),
		2000);
	await type("");
	await p.ready();
}

exports.run = async (t) => {
	const url = "file://" + t.folder + "/hosts.html";
	const requests = await t.on("hosts", url, async (p) => {
		for (const cases of [groups, shades, order, unbounded, finds])
			await cases(p, t);
	});
	t.same("names of hosts ask for nothing", requests, [url]);
	await t.on("one host", "file://" + t.folder + "/plain.html",
		async (p) => {
			t.same("one host needs no legend", await p.run(
				"document.getElementById('hosts').hidden && " +
				"timeline.rows.every((r) => r.kind !== 'host')"
			), true);
		});
};
