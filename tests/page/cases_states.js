/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_states.js - the band of a thread's states must be the states that
 * timeline-dump --tree finds in the same events.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const {execFileSync} = require("child_process");

const OUT = "switched out as $state%s for $next $name%s";
const WOKEN = "woken by $by $name%s in $context%s";

/* makeEvents returns lines of a program and of the kernel; each of two
 * threads does something else.  The seed is fixed. */
function makeEvents(rounds) {
	const program = [], kernel = [];
	let seed = 1;
	const draw = (below) => {
		seed = (seed * 1103515245 + 12345) % 2147483648;
		return Math.floor(seed / 65536) % below;
	};
	for (const tid of [8, 9]) {
		let ns = 1000000 + tid;
		const line = (list, category, message, kind, args) =>
			list.push({ns, tsc: ns, cpu: tid - 8, pid: 7, tid,
				priority: "info", category, message, kind,
				args: args ?? {}});
		const pass = () => { ns += 100 + draw(900); };
		const sleep = (state, context) => {
			line(kernel, "sched", OUT, "instant", {state, next: 0,
				name: "idle"});
			pass();
			if (context)
				line(kernel, "sched", WOKEN, "instant",
					{by: 1, name: "another", context});
			pass();
			/* Some kernels report no switch from the idle task. */
			if (draw(4) > 0 || !context)
				line(kernel, "sched", "switched in", "instant");
			else
				pass();
		};
		line(kernel, "sched", "switched in", "instant");
		for (let i = 0; i < rounds; i++) {
			pass();
			line(program, "test", "work $n", "begin", {n: i});
			pass();
			if (draw(3) === 0) {
				line(kernel, "sched", "interrupt $vector%s",
					"begin", {vector: "timer"});
				pass();
				line(kernel, "sched", "interrupt $vector%s",
					"end", {vector: "timer"});
				pass();
			}
			sleep(...[["S", "task"], ["S", "interrupt"],
				["D", "softirq"], ["R", ""], ["R+", ""]][draw(5)]);
			pass();
			line(program, "test", "work $n", "end", {n: i});
		}
		pass();
		line(kernel, "sched", OUT, "instant", {state: "S", next: 0,
			name: "idle"});
	}
	const text = (list) => list.sort((a, b) => a.ns - b.ns).map((l) =>
		JSON.stringify(l) + "\n").join("");
	return [text(program), text(kernel)];
}

/* readTree returns timeline-dump's states of each span, in the page's words. */
function readTree(tool, files) {
	const words = [["running", "running"], ["interrupted", "interrupted"],
		["runnable", "runnable"], ["blocked_task", "blocked by a task"],
		["blocked_timer", "blocked by a timer"],
		["blocked_io", "blocked by I/O"], ["unknown", "unknown"]];
	return Object.fromEntries(execFileSync(tool, ["--tree", "--json",
		...files], {encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]})
		.split("\n").filter((l) => l.includes("\"states\"")).map((l) => {
			const {ns, message, states, duration_ns: all} =
				JSON.parse(l);
			return message === "work $n" && [ns, words.filter(([name]) =>
				states[name + "_ns"] > 0).map(([name, word]) => {
				const part = states[name + "_ns"];
				return word + " " + (part < 0.001 * all ?
					"under 0.1" : Number((100 * part / all)
						.toPrecision(3))) + " %";
			}).join(", ")];
		}).filter(Boolean));
}

/* SPANS lists the states of each span by the span's begin. */
const SPANS = `Object.fromEntries([...Array(tracks.spanCount).keys()]
	.map((s) => tracks.span.begin[s])
	.filter((i) => timeline.text(i).startsWith("> work"))
	.map((i) => { const s = spanOfEntry(i); return [timeline.time(i),
		statesText(tracks.threadOf[model.place[i]], s.from, s.to)]; }))`;

/* BAND_OF lists the colours of a row's band from left to right. */
const BAND_OF = (label) => `(() => {
	const row = picture.layout.find((l) => l.row.label === "${label}");
	const y = AXIS + BAND + row.y - view.scroll + row.height - 3;
	const c = picture.canvas.getContext("2d");
	const {data} = c.getImageData(GUTTER, y, Math.floor(view.width), 1);
	const seen = [];
	for (let i = 0; i < data.length; i += 4) {
		const hex = "#" + (1 << 24 | data[i] << 16 | data[i + 1] << 8 |
			data[i + 2]).toString(16).slice(1);
		const state = picture.colors.states.indexOf(hex);
		if (state >= 0 && seen[seen.length - 1] !== state)
			seen.push(state);
	}
	return seen.map((state) => STATE_WORDS[state]);
})()`;

exports.run = async (t) => {
	const built = path.join(path.dirname(t.make), "..", "..");
	const convert = (...words) => execFileSync(path.join(built, "bin",
		"timeline-convert"), ["-q", ...words]);
	const [program, kernel] = makeEvents(200);
	const files = [["program", program], ["kernel", kernel]].map(
		([name, lines]) => {
			const file = path.join(t.folder, name);
			fs.writeFileSync(file + ".jsonl", lines);
			convert(file + ".jsonl", "-o", file + ".own.tl");
			execFileSync(path.join(built, "tests/tool/make_host"),
				[file + ".own.tl", file + ".tl", "host=web",
					"boot=17"]);
			return file + ".tl";
		});
	convert(...files, "-o", path.join(t.folder, "states.html"));
	await t.on("states", "file://" + t.folder + "/states.html", async (p) => {
		const wanted = readTree(path.join(built, "bin/timeline-dump"),
			files);
		t.same("timeline-dump knows the states of all spans",
			Object.keys(wanted).length, 400);
		t.same("the page has the same", await p.run(SPANS), wanted);
		t.same("a thread with spans has a band, the kernel's has no row",
			await p.run("picture.layout.map((l) => [l.row.label, " +
				"l.band])"), [["tid 8", true], ["tid 9", true]]);
		t.holds("the legend has the states", await p.run(
			"document.getElementById('legend').innerText")
			.then((text) => text.includes(
				"thread blocked by a timer")));
		await p.run("timeline.zoomTo(tracks.span.from[0], " +
			"tracks.span.to[0])");
		await p.ready();
		const first = Object.keys(wanted)[0];
		t.same("the band shows them in their order",
			[...new Set(await p.run(BAND_OF("tid 8")))].sort(),
			wanted[first].split(", ").map((s) =>
				s.replace(/ [^ ]* %$/, "").replace(/ under$/, ""))
				.sort());
		await p.run("timeline.select(tracks.span.begin[0])");
		await p.ready();
		t.holds("the panel of a span has them", await p.run(
			"document.getElementById('entry').innerText")
			.then((text) => text.includes(wanted[first])),
		wanted[first]);
	});
};
