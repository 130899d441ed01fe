/* SPDX-License-Identifier: Apache-2.0 */
/* cases_live.js - the page that watches, served by something small. */
"use strict";
const fs = require("fs");
const http = require("http");
const {execFileSync} = require("child_process");

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src " +
	"'unsafe-inline'; connect-src 'self'; img-src data:";
const FIRST = 2000, MORE = 500, LAST = 5000;

/* A daemon whose timeline has MORE entries each time it is asked. */
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

async function saves(p, state, {same, holds}) {
	await p.run(CLICK("save"));
	await p.until(TEXT("answer") + ".includes('server.tl')");
	same("a snapshot is asked for with its header", state.snapshots,
		[["POST", "1", "server"]]);
	holds("the answer is shown, as text", (await p.run(TEXT("answer")))
		.includes("/var/lib/timeline/<i>server.tl"));
}

/* What /recordings.json says of a timeline. */
const RECORDING = (timeline, more) => ({timeline, entries: 12345, lost: 0,
	files: 2, bytes: 1258292, queued: 0, faults: 0,
	path: "/var/<i>" + timeline + ".trace", error: null, ...more});

async function recordings(p, state, {same, holds}) {
	/* each text is a part of its own; the class of the first */
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

exports.serve = serve;
exports.run = async (t) => {
	const {server, state, url} = await serve(t.folder, t.make);
	const requests = await t.on("live", url, async (p) => {
		for (const cases of [watches, pauses, saves, recordings,
			changes])
			await cases(p, state, t);
	});
	t.same("it asks only where it came from", requests.filter((r) =>
		!r.startsWith(url) && !r.startsWith("data:")), []);
	const page = await t.browser.page();
	await page.open(url);
	await page.ready();
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
};
