/* SPDX-License-Identifier: Apache-2.0 */
/* tabs.js - what stands below the picture: the table, the flame view, the
 * histogram or timers; and what the colours mean. */
const TABS = ["table", "flame", "histogram",
	...document.body.dataset.mode === "live" ? ["timers"] : []];
const tabs = {shown: "table"};

function showTab(name) {
	tabs.shown = TABS.includes(name) ? name : "table";
	for (const tab of TABS) {
		const is = tab === tabs.shown, b = byId("tab-" + tab);
		b.setAttribute("aria-selected", String(is));
		b.tabIndex = is ? 0 : -1;
		byId("panel-" + tab).hidden = !is;
	}
	showBelow();
	if (name === "timers")
		askTimers();
	addressSoon();
}

/* Arrows go from tab to tab, as the pattern of ARIA asks. */
function onTabKey(event) {
	const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
	if (!step)
		return;
	event.preventDefault();
	event.stopPropagation();
	const n = TABS.length, at = TABS.indexOf(tabs.shown);
	showTab(TABS[(at + step + n) % n]);
	byId("tab-" + tabs.shown).focus();
}

function showBelow() {
	if (tabs.shown === "flame")
		showFlame();
	else if (tabs.shown === "histogram")
		showHistogram();
}

function legendItem(color, text, className) {
	const item = element("li"), swatch = element("i", className ??
		"swatch");
	if (color)
		swatch.style.background = color;
	item.append(swatch, text);
	return item;
}

function showLegend() {
	byId("legend").replaceChildren(
		...[4, 5, 6, 7, 8, 9].map((level) => legendItem(
			"var(--level-" + level + ")", NAMES[level])),
		legendItem("var(--level-8)", "at the top of a row: share of " +
			"warnings and errors", "swatch top"),
		legendItem("var(--bar-0)", "span, a colour for each message"),
		legendItem("var(--over)", "share of time in spans"),
		legendItem("", "lost, or a span without its end",
			"swatch hatch"),
		legendItem("", "not sure: not counted",
			"swatch hatch hollow"),
		legendItem("var(--closed)", "levels closed: not observed"),
		legendItem("var(--overwritten)", "overwritten"),
		legendItem("var(--lost-time)", "lost"),
		...(live.on ? [legendItem("var(--unread)",
			"not read yet")] : []),
		legendItem("", "details not observed",
			"swatch hatch fine"),
		...(tracks.states.size ? [1, 2, 3, 4, 5, 6].map((state) =>
			legendItem("var(--state-" + state + ")",
				"thread " + STATE_WORDS[state])) : []));
}

function setUpTabs() {
	for (const tab of TABS) {
		byId("tab-" + tab).addEventListener("click",
			() => showTab(tab));
		byId("tab-" + tab).addEventListener("keydown", onTabKey);
	}
	byId("histogram-message").addEventListener("change", () => {
		histogram.message = byId("histogram-message").value;
		showHistogram();
	});
	byId("download").addEventListener("click", download);
	showLegend();
	showTab("table");
}
