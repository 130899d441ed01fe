/* SPDX-License-Identifier: Apache-2.0 */
/* panel.js - one entry with all that is known of it, and the hint under the
 * pointer. */

function addField(list, name, value, className) {
	list.append(element("dt", "", name),
		element("dd", className ?? "", value));
}

/* Where there are several hosts: which one, and how sure its time is. */
function addHostFields(list, i) {
	addField(list, "host", model.hosts[hostOfEntry(i)].name);
	if (model.bound[i] > 0)
		addField(list, "clock", boundText(model.bound[i]), "number");
	if (model.overlaps[i])
		addField(list, "order", "~ it may have come before or after " +
			"its neighbours of other hosts");
}

/* Time, with a mark where the order is not sure. */
function entryTimeText(i) {
	return (model.overlaps[i] ? "~ " : "") + timeText(model.ns[i]);
}

function entryFields(i, m) {
	const list = element("dl"), p = model.places[model.place[i]];
	addField(list, "ns", String(model.ns[i]), "number");
	if (model.hosts.length)
		addHostFields(list, i);
	if (i > 0)
		addField(list, "since before",
			durationText(model.ns[i] - model.ns[i - 1]), "number");
	if (m) {
		addField(list, "level", NAMES[m.level],
			"level level-" + m.level);
		addField(list, "category", m.category);
		addField(list, "kind", KINDS[model.kind[i] & 7]);
	}
	addField(list, "cpu", p.cpu < 0 ? "unknown" : String(p.cpu),
		"number");
	if (m) {
		const [thread, process] = namesOf(p) ?? [];
		addField(list, "pid", p.pid + (process ? " " + process : ""));
		addField(list, "tid", p.tid + (thread ? " " + thread : ""));
	}
	addField(list, "lane", String(p.lane), "number");
	if (m && m.file)
		addField(list, "defined", m.file + ":" + m.line);
	if (m && m.gate !== m.level)
		addField(list, "logged as", NAMES[m.gate] ?? "?");
	return list;
}

function argumentFields(i, m) {
	const list = element("dl", "arguments");
	m.args.forEach((arg, k) => {
		const value = valueText(i, k);
		addField(list, arg.name, arg.format === DURATION ?
			value + " (" + wideValue(model.at[i] + k) + " ns)" :
			value, "number");
	});
	return list;
}

function button(text, label, act) {
	const b = element("button", "", text);
	b.type = "button";
	b.setAttribute("aria-label", label);
	b.addEventListener("click", act);
	return b;
}

/* The span that an entry begins or ends. */
function spanFields(i) {
	const span = spanOfEntry(i), part = element("div", "span");
	if (!span)
		return part;
	const list = element("dl");
	if (span.end < 0) {
		addField(list, "span", span.unsure ? "its end is missing" :
			"has no end yet");
	} else {
		const ns = model.whole[span.end] >= 0 ?
			BigInt(model.whole[span.end]) :
			model.ns[span.end] - model.ns[span.begin];
		addField(list, "duration", durationText(ns) + " (" + ns +
			" ns)", "number strong");
		if (span.end === span.begin)
			addField(list, "begin", "not here: its end tells it");
		const states = statesText(
			tracks.threadOf[model.place[span.begin]],
			span.from, span.to);
		if (states)
			addField(list, "thread", states);
		if (span.unsure)
			addField(list, "beware", "entries may be missing " +
				"while it was open: begin and end may " +
				"belong to different spans");
	}
	part.append(list);
	if (span.end >= 0)
		part.append(button("Zoom to span", "zoom to this span",
			() => zoomTo(span.from, span.to)));
	if (span.end >= 0 && span.end !== span.begin)
		part.append(button(i === span.begin ? "Go to end" : "Go to begin",
			"select the other end of this span",
			() => select(i === span.begin ? span.end :
				span.begin, true)));
	if ((live.on || why.answers.length > 0) && span.end >= 0) {
		const answer = element("div", "why");
		const m = model.messages[model.message[span.begin]];
		part.append(button("Why is this slow", "what distinguishes " +
			"the slow spans of this message", () =>
			explain(m, answer)), answer);
	}
	return part;
}

/* The next entry of the same message. */
function sameMessage(i, step) {
	for (let k = i + step; k >= 0 && k < model.count; k += step)
		if (model.message[k] === model.message[i] &&
		    (model.kind[k] & 7) === (model.kind[i] & 7))
			return k;
	return -1;
}

function stepButtons(i) {
	const part = element("div", "steps");
	const go = (k) => k >= 0 && select(k, true);
	part.append(button("‹ Same", "entry of this message before",
		() => go(sameMessage(i, -1))),
	button("Same ›", "next entry of this message",
		() => go(sameMessage(i, 1))),
	button("‹ Any", "entry before", () => go(neighbour(i, -1))),
	button("Any ›", "next entry", () => go(neighbour(i, 1))));
	return part;
}

/* Fold the panel, or let it lie on the right, but not over pixel x. */
function foldPanel(fold, x = toX(model.t[view.selected])) {
	const panel = byId("entry");
	if (fold && panel.contains(document.activeElement))
		picture.canvas.focus();
	if (panel.hidden === fold)
		return;
	panel.hidden = fold;
	panel.classList.remove("left");
	panel.classList.toggle("left", x > freePixels()[1] - 9);
}

function showEntry(i, x) {
	const panel = byId("entry");
	foldPanel(i < 0, x);
	if (i < 0)
		return;
	const fold = button("×", "fold this panel", () => foldPanel(true));
	fold.className = "fold";
	fold.title = "fold (q)";
	panel.replaceChildren(fold);
	const m = model.kind[i] === LOST ? null :
		model.messages[model.message[i]];
	const text = element("p", "text level-" + (m ? m.level : 0));
	text.append(element("bdi", "", entryText(i)));
	panel.append(text, element("p", "number when", entryTimeText(i)),
		stepButtons(i), spanFields(i));
	if (m && m.args.length && !(model.kind[i] & BARE))
		panel.append(element("h3", "", "Arguments"),
			argumentFields(i, m));
	if (m && m.explain)
		panel.append(element("h3", "", "Explanation"),
			element("pre", "explain", m.explain));
	if (!m)
		panel.append(element("p", "explain", "They should be in " +
			"the record, and are not."));
	panel.append(element("h3", "", "Entry"), entryFields(i, m));
}

/* Which row lies at y? */
function rowAt(y) {
	const at = y - AXIS - BAND + view.scroll;
	return picture.layout.find((l) => at >= l.y - 3 &&
		at < l.y + l.height + 4);
}

function rowOf(i) {
	const place = model.place[i];
	return view.mode === "lanes" ? tracks.laneOf[place] :
		tracks.threadOf[place];
}

/* The bar at a place, as the entry that began it; -1. */
function barAt(line, x, y) {
	const depth = Math.floor((y - AXIS - BAND + view.scroll - line.y -
		line.ticks - (line.ticks ? 2 : 0)) / BAR);
	const s = tracks.span, lanes = view.mode === "lanes";
	const t0 = toTime(x - 2), t1 = toTime(x + 2), t = toTime(x);
	const {row} = line;
	let best = -1, bestAway = Infinity;
	for (let i = 0; i < tracks.spanCount; i++) {
		if (s.from[i] > t1 || s.to[i] < t0)
			continue;
		if ((lanes ? s.slot[i] : s.depth[i]) !== depth ||
		    (lanes ? s.lane[i] : s.thread[i]) !== row.number ||
		    view.shown[s.begin[i]] === HIDDEN)
			continue;
		const scope = model.messages[model.message[s.begin[i]]].scope;
		if (!lanes && (scope === SCOPE_SOURCE) !==
		    (row.kind === "source"))
			continue;
		const away = Math.max(s.from[i] - t, t - s.to[i], 0);
		if (away < bestAway)
			[best, bestAway] = [s.begin[i], away];
	}
	return best;
}

/* The entry at a place of the picture: the highest level, then the nearest
 * of those under the pointer; -1. */
function entryAt(x, y) {
	const line = rowAt(y), time = toTime(x);
	const slack = 4 * (view.to - view.from) / view.width;
	const end = Math.min(lowerBound(time + slack), view.shownUpTo);
	if (y < AXIS + BAND)
		return levelEntryAt(time, slack);
	if (!line)
		return lossAt(time, slack, null);
	if (line.row.kind === "host")
		return -1;
	const inTicks = y - AXIS - BAND + view.scroll < line.y + line.ticks;
	if (!inTicks && line.row.kind !== "counter")
		return barAt(line, x, y);
	let best = -1, bestScore = -Infinity;
	for (let i = lowerBound(time - slack); i < end; i++) {
		const m = model.messages[model.message[i]];
		if (view.shown[i] === HIDDEN || model.kind[i] === LOST ||
		    (line.row.kind === "counter" ?
		    m.key !== line.row.message ||
		    hostOfEntry(i) !== line.row.host : rowOf(i) !== line.row))
			continue;
		const score = (view.shown[i] === SHOWN ? 20 : 0) +
			(m.level >= 7 ? m.level : 0) -
			Math.abs(model.t[i] - time) / slack;
		if (score > bestScore)
			[best, bestScore] = [i, score];
	}
	return best >= 0 ? best : lossAt(time, slack, line.row);
}

function lossAt(time, slack, row) {
	return tracks.losses.find((i) => (!row || rowOf(i) === row ||
		view.mode !== "lanes") && model.t[i] >= time - slack &&
		model.t[i] - time < 3 * slack) ?? -1;
}

function levelEntryAt(time, slack) {
	return tracks.changes.findLast((i) => model.t[i] <= time + slack &&
		hostOfEntry(i) === levelsHost()) ?? -1;
}

/* Scroll so that the row of an entry is seen. */
function revealRow(i) {
	layOut();
	const line = picture.layout.find((l) => l.row === rowOf(i));
	const room = picture.height - AXIS - BAND;
	if (!line)
		return;
	if (line.y < view.scroll)
		view.scroll = line.y - 4;
	else if (line.y + line.height > view.scroll + room)
		view.scroll = line.y + Math.min(line.height, room) - room + 4;
}

/* How many entries in the pixel of an entry, or else in pixel x, are warnings
 * or worse; "" for none and beside the ticks of a row. */
function marksText(i, x, y) {
	const line = rowAt(y), {counts, loud} = picture;
	if (!line || x < 0 || y < AXIS + BAND ||
	    y - AXIS - BAND + view.scroll > line.y + line.ticks)
		return "";
	const scale = view.width / (view.to - view.from);
	const at = picture.layout.indexOf(line) * Math.ceil(view.width) +
		(i < 0 ? x : (model.t[i] - view.from) * scale) | 0;
	const [some, all] = [loud[at], counts[at]].map((n) =>
		countText(Math.max(Math.round(n), 1)));
	return loud[at] > 0 ? "warnings and errors here: " + some + " of " +
		all + " entries" : "";
}

function hintOfEntry(i) {
	const span = spanOfEntry(i);
	const m = model.kind[i] === LOST ? null :
		model.messages[model.message[i]];
	return [element("b", "", entryText(i).slice(0, 300)),
		element("span", "", (m ? NAMES[m.level] + " · " +
			m.category : "lost") +
			(span && span.end >= 0 ? " · " +
			durationText(span.to - span.from) : "")),
		element("span", "number", entryTimeText(i)),
		...(model.hosts.length ? [element("span", "",
			model.hosts[hostOfEntry(i)].name + " " +
			boundText(model.bound[i]))] : [])];
}

function showHint(x, y, clientX, clientY) {
	const hint = byId("hint"), i = x < 0 ? -1 : entryAt(x, y);
	const marks = marksText(i, x, y);
	hint.hidden = i < 0 && !marks;
	if (hint.hidden)
		return;
	hint.replaceChildren(...(i < 0 ? [] : hintOfEntry(i)),
		...(marks ? [element("span", "", marks)] : []));
	const box = hint.getBoundingClientRect();
	hint.style.left = Math.max(4, Math.min(clientX + 14,
		innerWidth - box.width - 8)) + "px";
	hint.style.top = Math.max(4, clientY + 18 + box.height < innerHeight ?
		clientY + 18 : clientY - box.height - 12) + "px";
}
