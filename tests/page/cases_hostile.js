/* SPDX-License-Identifier: Apache-2.0 */
/* cases_hostile.js - texts in the form of markup, code or a terminal's
 * orders stay text. */
"use strict";

const PANEL = "document.getElementById('entry').textContent";

const hostile = ({on, folder, same, holds}) => on("hostile", "file://" +
    folder + "/hostile.html", async (p) => {
	same("all its entries are there", await p.run("timeline.count"), 12);
	same("the title is text", await p.run("document.title"),
		"</title><script>window.owned = 1</script>");
	const elements = "document.querySelectorAll('img, script').length";
	const before = await p.run(elements);
	for (let i = 0; i < 12; i++) {
		await p.run(`timeline.select(${i})`);
		await p.ready();
		const text = await p.run(`timeline.text(${i})`);
		holds("entry " + i + " is shown as its text",
			(await p.run(PANEL)).includes(text), text);
		holds("... in which nothing steers",
			!/[\x00-\x1f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
				.test(text), text);
	}
	await p.run("document.getElementById('threads').click()");
	await p.mouse("mouseMoved", 300, 200);
	await p.ready();
	same("no element was made of any", await p.run(elements), before);
	same("no code of theirs ran", await p.run("typeof window.owned"),
		"undefined");
	same("a text of 65000 bytes is whole",
		await p.run("timeline.text(11).length"), 65000);
	same("64 bits are exact", await p.run("timeline.text(10)"),
		"numbers a(18446744073709551615) b(-9223372036854775808) " +
		"c(</script><script>window.owned = 1</script>) " +
		"d(\\xe2\\x80\\xaedesrever \\xe2\\x80\\xa8 line)");
	same("so is time", await p.run("timeline.time(10)"),
		"1795202658123456799");
});

/* A double cannot hold these times. */
const extreme = ({on, folder, same}) => on("extreme", "file://" + folder +
    "/extreme.html", async (p) => {
	same("every time there is can be told", await p.run(
		"[0, 1, 2, 3].map(timeline.time).join()"),
	"-9223372036854775808,-1,0,9223372036854775807");
	same("... and drawn", await p.run("timeline.drawn"), 4);
	for (let i = 0; i < 8; i++)
		await p.key("+");
	await p.key("n");
	await p.ready();
	await p.key("End");
	await p.ready();
});

exports.run = async (t) => {
	await hostile(t);
	await extreme(t);
};
