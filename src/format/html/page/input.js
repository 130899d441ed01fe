/* SPDX-License-Identifier: Apache-2.0 */
/* input.js - pointer, keys and the controls on top. */
const drag = {kind: "", x: 0, y: 0, from: 0, to: 0, scroll: 0, moved: false};

function place(event) {
	const box = picture.canvas.getBoundingClientRect();
	return {x: event.clientX - box.left - GUTTER,
		y: event.clientY - box.top};
}

function onWheel(event) {
	const {x} = place(event);
	const lines = event.deltaMode === 1 ? 20 : 1;
	event.preventDefault();
	if (x < 0 || event.shiftKey) {
		view.scroll += (event.deltaY || event.deltaX) * lines;
		changed();
	} else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		pan(event.deltaX * lines * (view.to - view.from) /
			view.width);
	} else {
		const steps = Math.max(-3, Math.min(3,
			event.deltaY * lines / 100));
		zoom(1.3 ** steps, view.follow ? undefined : toTime(x));
	}
	byId("hint").hidden = true;
}

function onDown(event) {
	if (event.button !== 0)
		return;
	const {x, y} = place(event);
	picture.canvas.focus();
	picture.canvas.setPointerCapture(event.pointerId);
	Object.assign(drag, {kind: event.shiftKey ? "mark" : "pan", x, y,
		from: view.from, to: view.to, scroll: view.scroll,
		moved: false});
}

function onMove(event) {
	const {x, y} = place(event);
	if (!drag.kind) {
		showHint(x, y, event.clientX, event.clientY);
		return;
	}
	if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3)
		drag.moved = true;
	if (!drag.moved)
		return;
	byId("hint").hidden = true;
	if (drag.kind === "mark") {
		view.mark = [toTime(drag.x), toTime(x)];
		statisticsSoon();
	} else {
		const ns = (drag.x - x) * (drag.to - drag.from) / view.width;
		if (x !== drag.x)
			view.follow = false;
		setRange(drag.from + ns, drag.to + ns);
		view.scroll = drag.scroll + drag.y - y;
	}
	changed();
	showFollowing();
}

function onUp(event) {
	const {x, y} = place(event), {kind, moved} = drag;
	drag.kind = "";
	if (!kind || moved)
		return;
	if (view.mark) {
		view.mark = null;
		statisticsSoon();
	}
	if (x >= 0)
		select(entryAt(x, y), false, x);
	else
		togglePin(rowAt(y)?.row);
}

/* Keep a row above the others, or let it go. */
function togglePin(row) {
	if (!row)
		return;
	if (!view.pins.delete(row.key))
		view.pins.add(row.key);
	changed();
}

function onDouble(event) {
	const {x, y} = place(event), i = x < 0 ? -1 : entryAt(x, y);
	const span = i < 0 ? null : spanOfEntry(i);
	if (span && span.end >= 0)
		zoomTo(span.from, span.to);
	else if (x >= 0)
		zoom(0.25, toTime(x));
	showFollowing();
}

/* Press in the overview: look there; drag: go along. */
function onOverview(event) {
	if (event.type === "pointerdown")
		event.target.setPointerCapture(event.pointerId);
	else if (!(event.buttons & 1))
		return;
	const box = event.target.getBoundingClientRect();
	const [low, high] = bounds();
	const t = low + (event.clientX - box.left - GUTTER) * (high - low) /
		(box.width - GUTTER);
	const half = (view.to - view.from) / 2;
	view.follow = false;
	setRange(t - half, t + half);
	showFollowing();
}

function zoomToSelection() {
	const i = view.selected, span = i < 0 ? null : spanOfEntry(i);
	if (view.mark)
		zoomTo(...[...view.mark].sort((a, b) => a - b));
	else if (span && span.end >= 0)
		zoomTo(span.from, span.to);
	else if (i >= 0)
		zoom(0.25, model.t[i]);
}

function step(direction) {
	const from = view.selected >= 0 ? view.selected :
		direction > 0 ? lowerBound(view.from) - 1 :
		lowerBound(view.to);
	const i = neighbour(from, direction);
	if (i >= 0)
		select(i, true);
}

/* Forget the selection, the measure, the search and every filter. */
function clearSelection() {
	view.mark = null;
	flame.zoomed = [];
	clearWhy();
	select(-1, false);
	byId("search").value = "";
	byId("level").value = "1";
	byId("category").value = "*";
	view.pins.clear();
	onSearch();
	onFilter();
}

const keys = {
	"+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7),
	w: () => zoom(0.7), s: () => zoom(1 / 0.7),
	a: () => pan((view.from - view.to) * 0.1),
	d: () => pan((view.to - view.from) * 0.1),
	ArrowLeft: () => pan((view.from - view.to) * 0.1),
	ArrowRight: () => pan((view.to - view.from) * 0.1),
	ArrowUp: () => { view.scroll -= 40; changed(); },
	ArrowDown: () => { view.scroll += 40; changed(); },
	PageUp: () => { view.scroll -= picture.height * 0.8; changed(); },
	PageDown: () => { view.scroll += picture.height * 0.8; changed(); },
	Home: fitAll, "0": fitAll,
	End: () => moveTo(followedTime(), 0.95),
	n: () => step(1), p: () => step(-1),
	Enter: zoomToSelection,
	Escape: clearSelection,
	q: () => foldPanel(!byId("entry").hidden || view.selected < 0),
	t: () => setMode(view.mode === "lanes" ? "threads" : "lanes"),
	"/": () => byId("search").focus(),
	"?": () => byId("help").showModal(),
	" ": () => togglePause(),
};

/* Keys of the page; those typed into a control are its own. */
function onKey(event) {
	const {target} = event;
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (target.matches("input, select, dialog *") ||
	    (target.matches("button") && /^( |Enter)$/.test(event.key)))
		return;
	if (target.closest(".scroll") && /^(Arrow|Page)/.test(event.key))
		return;
	const act = keys[event.key];
	if (!act)
		return;
	event.preventDefault();
	act();
	showFollowing();
}

function setMode(mode) {
	view.mode = mode;
	view.scroll = 0;
	for (const name of ["lanes", "threads"])
		byId(name).setAttribute("aria-pressed", String(mode === name));
	changed();
	addressSoon();
}

function searchWords() {
	return byId("search").value.toLowerCase().split(/\s+/)
		.filter((word) => word);
}

function onSearch() {
	view.words = searchWords();
	judgeAll(true);
	addressSoon();
}

function onFilter() {
	view.level = Number(byId("level").value);
	view.category = byId("category").value === "*" ? "" :
		byId("category").value.slice(1);
	view.only = "";
	judgeAll(true);
	statisticsSoon();
	addressSoon();
}

/* Categories that there are; each value led by = so that none is special. */
function showCategories() {
	const select = byId("category"), {value} = select;
	const names = [...new Set(model.messages.map((m) => m.category))]
		.sort();
	if (select.options.length === names.length + 1)
		return;
	select.replaceChildren(option("*", "all categories"),
		...names.map((name) => option("=" + name, name.slice(0, 60))));
	select.value = view.category ? "=" + view.category : value || "*";
}

function setUpInput() {
	const {canvas} = picture, on = (target, type, act) =>
		target.addEventListener(type, act);
	canvas.addEventListener("wheel", onWheel, {passive: false});
	on(canvas, "pointerdown", onDown);
	on(canvas, "pointermove", onMove);
	on(canvas, "pointerup", onUp);
	on(canvas, "pointercancel", () => { drag.kind = ""; });
	on(canvas, "pointerleave", () => { byId("hint").hidden = true; });
	on(canvas, "dblclick", onDouble);
	on(byId("overview"), "pointerdown", onOverview);
	on(byId("overview"), "pointermove", onOverview);
	on(document, "keydown", onKey);
	on(byId("search"), "input", onSearch);
	on(byId("search"), "keydown", (event) => {
		if (event.key === "Enter")
			step(event.shiftKey ? -1 : 1);
		else if (event.key === "Escape") {
			clearSelection();
			canvas.focus();
		}
	});
	on(byId("level"), "change", onFilter);
	on(byId("category"), "change", onFilter);
	on(byId("lanes"), "click", () => setMode("lanes"));
	on(byId("threads"), "click", () => setMode("threads"));
	on(byId("zoom-in"), "click", () => keys["+"]());
	on(byId("zoom-out"), "click", () => keys["-"]());
	on(byId("fit"), "click", () => { fitAll(); showFollowing(); });
	on(byId("keys"), "click", () => byId("help").showModal());
	on(matchMedia("(prefers-color-scheme: dark)"), "change", readColors);
	new ResizeObserver(changed).observe(canvas);
	for (let level = 1; level <= 9; level++)
		byId("level").append(option(level, level === 1 ? "all levels" :
			NAMES[level] + (level < 9 ? " and up" : "")));
}
