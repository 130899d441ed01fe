/* SPDX-License-Identifier: Apache-2.0 */
/* flame.js - the time of spans by stack in the visible or measured range: as
 * wide as it took, with what it took itself. */
const FLAME_HEIGHT = 22, FLAME_NARROW = 0.0005;

const flame = {root: null, zoomed: []}; /* zoomed: keys from the root down */

function flameNode(name, category, level) {
	return {name, category, level, count: 0, self: 0, total: 0,
		children: new Map()};
}

function flameChild(parent, name, category, level) {
	const key = category + "\n" + name;
	let node = parent.children.get(key);
	if (!node)
		parent.children.set(key,
			node = flameNode(name, category, level));
	return node;
}

/* Of the spans that are here and sure: the part of each that lies in the
 * range. */
function flameOfEntries(from, to) {
	const root = flameNode("all threads", "", 0), s = tracks.span;
	const nodes = new Map(), newest = newestTime();
	for (const i of spanOrder()) {
		if (s.from[i] > to || s.to[i] < from || s.unsure[i])
			continue;
		const b = s.begin[i], m = model.messages[model.message[b]];
		if (m.scope === SCOPE_SOURCE || view.shown[b] === HIDDEN)
			continue;
		const above = nodes.get(s.parent[i]);
		const node = flameChild(above?.node ?? root, m.name,
			m.category, m.level);
		const time = Math.min(s.to[i], newest, to) -
			Math.max(s.from[i], from);
		node.self += Math.max(time, 0);
		if (s.from[i] >= from)
			node.count++;
		if (above)
			above.node.self -= Math.min(Math.max(time, 0),
				above.rest);
		if (above)
			above.rest -= Math.min(Math.max(time, 0), above.rest);
		nodes.set(i, {node, rest: Math.max(time, 0)});
	}
	return root;
}

/* Of all spans, as the daemon counted them. */
function flameOfSummary() {
	const root = flameNode("all threads", "", 0), nodes = [];
	for (const [parent, message, count, self] of summary.stacks) {
		const m = summary.messages[message] ??
			{name: "other messages", category: "", level: 0};
		const node = flameChild(nodes[parent] ?? root, m.name,
			m.category, m.level);
		node.count += count;
		node.self += self;
		nodes.push(node);
	}
	return root;
}

function addTotals(node) {
	node.total = node.self;
	for (const [key, child] of node.children) {
		addTotals(child);
		node.total += child.total;
		if (child.total === 0 && child.count === 0)
			node.children.delete(key);
	}
}

function flameButton(node, path, share, left, depth, all) {
	const percent = (100 * node.total / all).toFixed(1) + " %";
	const text = node.name + ": " + durationText(node.total) + " (" +
		percent + "), self " + durationText(node.self) + ", " +
		countText(node.count) + " begun";
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
	b.append(element("small", "", durationText(node.total) + " · " +
		percent));
	return b;
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
			root.total));
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
