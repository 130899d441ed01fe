/* SPDX-License-Identifier: Apache-2.0 */
/* main.js - start: read what lies in the page, or begin to watch. */

/* Chunk by chunk, giving the page time to show how far it is. */
async function readPage() {
	const chunks = [...document.querySelectorAll("script.chunk")];
	const names = newNames();
	let pause = performance.now();
	for (const [i, script] of chunks.entries()) {
		readChunk(JSON.parse(script.textContent), names);
		script.remove();
		if (performance.now() - pause < 50)
			continue;
		say("reading " + Math.floor(100 * i / chunks.length) + "%");
		await new Promise((done) => setTimeout(done, 0));
		pause = performance.now();
	}
	if (byId("why"))
		why.answers = readAnswers(byId("why").textContent);
	for (const script of document.querySelectorAll("script.history"))
		readHistory(JSON.parse(script.textContent), true);
	settleModel(0);
	forgetKnown();
	buildTracks();
	fitAll();
	view.chosen = false;
	goToAddress();
	judgeAll(true);
	showCategories();
	showHosts();
	showStatistics();
	say(totalText(model.count, model.lost, model.overwritten,
		"overwritten before"));
}

/* What tests, and people at the console, may ask. */
window.timeline = {
	get ready() { return view.shownUpTo >= model.count &&
		!view.changed && (live.on ? live.started : model.done); },
	get count() { return model.count; },
	get drawn() { return picture.drawn; },
	get bars() { return picture.bars; },
	get spans() { return tracks.spanCount; },
	get lost() { return String(summary.is ? summary.lost : model.lost); },
	get overwritten() { return String(summary.is ? summary.overwritten :
		model.overwritten); },
	get total() { return summary.is ? summary.total : model.count; },
	get detailed() { return picture.detailed; },
	get flame() { return flame.root; },
	get matches() { return view.matches; },
	get range() { return [view.from, view.to]; },
	get selected() { return view.selected; },
	get rows() { return picture.layout.map((l) => ({
		label: l.row.label ?? laneLabel(l.row), kind: l.row.kind,
		y: AXIS + BAND + l.y - view.scroll, height: l.height,
		ticks: l.ticks})); },
	get hosts() { return model.hosts.map(({name, bound}) =>
		[name, boundText(bound)]); },
	get whiskers() { return picture.whiskers; },
	bound: (i) => model.bound[i],
	overlaps: (i) => model.overlaps[i] === 1,
	get levels() { return openLevels(); },
	get polls() { return live.polls; },
	text: entryText,
	time: (i) => String(model.ns[i]),
	x: (i) => GUTTER + toX(model.t[i]),
	row: (i) => picture.layout.findIndex((l) => l.row === rowOf(i)),
	select: (i) => select(i, true),
	zoomTo,
	fit: fitAll,
};

function start() {
	picture.canvas = byId("picture");
	byId("title").textContent = document.title;
	setUpTable();
	setUpInput();
	readColors();
	setMode("threads");
	setUpTabs();
	readAddress();
	setUpLive();
	showEntry(-1);
	changed();
	if (!live.on)
		readPage().then(() => { model.done = true; changed(); },
			(error) => say("this page is damaged: " +
				error.message, true));
}

start();
