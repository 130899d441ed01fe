/* SPDX-License-Identifier: Apache-2.0 */
/* why.js - why the slow spans of a message are slow, as timelined finds it, or
 * timeline-convert found it: what distinguishes them from the others.  The slow
 * ones are marked in the picture. */
const why = {key: "", threshold: Infinity, turn: 0,
	answers: []};	/* of a page in a file */

/* Answers are lines. */
function readAnswers(text) {
	return text.trim().split("\n").map((l) => JSON.parse(l));
}

/* Those of a page in a file; of timelined those of a glob. */
async function answersOf(m) {
	if (live.on)
		return readAnswers(await (await ask(path("why.json",
			{message: messageGlob(m)}))).text());
	const found = why.answers.filter((a) =>
		a.message.replace(/(\$\w+)%./g, "$1") === m.text);
	if (found.length === 0)
		throw new Error("timeline-convert has compared no spans of " +
			"this message");
	return found;
}

/* A glob that matches the first line of a message: the page has no suffixes of
 * arguments, and an integer needs none. */
function messageGlob(m) {
	const plain = (text) => text.replace(/[\\*?[\]]/g, "\\$&");
	return m.args.map((arg) => plain(arg.before) + "$" +
		plain(arg.name) + (arg.format === UNSIGNED ||
		arg.format === SIGNED ? "*" : "%?")).join("") + plain(m.after);
}

/* Is a span one of those that are explained? */
function isSlow(m, duration) {
	return m.key === why.key && duration >= why.threshold;
}

function clearWhy() {
	Object.assign(why, {key: "", threshold: Infinity});
	why.turn++;
}

function percentText(share) {
	return (share < 0.0995 ? Number((100 * share).toPrecision(1)) :
		Math.round(100 * share)) + " %";
}

/* "argument route = /export": what the slow spans have. */
function causeText(c) {
	const value = Array.isArray(c.value) ? c.value.map((ns) =>
		c.name === "run" ? timeText(BigInt(ns)).slice(11, 23) :
			durationText(ns)).join(" .. ") : c.unit === "ns" ||
		c.kind === "interval" ? durationText(c.value) :
		String(c.value);
	if (c.argument !== undefined)
		return c.kind + ": " + c.name + " with " + c.argument + " = " +
			value;
	if (["inside", "before", "around", "beside"].includes(c.kind))
		return c.kind + ": " + (c.value === 0 ? "no " : "") + c.name +
			(c.value > 1 ? ", " + value + " times or more" : "");
	const name = c.kind === c.name ? c.name : c.kind + " " + c.name;
	return c.value === null ? name : name + " " + c.op + " " + value;
}

/* "the time goes into runnable, rt/9 83 %": a part of the duration. */
function whereText(c) {
	return "the time goes into " + c.name + (c.task === undefined ? "" :
		", " + c.task + " " + percentText(c.task_share));
}

function exampleItem(e, m) {
	const item = element("li"), t = Number(BigInt(e.ns) - model.base);
	item.append(button(durationText(e.duration_ns), "look at this span, " +
		durationText(e.duration_ns), () => {
		const s = tracks.span;
		view.follow = false;
		zoomTo(t, t + e.duration_ns);
		for (let k = 0; k < tracks.spanCount; k++) {
			const b = s.begin[k];
			/* a double has lost the last digits of ns */
			if (Math.abs(s.from[k] - t) < 1e3 &&
			    model.message[b] === m.number &&
			    model.places[model.place[b]].tid === e.tid) {
				select(b, true);
				return;
			}
		}
	}), " ", element("bdi", "", e.text ?? ""));
	return item;
}

function causeItem(c, m) {
	const item = element("li"), list = element("ul");
	const part = c.share !== undefined;
	item.append(element("b", "", part ? whereText(c) : causeText(c)));
	item.append(element("p", "", part ? percentText(c.share) +
		" of what the slow ones take longer" :
		percentText(c.covers) + " of the slow spans have it; " +
		percentText(c.precision) + " of those that have it are slow" +
		" (median " + durationText(c.median_with_ns) + " with it, " +
		durationText(c.median_without_ns) + " without)"));
	list.append(...c.examples.slice(0, 3).map((e) => exampleItem(e, m)));
	item.append(list);
	return item;
}

function whyParts(answer, m) {
	const head = element("p", "", answer.threshold_ns === null ?
		countText(answer.spans) + " spans of this message were read:" +
		" too few, or none stands out." :
		countText(answer.slow) + " of " + countText(answer.spans) +
		" spans took " + durationText(answer.threshold_ns) +
		" or longer; they are marked in the picture.");
	const all = answer.where.concat(answer.causes);
	if (all.length === 0)
		return [head, element("p", "", "Nothing that --why looks at " +
			"separates them from the others (" +
			countText(answer.tests) + " comparisons).")];
	const list = element("ol", "causes");
	list.append(...all.map((c) => causeItem(c, m)));
	return [head, list];
}

/* Ask about a message, and show the answer below an entry. */
async function explain(m, part) {
	const turn = ++why.turn;
	part.replaceChildren(element("h3", "", "Why is this slow"),
		element("p", "hint", "comparing its spans …"));
	const show = (...parts) => turn === why.turn &&
		part.replaceChildren(element("h3", "", "Why is this slow"),
			...parts);
	try {
		const answer = (await answersOf(m)).reduce((a, b) =>
			b.spans > a.spans ? b : a);
		if (turn !== why.turn)
			return;
		Object.assign(why, {key: m.key,
			threshold: answer.threshold_ns ?? Infinity});
		show(...whyParts(answer, m));
		changed();
	} catch (error) {
		show(element("p", "bad", error.message));
	}
}
