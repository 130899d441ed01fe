/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.js - measures how fluid the page of a running timelined is, and how
 * much memory its tab takes; the script asserts nothing.
 *
 *	node tests/page/measure.js BROWSER "$(timelinectl page)" [SECONDS]
 *
 * First the page follows the newest entries; then it pauses, and the script
 * moves through the entries zoomed out and at 5 ms.  Each line has the frames a
 * second while moving, the slowest frame, MiB of the script's objects and of
 * the whole process that shows the page, and the share of frames in which each
 * entry was drawn instead of the daemon's counts.
 */
"use strict";
const fs = require("fs");
const {Browser} = require("./browser.js");
const [,, program, url, seconds = "10"] = process.argv;

/* FRAMES measures frames while each frame moves the view a little; with step
 * 0 the page follows. */
const FRAMES = (ms, step) => `new Promise((done) => {
	const start = performance.now(), times = [];
	let last = start, to = 1, detailed = 0;
	requestAnimationFrame(function next(now) {
		times.push(now - last);
		last = now;
		detailed += timeline.detailed;
		if (now - start > ${ms})
			return done([1000 * times.length / (now - start),
				Math.max(...times),
				100 * detailed / times.length]);
		const [a, b] = timeline.range, by = (b - a) * ${step} * to;
		if (times.length % 50 === 0)
			to = -to;
		if (by)
			setRange(a + by, b + by);
		requestAnimationFrame(next);
	});
})`;

/* tabMemory returns the resident MiB of the largest process that shows
 * pages. */
function tabMemory(browser) {
	const sizes = [0];
	for (const pid of fs.readdirSync("/proc").filter((n) => +n > 0))
		try {
			const words = fs.readFileSync("/proc/" + pid +
				"/cmdline", "utf8");
			if (words.includes("--type=renderer") &&
			    words.includes(browser.folder))
				sizes.push(Number(/VmRSS:\s+(\d+)/.exec(
					fs.readFileSync("/proc/" + pid +
						"/status", "utf8"))[1]) / 1024);
		} catch { /* the process has ended */ }
	return Math.max(...sizes);
}

async function main() {
	const browser = new Browser(program), page = await browser.page();
	const ms = 1000 * Number(seconds);
	const measure = async (what, step) => {
		const [rate, slowest, detailed] = await page.run(FRAMES(ms, step));
		const heap = await page.run("performance.memory.usedJSHeapSize");
		console.log([what.padEnd(24), rate.toFixed(1) + " frames/s",
			"slowest " + slowest.toFixed(0) + " ms",
			"objects " + (heap / 2 ** 20).toFixed(0) + " MiB",
			"tab " + tabMemory(browser).toFixed(0) + " MiB",
			await page.run("timeline.total") + " entries",
			"each drawn in " + detailed.toFixed(0) + " % of frames"]
			.join(", "));
	};
	await page.open(url);
	await page.until("timeline.total > 0");
	await measure("follow", 0);
	await page.run("document.getElementById('pause').click()");
	await page.until("!live.busy && live.until === cover.to");
	await page.run("timeline.fit()");
	await measure("move, all of it", 0.002);
	await page.run("timeline.zoomTo(newestTime() - 6e6, " +
		"newestTime() - 1e6)");
	await page.until("!live.busy && timeline.ready && timeline.detailed");
	await measure("move, 5 ms", 0.002);
	await browser.close();
	process.exit(0);
}

main().catch((error) => {
	console.error("measure.js: " + error.stack);
	process.exit(1);
});
