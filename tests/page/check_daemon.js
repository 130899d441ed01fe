/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_daemon.js - opens the page of a running timelined and prints, as JSON,
 * the page's view of a timeline once the timeline has so many entries.
 *
 *	node check_daemon.js BROWSER URL TIMELINE ENTRIES
 *
 * unix:PATH is a socket; a port of this machine leads to the socket meanwhile,
 * as with ssh -L.
 */
"use strict";
const net = require("net");
const {Browser} = require("./browser.js");
const [,, program, given, name, entries] = process.argv;

function forward(path) {
	const server = net.createServer((socket) => {
		const behind = net.connect(path);
		socket.pipe(behind).pipe(socket);
		for (const end of [socket, behind])
			end.on("error", () => { socket.destroy();
				behind.destroy(); });
	});
	return new Promise((done) => server.listen(0, "127.0.0.1", () =>
		done("http://127.0.0.1:" + server.address().port + "/")));
}

async function main() {
	const url = given.startsWith("unix:") ? await forward(given.slice(5)) :
		given;
	const origin = new URL(url).origin;
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
	seen.foreign = page.requests.filter((r) => !r.startsWith(origin) &&
		!r.startsWith("data:"));
	seen.url = await page.run("location.href");
	await page.open(seen.url);
	await page.until(`timeline.count >= ${entries}`);
	seen.again = await page.run("timeline.count");
	console.log(JSON.stringify(seen));
	await browser.close();
	process.exit(0); /* A port may still be open. */
}

main().catch((error) => {
	console.log(JSON.stringify({error: error.stack}));
	process.exit(1);
});
