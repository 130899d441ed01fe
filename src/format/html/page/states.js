/* SPDX-License-Identifier: Apache-2.0 */
/* states.js - the states of threads, by the kernel's events (event/sched.h):
 * a band below the spans of each thread.
 *
 * The rules are those of analysis/states.c: a state lasts until the next event
 * of its thread; what a thread was blocked by is known when it is woken; a
 * thread that logs after it was woken runs, and when it got the CPU is unknown;
 * after a loss, and after the last event of the kernel, all is unknown. */
const STATE = {unknown: 0, running: 1, interrupted: 2, runnable: 3, task: 4,
	timer: 5, io: 6};
const STATE_WORDS = ["unknown", "running", "interrupted", "runnable",
	"blocked by a task", "blocked by a timer", "blocked by I/O"];
const STATE_HEIGHT = 5;
const SCHED = {"switched out as $state for $next $name": "out",
	"switched in": "in", "woken by $by $name in $context": "woken",
	"interrupt $vector": "interrupt", "fault at $address": "fault"};

/* Which event of the kernel a message is; "" none. */
function schedKind(m) {
	return m.sched ??= m.category === "sched" ? SCHED[m.text] ?? "" : "";
}

function stateKey({source, pid, tid}) {
	return hostOf(source) + ":" + pid + ":" + tid;
}

/* States from their times on: [{t, state}, ...] as two arrays. */
function newStates(source) {
	return {source, host: hostOf(source), times: [], states: [],
		woken: false, depth: 0};
}

function lastState(s) {
	return s.states[s.states.length - 1] ?? STATE.unknown;
}

/* From t on; what ends there was "before", where that is known better now. */
function setState(s, t, state, before) {
	const last = s.states.length - 1;
	if (last >= 0 && before !== undefined)
		s.states[last] = before;
	if (last >= 0 && s.times[last] === t)
		s.states[last] = state;
	else
		s.times.push(t) && s.states.push(state);
}

function isOnCpu(state) {
	return state === STATE.running || state === STATE.interrupted;
}

function isBlocked(state) {
	return state >= STATE.task;
}

/* A thread did something at t. */
function ran(s, t) {
	if (!isOnCpu(lastState(s)))
		setState(s, t, STATE.running, STATE.unknown);
	s.woken = false;
}

function switchOut(s, t, letters) {
	const before = isOnCpu(lastState(s)) ? undefined : STATE.unknown;
	const state = letters[0] === "R" || s.woken ? STATE.runnable :
		letters.includes("D") ? STATE.io : STATE.task;
	setState(s, t, state, before);
	s.woken = false;
	s.depth = 0;
}

function wake(s, t, context) {
	const state = lastState(s);
	if (isOnCpu(state))
		s.woken = true;	/* the switch out comes after it */
	else if (state !== STATE.runnable)
		setState(s, t, STATE.runnable, !isBlocked(state) ||
			state === STATE.io ? undefined :
			context === "task" ? STATE.task : STATE.timer);
}

function interrupt(s, t, begins) {
	if (begins ? s.depth++ > 0 : --s.depth > 0)
		return;
	s.depth = Math.max(s.depth, 0);
	setState(s, t, begins ? STATE.interrupted : STATE.running,
		isOnCpu(lastState(s)) ? undefined : STATE.unknown);
}

/* An event of the kernel. */
function addSched(i, m) {
	const p = model.places[model.place[i]], key = stateKey(p);
	const t = model.t[i];
	let s = tracks.states.get(key);
	if (!s) {
		tracks.states.set(key, s = newStates(p.source));
		if (tracks.states.size === 1)
			showLegend();
	}
	tracks.kernelUpTo[p.source] = t;
	switch (schedKind(m)) {
	case "out":
		return switchOut(s, t, valueText(i, 0));
	case "in": {
		const state = lastState(s);
		s.woken = false;
		s.depth = 0;
		return setState(s, t, STATE.running,
			state === STATE.runnable || state === STATE.io ?
				undefined : STATE.unknown);
	}
	case "woken":
		return wake(s, t, valueText(i, 2));
	case "interrupt":
		return interrupt(s, t, model.kind[i] === BEGIN);
	default:
		return ran(s, t);
	}
}

/* An entry of the program. */
function addOwn(i) {
	const s = tracks.states.get(stateKey(model.places[model.place[i]]));
	if (s)
		ran(s, model.t[i]);
}

/* Events are missing before an entry: whose, is not known. */
function loseStates(i) {
	const p = model.places[model.place[i]];
	for (const s of tracks.states.values())
		if (s.source === p.source)
			setState(s, model.t[i], STATE.unknown, STATE.unknown);
}

/* The states of a row of the picture, if it is a thread's. */
function statesOf(row) {
	return row.kind === "thread" ? tracks.states.get(stateKey(row)) :
		undefined;
}

/* Call each(from, to, state) for the states between two times. */
function walkStates(s, from, to, each) {
	const {times, states} = s;
	const end = Math.min(to, tracks.kernelUpTo[s.source]);
	const after = firstPlace(times.length, (k) => times[k] <= from);
	for (let k = Math.max(after - 1, 0); k < times.length; k++) {
		const t0 = Math.max(times[k], from);
		const t1 = Math.min(times[k + 1] ?? Infinity, end);
		if (t0 >= end)
			break;
		if (t1 > t0)
			each(t0, t1, states[k]);
	}
}

/* "running 42.9 %, blocked by a task 57.1 %" of a span of a row; "": no event
 * of the kernel is known. */
function statesText(row, from, to) {
	const s = statesOf(row), ns = new Float64Array(STATE_WORDS.length);
	if (!s || !(to > from))
		return "";
	walkStates(s, from, to, (t0, t1, state) => { ns[state] += t1 - t0; });
	ns[STATE.unknown] = to - from - ns.reduce((a, b, k) => k ? a + b : 0, 0);
	return [1, 2, 3, 4, 5, 6, 0].filter((k) => ns[k] > 0).map((k) =>
		STATE_WORDS[k] + " " + (ns[k] < 0.001 * (to - from) ?
			"under 0.1" : Number((100 * ns[k] / (to - from))
				.toPrecision(3))) + " %").join(", ");
}

/* Does a row say no more than the band of another one? */
function isBandOnly(row) {
	return row.kind === "thread" && row.sched === row.entries &&
		tracks.states.get(stateKey(row))?.shown;
}

/* The band of a row.  Of states that share a pixel the longest is drawn. */
function drawStates(c, s, y) {
	const {colors} = picture, spent = new Float64Array(STATE_WORDS.length);
	let pixel = -1;
	const flush = () => {
		const state = spent.indexOf(Math.max(...spent));
		if (pixel >= 0 && spent[state] > 0)
			fill(pixel, 1, state);
		spent.fill(0);
	};
	const fill = (x, width, state) => {
		c.fillStyle = colors.states[state];
		c.fillRect(x, y, width, STATE_HEIGHT);
	};
	walkStates(s, view.from, view.to, (t0, t1, state) => {
		const x0 = toX(t0), x1 = toX(t1), at = Math.floor(x0);
		if (at !== pixel) {
			flush();
			pixel = at;
		}
		if (x1 - x0 < 1) {
			spent[state] += x1 - x0;
		} else {
			flush();
			pixel = -1;
			fill(x0, x1 - x0, state);
		}
	});
	flush();
}

/* Of all rows of threads. */
function drawAllStates(c, top) {
	if (!picture.detailed || view.mode === "lanes")
		return;
	for (const {row, y, height, band} of picture.layout) {
		const at = top + y + height - STATE_HEIGHT;
		if (band && at <= picture.height && at >= AXIS)
			drawStates(c, statesOf(row), at);
	}
}
