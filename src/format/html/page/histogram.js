/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.js - how the durations of one message's spans, or the intervals
 * between its entries, are distributed in the visible or measured range. */
const OCTAVE = 4;	/* buckets for each power of two, as in summary.c */

const histogram = {message: ""}; /* its key; "": the one of most time */

function bucketOf(ns) {
	if (ns < 4)
		return Math.max(Math.floor(ns), 0);
	const log2 = Math.floor(Math.log2(ns));
	return OCTAVE * (log2 - 1) + Math.floor(ns / 2 ** (log2 - 2)) % 4;
}

function bucketLow(bucket) {
	return bucket < 4 ? bucket : (4 + bucket % 4) *
		2 ** (Math.floor(bucket / OCTAVE) - 1);
}

/* bucket -> count, of sorted samples or of what the daemon counted. */
function bucketsOf(r) {
	const buckets = new Map();
	const add = (bucket, n) =>
		buckets.set(bucket, (buckets.get(bucket) ?? 0) + n);
	if (r.samples)
		for (const ns of r.samples)
			add(bucketOf(ns), 1);
	else
		for (let i = 0; i < (r.histogram?.length ?? 0); i += 2)
			add(bucketOf(r.histogram[i]), r.histogram[i + 1]);
	return buckets;
}

/* Messages that have something to show, the one of most time first. */
function showHistogramChoices(rows) {
	const select = byId("histogram-message");
	const list = rows.filter((r) => Number.isFinite(r.max))
		.sort((a, b) => b.span - a.span || b.total - a.total ||
			b.count - a.count).slice(0, ROWS_MAX);
	const keys = list.map((r) => r.key);
	if (select.dataset.keys !== keys.join("\0")) {
		select.dataset.keys = keys.join("\0");
		select.replaceChildren(...list.map((r) =>
			option(r.key, r.message.slice(0, 80))));
	}
	if (!keys.includes(histogram.message))
		histogram.message = keys[0] ?? "";
	select.value = histogram.message;
	return list.find((r) => r.key === histogram.message);
}

/* Show only the spans of a bucket. */
function showBucket(r, low, high) {
	byId("search").value = "slower:" + low + "ns faster:" + high + "ns";
	view.only = r.key;
	onSearch();
	statisticsSoon();
}

function histogramBar(r, bucket, n, most, all) {
	const low = bucketLow(bucket), high = bucketLow(bucket + 1);
	const bar = element("div", "bucket");
	bar.title = durationText(low) + " to " + durationText(high) + ": " +
		countText(n) + " (" + (100 * n / all).toPrecision(3) + " %)";
	bar.dataset.count = n;
	if (r.span && n > 0) {
		bar.title += "; press to see only these";
		bar.addEventListener("click", () => showBucket(r, low, high));
	}
	const fill = element("i");
	fill.style.height = n === 0 ? "0" :
		"max(2px, " + 100 * n / most + "%)";
	bar.append(fill);
	if (bucket % OCTAVE === 0)
		bar.append(element("small", "", durationText(low)));
	return bar;
}

function showHistogram() {
	const chart = byId("histogram-chart");
	const r = showHistogramChoices(statistics.rows.slice());
	if (!r) {
		byId("histogram-note").textContent = "";
		chart.replaceChildren(element("p", "hint",
			"Nothing was measured here."));
		return;
	}
	const buckets = bucketsOf(r), keys = [...buckets.keys()];
	const low = Math.min(...keys), high = Math.max(...keys);
	const most = Math.max(...buckets.values());
	const all = [...buckets.values()].reduce((a, b) => a + b, 0);
	const bars = [];
	for (let k = low - 1; k <= high + 1; k++)
		if (k >= 0)
			bars.push(histogramBar(r, k, buckets.get(k) ?? 0,
				most, all));
	const text = countText(all) + (r.span ? " durations" : " intervals") +
		": median " + durationText(r.median) + ", p99 " +
		durationText(r.p99) + ", longest " + durationText(r.max);
	byId("histogram-note").textContent = text;
	chart.setAttribute("aria-label", "histogram of " + r.message + ", " +
		text);
	chart.replaceChildren(...bars);
}
