/* SPDX-License-Identifier: Apache-2.0 */
/* timers.js - how long all spans of each timer took since its timeline was
 * created: the histograms in the file, also of spans that were too short to
 * become entries. */
const TIMER_COLUMNS = ["Timer", "Count", "p50", "p99", "p99.9", "Max", "Total",
	"Kept from"];

function timerRow(t) {
	const row = element("tr"), name = element("th", "message");
	name.scope = "row";
	name.append(element("span", "", t.message.replace(/\$(?=\w)/g, "")),
		element("small", "", t.category));
	row.append(name, ...[countText(t.count), ...[t.p50_ns, t.p99_ns,
		t.p999_ns, t.max_ns, t.sum_ns].map((ns) => t.count ?
		durationText(ns) : "-"), t.slower_ns === null ? "never" :
		durationText(t.slower_ns)].map((text) =>
		element("td", "number", text)));
	return row;
}

function showTimers(list) {
	const head = element("tr"), note = byId("timers-note");
	head.append(...TIMER_COLUMNS.map((title) => {
		const th = element("th", "", title);
		th.scope = "col";
		return th;
	}));
	note.textContent = list.length ? "" :
		"This timeline has no timers (timeline_define_timer).";
	byId("timers-table").replaceChildren(...list.length ? [head,
		...[...list].sort((a, b) => b.count - a.count).map(timerRow)] :
		[]);
}

/* They are of all time, so that they need no range; asked while in sight. */
async function askTimers() {
	const {turn} = live;
	if (!live.name || tabs.shown !== "timers")
		return;
	try {
		const {timers} = await (await ask(path("timers.json"))).json();
		if (turn === live.turn)
			showTimers(timers);
	} catch (error) {
		byId("timers-table").replaceChildren();
		byId("timers-note").textContent = error.message;
	}
}
