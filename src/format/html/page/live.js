/* SPDX-License-Identifier: Apache-2.0 */
/* live.js - watch a timeline through the daemon that served this page.
 *
 * The daemon's counts (summary.js) are of all entries and asked for each time.
 * Entries themselves come only while those in sight are few enough: the newest
 * as they are logged, or, where one looks at the past, those of the range, as
 * long as the timeline holds them. */
const ASK_MAX = 50000;	/* entries at a time */
const WINDOW = 5e9;	/* ns shown at first */
const STEP = 1e8;	/* ns: no lane is read so late after another */
const HOLD = 2e6;	/* ns: how late a lane may be read after another */
const FETCH_MAX = 200000; /* entries of a pause or a range */
const DETAIL_MAX = 60000; /* more in sight are not worth to be seen one by one */
const LIST_MS = 2000;	/* what there is, and is recorded: asked so often */

const live = {
	on: document.body.dataset.mode === "live",
	name: "", mark: "", paused: false, timer: 0, wait: 250,
	busy: false, polls: 0, started: false, turn: 0, listed: -Infinity,
	isPolled: true,	/* do the newest entries come? */
	looking: 0, tried: "", picked: false,
	until: Infinity, /* where a pause has stopped time */
	now: Infinity,	/* of the entry that was logged last */
};

/* Since when and until when every entry is on the page. */
const cover = {from: -Infinity, to: -Infinity};

function say(text, isBad) {
	const status = byId("status");
	status.textContent = text;
	status.classList.toggle("bad", Boolean(isBad));
}

/* A browser throws a TypeError, in words of its own, where there is no answer. */
function sayError(error) {
	say(error instanceof TypeError ? "timelined does not answer: it may have " +
		"ended (systemctl status timelined); this page goes on when it is back" :
		error.message, true);
}

async function ask(path, options) {
	const answer = await fetch(path, {cache: "no-store", ...options});
	if (!answer.ok)
		throw new Error(answer.status + " " +
			(await answer.text()).slice(0, 200));
	return answer;
}

/* ["a", "b"] or {"timelines":[{"name":"a"}, ...]}: the names. */
function timelineNames(answer) {
	const list = Array.isArray(answer) ? answer : answer.timelines ?? [];
	return list.map((t) => String(typeof t === "object" ? t.name : t));
}

async function listTimelines() {
	const names = timelineNames(await (await ask("timelines.json"))
		.json());
	const chooser = byId("timeline");
	/* the order changes with the rates: the list keeps its first one */
	if (live.none !== undefined && [...names].sort().join("\n") ===
	    [...chooser.options].map((o) => o.value).sort().join("\n"))
		return;
	chooser.replaceChildren(...names.map((name) => option(name, name)));
	const wanted = address.pending?.get("timeline");
	if (names.includes(live.name))
		chooser.value = live.name;
	else if (names.length > 0)
		watchTimeline(names.includes(wanted) ? wanted : names[0]);
	else
		say("no timelines");
	live.none = names.length === 0;
	showEmpty();
}

/* Nothing to draw: what to do about it. */
function showEmpty() {
	const box = byId("empty"), lines = live.none ? [
		["p", "timelined is attached to no timeline."],
		["p", "Start a program that logs, or create one:"],
		["pre", "timelinectl create /server"],
		["p", "If there is one (timeline-dump lists them), look " +
			"whether a section of timelined.conf names it, and " +
			"whether its owner is allowed: timelinectl status"],
	] : live.on && live.started && isEmpty() ? [
		["p", live.name + " has no entries yet."],
		["p", "They appear here as they are logged. The priority " +
			"may be too low for them:"],
		["pre", "timelinectl priority /" + live.name + " debug"],
	] : model.done && isEmpty() ? [
		["p", "There are no entries in this file."],
	] : [];
	box.hidden = lines.length === 0;
	const key = JSON.stringify(lines);
	if (box.dataset.key !== key)
		box.replaceChildren(...lines.map(([name, text]) =>
			element(name, "", text)));
	box.dataset.key = key;
}

/* How the recording of a timeline is. */
function recordText(r) {
	const words = [countText(r.entries) + " entries"];
	if (r.lost > 0)
		words.push(countText(r.lost) + " lost");
	words.push(countText(r.files) + (r.files === 1 ? " file" : " files"),
		sizeText(r.bytes) + " bytes");
	if (r.faults > 0)
		words.push(countText(r.faults) + (r.faults === 1 ?
			" fault" : " faults"));
	return (r.error ? "RECORDING FAILS: " + r.error + "; until now " :
		"recorded: ") + words.join(", ");
}

/* The recording that is watched, and each of the others that fails. */
async function listRecordings() {
	const output = byId("record");
	try {
		const {recordings} = await (await ask("recordings.json"))
			.json();
		const own = recordings.find((r) => r.timeline === live.name);
		const failing = recordings.filter((r) => r !== own && r.error);
		output.title = own?.path ?? "";
		output.replaceChildren(element("bdi", own?.error ? "bad" : "",
			own ? recordText(own) : "not recorded"),
		...failing.map((r) => element("bdi", "bad",
			"RECORDING OF " + r.timeline + " FAILS: " + r.error)));
	} catch { /* nothing is better than what was */
		output.title = "";
		output.replaceChildren();
	}
}

/* What there is besides entries. */
function listAll() {
	live.listed = performance.now();
	listTimelines().catch(() => {});
	listRecordings();
	askTimers();
}

/* Begin anew with another timeline. */
function watchTimeline(name) {
	Object.assign(live, {name, mark: "", started: false, until: Infinity, now: Infinity,
		listed: -Infinity, isPolled: true, tried: ""});
	Object.assign(cover, {from: -Infinity, to: -Infinity});
	clearSummary();
	byId("record").replaceChildren();
	byId("timers-table").replaceChildren();
	live.turn++;
	byId("timeline").value = name;
	clearModel();
	clearTracks();
	view.only = address.pending ? view.only : "";
	view.selected = -1;
	view.follow = true;
	view.chosen = false;
	showEntry(-1);
	judgeAll(true);
	pollSoon(0);
}

function trim() {
	const selected = view.selected >= 0 ? model.dropped + view.selected :
		-1;
	dropOldest(Math.floor(KEEP_MAX * 0.8));
	cover.from = Math.max(cover.from, model.t[0]);
	rebuildTracks();
	applySummary();
	view.selected = Math.max(selected - model.dropped, -1);
	view.shownUpTo = 0;
	view.matches = 0;
}

/* Where an entry is after others came before it. */
function findEntry(t, at, message) {
	for (let i = lowerBound(t); i < model.count && model.t[i] === t; i++)
		if (model.at[i] === at && model.message[i] === message)
			return i;
	return -1;
}

/* Entries that follow those of the page; isFirst: nothing came before. */
function takeAnswer(answer, isFirst) {
	const names = newNames(), {skipped} = model;
	numberAnew();
	for (const chunk of answer.chunks)
		readChunk(chunk, names);
	if (model.base !== null && answer.history?.length > 0)
		readHistory(answer.history, false);
	if (answer.chunks.length > 0 && model.raw > 0)
		live.now = model.t[model.raw - 1];
	if (model.base !== null && answer.from !== undefined &&
	    (isFirst || model.skipped > skipped))
		cover.from = sinceBase(answer.from);
	const any = answer.chunks.length > 0, {selected} = view;
	const at = selected >= 0 ? [model.t[selected], model.at[selected],
		model.message[selected]] : null;
	if (settleModel(any ? HOLD : 0)) {
		rebuildTracks();
		applySummary();
		view.selected = at ? findEntry(...at) : -1;
		view.shownUpTo = 0;
		view.matches = 0;
	} else {
		buildTracks();
	}
	if (model.count > KEEP_MAX)
		trim();
	if (model.count === 0)
		return;
	cover.to = model.t[model.count - 1];
	showCategories();
	followNewest();
	/* a new end may give older begins a duration */
	judgeAll(view.words.some(limitOf));
}

/* Other entries will come in place of those that are here. */
function forgetEntries() {
	clearEntries();
	clearTracks();
	view.shownUpTo = view.matches = 0;
	live.mark = "";
}

/* Entries of a range in place of all others. */
function replaceEntries(answer, to) {
	forgetEntries();
	view.selected = -1;
	live.isPolled = false;
	takeAnswer(answer, true);
	settleModel(0);
	buildTracks();
	applySummary();
	showEntry(-1);
	judgeAll(true);
	cover.to = Math.max(cover.to, to);
	statisticsSoon();
}

/* The newest time, or that of the newest entry after the clock was set back: what
 * was logged before is in its future. */
function followedTime() {
	const newest = summary.is && !live.isPolled ? summary.newest : live.now;
	return newest < newestTime() - STEP ? newest : newestTime();
}

function followNewest() {
	const newest = followedTime();
	live.started = true;
	if (address.pending)
		goToAddress();
	if (!view.follow)
		return;
	const range = view.chosen ? view.to - view.from :
		Math.min(WINDOW, Math.max(newest - oldestTime(), 1e6));
	setRange(newest - range * 0.98, newest + range * 0.02);
}

function path(name, fields) {
	return name + "?" + new URLSearchParams({timeline: live.name,
		...fields});
}

/* A time as the daemon takes it. */
function absolute(t) {
	const ns = exactTime(t);
	return String(ns < 0n ? 0n : ns);
}

/* Counts of what is in sight, with some room beside it. */
async function askSummary(turn) {
	const room = (view.to - view.from) / 4;
	const from = view.from - room, to = view.to + room;
	const [low, high] = statisticsRange();
	const is = summary.is && view.to - view.from > 1;
	const answer = await (await ask(path("summary.json", is ?
		{from: absolute(from), to: absolute(to),
		 measure_from: absolute(low), measure_to: absolute(high)} :
		{}))).json();
	if (turn !== live.turn)
		return;
	takeSummary(answer, is ? from : 0, is ? to : 0, [low, high]);
	if (!is && summary.is) {
		Object.assign(summary, {from: summary.since,
			to: summary.newest});
		if (view.follow)
			setRange(summary.newest - 0.98 * WINDOW,
				summary.newest + 0.02 * WINDOW);
	}
	statisticsSoon();
	changed();
}

/* The newest entries, as long as they are few. */
async function askNewest(turn) {
	const few = !summary.is || entriesInSight() <= DETAIL_MAX;
	if (!few && live.isPolled && model.count > 0) {
		forgetEntries();
		applySummary();
		view.selected = -1;
		Object.assign(cover, {from: Infinity, to: -Infinity});
		showEntry(-1);
	} else if (few && !live.isPolled) {
		forgetEntries();
		applySummary();
	}
	live.isPolled = few;
	if (!few) {
		followNewest();
		return;
	}
	const isFirst = live.mark === "";
	const answer = await (await ask(path("live.json",
		{after: live.mark, max: ASK_MAX}))).json();
	if (turn !== live.turn || live.paused)
		return;
	live.mark = answer.next;
	takeAnswer(answer, isFirst);
}

/* The entries in sight, where they are few and the timeline still has them. */
async function askRange(turn) {
	const key = absolute(view.from) + "-" + absolute(view.to);
	/* from its entries statistics are exact */
	const most = isCoarse() ? FETCH_MAX * 0.75 : DETAIL_MAX;
	if (isDetailed() || entriesInSight() > most || live.tried === key)
		return;
	live.tried = key;
	const room = (view.to - view.from) / 4;
	const to = Math.min(view.to + room, summary.newest);
	const answer = await (await ask(path("live.json",
		{from: absolute(view.from - room), to: absolute(to),
		 max: FETCH_MAX}))).json();
	if (turn === live.turn && answer.chunks.length > 0 &&
	    sinceBase(answer.from) < view.to)
		replaceEntries(answer, to);
}

function showStatus() {
	say(summary.is ? totalText(summary.total, summary.lost,
		summary.overwritten, "overwritten before they were read") +
		(summary.part ? ", counted since " + timeText(exactTime(
			summary.since)).slice(11, 19) : "") :
		totalText(model.count, model.lost, model.overwritten,
			"overwritten before"));
	byId("status").title = summary.is ? "counted since the page was " +
		"opened first, with those the timeline held then; " +
		countText(model.count) + " of them are on the page" : "";
}

/* As often as answers come quickly, up to a few times a second. */
async function poll() {
	const {turn} = live, start = performance.now();
	if (live.busy)
		return;
	live.busy = true;
	try {
		await askSummary(turn);
		if (turn === live.turn && !live.paused &&
		    (view.follow || live.isPolled))
			await askNewest(turn);
		if (turn === live.turn && !view.follow)
			await askRange(turn);
		live.started = true;
		if (turn === live.turn)
			showStatus();
		live.wait = Math.max(200, Math.min(2000,
			2 * (performance.now() - start)));
	} catch (error) {
		sayError(error);
		live.wait = Math.min(live.wait * 2, 5000);
	}
	live.busy = false;
	live.polls++;
	if (performance.now() - live.listed > LIST_MS)
		listAll();
	pollSoon(turn === live.turn ? live.wait : 0);
}

/* Another range is looked at: ask for it soon, also during a pause. */
function lookSoon() {
	if (!live.name || view.follow || live.looking)
		return;
	live.looking = setTimeout(look, 100);
}

async function look() {
	const {turn} = live;
	live.looking = 0;
	if (live.busy) {
		lookSoon();
		return;
	}
	live.busy = true;
	try {
		await askSummary(turn);
		await askRange(turn);
	} catch (error) {
		sayError(error);
	}
	live.busy = false;
	pollSoon(live.wait);
}

/* What a pause keeps: the newest entries, before they are overwritten. */
async function keepNewest() {
	const {turn} = live;
	if (!summary.is || isDetailed())
		return;
	try {
		const answer = await (await ask(path("live.json",
			{from: "0", max: FETCH_MAX}))).json();
		if (turn !== live.turn || answer.chunks.length === 0)
			return;
		replaceEntries(answer, -Infinity);
		live.until = summary.newest = cover.to;
	} catch (error) {
		sayError(error);
	}
}

function pollSoon(ms) {
	clearTimeout(live.timer);
	if (live.on && !live.paused && !document.hidden && live.name)
		live.timer = setTimeout(poll, ms);
}

function togglePause() {
	if (!live.on)
		return;
	live.paused = !live.paused;
	view.follow = !live.paused;
	live.until = live.paused ? newestTime() : Infinity;
	if (live.paused)
		keepNewest();
	showFollowing();
	pollSoon(0);
}

function showFollowing() {
	const pause = byId("pause");
	pause.setAttribute("aria-pressed", String(live.paused));
	pause.textContent = live.paused ? "Resume" : "Pause";
	byId("follow").setAttribute("aria-pressed", String(view.follow));
}

/* What the daemon answered, in short where it is as expected. */
function snapshotText(text) {
	try {
		const {path, bytes, size = bytes} = JSON.parse(text);
		if (typeof path === "string")
			return "saved " + path + (size === undefined ? "" :
				" (" + countText(size) + " bytes)");
	} catch {
		/* then it is shown as it is */
	}
	return text.slice(0, 500).trim();
}

async function saveSnapshot() {
	const answer = byId("answer");
	answer.textContent = "asking for a snapshot …";
	try {
		const said = await ask("snapshot?timeline=" +
			encodeURIComponent(live.name),
			{method: "POST", headers: {"X-Timeline": "1"}});
		answer.textContent = snapshotText(await said.text());
	} catch (error) {
		answer.textContent = "no snapshot: " + (error instanceof TypeError ?
			"timelined does not answer" : error.message);
	}
	setTimeout(() => { answer.textContent = ""; }, 15000);
}

function setUpLive() {
	for (const e of document.querySelectorAll(".live"))
		e.hidden = !live.on;
	if (!live.on)
		return;
	/* the token in the address has become a cookie */
	if (location.search)
		history.replaceState(null, "", location.pathname +
			location.hash);
	byId("timeline").addEventListener("change",
		() => {
			live.picked = true;
			watchTimeline(byId("timeline").value);
			addressSoon();
		});
	byId("pause").addEventListener("click", togglePause);
	byId("follow").addEventListener("click", () => {
		view.follow = !view.follow;
		followNewest();
		showFollowing();
		pollSoon(0);
	});
	byId("save").addEventListener("click", saveSnapshot);
	document.addEventListener("visibilitychange", () => pollSoon(0));
	const start = () => listTimelines().catch((error) => {
		sayError(error);
	}).finally(() => {
		if (!live.name)
			setTimeout(start, 2000);
	});
	start();
}
