/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.mjs - shows files on the page of speedscope in a headless
 * Chromium.
 *
 *	node speedscope.mjs PACKAGES BROWSER WORK FILE...
 *
 * Prints for each profile of a file its title and its table, a line for each
 * frame: total, self, name; or the error.
 */
import fs from "node:fs";
import path from "node:path";
import module from "../page/browser.js";

const [,, packages, program, work, ...files] = process.argv;
const html = packages + "/speedscope/dist/release/index.html";
/* The table may be there before its lines. */
const DONE = "/Symbol Name\\s+(No |[0-9])|went wrong/" +
	".test(document.body?.innerText)";

/* A dialog stops the page: the dialog is answered, and its message is kept. */
function hearDialogs(page) {
	const take = page.take.bind(page);

	page.dialogs = [];
	page.take = (frame) => {
		if (frame.method === "Page.javascriptDialogOpening") {
			page.dialogs.push(frame.params.message);
			page.send("Page.handleJavaScriptDialog",
				{accept: true});
		}
		take(frame);
	};
}

/* The page takes a file as a script that hands the file over. */
async function load(page, file) {
	const script = path.join(work, "speedscope.js");
	const data = fs.readFileSync(file).toString("base64");

	fs.writeFileSync(script, "speedscope.loadFileFromBase64(" +
		JSON.stringify(path.basename(file)) + ", \"" + data + "\")");
	await page.send("Page.navigate", {url: "file://" + html +
		"#localProfilePath=" + script + "&view=sandwich"});
	while (page.dialogs.length === 0 && !await page.run(DONE))
		await new Promise((r) => setTimeout(r, 20));
}

/* The page's lines are buttons, the profile's name, more buttons, the table. */
async function shown(page) {
	const text = await page.run("document.body.innerText");
	const lines = text.split("\n").map((line) => line.trim());
	const at = lines.findIndex((line) => /Symbol Name/.test(line));

	if (at < 0)
		return lines.filter((line) => /wrong/.test(line));
	return [lines.find((line) => /\([0-9]+\/[0-9]+\)$/.test(line)) ??
		"one profile", ...lines.slice(at + 1).join(" ")
		.split(/ (?=[0-9][0-9.,]*[a-zµ]* \([^)]*\) [0-9.,]+[a-zµ]* \()/)];
}

/* show prints each profile; the key n goes to the next one. */
async function show(browser, file) {
	const page = await browser.page();
	let count = 1;

	hearDialogs(page);
	console.log("== " + path.basename(file));
	await load(page, file);
	for (let i = 1; i <= count; i++) {
		const lines = await shown(page);

		count = Number(/\/([0-9]+)\)$/.exec(lines[0])?.[1] ?? 1);
		console.log([...page.dialogs, ...lines].join("\n"));
		if (i < count) {
			await page.key("n");
			await page.until(DONE + " && document.body.innerText" +
				`.includes("(${i + 1}/${count})")`);
		}
	}
	page.errors.filter((e) => !/WebGL/.test(e))
		.forEach((e) => console.log("console: " + e));
}

const browser = new module.Browser(program);
for (const file of files)
	await show(browser, file);
await browser.close();
process.exit(0);
