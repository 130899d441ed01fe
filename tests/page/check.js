/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.js - run the cases and say how many held.
 *
 *	node check.js BROWSER FOLDER MAKE_PAGE NPM
 */
"use strict";
const {Browser} = require("./browser.js");
const [,, program, folder, make, npm] = process.argv;
let passed = 0, failed = 0;

/* Does a sentence hold?  Else what was seen. */
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

/* A page of its own for some cases; afterwards it must have been quiet. */
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
	const all = "file structure states download hosts hostile live";
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
