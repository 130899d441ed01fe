/* SPDX-License-Identifier: Apache-2.0 */
/* closed.js - time in which levels were closed for messages of a row: nothing
 * of them would be in the record, so that such time is shaded. */

/* The lowest gate of the messages of a row that are shown; 10: none. */
function lowestGate(row) {
	let gate = 10;
	for (const m of row.messages)
		if (m.gate < gate && !m.builtin && !schedKind(m) && passes(m))
			gate = m.gate;
	return gate;
}

/* Call each(from, to) for the time in which levels of a host close a gate. */
function walkClosed(host, gate, each) {
	const list = tracks.levelsOf[host] ?? [];
	list.forEach((l, k) => {
		const next = list[k + 1]?.from ?? newestTime();
		if (gate < l.level)
			each(l.from, Math.min(l.to, next));
		if (l.to < next && gate < l.base)
			each(l.to, next);
	});
}

/* The same from the daemon's counts. */
function countedShares(gate, width) {
	const shares = new Float32Array(width), {first, bin} = summary;
	const scale = view.width / (view.to - view.from), wide = bin * scale;
	const list = summary.closed[gate] ?? [];
	for (let i = 0; i < list.length; i += 2) {
		const x = (first + list[i] * bin - view.from) * scale;
		const x0 = Math.max(x, 0), x1 = Math.min(x + wide, width);
		for (let k = Math.floor(x0); k < x1; k++)
			shares[k] += (Math.min(k + 1, x1) - Math.max(k, x0)) *
				list[i + 1] / bin;
	}
	return shares;
}

/* Which share of each pixel is closed. */
function closedShares(host, gate, width) {
	const shares = new Float32Array(width);
	walkClosed(host, gate, (from, to) => {
		const x0 = Math.max(toX(from), 0);
		const x1 = Math.min(toX(to), width);
		for (let x = Math.floor(x0); x < x1; x++)
			shares[x] += Math.min(x + 1, x1) - Math.max(x, x0);
	});
	return shares;
}

/* Behind all rows; alike ones are computed once. */
function drawClosed(c, top) {
	const width = Math.ceil(view.width), known = new Map();
	const detailed = isDetailed();
	c.fillStyle = picture.colors.closed;
	for (const {row, y, height} of picture.layout) {
		const gate = row.kind === "host" ? 10 : detailed ?
			lowestGate(row) : row.gate || 10;
		const key = row.host + " " + gate;
		if (gate === 10 || !isInSight({y, height}, top))
			continue;
		if (!known.has(key))
			known.set(key, closedRuns(detailed ?
				closedShares(row.host, gate, width) :
				countedShares(gate, width)));
		for (const [x, size, alpha] of known.get(key)) {
			c.globalAlpha = alpha;
			c.fillRect(x, top + y - 2, size, height + 4);
		}
	}
	c.globalAlpha = 1;
}

/* [x, width, share] of pixels beside one another that are alike. */
function closedRuns(shares) {
	const runs = [];
	for (let x = 0; x < shares.length; x++) {
		const alpha = Math.round(8 * Math.min(shares[x], 1)) / 8;
		const last = runs.at(-1);
		if (alpha === 0)
			continue;
		if (last && last[0] + last[1] === x && last[2] === alpha)
			last[1]++;
		else
			runs.push([x, 1, alpha]);
	}
	return runs;
}
