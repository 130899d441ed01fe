/* SPDX-License-Identifier: Apache-2.0 */
/* live.js - watch a timeline through the daemon that served this page. */
const ASK_MAX = 50000;	/* entries at a time */
const WINDOW = 5e9;	/* ns shown at first */
const HOLD = 2e6;	/* ns: how late a lane may be read after another */
const LIST_MS = 2000;	/* what there is, and is recorded: asked so often */

const live = {
	on: document.body.dataset.mode === "live",
	name: "", mark: "", paused: false, timer: 0, wait: 250,
	busy: false, polls: 0, started: false, turn: 0, listed: -Infinity,
};

function say(text, isBad) {
	const status = byId("status");
	status.textContent = text;
	status.classList.toggle("bad", Boolean(isBad));
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
	if (names.join("\n") === [...chooser.options]
	    .map((o) => o.value).join("\n"))
		return;
	chooser.replaceChildren(...names.map((name) => {
		const o = element("option", "", name);
		o.value = name;
		return o;
	}));
	if (names.includes(live.name))
		chooser.value = live.name;
	else if (names.length > 0)
		watchTimeline(names[0]);
	else
		say("there is no timeline yet");
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
}

/* Begin anew with another timeline. */
function watchTimeline(name) {
	Object.assign(live, {name, mark: "", started: false,
		listed: -Infinity});
	byId("record").replaceChildren();
	live.turn++;
	byId("timeline").value = name;
	clearModel();
	forgetKnown();
	clearTracks();
	view.only = -1;
	view.selected = -1;
	view.follow = true;
	view.chosen = false;
	showEntry(-1);
	judgeAll(true);
	pollSoon(0);
}

/* The level open at the oldest entry outlives the entry that said it. */
function trim() {
	const at = model.t[model.count - Math.floor(KEEP_MAX * 0.8)];
	let level = 0;
	for (const l of tracks.levels)
		if (l.from <= at)
			level = l.to > at ? l.level : l.base ?? level;
	const selected = view.selected >= 0 ? model.dropped + view.selected :
		-1;
	dropOldest(Math.floor(KEEP_MAX * 0.8));
	rebuildTracks();
	if (level > 0)
		tracks.levels.unshift({from: -Infinity,
			to: tracks.levels[0]?.from ?? Infinity, level,
			base: level, burst: false, entry: -1});
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

function takeAnswer(answer) {
	const names = newNames();
	for (const chunk of answer.chunks)
		readChunk(chunk, names);
	live.mark = answer.next;
	const any = answer.chunks.length > 0, {selected} = view;
	const at = selected >= 0 ? [model.t[selected], model.at[selected],
		model.message[selected]] : null;
	if (settleModel(any ? HOLD : 0)) {
		rebuildTracks();
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
	showCategories();
	followNewest();
	judgeAll(false);
}

function followNewest() {
	const newest = newestTime();
	live.started = true;
	if (!view.follow)
		return;
	const range = view.chosen ? view.to - view.from :
		Math.min(WINDOW, Math.max(newest - model.t[0], 1e6));
	setRange(newest - range * 0.98, newest + range * 0.02);
}

/* As often as answers come quickly, up to a few times a second. */
async function poll() {
	const {turn} = live, start = performance.now();
	if (live.busy)
		return;
	live.busy = true;
	try {
		const answer = await (await ask("live.json?timeline=" +
			encodeURIComponent(live.name) + "&after=" +
			encodeURIComponent(live.mark) + "&max=" + ASK_MAX))
			.json();
		if (turn === live.turn && !live.paused) {
			takeAnswer(answer);
			say(countText(model.count) + " entries" +
				(model.lost > 0n ? ", " +
				countText(model.lost) + " lost" : ""));
		}
		live.wait = Math.max(200, Math.min(2000,
			2 * (performance.now() - start)));
	} catch (error) {
		say(error.message, true);
		live.wait = Math.min(live.wait * 2, 5000);
	}
	live.busy = false;
	live.polls++;
	if (performance.now() - live.listed > LIST_MS)
		listAll();
	pollSoon(turn === live.turn ? live.wait : 0);
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
	if (!live.paused)
		view.follow = true;
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
		answer.textContent = "no snapshot: " + error.message;
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
		history.replaceState(null, "", location.pathname);
	byId("timeline").addEventListener("change",
		() => watchTimeline(byId("timeline").value));
	byId("pause").addEventListener("click", togglePause);
	byId("follow").addEventListener("click", () => {
		view.follow = !view.follow;
		followNewest();
		showFollowing();
	});
	byId("save").addEventListener("click", saveSnapshot);
	document.addEventListener("visibilitychange", () => pollSoon(0));
	const start = () => listTimelines().catch((error) => {
		say(error.message, true);
	}).finally(() => {
		if (!live.name)
			setTimeout(start, 2000);
	});
	start();
}
