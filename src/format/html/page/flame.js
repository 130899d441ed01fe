/* SPDX-License-Identifier: Apache-2.0 */
/* flame.js - the time of spans by stack in the visible or measured range: as
 * wide as it took, with the parts of what it took itself.  Percentages are of
 * the time in which details were observed. */
const FLAME_HEIGHT = 22, FLAME_NARROW = 0.0005;

const flame = {root: null, zoomed: []}; /* zoomed: keys from the root down */

function flameNode(name, category, level) {
	return {name, category, level, count: 0, self: 0, total: 0,
		parts: PARTS.map(() => 0), children: new Map()};
}

function flameChild(parent, name, category, level) {
	const key = category + "\n" + name;
	let node = parent.children.get(key);
	if (!node)
		parent.children.set(key,
			node = flameNode(name, category, level));
	return node;
}

/* Add own time of a piece between spans within, as far as it is in the range
 * (tl_details_add). */
function addPiece(open, a, b, to) {
	let highest = 0;
	if (open.history)
		walkHistory(open.history, a, Math.min(b, to), (x, y, kind) => {
			highest = Math.max(highest, kind);
			open.node.parts[partOf(highest, open.gate)] +=
				Math.max(y - Math.max(x, open.since), 0);
		});
	else
		open.node.parts[0] += Math.max(Math.min(b, to) -
			Math.max(a, open.since), 0);
}

/* Of the spans that are here and sure: the part of each that lies in the
 * range. */
function flameOfEntries(from, to) {
	const root = flameNode("all threads", "", 0), s = tracks.span;
	const nodes = new Map(), newest = newestTime();
	const since = model.history.map((_, source) => completeFrom(source));
	for (const i of spanOrder()) {
		const b = s.begin[i], m = model.messages[model.message[b]];
		const {source} = model.places[model.place[b]];
		const low = Math.max(from, since[source] ?? from);
		if (s.from[i] > to || s.to[i] < low || s.unsure[i])
			continue;
		if (m.scope === SCOPE_SOURCE || view.shown[b] === HIDDEN)
			continue;
		let p = s.parent[i];
		while (p >= 0 && !nodes.has(p))
			p = s.parent[p];
		const above = nodes.get(p), end = Math.min(s.to[i], newest);
		const node = flameChild(above?.node ?? root, m.name,
			m.category, m.level);
		if (s.from[i] >= low)
			node.count++;
		if (above) {
			addPiece(above, above.at,
				Math.min(s.from[i], above.end), to);
			above.at = Math.min(Math.max(above.at, end), above.end);
		}
		nodes.set(i, {node, at: s.from[i], end,
			gate: tracks.gates.get(m.number), history: model.history[source],
			since: low});
	}
	for (const open of nodes.values())
		addPiece(open, open.at, open.end, to);
	return root;
}

/* Of all spans, as the daemon counted them. */
function flameOfSummary() {
	const root = flameNode("all threads", "", 0), nodes = [];
	for (const [parent, message, count, ...parts] of summary.stacks) {
		const m = summary.messages[message] ??
			{text: "other messages", category: "", level: 0};
		const node = flameChild(nodes[parent] ?? root, m.text,
			m.category, m.level);
		node.count += count;
		parts.forEach((ns, k) => { node.parts[k] += Math.max(ns, 0); });
		nodes.push(node);
	}
	return root;
}

function addTotals(node) {
	node.self = node.parts[0];
	node.total = node.parts.reduce((a, b) => a + b, 0);
	node.seen = node.self;
	for (const [key, child] of node.children) {
		addTotals(child);
		node.total += child.total;
		node.seen += child.seen;
		if (child.total === 0 && child.count === 0)
			node.children.delete(key);
	}
}

function flameButton(node, path, share, left, depth, all) {
	const percent = all === 0 ? "" : " · " +
		(100 * node.seen / all).toFixed(1) + " %";
	const text = node.name + ": " + durationText(node.total) + percent +
		PARTS.map((part, k) => k > 0 && node.parts[k] === 0 ? "" :
			", " + part + " " + durationText(node.parts[k]))
			.join("") + ", " + countText(node.count) + " begun";
	const b = button(node.name, text, () => {
		flame.zoomed = path.join() === flame.zoomed.join() ?
			path.slice(0, -1) : path;
		showFlame();
	});
	b.className = "frame";
	b.title = text;
	b.style.left = left * 100 + "%";
	b.style.width = share * 100 + "%";
	b.style.top = depth * FLAME_HEIGHT + "px";
	b.style.background = path.length === 0 ? "var(--line)" :
		"var(--bar-" + colorOf(node.category, node.name) + ")";
	b.dataset.total = node.total;
	b.dataset.self = node.self;
	b.append(element("small", "", durationText(node.total) + percent));
	return b;
}

/* Own time in which details were not observed. */
function hiddenFrame(ns, part, share, left, depth) {
	const frame = element("div", "frame fine", PARTS[part]);
	frame.title = PARTS[part] + ": " + durationText(ns);
	frame.setAttribute("role", "img");
	frame.setAttribute("aria-label", frame.title);
	frame.style.left = left * 100 + "%";
	frame.style.width = share * 100 + "%";
	frame.style.top = depth * FLAME_HEIGHT + "px";
	frame.append(element("small", "", durationText(ns)));
	return frame;
}

const messageColors = new Map();

/* The same colour in every view, also where no entry of it is here. */
function colorOf(category, name) {
	const key = category + "\n" + name;
	if (!messageColors.has(key))
		messageColors.set(key, messageColors.size % 8);
	return messageColors.get(key);
}

function showFlame() {
	const box = byId("flame"), focus = box.contains(document.activeElement);
	const [from, to] = statisticsRange();
	const root = picture.detailed ? flameOfEntries(from, to) :
		flameOfSummary();
	addTotals(root);
	flame.root = root;
	const frames = [];
	let deepest = 0;
	const put = (node, path, share, left, depth) => {
		if (share < FLAME_NARROW)
			return;
		deepest = Math.max(deepest, depth);
		frames.push(flameButton(node, path, share, left, depth,
			root.seen));
		const inner = depth + 1;
		let right = left + share;
		node.parts.forEach((ns, k) => {
			const part = share * ns / node.total;
			right -= k > 0 ? part : 0;
			if (k > 0 && part >= FLAME_NARROW &&
			    path.length >= flame.zoomed.length) {
				deepest = Math.max(deepest, inner);
				frames.push(hiddenFrame(ns, k, part, right,
					inner));
			}
		});
		const zoomed = flame.zoomed[path.length];
		const list = [...node.children].sort(([, a], [, b]) =>
			b.total - a.total);
		const only = zoomed !== undefined &&
			path.every((key, i) => key === flame.zoomed[i]) &&
			node.children.get(zoomed);
		for (const [key, child] of only ? [[zoomed, only]] : list) {
			const part = only ? share :
				share * child.total / node.total;
			put(child, [...path, key], part, left, depth + 1);
			left += part;
		}
	};
	if (root.total > 0)
		put(root, [], 1, 0, 0);
	else
		frames.push(element("p", "hint", "No span was open here."));
	box.replaceChildren(...frames);
	box.style.height = (deepest + 1) * FLAME_HEIGHT + "px";
	if (focus)
		box.querySelector("button")?.focus();
}
