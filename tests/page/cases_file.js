/* SPDX-License-Identifier: Apache-2.0 */
/* cases_file.js - a page with the entries of a file. */
"use strict";
const fs = require("fs");
const path = require("path");
const {execFileSync} = require("child_process");

/* COLORS is the number of different colours in a part of the picture. */
const COLORS = `(() => {
	const c = document.getElementById("picture");
	const d = c.getContext("2d").getImageData(0, 0, c.width, c.height)
		.data;
	const colors = new Set();
	for (let i = 0; i < d.length; i += 4)
		colors.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
	return colors.size;
})()`;
const BRIGHTNESS = `(() => {
	const c = document.getElementById("picture");
	const d = c.getContext("2d").getImageData(5, c.height - 5, 1, 1).data;
	return d[0] + d[1] + d[2];
})()`;
const TOP = "document.getElementById('picture').getBoundingClientRect().top";
const PANEL = "document.getElementById('entry').innerText";

async function draws(p, {same, holds}) {
	await p.run("document.getElementById('lanes').click()");
	await p.ready();
	same("all entries are there", await p.run("timeline.count"), 5000);
	same("... and drawn", await p.run("timeline.drawn"), 5000);
	same("a span is a begin and its end, or is open",
		await p.run("timeline.spans"),
		await p.run(`(() => { let n = 0;
			for (let i = 0; i < timeline.count; i++)
				n += timeline.text(i).startsWith("> ");
			return n; })()`));
	same("every span is drawn", await p.run("timeline.bars"),
		await p.run("timeline.spans"));
	holds("there is a picture", await p.run(COLORS) > 12);
	same("a lane for each CPU and tier, then the counter",
		await p.run("timeline.rows.map((r) => r.label).join()"),
		"CPU 0,CPU 0,CPU 1,CPU 1,CPU 2,CPU 2,CPU 3,CPU 3," +
		"depth $length");
	const levels = await p.run("timeline.levels");
	holds("bursts are seen with their length", levels.some((l) =>
		l.burst && l.level === 4 &&
		Math.abs(l.to - l.from - 400000) <= 4096), levels);
}

/* A row is shaded while the level of one of its messages is closed. */
async function shades(p, {same}) {
	const [from, to] = await p.run(`(() => {
		const b = timeline.levels.find((l) => l.burst);
		return [b.from, b.to]; })()`);
	await p.run(`timeline.zoomTo(${from} - 400000, ${to} + 400000)`);
	await p.ready();
	same("time outside of a burst is shaded, time in it is not",
		await p.run(`(() => {
		const {y, height} = timeline.rows[0], {colors, c} = picture;
		return [${from} - 200000, (${from} + ${to}) / 2,
			${to} + 200000].map((t) => {
			let seen = [0, 0]; /* a grid line or an entry may be there */
			for (let x = -9; x < 10; x++) {
				const d = c.getImageData(GUTTER + toX(t) + x,
					y - 2, 1, 1).data;
				const text = "#" + [...d].slice(0, 3).map((n) =>
					n.toString(16).padStart(2, 0)).join("");
				seen[0] += text === colors.row;
				seen[1] += text === colors.closed;
			}
			return seen[1] > seen[0] ? "closed" : "open"; });
	})()`), ["closed", "open", "closed"]);
	same("... for no level that is open all the time", await p.run(
		"Math.max(...shadesOf(historyOf(0), 6, 500)[1])"), 0);
	await p.run("timeline.fit()");
	await p.ready();
}

async function clicks(p, {same, holds}) {
	const i = await p.run(`(() => { for (let i = 2000;; i++)
		if (timeline.text(i).startsWith("processed")) return i; })()`);
	await p.run(`timeline.zoomTo(...[${i} - 3, ${i} + 3].map((i) =>
		Number(BigInt(timeline.time(i)) - BigInt(timeline.time(0)))))`);
	await p.ready();
	const row = (await p.run("timeline.rows"))[
		await p.run(`timeline.row(${i})`)];
	const x = await p.run(`timeline.x(${i})`);
	await p.click(x, await p.run(TOP) + row.y + 8);
	await p.ready();
	same("a click selects the entry under it",
		await p.run("timeline.selected"), i);
	const panel = await p.run(PANEL);
	holds("the panel has its text",
		panel.includes(await p.run(`timeline.text(${i})`)), panel);
	holds("... its explanation, every line of it",
		panel.includes("by protocol.\nother counts what"), panel);
	holds("... its exact time",
		panel.includes(await p.run(`timeline.time(${i})`)) &&
		/2026-11-20T19:24:18\.\d{9}\+00:00/.test(panel), panel);
	holds("... level, category, thread and where it was defined",
		/trace\n[^]*net\n[^]*41\d\d\n[^]*src\/server\.c:104/
			.test(panel), panel);
	await p.key("Escape");
	same("Escape selects none", await p.run("timeline.selected"), -1);
	await p.key("n");
	holds("n steps to an entry", await p.run("timeline.selected") >= 0);
	const before = await p.run("timeline.selected");
	await p.key("n");
	same("... and to the next one", await p.run("timeline.selected"),
		before + 1);
	await p.key("p");
	same("p steps back", await p.run("timeline.selected"), before);
}

const WIDTH = "timeline.range[1] - timeline.range[0]";

async function zooms(p, {same, holds}) {
	await p.key("Home");
	await p.ready();
	const all = await p.run(WIDTH), top = await p.run(TOP);
	const at = await p.run("toTime(400)");
	await p.mouse("mouseMoved", 400 + 132, top + 200);
	await p.mouse("mouseWheel", 400 + 132, top + 200,
		{deltaX: 0, deltaY: -300});
	await p.until(`${WIDTH} < ${all}`);
	const near = await p.run("toTime(400)");
	holds("the wheel zooms around the pointer",
		Math.abs(near - at) < all / 1000, near, at);
	await p.ready();
	holds("fewer entries are drawn then",
		await p.run("timeline.drawn < timeline.count"));
	const zoomed = await p.run(WIDTH);
	await p.key("+");
	holds("+ zooms in", await p.run(WIDTH) < zoomed);
	await p.key("-");
	holds("- zooms out again",
		Math.abs(await p.run(WIDTH) - zoomed) < zoomed / 1000);
	const from = await p.run("timeline.range[0]");
	await p.key("ArrowRight");
	holds("an arrow moves", await p.run("timeline.range[0]") > from);
	await p.drag(600, top + 200, 700, top + 200);
	holds("dragging moves back",
		await p.run("timeline.range[0]") < from + zoomed * 0.1);
	await p.drag(600, top + 200, 700, top + 200, 8);
	await p.ready();
	await p.until("document.getElementById('statistics-range')" +
		".textContent.startsWith('measured')");
	holds("shift and drag measures", true);
	await p.key("Escape");
	await p.key("Home");
	same("Home shows all again", await p.run(WIDTH), all);
}

async function spans(p, {same, holds}) {
	await p.run("document.getElementById('threads').click()");
	await p.ready();
	same("a row for each thread, then the sources and the counter",
		await p.run("timeline.rows.map((r) => r.label).join()"),
		"tid 4110,tid 4111,tid 4112,tid 4113,tid 4114,tid 4115," +
		"job $id,depth $length");
	const [i, from, to] = await p.run(`(() => {
		const s = tracks.span;
		for (let k = 100;; k++)
			if (s.depth[k] === 0 && s.end[k] >= 0 &&
			    timeline.text(s.begin[k]).startsWith("> request")
			    && s.to[k] - s.from[k] > 100000)
				return [s.begin[k], s.from[k], s.to[k]];
	})()`);
	await p.run(`timeline.zoomTo(${from} - 100000, ${to} + 100000)`);
	await p.ready();
	const row = (await p.run("timeline.rows"))[
		await p.run(`timeline.row(${i})`)];
	const x = await p.run(`timeline.x(${i})`) + 4;
	const y = await p.run(TOP) + row.y + row.ticks + 2 + 8;
	await p.click(x, y, 2);
	await p.ready();
	const [low, high] = await p.run("freePixels()");
	const seen = await p.run(`[toX(${from}), toX(${to})]`);
	holds("a double click zooms to the span under it, beside the panel",
		Math.abs(seen[0] - low - (high - low) / 12) < 1 &&
		Math.abs(seen[1] - high + (high - low) / 12) < 1, seen,
		[low, high]);
	const panel = await p.run(PANEL);
	holds("the panel has its duration, exact",
		panel.includes("(" + (to - from) + " ns)"), panel);
	await p.run("document.getElementById('lanes').click()");
}

async function search(p, {same, holds}) {
	const type = (text) => p.run(`(() => {
		const e = document.getElementById("search");
		e.value = ${JSON.stringify(text)};
		e.dispatchEvent(new Event("input")); })()`);
	const grep = (text) => p.run(`(() => { let n = 0;
		for (let i = 0; i < timeline.count; i++)
			n += timeline.text(i).includes(${
				JSON.stringify(text)});
		return n; })()`);
	await p.run("timeline.fit()");
	await type("tcp(7)");
	await p.ready();
	same("search finds values as listed", await p.run("timeline.matches"),
		await grep("tcp(7)"));
	holds("... and there are some", await p.run("timeline.matches") > 5);
	await type("REQUEST /cart");
	await p.ready();
	same("search takes words in any case",
		await p.run("timeline.matches"), await grep("path(/cart)"));
	await type("");
	await p.run(`(() => { const e = document.getElementById("level");
		e.value = "7"; e.dispatchEvent(new Event("change")); })()`);
	await p.ready();
	holds("the level hides what is below it",
		await p.run("timeline.drawn") > 0 &&
		await p.run("timeline.drawn") < 200);
	same("... and all that is shown is drawn",
		await p.run("timeline.drawn"), await p.run("timeline.matches"));
	await p.run(`(() => { const e = document.getElementById("level");
		e.value = "1"; e.dispatchEvent(new Event("change"));
		const c = document.getElementById("category");
		c.value = "=queue";
		c.dispatchEvent(new Event("change")); })()`);
	await p.ready();
	await p.ready();
	await p.run("showStatistics()"); /* statistics come later */
	const counted = await p.run("timeline.matches");
	same("statistics count what is shown", await p.run(
		"document.getElementById('rows').children[0].children[1]" +
		".textContent"), String(counted));
	await p.run("document.querySelector('.longest').click()");
	await p.ready();
	const longest = await p.run("Number(BigInt(timeline.time(" +
		"timeline.selected)) - BigInt(timeline.time((() => { " +
		"let i = timeline.selected; while (!timeline.text(--i)" +
		".startsWith('=')); return i; })())))");
	holds("a click on the longest interval goes to its end",
		longest > 1000000, longest);
	await p.run(`(() => { const c = document.getElementById("category");
		c.value = "*"; c.dispatchEvent(new Event("change")); })()`);
}

/* One key clears everything that hides entries. */
async function escapes(p, {same, holds}) {
	await p.run(`(() => { byId("search").value = "tcp";
		onSearch();
		byId("level").value = "4"; onFilter(); })()`);
	await p.ready();
	holds("entries are hidden", await p.run(
		"timeline.matches < timeline.count"));
	await p.key("Escape");
	await p.ready();
	same("Escape clears search and filter",
		await p.run("timeline.matches"), await p.run("timeline.count"));
}

/* A bar of the histogram shows its spans only. */
async function limits(p, {same, holds}) {
	const spans = (low, high) => p.run(`(() => { let n = 0;
		for (let i = 0; i < timeline.count; i++) {
			const s = spanOfEntry(i);
			n += Boolean(s) && s.end >= 0 &&
				spanLength(s.number) >= ${low} &&
				spanLength(s.number) < ${high};
		} return n; })()`);
	await p.run("timeline.fit()");
	await p.run("byId('search').value = 'slower:100us faster:1ms'; " +
		"onSearch()");
	await p.ready();
	same("slower: and faster: find spans by duration",
		await p.run("timeline.matches"), await spans(1e5, 1e6));
	holds("... and there are some", await p.run("timeline.matches") > 10);
	await p.key("Escape");
	await p.ready();
	await p.run("byId('tab-histogram').click(); showStatistics(); " +
		"histogram.message = statistics.rows.find((r) => r.span).key; " +
		"showHistogram()");
	const pressed = await p.run(`(() => {
		const bar = [...document.querySelectorAll(".bucket")].find(
			(b) => b.title.includes("press"));
		bar?.click();
		return Number(bar?.dataset.count ?? -1); })()`);
	await p.ready();
	const ends = await p.run(`(() => { let n = 0;
		for (let i = 0; i < timeline.count; i++)
			n += view.shown[i] === SHOWN &&
				spanOfEntry(i)?.end === i;
		return n; })()`);
	same("a bar of the histogram shows its spans only", ends, pressed);
	await p.run("byId('tab-table').click()");
	await p.key("Escape");
	await p.ready();
}

/* Rows of threads: pinned ones on top, each with its process. */
async function ranks(p, {same}) {
	await p.run("document.getElementById('threads').click()");
	await p.ready();
	const rows = (await p.run("timeline.rows"));
	const labels = "timeline.rows.map((r) => r.label).join()";
	const before = await p.run(labels);
	const y = await p.run(TOP) + rows[2].y + 8;
	await p.click(20, y);
	await p.ready();
	same("a press on a name keeps the row on top", await p.run(labels),
		[rows[2].label, rows[0].label, rows[1].label,
			...rows.slice(3).map((r) => r.label)].join());
	await p.key("Escape");
	await p.ready();
	same("... until Escape", await p.run(labels), before);
	same("threads stand with their process, ended processes last",
		await p.run(`(() => {
			const row = (pid, tid, ended) => ({key: pid + ":" + tid,
				host: 0, source: 0, pid, tid, ended});
			const kept = tracks.threads;
			tracks.threads = [row(1, 1, true), row(1, 2, true),
				row(2, 4, false), row(2, 3, true), row(3, 5, false)];
			const order = sortThreads().map((r) => r.tid).join();
			tracks.threads = kept;
			return order; })()`), "4,3,5,1,2");
	same("a text that does not fit ends with an ellipsis", await p.run(
		"(() => { const t = fitText(picture.c, 'x'.repeat(300), 80); " +
		"return t.endsWith('…') && " +
		"picture.c.measureText(t).width <= 80; })()"), true);
	await p.run("document.getElementById('lanes').click()");
}

async function moves(p, {same, holds}) {
	await p.run("timeline.fit()");
	const [from, to] = await p.run("timeline.range");
	await p.key("w");
	holds("w zooms in", await p.run(WIDTH) < to - from);
	const near = await p.run("timeline.range[0]");
	await p.key("d");
	holds("d moves on", await p.run("timeline.range[0]") > near);
	await p.key("a");
	await p.key("s");
	const back = await p.run("timeline.range");
	holds("a and s lead back", Math.abs(back[0] - from) < (to - from) /
		1000 && Math.abs(back[1] - to) < (to - from) / 1000, back);
}

/* A counter has a line for each process that sets it. */
async function plots(p, {same, holds}) {
	same("a counter of two processes has two lines", await p.run(
		"[...tracks.counters[0].lines.keys()].sort()"), [4100, 4101]);
	await p.run("(() => { view.scroll = 1e9; changed(); })()");
	await p.ready();
	const line = (await p.run("timeline.rows")).pop();
	holds("... which are in sight", line.kind === "counter" &&
		line.y < await p.run("picture.height"), line);
	same("... in colours of their own", await p.run(`(() => {
		const {y, height} = timeline.rows.pop(), c = picture.canvas;
		const d = c.getContext("2d").getImageData(GUTTER + 60, y,
			view.width - 70, height).data;
		const has = (color) => { const n = parseInt(color.slice(1), 16);
			for (let i = 0; i < d.length; i += 4)
				if (d[i] === n >> 16 && d[i + 1] ===
				    (n >> 8 & 255) && d[i + 2] === (n & 255))
					return true;
			return false; };
		return picture.colors.lines.slice(0, 3).map(has); })()`),
	[true, true, false]);
	await p.run("(() => { view.scroll = 0; changed(); })()");
	await p.ready();
}

/* The self times of all stacks add up to the time in which any span was
 * open. */
async function flames(p, {same, holds}) {
	await p.run("timeline.fit()");
	await p.key("Escape");
	await p.ready();
	await p.run("document.getElementById('tab-flame').click()");
	const dumb = await p.run(`(() => {
		const s = tracks.span, rows = {};
		let sum = 0;
		for (let k = 0; k < tracks.spanCount; k++) {
			const m = model.messages[model.message[s.begin[k]]];
			if (m.scope === 1 || s.depth[k] > 0)
				continue;
			sum += Math.min(s.to[k], newestTime()) - s.from[k];
		}
		return sum; })()`);
	const total = await p.run("timeline.flame.total");
	holds("the flame view has the time of all outermost spans",
		Math.abs(total - dumb) < 1e-6 * dumb && dumb > 0, total, dumb);
	same("its frames have names", await p.run(
		"document.querySelectorAll('.frame:not([aria-label])').length"),
	0);
	const frames = await p.run(
		"document.querySelectorAll('.frame').length");
	await p.run("document.querySelectorAll('.frame')[1].click()");
	holds("a click zooms to a stack", await p.run("parseFloat(" +
		"document.querySelectorAll('.frame')[1].style.width)") > 99.9);
	await p.run("document.querySelectorAll('.frame')[1].click()");
	same("... and back", await p.run(
		"document.querySelectorAll('.frame').length"), frames);
}

async function histograms(p, {same, holds}) {
	await p.run("(() => { const b = byId('tab-flame'); b.focus(); })()");
	await p.key("ArrowRight");
	same("arrows go from tab to tab", await p.run(
		"document.activeElement.id + tabs.shown"),
	"tab-histogramhistogram");
	await p.run("showStatistics()");
	const [sum, samples] = await p.run(`[
		[...document.querySelectorAll(".bucket")].reduce((n, b) =>
			n + Number(b.dataset.count), 0),
		statistics.rows.find((r) => r.key === histogram.message)
			.samples.length]`);
	same("the histogram has every sample", sum, samples);
	holds("... and there are some", sum > 50, sum);
	same("buckets are those of the daemon", await p.run(
		"[0, 3, 4, 7, 8, 10, 1e6].map((n) => bucketLow(bucketOf(n)))"),
	[0, 3, 4, 7, 8, 10, 917504]);
	await p.run("document.getElementById('tab-table').click()");
}

async function downloads(p, {same, holds}) {
	const text = await p.run("traceText()");
	const {traceEvents} = JSON.parse(text);
	const of = (ph) => traceEvents.filter((e) => e.ph === ph).length;
	same("the trace has every span that ended", of("X"), await p.run(
		"tracks.span.end.subarray(0, tracks.spanCount).filter(" +
		"(e) => e >= 0).length"));
	same("... and all else", of("X") + of("B") + of("i") + of("C") +
		traceEvents.filter((e) => e.ph === "X").length, await p.run(
		"timeline.count"));
	const timed = traceEvents.filter((e) => e.ph !== "M");
	holds("in order of time", timed.every((e, i) => i === 0 ||
		e.ts >= timed[i - 1].ts));
}

/* The address leads another visitor to the same view. */
async function addresses(p, {same}) {
	await p.run("timeline.zoomTo(1e6, 3e6)");
	await p.run("setMode('lanes')");
	await p.run("showTab('histogram')");
	await p.run("writeAddress()");
	const url = await p.run("location.href");
	const range = await p.run("timeline.range.map(Math.round)");
	await p.send("Page.navigate", {url: "about:blank"});
	await p.open(url);
	await p.ready();
	same("the address keeps range, rows and tab", [await p.run(
		"timeline.range.map(Math.round)"), await p.run("view.mode"),
	await p.run("tabs.shown")], [range, "lanes", "histogram"]);
	await p.run("showTab('table')");
}

async function colors(p, {holds}) {
	await p.dark(false);
	await p.ready();
	const light = await p.run(BRIGHTNESS);
	holds("light is light", light > 600, light);
	await p.dark(true);
	await p.until(`timeline.ready && ${BRIGHTNESS} < 200`);
	holds("dark is dark", true);
	holds("... and has a picture", await p.run(COLORS) > 12);
}

/* Without its $ a name reads as a word of the text. */
async function names(p, {same}) {
	await p.run("showStatistics()");
	const tables = [];
	for (const tab of ["flame", "histogram", "table"]) {
		await p.run(`showTab("${tab}")`);
		tables.push(await p.run("document.getElementById('panel-" +
			tab + "').innerText.match(/request .id path .path/)[0]"));
	}
	same("texts of messages keep the $ of their names", tables,
		Array(3).fill("request $id path $path"));
}

async function labels(p, {same}) {
	same("every control has a name", await p.run(`[...document
		.querySelectorAll("button, select, input, canvas")]
		.filter((e) => !e.getAttribute("aria-label") &&
			!e.textContent.trim()).map((e) => e.outerHTML)`), []);
}

/* Of 1000 spans only the spans of one route are slow. */
function writeSlow({folder, make}) {
	const traceEvents = [];
	for (let i = 0; i < 1000; i++)
		traceEvents.push({name: "request", cat: "http", ph: "X",
			pid: 1, tid: 2, ts: 1000 * i, dur: i % 25 ? 10 + i % 7 :
			500, args: {route: i % 25 ? "/</script>" +
			i % 3 : "/export"}});
	fs.writeFileSync(folder + "/slow.json", JSON.stringify({traceEvents}));
	execFileSync(path.join(make, "../../../bin/timeline-convert"),
		[folder + "/slow.json", "-o", folder + "/slow.html"]);
}

async function explains(p, {same, holds}) {
	await p.ready();
	await p.run("timeline.select(tracks.span.begin[25])");
	await p.run("[...document.querySelectorAll('#entry button')].find(" +
		"(b) => b.textContent === 'Why is this slow').click()");
	await p.until("document.querySelector('.causes')");
	const text = await p.run("document.querySelector('.why').innerText");
	holds("a page in a file knows why a span is slow", text.includes(
		"40 of 1\u202f000 spans took 500us or longer") &&
		text.includes("argument route = /export"), text);
	same("... and marks the slow ones", await p.run("[...Array(" +
		"tracks.spanCount).keys()].filter((s) => isSlow(" +
		"model.messages[model.message[tracks.span.begin[s]]], " +
		"spanLength(s))).length"), 40);
}

exports.run = async (t) => {
	const url = "file://" + t.folder;
	const requests = await t.on("file", url + "/plain.html", async (p) => {
		for (const cases of [draws, shades, clicks, zooms, spans, search,
			escapes, limits, ranks, moves, plots, flames, histograms,
			downloads, colors,
			names, labels, addresses])
			await cases(p, t);
	});
	t.same("a page asks for nothing but itself", [...new Set(requests.map(
		(r) => r.replace(/#.*/, "")))].filter((r) =>
		r !== "about:blank"), [url + "/plain.html"]);
	await t.on("many", url + "/many.html", async (p) => {
		t.same("100000 entries are drawn, but for losses",
			await p.run("timeline.drawn"), 99998);
		t.same("losses are counted", await p.run("timeline.lost"),
			"2468");
		const ms = await p.run(`(() => {
			const start = performance.now();
			drawPicture();
			return performance.now() - start; })()`);
		t.holds("a picture of them takes no half minute", ms < 30000,
			ms);
	});
	await t.on("cut", url + "/cut.html", async (p) => {
		const rows = "statistics.rows.filter((r) => r.span)";
		await p.ready();
		t.same("only a begin and an end of one observed interval are a span",
			await p.run(`(showStatistics(), ${rows}.map((r) =>
				[...r.samples]))`), [[1000, 1000, 1000]]);
		t.same("... what is not sure has no length that counts",
			await p.run("Array.from({length: tracks.spanCount}, " +
				"(_, s) => [tracks.span.end[s], " +
				"tracks.span.unsure[s]])"),
			[[1, 0], [-1, 1], [5, 0], [-1, 1], [8, 0], [10, 1]]);
	});
	await t.on("cut", url + "/cut.html", async (p) => {
		await p.run("showTab('flame')");
		await p.ready();
		t.same("the time of what is not sure is not counted",
			await p.run("(showFlame(), timeline.flame.total)"),
			3000);
		/* full is the part of a bar that has the bar's colour */
		const full = await p.run(`[2, 5].map((s) => {
			const from = tracks.span.from[s];
			timeline.zoomTo(from, tracks.span.to[s]);
			drawPicture();
			const [{y, ticks}] = timeline.rows, {width} = view;
			const x = GUTTER + width / 4, w = width / 2;
			const d = picture.c.getImageData(x, y + ticks + 4, w,
				8).data;
			const n = parseInt(picture.colors.bars[0].slice(1),
				16);
			let same = 0;
			for (let i = 0; i < d.length; i += 4)
				same += d[i] === n >> 16 && d[i + 1] ===
					(n >> 8 & 255) && d[i + 2] ===
					(n & 255);
			return same / (d.length / 4); })`);
		t.holds("a bar that is not sure is hollow", full[0] > 0.6 &&
			full[1] === 0, full);
		t.same("it is no span in the trace", await p.run(
			"JSON.parse((timeline.fit(), traceText()))" +
			".traceEvents.map((e) => e.ph).join('')"),
		"MMXiiXiXii");
	});
	writeSlow(t);
	await t.on("slow", url + "/slow.html", (p) => explains(p, t));
	await t.on("proven", url + "/proven.html", async (p) => {
		const columns = (...names) => p.run(`Array.from({length:
			tracks.spanCount}, (_, s) => ${JSON.stringify(names)}
			.map((name) => tracks.span[name][s]))`);
		await p.run("showTab('flame')");
		await p.ready();
		t.same("a proven end is a whole span, also without its begin",
			await columns("begin", "end", "from", "to", "unsure"), [
				[0, -1, 0, 0, 1],
				[1, 2, 1000, 2000, 0], [3, 3, 500, 3000, 0],
				[4, 7, 4000, 7000, 0], [5, -1, 5000, 5000, 1],
				[8, 10, 8000, 10000, 0],
				[9, -1, 9000, 9000, 1],
				[11, -1, 11000, 14000, 0],
				[12, -1, 12000, 12000, 1]]);
		t.same("... around those that were in it", [
			await columns("depth", "parent").then((all) =>
				all.slice(1, 3)),
			await p.run("(showFlame(), timeline.flame.total)")],
		[[[1, 2], [0, -1]], 2500 + 3000 + 2000 + 3000]);
		t.same("... and is measured as one", await p.run(
			"(showStatistics(), statistics.rows.filter((r) => " +
			"r.message.startsWith('query')).map((r) => " +
			"[r.count, ...r.samples]))"),
		[[5, 2000, 2500, 3000]]);
	});
	await t.on("empty", url + "/empty.html", async (p) => {
		t.same("a page without entries is one", await p.run(
			"timeline.drawn"), 0);
	});
};
