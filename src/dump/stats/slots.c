/* SPDX-License-Identifier: Apache-2.0 */
/* slots.c - the slots that a plan opened, and totals from these slots. */
#include "dump/stats/slots.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { ROOM_FIRST = 64 };
/* A plan with more slots is damaged: these would be days of slots of 100 us. */
static const uint64_t slots_max = UINT64_C(1) << 32;
/* Slots closer to a change are not used, because the times of stamps are
 * interpolated. */
static const int64_t margin_ns = 2000;

static int
grow(void **array, size_t count, size_t *capacity, size_t size)
{
	const size_t more = *capacity ? *capacity * 2 : ROOM_FIRST;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = realloc(*array, more * size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = more;
	return 0;
}

/* Add the plan that was in force up to an entry. */
static int
add_plan(struct tl_slots *s, const struct tl_event *event)
{
	struct tl_slot_plan *p;
	const int rc =
	    grow((void **)&s->plans, s->count, &s->capacity, sizeof(*s->plans));

	if (rc != 0)
		return rc;
	p = &s->plans[s->count++];
	*p = s->state;
	p->to_ns = event->ns;
	p->to = event->tsc;
	return 0;
}

static bool
is_of_state(const struct tl_slots *s, const struct tl_plan_entry *plan,
    uint32_t pid)
{
	const struct tl_slot_plan *p = &s->state;

	return s->begun && plan->level > p->last_level &&
	       p->held == plan->held && p->seed == plan->seed &&
	       p->pid == pid && p->epoch == plan->epoch &&
	       p->over == (plan->lease == 0);
}

int
tl_slots_put(struct tl_slots *s, const struct tl_event *event)
{
	struct tl_plan_entry plan;
	int rc;

	if (!tl_plan_read(event, &plan)) /* damaged */
		return 0;
	if (!is_of_state(s, &plan, event->pid)) {
		if (s->begun && plan.held && !s->state.over &&
		    s->state.seed == plan.seed && s->state.pid == event->pid &&
		    s->state.epoch == plan.epoch &&
		    event->tsc > s->state.from &&
		    (rc = add_plan(s, event)) != 0)
			return rc;
		s->first_ns = s->begun ? s->first_ns : event->ns;
		s->begun = true;
		s->state = (struct tl_slot_plan){ .seed = plan.seed,
			.shift = plan.shift,
			.pid = event->pid,
			.epoch = plan.epoch,
			.held = plan.held,
			.over = plan.lease == 0 };
	}
	s->state.last_level = plan.level;
	s->state.from_ns = s->last_ns = event->ns;
	s->state.from = event->tsc;
	for (unsigned gate = plan.level; gate < TL_LEVEL_GATES; gate++)
		s->state.shares[gate] = plan.share;
	return 0;
}

int
tl_slots_lose(struct tl_slots *s, int64_t from_ns, int64_t to_ns)
{
	const int rc = grow((void **)&s->losses, s->loss_count,
	    &s->loss_capacity, sizeof(*s->losses));

	if (rc == 0)
		s->losses[s->loss_count++] =
		    (struct tl_slot_loss){ from_ns, to_ns };
	return rc;
}

void
tl_slots_free(struct tl_slots *s)
{
	free(s->plans);
	free(s->losses);
	*s = (struct tl_slots){ 0 };
}

/* The time of a stamp inside a plan, interpolated between the plan's ends. */
static int64_t
time_of(const struct tl_slot_plan *p, uint64_t stamp)
{
	return p->from_ns +
	       (int64_t)((double)(stamp - p->from) / (double)(p->to - p->from) *
			 ((double)p->to_ns - (double)p->from_ns));
}

/* The window of the levels that contains ns, or NULL. */
static const struct tl_level_window *
window_of(const struct tl_slot_samples *s, int64_t ns)
{
	size_t i;

	TL_SEARCH(i, 0, s->window_count, s->windows[i].to_ns <= ns);
	return i == s->window_count || ns < s->windows[i].from_ns
		   ? NULL
		   : &s->windows[i];
}

static bool
touches_loss(const struct tl_slots *slots, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < slots->loss_count; i++)
		if (slots->losses[i].from_ns <= to_ns &&
		    from_ns <= slots->losses[i].to_ns)
			return true;
	return false;
}

/* In place of a group. */
enum {
	OPEN = -1,   /* base or burst let the entry in */
	NOWHERE = -2 /* the entry is in no window and is not counted */
};

/* The group of a slot, or NOWHERE if the slot is no window.  *base is then the
 * least gate that is open anyway. */
static int
group_of(const struct tl_slot_samples *s, const struct tl_slot_plan *p,
    uint64_t slot, uint8_t *base)
{
	const int64_t from = time_of(p, slot << p->shift);
	const int64_t to = time_of(p, (slot + 1) << p->shift);
	const struct tl_level_window *w = window_of(s, from - margin_ns);

	if (from - margin_ns < s->from_ns || to + margin_ns >= s->to_ns)
		return NOWHERE;
	if (!w || w->threshold == 0 || w->burst || to + margin_ns >= w->to_ns ||
	    touches_loss(s->slots, from, to))
		return NOWHERE;
	*base = w->base;
	return (int)(((double)from - (double)s->from_ns) * TL_SLOT_GROUPS /
		     ((double)s->to_ns - (double)s->from_ns));
}

/* The whole slots of a plan: the first slot, and the slot after the last. */
static void
whole_slots(const struct tl_slot_plan *p, uint64_t *first, uint64_t *end)
{
	*first = timeline_slot(p->from, p->shift) + 1;
	*end = timeline_slot(p->to, p->shift);
	if (p->shift == 0 || *end < *first || *end - *first > slots_max)
		*end = *first;
}

static void
add_slots(struct tl_slot_samples *s, const struct tl_slot_plan *p)
{
	const double seconds = ((double)p->to_ns - (double)p->from_ns) *
			       (double)(UINT64_C(1) << p->shift) /
			       (double)(p->to - p->from) / 1e9;
	uint64_t first, end;
	uint32_t most = 0;

	for (unsigned gate = 0; gate < TL_LEVEL_GATES; gate++)
		if (p->shares[gate] > most)
			most = p->shares[gate];
	whole_slots(p, &first, &end);
	for (uint64_t slot = first; slot < end; slot++) {
		uint8_t base;
		int group;

		if (!tl_slot_is_open(slot, most, p->seed))
			continue;
		group = group_of(s, p, slot, &base);
		if (group < 0)
			continue;
		for (unsigned gate = 1; gate < TL_LEVEL_GATES && gate < base;
		     gate++) {
			if (!tl_slot_is_open(slot, p->shares[gate], p->seed))
				continue;
			s->length_s[gate][group] += seconds;
			s->count[gate]++;
		}
	}
}

static double
overlap_s(const struct tl_slot_samples *s, int64_t from_ns, int64_t to_ns)
{
	const int64_t from = from_ns > s->from_ns ? from_ns : s->from_ns;
	const int64_t to = to_ns < s->to_ns ? to_ns : s->to_ns;

	return to > from ? ((double)to - (double)from) / 1e9 : 0;
}

void
tl_slot_samples_init(struct tl_slot_samples *s, const struct tl_slots *slots,
    const struct tl_level_window *windows, size_t window_count, int64_t from_ns,
    int64_t to_ns)
{
	double held_s = 0, all_s;

	*s = (struct tl_slot_samples){ .slots = slots,
		.windows = windows,
		.window_count = window_count,
		.from_ns =
		    from_ns > slots->first_ns ? from_ns : slots->first_ns,
		.to_ns = to_ns < slots->last_ns ? to_ns : slots->last_ns };
	all_s = overlap_s(s, s->from_ns, s->to_ns);
	if (!slots->begun || all_s <= 0)
		return;
	for (size_t i = 0; i < window_count; i++) {
		const double seconds =
		    overlap_s(s, windows[i].from_ns, windows[i].to_ns);

		if (windows[i].threshold == 0)
			continue;
		s->known_s += seconds;
		for (unsigned gate = windows[i].threshold;
		     gate < TL_LEVEL_GATES; gate++)
			s->open_s[gate] += seconds;
	}
	for (size_t i = 0; i < slots->count; i++) {
		held_s += overlap_s(s, slots->plans[i].from_ns,
		    slots->plans[i].to_ns);
		add_slots(s, &slots->plans[i]);
	}
	s->starved = held_s < all_s ? 1 - held_s / all_s : 0;
}

/* The plan that was in force at a stamp. */
static const struct tl_slot_plan *
plan_of(const struct tl_slots *slots, int64_t ns, uint64_t stamp)
{
	size_t low;

	TL_SEARCH(low, 0, slots->count, slots->plans[low].to_ns < ns);
	/* the times of stamps are rounded, so the neighbours are tried too */
	for (size_t i = low > 0 ? low - 1 : 0; i < slots->count && i <= low + 1;
	     i++)
		if (slots->plans[i].from <= stamp &&
		    stamp <= slots->plans[i].to)
			return &slots->plans[i];
	return NULL;
}

/* The group of an entry of a message with a gate. */
static int
find_group(const struct tl_slot_samples *s, unsigned gate, int64_t ns,
    uint64_t stamp)
{
	const struct tl_level_window *w;
	const struct tl_slot_plan *p;
	uint64_t slot, first, end;
	uint8_t base;
	int group;

	if (gate == 0 || gate >= TL_LEVEL_GATES || ns < s->from_ns ||
	    ns >= s->to_ns)
		return NOWHERE;
	w = window_of(s, ns);
	if (w && w->threshold != 0 && gate >= w->threshold)
		return OPEN;
	p = plan_of(s->slots, ns, stamp);
	if (!p)
		return NOWHERE;
	slot = timeline_slot(stamp, p->shift);
	whole_slots(p, &first, &end);
	if (slot < first || slot >= end ||
	    !tl_slot_is_open(slot, p->shares[gate], p->seed))
		/* the slot was closed, or an end of the plan cuts the slot */
		return NOWHERE;
	group = group_of(s, p, slot, &base);
	return group >= 0 && gate >= base ? NOWHERE : group;
}

int
tl_slot_tally_put(struct tl_slot_tally *tally, const struct tl_slot_samples *s,
    unsigned gate, int64_t ns, uint64_t stamp)
{
	int group;

	if (gate >= TL_LEVEL_GATES || s->count[gate] == 0)
		return 0; /* no total will be made */
	group = find_group(s, gate, ns, stamp);
	tally->open += group == OPEN;
	if (group < 0)
		return 0;
	if (!tally->seen)
		tally->seen = calloc(TL_SLOT_GROUPS, sizeof(*tally->seen));
	if (!tally->seen)
		return -ENOMEM;
	tally->seen[group]++;
	return 0;
}

void
tl_slot_tally_free(struct tl_slot_tally *tally)
{
	free(tally->seen);
	*tally = (struct tl_slot_tally){ 0 };
}

/* The 97.5 % quantile of Student's t: exact for few degrees of freedom, then
 * Hill's series in 1 / freedom around the normal quantile. */
static double
t_quantile(unsigned freedom)
{
	static const double exact[] = { 0, 12.7062, 4.3027, 3.1824, 2.7764,
		2.5706 };
	const double z = 1.959964, n = freedom;

	if (freedom < sizeof(exact) / sizeof(exact[0]))
		return exact[freedom];
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

/* The rate in windows: a ratio estimator over groups.  The variance comes from
 * the differences between the groups. */
struct ratio {
	double seen;
	double seconds;
	double rate;
	double half; /* half of the interval: t * standard error */
	unsigned groups;
};

static struct ratio
ratio_of(const double *lengths, const double *seen)
{
	struct ratio r = { 0 };
	double squares = 0;

	for (unsigned i = 0; i < TL_SLOT_GROUPS; i++) {
		r.groups += lengths[i] > 0;
		r.seconds += lengths[i];
		r.seen += seen ? seen[i] : 0;
	}
	if (r.seconds <= 0)
		return r;
	r.rate = r.seen / r.seconds;
	for (unsigned i = 0; i < TL_SLOT_GROUPS; i++) {
		const double off = (seen ? seen[i] : 0) - r.rate * lengths[i];

		squares += off * off;
	}
	if (r.groups > 1)
		r.half = t_quantile(r.groups - 1) *
			 sqrt(squares * r.groups / (r.groups - 1)) / r.seconds;
	return r;
}

/* a message with this many entries in the windows, on average, is seen with a
 * probability of 97.5 % */
static const double none_seen = 3.689;
/* no total if no plan was in force for more than this share of the time */
static const double starved_max = 0.05;

/* Compute the total.  Slots are few and their counts vary a lot, so the
 * interval is symmetric in the logarithm. */
void
tl_slot_total(struct tl_slot_total *total, const struct tl_slot_samples *s,
    const struct tl_slot_tally *tally, unsigned gate)
{
	double rest_s, open, part, spread;
	struct ratio r;

	*total = (struct tl_slot_total){ 0 };
	if (gate == 0 || gate >= TL_LEVEL_GATES || s->count[gate] == 0)
		return;
	r = ratio_of(s->length_s[gate], tally->seen);
	rest_s = s->known_s - s->open_s[gate];
	if (r.seconds <= 0 || rest_s <= 0)
		return;
	/* the sampled part of the rest is known and not estimated */
	r.half *= sqrt(fmax(0, 1 - r.seconds / rest_s));
	/* if all slots have the same count, an end of a slot may still cut off
	 * an entry */
	r.half = fmax(r.half, 1 / r.seconds);
	open = tally->open / s->known_s;
	part = rest_s / s->known_s;
	spread = r.rate > 0 ? exp(r.half / r.rate) : 1;
	total->slots = s->count[gate];
	total->starved = s->starved;
	total->known = s->starved <= starved_max;
	total->interval = r.groups > 1;
	total->seconds = s->known_s;
	total->rate = open + r.rate * part;
	total->rate_low =
	    open + fmax(r.rate / spread * part, r.seen / s->known_s);
	total->rate_high =
	    open +
	    (r.seen > 0 ? r.rate * spread : none_seen / r.seconds) * part;
}
