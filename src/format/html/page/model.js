/* SPDX-License-Identifier: Apache-2.0 */
/* model.js - the entries, in columns: read from the chunks (chunk.h).
 *
 * Numbers that fit are doubles; those that do not keep their digits in
 * "wide".  Times are nanoseconds since "base", for drawing, and exact in
 * "ns", for telling. */
const INSTANT = 1, BEGIN = 2, END = 3, COUNTER = 4, LOST = 5, BARE = 8;
const NAMES = ["off", "trace+++", "trace++", "trace+", "trace", "debug",
	"info", "warning", "error", "fatal", "nothing"];
const KINDS = ["", "instant", "begin", "end", "counter", "lost"];
const UNSIGNED = 0, SIGNED = 1, HEX = 2, DOUBLE = 3, DURATION = 4, TEXT = 5;
const SCOPE_SOURCE = 1;
/* What a loss with BARE counts is not lost, only not here; what was overwritten
 * before the first entry of a lane is no entry either. */
const OVERWRITTEN = LOST + 1, SKIPPED = LOST | BARE;
/* Of every entry; what grows, sorts and forgets does it with each. */
const ENTRY_COLUMNS = {t: Float64Array, ns: BigInt64Array,
	message: Uint32Array, kind: Uint8Array, place: Uint32Array,
	at: Uint32Array, bound: Float64Array, overlaps: Uint8Array,
	observed: Float64Array, stamp: BigInt64Array, whole: Float64Array,
	gap: Uint32Array};
/* A live page keeps so many entries, and drops a fifth when there are more. */
const KEEP_MAX = 250000;

const model = {
	base: null,		/* BigInt; the first entry's time */
	count: 0,		/* entries settled: in order of time */
	raw: 0,			/* read so far */
	dropped: 0,		/* forgotten to stay within KEEP_MAX */
	lost: 0n,
	overwritten: 0n,	/* before the oldest entries */
	skipped: 0n,		/* entries that were not fetched */
	messages: [],
	places: [],
	strings: [],
	names: new Map(),	/* "source:pid:tid" -> [thread, process] */
	wide: new Map(),	/* place in pool -> digits or text */
	pool: new Float64Array(1 << 12),
	poolSize: 0,
	history: [],		/* source -> {t, kind, to} (history.js) */
	hosts: [],		/* of several: {name, bound, files} */
	hostOf: [],		/* source -> index of its host */
	most: 0,		/* greatest bound that there is, ns */
	version: 0,		/* grows when entries move */
	done: false,		/* has all of the page been read? */
	t: null, ns: null, message: null, kind: null, place: null, at: null,
	bound: null,		/* ns that t may be off; Infinity unknown */
	overlaps: null,		/* may its neighbours be in another order? */
	observed: null,		/* number of its observed interval; -1 none */
	stamp: null,		/* of the begin, where a span is proven */
	whole: null,		/* ns of a proven span, of its end; -1 of its
				 * begin; NaN: it is not proven */
	gap: null,		/* how often entries before it were skipped */
	gaps: 0,
};

/* Observed intervals: of each message the last one, and the greatest number.
 * Numbers of a chunk count from base, so that those of two answers differ. */
const intervals = {of: [], base: 0, greatest: 0, unknown: 0};

/* What follows has numbers of its own. */
function numberAnew() {
	intervals.base = Math.floor(intervals.greatest) + 1;
}

/* Entries are missing that may have been in other intervals. */
function forgetIntervals() {
	intervals.of = [];
	intervals.greatest += 0.5;	/* no other interval has it */
	intervals.unknown = intervals.greatest;
}

function tellInterval(message, number) {
	const n = number < 0 ? -1 : intervals.base + number;
	intervals.of[message] = n;
	intervals.greatest = Math.max(intervals.greatest, n);
}

/* A column with room for n, and zeros behind what it has. */
function grown(column, n) {
	const more = new column.constructor(n);
	more.set(column);
	return more;
}

function setCapacity(n) {
	for (const [name, Type] of Object.entries(ENTRY_COLUMNS))
		model[name] = grown(model[name] ?? new Type(0), n);
}
setCapacity(1 << 10);

/* Without any entry.  Times stay those since the same base. */
function clearEntries() {
	model.count = model.raw = model.dropped = model.poolSize = 0;
	model.lost = model.overwritten = model.skipped = 0n;
	model.messages = [];
	model.places = [];
	model.strings = [];
	forgetKnown();
	forgetIntervals();
	model.hosts = [];
	model.hostOf = [];
	model.most = 0;
	model.wide.clear();
	model.history = [];
	model.version++;
}

function clearModel() {
	clearEntries();
	model.base = null;
	model.names.clear();
}

/* One message of a chunk. */
function makeMessage(m) {
	const message = {
		category: m[0], level: Math.min(m[1], 10), kind: m[2],
		scope: m[3], builtin: m[4], gate: m[5], file: m[6],
		line: m[7], explain: m[8], after: m[9], args: [],
		number: 0, text: "", name: "",
	};
	for (let i = 10; i + 2 < m.length; i += 3) {
		message.args.push({name: m[i], format: m[i + 1],
			before: m[i + 2]});
		message.text += m[i + 2] + "$" + m[i];
	}
	message.text += message.after;
	message.name = message.text;
	message.key = message.category + "\n" + message.text;
	message.isChange = message.builtin === 1 || message.builtin === 2;
	return message;
}

/* Tables of a chunk to those of the model: where its numbers lead.  A chunk
 * of a daemon starts its numbers anew; what is known is found again. */
const known = {messages: new Map(), places: new Map(), strings: new Map()};

function knownNumber(map, list, key, make) {
	let number = map.get(key);
	if (number === undefined) {
		number = list.length;
		list.push(make());
		map.set(key, number);
	}
	return number;
}

function setNames(source, pid, tid, thread, process) {
	model.names.set(source + ":" + pid + ":" + tid, [thread, process]);
	model.names.set("process " + pid, process);
}

/* [thread, process]: what those of a place or row are called, if it is known. */
function namesOf({source, pid, tid}) {
	return model.names.get(source + ":" + pid + ":" + tid);
}

function readTables(chunk, names) {
	for (const m of chunk.messages) {
		/* its gate, the sixth, may change */
		const n = knownNumber(known.messages, model.messages,
			JSON.stringify(m.filter((_, k) => k !== 5)),
			() => makeMessage(m));
		Object.assign(model.messages[n], {number: n, gate: m[5]});
		names.messages.push(n);
	}
	for (const s of chunk.strings)
		names.strings.push(knownNumber(known.strings, model.strings,
			s, () => s));
	for (let i = 0; i + 4 < (chunk.names?.length ?? 0); i += 5)
		setNames(chunk.names[i], chunk.names[i + 1],
			chunk.names[i + 2], chunk.names[i + 3],
			chunk.names[i + 4]);
	const p = chunk.places;
	for (let i = 0; i + 4 < p.length; i += 5) {
		const [pid, tid, cpu, lane, source] = p.slice(i, i + 5);
		names.places.push(knownNumber(known.places, model.places,
			p.slice(i, i + 5).join(),
			() => ({pid, tid, cpu, lane, source})));
	}
}

function newNames() {
	return {messages: [], places: [], strings: [], bounds: []};
}

/* The host of a source; 0 where there is only one. */
function hostOf(source) {
	return model.hostOf[source] ?? 0;
}

function hostOfEntry(i) {
	return hostOf(model.places[model.place[i]].source);
}

function readHosts(hosts) {
	model.hosts = hosts.map(([name, ...sources]) => ({name, bound: 0,
		files: sources.length}));
	hosts.forEach(([, ...sources], host) => {
		for (const source of sources)
			model.hostOf[source] = host;
	});
}

/* What a chunk says of how sure times are, to be asked entry by entry. */
class Sureness {
	constructor(chunk, names) {
		this.changes = chunk.bounds ?? [];
		this.gaps = chunk.overlaps ?? [];
		this.bounds = names.bounds; /* of each host */
		this.change = this.gap = 0;
		this.next = (this.gaps[0] ?? Infinity) - 1;
	}

	/* Fill in row n, which is entry "index" of the chunk. */
	tell(n, index, kind) {
		const {changes, bounds} = this;
		while (changes[this.change] === index) {
			const [host, ns] = changes.slice(this.change + 1,
				this.change + 3);
			bounds[host] = ns < 0 ? Infinity : ns;
			model.hosts[host].bound = Math.max(bounds[host],
				model.hosts[host].bound);
			if (ns > model.most)
				model.most = ns;
			this.change += 3;
		}
		model.overlaps[n] = index === this.next ? 1 : 0;
		if (index === this.next)
			this.next += this.gaps[++this.gap] ?? Infinity;
		model.bound[n] = kind === LOST ? 0 :
			bounds[hostOfEntry(n)] ?? 0;
	}
}

function forgetKnown() {
	known.messages.clear();
	known.places.clear();
	known.strings.clear();
}

/* One value of an entry to the pool. */
function addValue(value, format, names) {
	if (model.poolSize === model.pool.length)
		model.pool = grown(model.pool, model.pool.length * 2);
	const at = model.poolSize++;
	if (format === TEXT) {
		if (typeof value === "string") {
			model.wide.set(at, value);
			model.pool[at] = -1;
		} else {
			model.pool[at] = names.strings[value];
		}
	} else if (typeof value === "string") {
		model.wide.set(at, value);
		model.pool[at] = value === "inf" ? Infinity :
			value === "-inf" ? -Infinity :
			value === "nan" ? NaN : Number(value);
	} else {
		model.pool[at] = value;
	}
}

/* Append the entries of a chunk.  names keeps the numbers of the chunks
 * before it.  settleModel puts them in order. */
function readChunk(chunk, names) {
	const e = chunk.events;
	const base = BigInt(chunk.base);
	if (model.base === null)
		model.base = base;
	if (chunk.hosts)
		readHosts(chunk.hosts);
	readTables(chunk, names);
	const first = Number(base - model.base);
	const sureness = chunk.bounds ? new Sureness(chunk, names) : null;
	const observed = chunk.observed ?? [], proven = chunk.proven ?? [];
	let stamp = BigInt(chunk.clock[0]);
	let sum = 0, interval = 0, proof = 0, index = 0; /* of the chunk */
	for (let i = 0; i + 2 < e.length; index++) {
		sum += e[i];
		const code = e[i + 1], kind = code & 15;
		if (kind === SKIPPED || kind === OVERWRITTEN) {
			const count = BigInt(e[i + 3]);
			if (kind === SKIPPED) {
				model.skipped += count;
				model.gaps++;
				forgetIntervals();
			} else {
				model.overwritten += count;
			}
			i += 4;
			continue;
		}
		const message = kind === LOST ? 0 :
			names.messages[Math.floor(code / 16)];
		const n = model.raw;
		if (n === model.t.length)
			setCapacity(n * 2);
		model.t[n] = first + sum;
		model.ns[n] = base + BigInt(sum);
		model.message[n] = message;
		model.kind[n] = kind;
		model.place[n] = names.places[e[i + 2]];
		model.at[n] = model.poolSize;
		sureness?.tell(n, index, kind);
		if (observed[interval] === index) {
			tellInterval(message, observed[interval + 1]);
			interval += 2;
		}
		model.observed[n] = intervals.of[message] ??
			intervals.unknown;
		model.whole[n] = NaN;
		model.gap[n] = model.gaps;
		if (proven[proof] === index) {
			stamp = BigInt.asIntN(64, stamp +
				BigInt(proven[proof + 1]));
			model.stamp[n] = stamp;
			model.whole[n] = Number(proven[proof + 2]);
			proof += 3;
		}
		model.raw++;
		i += 3;
		if (kind === LOST) {
			model.lost += BigInt(e[i]);
			addValue(e[i++], UNSIGNED, names);
			continue;
		}
		if (kind & BARE)
			continue;
		const {args} = model.messages[message];
		for (let k = 0; k < args.length; k++)
			addValue(e[i++], args[k].format, names);
	}
}

/* Put rows [from, to) in order of time; those of one time stay as they are. */
function sortRows(from, to) {
	const order = new Uint32Array(to - from);
	for (let i = 0; i < order.length; i++)
		order[i] = from + i;
	const {t} = model;
	order.sort((a, b) => t[a] - t[b] || a - b);
	for (const name of Object.keys(ENTRY_COLUMNS)) {
		const column = model[name];
		column.set(column.slice(from, to).map(
			(_, i) => column[order[i]]), from);
	}
}

function isSorted(from, to) {
	for (let i = Math.max(from, 1); i < to; i++)
		if (model.t[i] < model.t[i - 1])
			return false;
	return true;
}

/* Take what was read.  A reader of a live file sees lanes one after another,
 * so the newest "hold" ns wait for the next round.  True when entries that
 * were settled before moved. */
function settleModel(hold) {
	const from = model.count, to = model.raw;
	if (from === to)
		return false;
	if (!isSorted(from + 1, to))
		sortRows(from, to);
	const late = from > 0 && model.t[from] < model.t[from - 1];
	if (late)
		sortRows(0, to);
	let end = to;
	const limit = model.t[to - 1] - hold;
	while (hold > 0 && end > from && model.t[end - 1] > limit)
		end--;
	model.count = end;
	if (late)
		model.version++;
	return late;
}

/* Forget the oldest so that n are left, and what only they named. */
function dropOldest(n) {
	const drop = model.count - n;
	const pool = model.pool, wide = model.wide, old = model.at.slice();
	for (const name of Object.keys(ENTRY_COLUMNS))
		model[name].copyWithin(0, drop, model.raw);
	model.raw -= drop;
	model.count -= drop;
	model.dropped += drop;
	model.pool = new Float64Array(pool.length);
	model.wide = new Map();
	model.poolSize = 0;
	for (let i = 0; i < model.raw; i++) {
		const size = valueCount(i), from = old[i + drop];
		model.at[i] = model.poolSize;
		for (let k = 0; k < size; k++) {
			const text = wide.get(from + k);
			if (text !== undefined)
				model.wide.set(model.poolSize, text);
			model.pool[model.poolSize++] = pool[from + k];
		}
	}
	model.version++;
}

function valueCount(i) {
	const kind = model.kind[i];
	if (kind === LOST)
		return 1;
	if (kind & BARE)
		return 0;
	const m = model.messages[model.message[i]];
	return m.args.length;
}

/* The exact integer in the pool. */
function wideValue(at) {
	const digits = model.wide.get(at);
	return BigInt(digits === undefined ? model.pool[at] : digits);
}

/* The first of n places that is not before what is sought; the places before it
 * are. */
function firstPlace(n, isBefore) {
	let low = 0, high = n;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBefore(middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first entry at or after time t. */
function lowerBound(t) {
	return firstPlace(model.count, (i) => model.t[i] < t);
}
