/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_daemon.js - open the page of a running timelined and say, as JSON,
 * what it shows of a timeline once it has so many entries.
 *
 *	node check_daemon.js BROWSER URL TIMELINE ENTRIES
 */
"use strict";
const {Browser} = require("./browser.js");
const [,, program, url, name, entries] = process.argv;

async function main() {
	const browser = new Browser(program);
	const page = await browser.page();
	await page.open(url);
	await page.ready();
	await page.until(`timeline.count >= ${entries}`);
	await page.ready();
	const seen = {
		count: await page.run("timeline.count"),
		drawn: await page.run("timeline.drawn"),
		lost: await page.run("timeline.lost"),
		chosen: await page.run(
			"document.getElementById('timeline').value"),
	};
	await page.until("document.getElementById('record').textContent");
	seen.record = await page.run("[...document.getElementById('record')" +
		".children].map((e) => e.textContent)");
	seen.recordFile = await page.run(
		"document.getElementById('record').title");
	await page.run("document.getElementById('save').click()");
	await page.until("document.getElementById('answer').textContent" +
		`.includes(${JSON.stringify(name)})`);
	seen.answer = await page.run(
		"document.getElementById('answer').textContent");
	seen.errors = page.errors;
	seen.foreign = page.requests.filter((r) => !r.startsWith(url) &&
		!r.startsWith("data:"));
	console.log(JSON.stringify(seen));
	await browser.close();
}

main().catch((error) => {
	console.log(JSON.stringify({error: error.stack}));
	process.exit(1);
});
