/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_structure.js - compares the structure of a running timelined's page,
 * light and dark, with golden/live-NAME.txt and prints the differences.  The
 * timeline has entries at fixed distances; its name, times, and the numbers of
 * processes and CPUs, which differ each time, are replaced.
 *
 *	node check_structure.js BROWSER URL TIMELINE ENTRIES
 */
"use strict";
const {Browser} = require("./browser.js");
const {describeBoth, compare} = require("./cases_structure.js");
const [,, program, url, name, entries] = process.argv;

/* normalise replaces only these texts. */
function normalise(text) {
	return text.replaceAll(name, "NAME")
		.replace(/(term "(ns|cpu|pid|tid|lane)"\n *definition )".*"/g,
			"$1\"N\"")
		.replace(/[0-9][0-9.\u202f]*(ns|us|ms|s)\b/g, "TIME")
		.replace(/\(\d+ ns\)/g, "(TIME)")
		.replace(/[0-9.]+ %/g, "SHARE")
		.replace(/\.c:\d+/g, ".c:LINE")
		.replace(/\b(make_timeline|tid|pid)([/ ])\d+/g, "$1$2N");
}

function same(sentence, seen, wanted) {
	if (JSON.stringify(seen) !== JSON.stringify(wanted))
		console.log(sentence + ":\n" + seen.join("\n"));
}

function holds(sentence, condition) {
	if (!condition)
		console.log("not so: " + sentence);
}

const TAB = (id) => `document.getElementById("tab-${id}").click()`;
const ENTRY = (text) => `[...Array(timeline.count).keys()].find(
	(i) => timeline.text(i) === ${JSON.stringify(text)})`;
/* The places in the picture of the whole timeline depend on the program's
 * sleeps. */
const VIEWS = [
	["live-overview", "setMode('threads'); timeline.fit(); " + TAB("table"),
		() => true, (text) => text.replace(/ [#.]{10}$/gm, "")],
	["live-entry", `timeline.select(-1);
		timeline.zoomTo(model.t[${ENTRY("> work job(5)")}],
			model.t[${ENTRY("> work job(8)")}]);
		select(${ENTRY("> part of(7)")}, false)`,
	(line) => !/^ *(button|combobox|searchbox|tab|columnheader|listitem) /
		.test(line)],
	["live-flame", "timeline.select(-1); timeline.fit(); " + TAB("flame"),
		null],
	/* The page asks for timers when they are shown. */
	["live-timers", TAB("timers"), null, undefined,
		"document.getElementById('timers-table').rows.length > 1"],
];

async function main() {
	const browser = new Browser(program), p = await browser.page();
	await p.open(url);
	await p.until(`timeline.count >= ${entries}`);
	await p.run("document.getElementById('pause').click()");
	await p.until("!live.busy && " +
		"document.getElementById('record').textContent");
	for (const [view, reach, isShown, simplify = (text) => text,
		shown] of VIEWS) {
		const texts = (await describeBoth(p, reach, isShown, shown))
			.map((text) => simplify(normalise(text)));
		same("dark differs from light: " + view, texts[1].split("\n"),
			texts[0].split("\n"));
		compare(view, texts[0], {holds, same});
	}
	same("on the console", p.errors, []);
	await browser.close();
	process.exit(0);
}

main().catch((error) => {
	console.log(error.stack);
	process.exit(1);
});
