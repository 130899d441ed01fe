/* SPDX-License-Identifier: Apache-2.0 */
/* text.js - entries, times and numbers as a person reads them: the words of
 * timeline-dump. */

/* 873ns 1.234us 12.345ms 1.234s 1m23s, truncated. */
function durationText(ns) {
	if (typeof ns !== "bigint") {
		if (!Number.isFinite(ns))
			return "-";
		ns = BigInt(Math.trunc(ns));
	}
	if (ns < 0n)
		return "-" + durationText(-ns);
	if (ns < 1000n)
		return ns + "ns";
	for (const [unit, name] of
	    [[1000n, "us"], [1000000n, "ms"], [1000000000n, "s"]]) {
		const limit = name === "s" ? unit * 60n : unit * 1000n;
		if (ns >= limit)
			continue;
		const rest = String(ns % unit * 1000n / unit)
			.padStart(3, "0").replace(/0+$/, "");
		return ns / unit + (rest ? "." + rest : "") + name;
	}
	const s = ns / 1000000000n, two = (n) => String(n).padStart(2, "0");
	return s < 3600n ? s / 60n + "m" + two(s % 60n) + "s" :
		s / 3600n + "h" + two(s / 60n % 60n) + "m";
}

/* Quotient and rest, the rest never below 0. */
function divide(n, by) {
	const rest = (n % by + by) % by;
	return [(n - rest) / by, rest];
}

/* 2026-11-20T19:24:18.123456789+00:00 of exact nanoseconds. */
function timeText(ns) {
	const [seconds, rest] = divide(ns, 1000000000n);
	const date = new Date(Number(seconds) * 1000);
	const fraction = String(rest).padStart(9, "0");
	if (isNaN(date))
		return "@" + seconds + "." + fraction;
	return date.toISOString().slice(0, -5) + "." + fraction + "+00:00";
}

function hexText(value) {
	return "0x" + BigInt.asUintN(64, value).toString(16);
}

function doubleText(value) {
	return Number.isNaN(value) ? "nan" : value === Infinity ? "inf" :
		value === -Infinity ? "-inf" : Object.is(value, -0) ? "-0" :
		String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

/* Value k of entry i, in the form its message asks for. */
function valueText(i, k) {
	const at = model.at[i] + k;
	switch (model.messages[model.message[i]].args[k].format) {
	case HEX:
		return hexText(wideValue(at));
	case DOUBLE:
		return doubleText(model.pool[at]);
	case DURATION:
		return durationText(wideValue(at));
	case TEXT:
		return model.wide.get(at) ??
			model.strings[model.pool[at]] ?? "?";
	default:
		return String(wideValue(at));
	}
}

/* "processed tcp(10), udp(20)" */
function entryText(i) {
	const kind = model.kind[i];
	if (kind === LOST) {
		const n = wideValue(model.at[i]);
		return "… " + n + (n === 1n ? " entry" : " entries") +
			" lost here";
	}
	const m = model.messages[model.message[i]];
	let text = ["", "", "> ", "< ", "= "][kind & 7];
	m.args.forEach((arg, k) => {
		text += arg.before + arg.name;
		if (!(kind & BARE))
			text += "(" + valueText(i, k) + ")";
	});
	return text + m.after;
}

/* "± 1.2ms": how far the times of a host may be off, where that was said. */
function boundText(ns) {
	return ns === 0 ? "" : ns === Infinity ? "clock not synchronised" :
		"± " + durationText(ns);
}

/* A number with its digits in groups of three: 12 345 678. */
function countText(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/* A text that fits into a number of characters. */
function shortText(text, most) {
	return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

/* "12 entries, 3 lost, 40 overwritten before" */
function totalText(entries, lost, overwritten, how) {
	return countText(entries) + " entries" +
		(lost > 0 ? ", " + countText(lost) + " lost" : "") +
		(overwritten > 0 ? ", " + countText(overwritten) + " " + how :
			"");
}

/* Bytes, rounded: 10.5M, 105M. */
function sizeText(bytes) {
	let unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	return (unit > 0 && bytes < 10 ?
		(Math.floor(bytes * 10) / 10).toFixed(1) :
		Math.floor(bytes)) + " KMGTPE"[unit].trim();
}

function rateText(perSecond) {
	if (!Number.isFinite(perSecond))
		return "-";
	for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
		if (perSecond >= unit)
			return (perSecond / unit).toPrecision(3) + name + "/s";
	return Number(perSecond.toPrecision(3)) + "/s";
}

/* A new element with a class and a text: never markup. */
function element(name, className, text) {
	const e = document.createElement(name);
	if (className)
		e.className = className;
	if (text !== undefined)
		e.textContent = text;
	return e;
}

/* An option of a list. */
function option(value, text) {
	const o = element("option", "", text);
	o.value = value;
	return o;
}

function byId(id) {
	return document.getElementById(id);
}
