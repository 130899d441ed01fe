/* SPDX-License-Identifier: Apache-2.0 */
/* cases_live.js - the live page, served by a small server of this file. */
"use strict";
const fs = require("fs");
const http = require("http");
const {execFileSync} = require("child_process");

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src " +
	"'unsafe-inline'; connect-src 'self'; img-src data:";
const FIRST = 2000, MORE = 500, LAST = 5000;

/* serve plays a daemon whose timeline has MORE entries at each request. */
function serve(folder, make) {
	const state = {logged: FIRST, snapshots: [], asked: 0, broken: false,
		recordings: []};
	const server = http.createServer((request, response) => {
		const url = new URL(request.url, "http://localhost");
		const answer = (status, type, body) => {
			response.writeHead(status, {"Content-Type": type,
				"Content-Security-Policy": POLICY});
			response.end(body);
		};
		if (url.pathname === "/")
			answer(200, "text/html; charset=utf-8",
				fs.readFileSync(folder + "/live.html"));
		else if (url.pathname === "/timelines.json")
			answer(200, "application/json",
				"[\"server\",\"<b>other\"]");
		else if (url.pathname === "/recordings.json" && !state.broken)
			answer(200, "application/json", JSON.stringify(
				{recordings: state.recordings}));
		else if (url.pathname === "/summary.json" && !state.broken)
			answer(200, "application/json", summary(state, url,
				make));
		else if (url.pathname === "/timers.json")
			answer(200, "application/json", timers(url));
		else if (url.pathname === "/why.json")
			answer(200, "application/json", explanation(state,
				url));
		else if (url.pathname === "/snapshot")
			snapshot(state, request, url, answer);
		else if (url.pathname !== "/live.json" || state.broken)
			answer(503, "text/plain", "not <b>now");
		else
			answer(200, "application/json", events(state, url,
				make));
	});
	return new Promise((done) => server.listen(0, "127.0.0.1",
		() => done({server, state, url: "http://127.0.0.1:" +
			server.address().port + "/"})));
}

function events(state, url, make) {
	const json = execFileSync(make, ["events", state.logged,
		url.searchParams.get("after"), url.searchParams.get("max")]);
	state.asked++;
	state.name = url.searchParams.get("timeline");
	state.logged = Math.min(state.logged + MORE, LAST);
	return json;
}

function explanation(state, url) {
	state.why = ["timeline", "message"].map((name) =>
		url.searchParams.get(name));
	return JSON.stringify({message: "request", spans: 1000, slow: 50,
		threshold_ns: 1000000, tests: 99, where: [
			{kind: "states", name: "runnable", op: ">=", value: 1,
			 task: "<b>rt/9", task_share: 0.83, unit: "ns",
			 share: 0.74, covers: 0.8, precision: 0.9, examples: []}],
		causes: [
			{kind: "argument", name: "path", op: "=",
			 value: "<b>/cart", unit: null, covers: 0.84,
			 precision: 0.9, excess: 0.5, median_with_ns: 2000000,
			 median_without_ns: 100000, examples: [
				{ns: 1795202658123456789, duration_ns: 5000000,
				 pid: 1, tid: 2, text: "<i>request"}]}]}) +
		"\n";
}

function timers(url) {
	const of = (count, ns, slower_ns) => ({category: "<b>db", message: "query <i>" +
		url.searchParams.get("timeline"), count, p50_ns: ns,
	p99_ns: 2 * ns, p999_ns: 3 * ns, max_ns: 4 * ns, sum_ns: 5 * ns,
	slower_ns});
	return JSON.stringify({timers: [of(0, 0, null), of(12345, 1000,
		1000000)]});
}

/* summary returns the counts that a daemon would have made so far. */
function summary(state, url, make) {
	const get = (name, usual) => url.searchParams.get(name) ?? usual;
	const from = get("from", "0"), to = get("to", "9000000000000000000");
	return execFileSync(make, ["summary", Math.min(state.logged, LAST),
		from, to, get("measure_from", from), get("measure_to", to)]);
}

function snapshot(state, request, url, answer) {
	state.snapshots.push([request.method, request.headers["x-timeline"],
		url.searchParams.get("timeline")]);
	answer(200, "application/json",
		"{\"path\":\"/var/lib/timeline/<i>server.tl\"}");
}

const CLICK = (id) => `document.getElementById("${id}").click()`;
const TEXT = (id) => `document.getElementById("${id}").textContent`;

async function watches(p, state, {same, holds}) {
	await p.until(`timeline.count === ${LAST}`);
	same("entries come as they are logged, each once",
		await p.run("timeline.count"), LAST);
	same("in order of time", await p.run(`(() => {
		for (let i = 1; i < timeline.count; i++)
			if (BigInt(timeline.time(i)) <
			    BigInt(timeline.time(i - 1)))
				return i;
		return "ordered"; })()`), "ordered");
	same("none is lost", await p.run("timeline.lost"), "0");
	await p.ready();
	holds("they are drawn", await p.run("timeline.drawn") > 0);
	holds("the newest are in sight", await p.run("timeline.range[1] >= " +
		"model.t[timeline.count - 1]"));
	same("both timelines can be chosen", await p.run(
		"[...document.getElementById('timeline').options]" +
		".map((o) => o.textContent)"), ["server", "<b>other"]);
}

async function pauses(p, state, {holds}) {
	await p.run(CLICK("pause"));
	await p.until("!live.busy");
	const {asked} = state;
	await new Promise((r) => setTimeout(r, 700));
	holds("a page that pauses does not ask", state.asked === asked,
		state.asked, asked);
	await p.run(CLICK("pause"));
	const end = Date.now() + 120000;
	while (state.asked === asked && Date.now() < end)
		await new Promise((r) => setTimeout(r, 50));
	holds("... until it goes on", state.asked > asked);
}

const VIEW = "timeline.range[1] - timeline.range[0]";

/* COUNTED tells for each row whether the row is in sight and was counted. */
const COUNTED = `(() => {
	const width = picture.counts.length / picture.layout.length;
	return picture.layout.map((line, i) => [
		isInSight(line, AXIS + BAND - view.scroll),
		picture.counts.subarray(i * width, (i + 1) * width)
			.some((n) => n > 0)]).filter((_, i) =>
		picture.layout[i].row.bins);
})()`;

const setHeight = (p, height) => p.send(
	"Emulation.setDeviceMetricsOverride",
	{width: 1400, height, deviceScaleFactor: 1, mobile: false});

/* Counts of many threads take long; the page needs only those in sight. */
async function scrolls(p, {holds, same}) {
	for (const [where, y] of [["top", 0], ["bottom", 1e6]]) {
		await p.run(`view.scroll = ${y}; changed()`);
		await p.until("!view.changed");
		const rows = await p.run(COUNTED);
		holds("some rows are out of sight at the " + where,
			rows.some(([seen]) => seen) &&
			rows.some(([seen]) => !seen), rows);
		same("... those in sight are counted, others are not",
			rows.filter(([seen, counted]) => seen !== counted), []);
	}
	await p.run("view.scroll = 0; changed()");
}

/* The daemon's counts are complete when there are too many entries to send. */
async function counts(p, state, {same, holds}) {
	same("the daemon's counts are of all entries",
		await p.run("timeline.total"), LAST);
	/* The page must not ask for the entries meanwhile. */
	await p.until("!live.busy && (live.busy = true)");
	await p.run("(() => { cover.from = Infinity; changed(); })()");
	await p.run("timeline.fit()");
	await p.until("!timeline.detailed && !view.changed");
	await setHeight(p, 700);
	await p.until("innerHeight === 700 && !view.changed");
	await scrolls(p, {holds, same});
	await setHeight(p, 2000);
	await p.until("picture.layout.every((line) => isInSight(line, " +
		"AXIS + BAND)) && !view.changed");
	/* The part of the first bin before the picture is missing. */
	const drawn = await p.run("picture.counts.reduce((a, b) => a + b, 0)");
	holds("without the entries the picture has all of them",
		drawn > 0.95 * LAST && drawn < LAST + 1, drawn);
	same("... a longer one where nothing shorter was counted", [await p.run(
		`(() => { const {measured, asked} = summary;
		const text = [1e9, 1].map((by) => {
			summary.measured = [asked[0] - by, asked[1]];
			summary.since = asked[0] - 2 * by;
			return statisticsRangeText(true); });
		summary.measured = measured;
		return text; })()`)].flat().map((s) =>
		/around the visible range/.test(s)), [true, false]);
	same("... where an instant is one, however wide its bin is",
		await p.run(`(() => {
		const width = clearColumns(), {first, bin} = summary;
		Object.assign(summary, {first: view.from,
			bin: view.to - view.from});
		binSummary([0, 1, 6, 6, 0, 0, 0], [512, 512], width, 0);
		Object.assign(summary, {first, bin});
		return [...picture.counts].flatMap((n, i) => n ? [i -
			Math.floor(view.width / 2), n] : []); })()`), [0, 1]);
	same("... and counters, without their entries", await p.run(`(() => {
		const depth = () => timeline.rows.filter((r) =>
			r.kind === "counter").map((r) => r.label);
		clearTracks();
		applySummary();
		drawPicture();
		const {y, height} = timeline.rows.at(-1) ?? {};
		const d = y && picture.c.getImageData(GUTTER + 100, y,
			view.width - 120, height).data;
		const n = parseInt(picture.colors.lines[0].slice(1), 16);
		let same = 0;
		for (let i = 0; i < d?.length; i += 4)
			same += d[i] === n >> 16 && d[i + 1] === (n >> 8 & 255)
				&& d[i + 2] === (n & 255);
		const seen = [depth(), same > 100];
		rebuildTracks();
		applySummary();
		return seen; })()`), [["depth $length"], true]);
	await setHeight(p, 900);
	await p.run("showStatistics()");
	const counted = await p.run("statistics.rows.reduce(" +
		"(sum, r) => sum + r.count, 0)");
	holds("... and so have the statistics, but for ends",
		counted > LAST / 2 && counted < LAST, counted);
	const range = await p.run(TEXT("statistics-range"));
	holds("... which say what they are of",
		/counted by timelined/.test(range), range);
	const shown = await p.run("durationText(view.to - view.from)");
	same("... of the range that is shown", [range.match(
		/visible range of ([^ ,]*)/)[1], (await p.run(TEXT("range")))
		.match(/([^ ]*) shown/)[1]], [shown, shown]);
	const flat = `(() => { const list = {};
		const walk = (node, path) => node.children.forEach((c, k) => {
			list[path + "/" + c.name] = [c.count, c.self, c.total];
			walk(c, path + "/" + c.name); });
		walk(timeline.flame, ""); return list; })()`;
	await p.run(CLICK("tab-flame"));
	const theirs = await p.run(flat);
	await p.run("(() => { cover.from = -Infinity; changed(); })()");
	await p.until("timeline.detailed && !view.changed");
	await p.run("showFlame()");
	const ours = await p.run(flat);
	same("the flame view of counts has the stacks of that of entries",
		Object.keys(theirs).sort(), Object.keys(ours).sort());
	const off = Object.keys(ours).filter((k) =>
		Math.abs(ours[k][1] - theirs[k][1]) > 0.02 * ours[k][1] + 10);
	same("... and their self times", off.map((k) => [k, ours[k],
		theirs[k]]), []);
	await p.run(CLICK("tab-table"));
	await p.run("(() => { live.busy = false; pollSoon(0); })()");
}

async function zoomsPaused(p, state, {holds, same}) {
	await p.run(CLICK("pause"));
	await p.until("!live.busy");
	const before = await p.run(VIEW), {asked} = state;
	await p.key("w");
	holds("one can zoom during a pause",
		await p.run(VIEW) < before * 0.8);
	await p.key("s");
	await p.key("a");
	await new Promise((r) => setTimeout(r, 300));
	same("... where the newest are not asked for", state.asked, asked);
	await p.run(CLICK("pause"));
	holds("resuming follows again", await p.run("view.follow"));
	await p.until("timeline.ready && !live.busy");
}

async function nothing(p, state, {holds}) {
	await p.run("(() => { live.none = true; showEmpty(); })()");
	holds("without timelines the page says what to do", /timelinectl create/
		.test(await p.run(TEXT("empty"))));
	await p.run("(() => { live.none = false; showEmpty(); })()");
}

/* The page shows timelined's answer about the slow spans of a message. */
async function explains(p, state, {same, holds}) {
	await p.run(`(() => { const s = tracks.span;
		for (let k = 0; k < tracks.spanCount; k++)
			if (s.end[k] >= 0 && timeline.text(s.begin[k])
			    .startsWith("> request"))
				return timeline.select(s.begin[k]); })()`);
	await p.run("[...document.querySelectorAll('#entry button')].find(" +
		"(b) => b.textContent === 'Why is this slow').click()");
	await p.until("document.querySelector('.causes')");
	same("it is asked about the message of the span", state.why,
		["server", "request $id* path $path%?"]);
	const text = await p.run("document.querySelector('.why').innerText");
	holds("why a span is slow is shown, as text",
		text.includes("argument path = <b>/cart") &&
		text.includes("84 % of the slow spans have it"), text);
	holds("... behind where the time goes",
		/the time goes into runnable, <b>rt\/9 83 %\s+74 % of what the slow/
			.test(text), text);
	holds("... and the slow ones are marked", await p.run(
		"isSlow(model.messages.find((m) => m.key === why.key), 2e6)"));
	await p.key("Escape");
	same("Escape forgets them", await p.run("why.key"), "");
}

async function timed(p, state, {same}) {
	await p.run(CLICK("tab-timers"));
	await p.until("document.querySelectorAll('#timers-table tr').length");
	same("timers are shown with their percentiles, the busiest first, as " +
		"text", await p.run("[...document.querySelectorAll(" +
		"'#timers-table tr')].map((r) => [...r.children].map((c) => " +
		"c.innerText.replace(/\\s+/g, ' ')).join('|'))"), [
		"Timer|Count|p50|p99|p99.9|Max|Total|Kept from",
		"query <i>server<b>db|12 345|1us|2us|3us|4us|5us|1ms",
		"query <i>server<b>db|0|-|-|-|-|-|never"]);
	await p.run("(() => { const b = byId('tab-timers'); b.focus(); })()");
	await p.key("ArrowRight");
	same("... and arrows lead on from there", await p.run("tabs.shown"),
		"table");
}

/* Every word can be read on a small screen. */
async function fits(p, state, {same}) {
	await p.send("Emulation.setDeviceMetricsOverride", {width: 1280,
		height: 800, deviceScaleFactor: 1, mobile: false});
	await p.until("innerWidth === 1280");
	await p.run("(showStatistics(), byId('pause').textContent = 'Resume'," +
		"byId('record').textContent = " +
		"'recorded: 12 345 entries, 7 lost, 12 files, 1.2M bytes')");
	same("at 1280 pixels the controls are in one line", await p.run(
		`[...new Set([...document.querySelectorAll("header button, " +
		"header select, header input")].filter((e) => e.offsetParent)
		.map((e) => e.offsetTop))].length`), 1);
	same("... and no word of the status is cut", await p.run(
		`[...document.querySelectorAll("#status, #record, #range, " +
		"#statistics-range, [role=tab]")].filter((e) => {
			const {right} = e.getBoundingClientRect();
			return e.scrollWidth > e.clientWidth + 1 &&
				getComputedStyle(e).overflow !== "visible" ||
				right > innerWidth; }).map((e) => e.id)`), []);
	await setHeight(p, 900);
}

async function saves(p, state, {same, holds}) {
	await p.run(CLICK("save"));
	await p.until(TEXT("answer") + ".includes('server.tl')");
	same("a snapshot is asked for with its header", state.snapshots,
		[["POST", "1", "server"]]);
	holds("the answer is shown, as text", (await p.run(TEXT("answer")))
		.includes("/var/lib/timeline/<i>server.tl"));
}

/* RECORDING is an answer of /recordings.json about a timeline. */
const RECORDING = (timeline, more) => ({timeline, entries: 12345, lost: 0,
	files: 2, bytes: 1258292, queued: 0, faults: 0,
	path: "/var/<i>" + timeline + ".trace", error: null, ...more});

async function recordings(p, state, {same, holds}) {
	/* Each text is an element; the first element has the class. */
	const seen = `[...document.getElementById("record").children]
		.map((e) => [e.textContent, e.className])`;
	const shows = async (sentence, list, wanted) => {
		state.recordings = list;
		const text = JSON.stringify(wanted);
		await p.until(`JSON.stringify(${seen}) === ${
			JSON.stringify(text)}`).catch(() => {});
		same(sentence, await p.run(seen), wanted);
	};
	await shows("a timeline that is not recorded says so", [],
		[["not recorded", ""]]);
	await shows("what is recorded is told",
		[RECORDING("a"), RECORDING("server")],
		[["recorded: 12\u202f345 entries, 2 files, 1.2M bytes", ""]]);
	same("the file is its title, as text", await p.run(
		"document.getElementById('record').title"),
	"/var/<i>server.trace");
	await shows("what is lost, and what went wrong before, is told",
		[RECORDING("server", {lost: 7, faults: 1, files: 1})],
		[["recorded: 12\u202f345 entries, 7 lost, 1 file, " +
			"1.2M bytes, 1 fault", ""]]);
	await shows("recording that an error has stopped is seen, as text",
		[RECORDING("server", {error: "No <b>space", faults: 3}),
		 RECORDING("<b>other", {error: "&lt;", path: null})],
		[["RECORDING FAILS: No <b>space; until now 12\u202f345 " +
			"entries, 2 files, 1.2M bytes, 3 faults", "bad"],
		 ["RECORDING OF <b>other FAILS: &lt;", "bad"]]);
	holds("it looks like an error", await p.run(`(() => {
		const color = (e) => getComputedStyle(e).color;
		return color(document.querySelector("#record .bad")) !==
			color(document.getElementById("record")); })()`));
	await shows("the error of another is seen where all is well",
		[RECORDING("server"), RECORDING("<b>other", {error: "no"})],
		[["recorded: 12\u202f345 entries, 2 files, 1.2M bytes", ""],
		 ["RECORDING OF <b>other FAILS: no", "bad"]]);
	same("sizes are those of the programs", await p.run(
		"[0, 1023, 1024, 10239, 10240, 1 << 30].map(sizeText)"),
	["0", "1023", "1.0K", "9.9K", "10K", "1.0G"]);
}

async function changes(p, state, {same}) {
	await p.run(`(() => { const e = document.getElementById("timeline");
		e.value = "<b>other";
		e.dispatchEvent(new Event("change")); })()`);
	await p.until(`timeline.count === ${LAST}`);
	await p.ready();
	same("another timeline can be watched", state.name, "<b>other");
}

/* SPANS lists the spans of the page. */
const SPANS = `Array.from({length: tracks.spanCount}, (_, s) =>
	["begin", "end", "from", "to", "unsure"].map((name) =>
		tracks.span[name][s]))`;

/* The page asks for the logged entries in answers of several sizes. */
async function pairs(name, count, {browser, folder, make, same}) {
	const live = await browser.page();
	await live.open("file://" + folder + "/" + name + ".html");
	await live.ready();
	const wanted = await live.run(SPANS);
	await live.open("file://" + folder + "/live.html");
	await live.run("summary.rows = [{pid: 7, tid: 8, cpu: -1, lane: -1, " +
		"ended: true, entries: 9, bins: []}]");
	for (const step of [1, 2, 3, 5, count]) {
		let mark = "";
		await live.run("(clearModel(), clearTracks(), applySummary())");
		for (let n = step; n < count + step; n += step) {
			const answer = JSON.parse(execFileSync(make,
				[name + "-events", n, mark, 1000]));
			mark = answer.next;
			await live.run(`takeAnswer(${JSON.stringify(answer)
				}, ${n === step})`);
		}
		await live.run("(settleModel(0), buildTracks())");
		same("a live page has the spans of the page in a file, " +
			name + ", from answers of " + step,
		await live.run(SPANS), wanted);
	}
}

/* Entries that are logged after the clock was set back are the newest
 * entries. */
async function follows({browser, folder, make, same}) {
	const p = await browser.page();
	await p.open("file://" + folder + "/live.html");
	let mark = "";
	await p.run("view.follow = true");
	for (const n of [10, 20, 30]) {
		const answer = execFileSync(make, ["step-events", n, mark,
			1000]);
		await p.run(`takeAnswer(${answer}, ${mark === ""})`);
		mark = JSON.parse(answer).next;
	}
	same("Follow goes on after the clock was set back", await p.run(
		"[live.now > view.from && live.now < view.to, " +
		"newestTime() - live.now]"), [true, 2e10 - 22e6]);
}

/* The end of a span may be among skipped entries. */
async function skips({browser, folder, make, same}) {
	const p = await browser.page();
	await p.open("file://" + folder + "/live.html");
	for (const [n, mark, max] of [[5, "", 9], [15, "0:5", 4]]) {
		const answer = execFileSync(make, ["proven-events", n, mark,
			max]);
		await p.run(`takeAnswer(${answer}, ${mark === ""})`);
	}
	await p.run("(settleModel(0), buildTracks())");
	same("a span is not open over entries that were skipped",
		(await p.run(SPANS)).slice(3), [[4, -1, 4000, 4000, 1],
			[5, -1, 11000, null, 0], [6, -1, 12000, 12000, 1]]);
}

/* A span is open as long as its thread lives, and until the thread's last
 * entry when the thread has ended. */
async function ends({browser, folder, make, same}) {
	const p = await browser.page();
	await p.open("file://" + folder + "/live.html");
	const answer = JSON.parse(execFileSync(make, ["cut-events", 5, "",
		1000]));
	const open = async (ended) => {
		await p.run(`(clearModel(), clearTracks(),
			takeAnswer(${JSON.stringify(answer)}, true),
			settleModel(0), buildTracks(),
			summary.rows = [{pid: 7, tid: 8, cpu: -1, lane: -1,
				ended: ${ended}, entries: 5, bins: []}],
			applySummary())`);
		return (await p.run(SPANS)).at(-1);
	};
	same("a span of a thread that is there is open until now",
		await open(false), [4, -1, 4000, null, 0]);
	same("... one of a thread that has ended, until its last entry",
		await open(true), [4, -1, 4000, 4000, 0]);
}

/* A bin of the daemon's counts is many times as wide as the picture when the
 * range is short, and before the first entries have come. */
async function wide({browser, folder, same}) {
	const p = await browser.page();
	await p.open("file://" + folder + "/live.html");
	same("a bin wider than the picture costs its pixels", await p.run(
		`(() => {
			const bins = [0, 1002, 4, 4, 0, 0, 0], at = [0, 1023];
			let calls = 0, sum = 0;
			placeEntries(bins, at, 0, -5e6, 1e7, 100, (k, n) => {
				calls++;
				sum += k >= 0 && k < 100 ? n : NaN;
			});
			return [calls, Number(sum.toFixed(4))];
		})()`), [100, 0.01]);
	same("the entries of a bin in sight are all counted", await p.run(
		`(() => {
			const bins = [0, 1002, 4, 4, 0, 0, 0], at = [0, 1023];
			let sum = 0;
			placeEntries(bins, at, 0, 10, 50, 100,
				(k, n) => { sum += n; });
			return Number(sum.toFixed(4));
		})()`), 1002);
	/* A range of 10 ns is asked for while there are only the counts of a
	 * minute. */
	await p.run(`(view.from = 3e10, view.to = view.from + 10,
		Object.assign(summary, {is: true, bin: 1e9, first: 0,
			newest: 6e10}), Object.assign(cover,
			{from: Infinity, to: -Infinity}), summary.rows = [{pid: 7,
			tid: 8, cpu: -1, lane: -1, ended: false, entries: 60,
			bins: [30, 60, 4, 4, 0, 0, 0], at: [0, 1023]}],
		applySummary(), changed())`);
	await p.until("!view.changed");
	same("a range of 10 ns in it is drawn at once", await p.run(
		"[view.to - view.from, picture.detailed]"), [10, false]);
	/* In 100 pixels, the first ten are not read, the next 20 closed, five
	 * overwritten and five lost. */
	same("what timelined did not count has a shade for each reason", await p.run(
		`(view.from = 0, view.to = 1e10, view.width = 100,
		Object.assign(summary, {bin: 1e9, first: 0, part: true,
			newest: 1e10}), summary.history = countedHistory(
			[5e8, 11, 1e9, 4, 3e9, 3, 5e9, 11, 55e8, 12, 6e9, 3]),
		shadesOf(summary.history, 3, 100).map(shadeRuns))`),
	[[], [[10, 20, 1]], [[50, 5, 1]], [[55, 5, 1]],
		[[0, 10, 1]]]);
	same("... and the page says since when it counts", await p.run(
		"(model.base = 0n, summary.since = 36e11 + 5e8, showStatus(), " +
		TEXT("status") + ".match(/, (counted.*)/)?.[1])"),
	"counted since 01:00:00");
}

exports.serve = serve;
exports.run = async (t) => {
	const {server, state, url} = await serve(t.folder, t.make);
	const requests = await t.on("live", url, async (p) => {
		for (const cases of [watches, counts, zoomsPaused, nothing,
			explains, pauses, timed, fits, saves, recordings,
			changes])
			await cases(p, state, t);
	});
	t.same("it asks only where it came from", requests.filter((r) =>
		!r.startsWith(url) && !r.startsWith("data:")), []);
	await pairs("cut", 11, t);
	await pairs("proven", 15, t);
	await follows(t);
	await skips(t);
	await ends(t);
	await wide(t);
	const page = await t.browser.page();
	await page.send("Page.addScriptToEvaluateOnNewDocument", {source: `
		const draw = requestAnimationFrame;
		window.shortest = Infinity;
		window.requestAnimationFrame = (f) => draw((now) => {
			f(now);
			if (!isEmpty())
				shortest = Math.min(shortest,
					view.to - view.from);
		});`});
	await page.open(url);
	await page.ready();
	t.holds("no picture is of less than what is there",
		await page.run("shortest") > 1e6, await page.run("shortest"));
	state.broken = true;
	await page.until(TEXT("status") + ".includes('not <b>now')");
	t.holds("what goes wrong is said, as text", true);
	await page.until(TEXT("record") + " === ''");
	t.holds("... and nothing old of a recording stays", true);
	state.broken = false;
	await page.until("!" + TEXT("status") + ".includes('not')");
	t.holds("... and gone when it is over", true);
	server.closeAllConnections?.();
	server.close();
	await page.until(TEXT("status") + ".startsWith('timelined does not answer')");
	t.holds("a daemon that is gone is said, and what to do", true);
};
