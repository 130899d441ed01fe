/* SPDX-License-Identifier: Apache-2.0 */
/* address.js - what is looked at, in the fragment of the page's address: who
 * opens the address sees the same. */
const address = {timer: 0, pending: null, written: ""};

function addressFields() {
	const fields = new URLSearchParams();
	const set = (name, value, usual) => {
		if (value !== usual)
			fields.set(name, value);
	};
	if (!view.chosen && !view.words.length && view.level === 1 &&
	    !view.category && !view.only && view.mode === "threads" &&
	    tabs.shown === "table" && !live.picked)
		return "";
	if (live.on)
		set("timeline", live.name, "");
	if (view.follow)
		set("last", String(Math.round(view.to - view.from)), "");
	else if (!isEmpty())
		set("range", exactTime(view.from) + "-" + exactTime(view.to),
			"");
	set("rows", view.mode, "threads");
	set("search", byId("search").value, "");
	set("level", String(view.level), "1");
	set("category", view.category, "");
	set("only", view.only, "");
	set("tab", tabs.shown, "table");
	return fields.toString();
}

function addressSoon() {
	clearTimeout(address.timer);
	address.timer = setTimeout(writeAddress, 400);
}

function writeAddress() {
	const text = address.pending ? address.written : addressFields();
	if (text === address.written)
		return;
	address.written = text;
	try {
		history.replaceState(null, "", text ? "#" + text :
			location.pathname + location.search);
	} catch { /* too often, or a sandbox: the page works without */ }
}

/* The fields of the address, until there is something to look at. */
function readAddress() {
	address.written = location.hash.slice(1);
	const fields = new URLSearchParams(address.written);
	address.pending = address.written ? fields : null;
	if (fields.has("rows"))
		setMode(fields.get("rows") === "lanes" ? "lanes" :
			"threads");
	byId("search").value = fields.get("search") ?? "";
	byId("level").value = /^[1-9]$/.test(fields.get("level") ?? "") ?
		fields.get("level") : "1";
	view.words = searchWords();
	view.level = Number(byId("level").value);
	view.category = fields.get("category") ?? "";
	view.only = fields.get("only") ?? "";
	showTab(fields.get("tab") ?? "table");
	judgeAll(true);
	return fields;
}

/* Look where the address says, now that times are known. */
function goToAddress() {
	const fields = address.pending;
	if (!fields || isEmpty())
		return;
	address.pending = null;
	const range = /^(\d{1,19})-(\d{1,19})$/.exec(fields.get("range") ?? "");
	const last = Number(fields.get("last") ?? NaN);
	if (range) {
		view.follow = false;
		view.chosen = true;
		setRange(sinceBase(range[1]), sinceBase(range[2]));
	} else if (last > 0) {
		view.chosen = true;
		setRange(newestTime() - last * 0.98,
			newestTime() + last * 0.02);
	}
	showFollowing();
}
