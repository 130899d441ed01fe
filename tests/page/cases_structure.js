/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_structure.js - compares the page with golden/NAME.txt: roles and
 * accessible names as Chromium computes them, and the colours of the picture's
 * rows by their names in page.css.  Light and dark have the same structure.
 * GOLDEN=write writes the files anew.
 */
"use strict";
const fs = require("fs");
const path = require("path");

/* These roles hold only their parts or parts of text. */
const PLAIN = new Set(["RootWebArea", "generic", "none", "paragraph",
	"LabelText", "StaticText", "InlineTextBox", "ListMarker", "MenuListPopup",
	"LineBreak", "rowgroup", "row", "cell", "gridcell", "option"]);
const CALLED_BY_TEXT = new Set(["listitem", "definition", "status"]);

/* textOf returns all text of a part that is named by its text. */
function textOf(node, of) {
	return node.role?.value === "StaticText" ? node.name.value :
		(node.childIds ?? []).map((id) => of.get(id)).filter(Boolean)
			.map((child) => textOf(child, of)).join(" ").trim();
}

async function outline(p) {
	const {nodes} = await p.send("Accessibility.getFullAXTree");
	const of = new Map(nodes.map((n) => [n.nodeId, n]));
	const lines = [];
	const walk = (node, depth) => {
		const role = node.role?.value;
		const seen = !node.ignored && !PLAIN.has(role);
		if (seen)
			lines.push("  ".repeat(depth) + role + " " +
				JSON.stringify(node.name?.value ||
				(CALLED_BY_TEXT.has(role) ?
					textOf(node, of) : "")));
		for (const id of node.childIds ?? [])
			if (of.has(id))
				walk(of.get(id), depth + seen);
	};
	walk(nodes[0], 0);
	return lines;
}

/* BANDS lists each row in sight: the row's name, whether the name is written
 * beside the row, and each colour that fills more than a few pixels, with
 * the tenths of the width that have the colour. */
const BANDS = `(() => {
	const names = new Map();
	for (const [kind, list] of Object.entries({level: picture.colors.levels,
		bar: picture.colors.bars, line: picture.colors.lines}))
		list.forEach((color, i) => names.set(color, names.get(color) ??
			kind + "-" + i));
	for (const name of ["back", "row", "line"])
		names.set(picture.colors[name], "");
	const c = picture.canvas.getContext("2d");
	const hex = (d, i) => "#" + (1 << 24 | d[i] << 16 | d[i + 1] << 8 |
		d[i + 2]).toString(16).slice(1);
	const band = (x, y, width, height) => {
		const d = c.getImageData(x, y, width, height).data;
		const found = new Map();
		for (let i = 0; i < d.length; i += 4) {
			const name = names.get(hex(d, i));
			if (!name)
				continue;
			const tenths = found.get(name) ??
				found.set(name, new Uint32Array(10)).get(name);
			tenths[Math.floor(10 * (i / 4 % width) / width)]++;
		}
		return [...found].sort().filter(([, t]) => Math.max(...t) > 9)
			.map(([name, t]) => name + " " + [...t].map((n) =>
				n > 9 ? "#" : ".").join(""));
	};
	const isWritten = (y) => {
		const d = c.getImageData(8, y, GUTTER - 20, 16).data;
		for (let i = 0; i < d.length; i += 4)
			if (hex(d, i) !== picture.colors.back)
				return true;
		return false;
	};
	const show = (label, y, height) => [label + (isWritten(y) ? "" :
		" (no name)"), ...band(GUTTER, y, Math.floor(view.width) - 8,
		height).map((s) => "  " + s)];
	return [...show("levels", AXIS, BAND), ...timeline.rows.filter((r) =>
		r.y + r.height <= picture.height).flatMap((r) =>
		show(r.label, r.y, r.height))];
})()`;

function compare(name, text, {holds, same}) {
	const file = path.join(__dirname, "golden", name + ".txt");
	if (process.env.GOLDEN === "write")
		fs.writeFileSync(file, text);
	const wanted = fs.readFileSync(file, "utf8").split("\n");
	const seen = text.split("\n");
	same("the structure of " + name + " is that of golden/" + name + ".txt",
		seen.filter((line) => !wanted.includes(line)).concat(
			wanted.filter((line) => !seen.includes(line))
				.map((line) => "missing: " + line)), []);
	holds("... in its order", text === wanted.join("\n"));
}

const TAB = (id) => `document.getElementById("tab-${id}").click()`;
/* Each view has the way to reach the view, and the parts of the page that
 * matter. */
const VIEWS = [
	["overview", "setMode('threads'); timeline.fit(); " + TAB("table"),
		() => true],
	["zoom", "timeline.select(-1); timeline.zoomTo(2e6, 4e6); " +
		"timeline.select(600)",
		(line) => !/^ *(button|combobox|searchbox|tab|group) /
			.test(line)],
	["flame", "timeline.select(-1); timeline.fit(); " + TAB("flame"),
		null],
	["histogram", TAB("histogram"), null],
];

/* describeBoth returns the results of describe in light and in dark, after
 * reach has run and shown, if given, has become true. */
async function describeBoth(p, reach, isShown, shown) {
	const texts = [];
	for (const dark of [false, true]) {
		await p.dark(dark);
		await p.run(reach);
		await p.ready();
		await p.run("showStatistics()");
		if (shown)
			await p.until(shown);
		texts.push(await describe(p, isShown));
	}
	return texts;
}

Object.assign(exports, {describeBoth, compare});
exports.run = async (t) => {
	await t.on("structure", "file://" + t.folder + "/plain.html",
		async (p) => {
			for (const [name, reach, isShown] of VIEWS) {
				const texts = await describeBoth(p, reach,
					isShown);
				t.same("dark has the structure of light: " +
					name, texts[1].split("\n"),
				texts[0].split("\n"));
				compare(name, texts[0], t);
			}
		});
};

/* isShown selects lines of the outline; null selects the panel of the tab. */
async function describe(p, isShown) {
	const lines = await outline(p);
	if (isShown)
		return [...lines.filter(isShown), "", ...await p.run(BANDS),
			""].join("\n");
	const first = lines.findIndex((l) => /^ *tabpanel /.test(l));
	const depth = lines[first].search(/\S/);
	const end = lines.findIndex((l, i) => i > first &&
		l.search(/\S/) <= depth);
	return [...lines.slice(first, end < 0 ? undefined : end), ""]
		.join("\n");
}
