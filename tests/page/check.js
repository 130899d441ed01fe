/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.js - runs the cases and prints how many held.
 *
 *	node check.js BROWSER FOLDER MAKE_PAGE NPM
 */
"use strict";
const {Browser} = require("./browser.js");
const [,, program, folder, make, npm] = process.argv;
let passed = 0, failed = 0;

/* holds reports a sentence; a false one is followed by the values seen. */
function holds(sentence, condition, ...seen) {
	if (condition) {
		passed++;
		console.log("  ok      " + sentence);
	} else {
		failed++;
		console.log("  FAIL    " + sentence);
		console.log("    | " + seen.map((s) => JSON.stringify(s))
			.join("\n    | "));
	}
}

function same(sentence, seen, wanted) {
	holds(sentence, JSON.stringify(seen) === JSON.stringify(wanted),
		seen, wanted);
}

/* on opens a new page for some cases; the console must stay empty. */
async function on(browser, name, url, cases) {
	const page = await browser.page();
	try {
		await page.open(url);
		await page.ready();
		await cases(page);
		same(name + ": nothing is said on the console", page.errors,
			[]);
	} catch (error) {
		holds(name + ": its cases run", false, error.message,
			page.errors);
	}
	return page.requests;
}

async function main() {
	const browser = new Browser(program);
	const t = {browser, folder, make, npm, holds, same,
		on: (...a) => on(browser, ...a)};
	const all = "file panel marks account structure states download " +
		"hosts hostile live";
	for (const cases of (process.env.ONLY || all).split(" "))
		await require("./cases_" + cases + ".js").run(t);
	await browser.close();
	console.log(passed + " passed, " + failed + " failed, 0 skipped");
	process.exit(failed ? 1 : 0);
}

main().catch((error) => {
	console.log("  FAIL    " + error.stack);
	console.log(passed + " passed, " + (failed + 1) +
		" failed, 0 skipped");
	process.exit(1);
});
