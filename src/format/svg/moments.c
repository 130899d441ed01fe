/* SPDX-License-Identifier: Apache-2.0 */
/* moments.c - count losses and level changes in columns, and draw them. */
#include "format/svg/moments.h"

#include "event/levels.h"

enum {
	ROW_HEIGHT = 18,
	MARK_HEIGHT = 12,
	MARK_LEAST = 2,  /* least width of a mark */
	LEVEL_APART = 60 /* distance of level labels */
};

void
tl_svg_moments_init(struct svg_moments *m)
{
	*m = (struct svg_moments){ .columns = { .count = SVG_COLUMNS } };
}

static void
join(struct svg_moment *to, const struct svg_moment *from)
{
	to->lost = tl_svg_add(to->lost, from->lost);
	to->losses = tl_svg_add(to->losses, from->losses);
	if (from->level != 0 && (to->level == 0 || from->level < to->level))
		to->level = from->level;
}

/* Join columns, before their width doubles this many times. */
static void
fold(struct svg_moments *m, unsigned doublings)
{
	struct svg_moment old[SVG_COLUMNS];
	uint64_t column;

	memcpy(old, m->of, sizeof(old));
	memset(m->of, 0, sizeof(m->of));
	for (uint64_t i = 0; tl_svg_columns_at(&m->columns, i, &column); i++)
		join(&m->of[tl_svg_folded(&m->columns, column, doublings)],
		    &old[tl_svg_folded(&m->columns, column, 0)]);
}

/*
 * A loss is counted at the entry before it, because the time of a loss is
 * unusable: it may be before all entries or after all.
 */
void
tl_svg_moments_put(struct svg_moments *m, const struct tl_event *event)
{
	const struct svg_columns *c = &m->columns;
	struct svg_moment *at;
	unsigned doublings;

	if (!event->message) {
		const struct svg_moment loss = { .lost = event->lost,
			.losses = 1 };

		if (event->overwritten)
			return;
		at = &m->of[c->last >> c->shift & (c->count - 1)];
		join(c->begun ? at : &m->before, &loss);
		m->any_loss = true;
		return;
	}
	doublings = tl_svg_columns_doublings(c, event->ns);
	if (doublings > 0)
		fold(m, doublings);
	tl_svg_columns_stretch(&m->columns, event->ns);
	at = &m->of[tl_svg_columns_place(c, event->ns)];
	if (m->before.losses > 0) {
		join(at, &m->before);
		m->before = (struct svg_moment){ 0 };
	}
	if (tl_level_is_change(event) && event->args[0] >= TIMELINE_LEVEL_MIN &&
	    event->args[0] <= TIMELINE_LEVEL_NONE) { /* otherwise damaged */
		const struct svg_moment level = { .level =
						      (uint8_t)event->args[0] };

		join(at, &level);
		m->any_level = true;
	}
}

struct svg_time
tl_svg_moments_time(const struct svg_moments *m, struct svg_box box)
{
	const struct svg_columns *c = &m->columns;
	const uint64_t end = ((c->last >> c->shift) + 1) << c->shift;
	struct svg_time time = { .from_ns =
				     (int64_t)tl_svg_offset((int64_t)c->first),
		.length_ns = end - c->first,
		.box = box };

	if (time.length_ns == 0) /* 2^64: the end is INT64_MAX */
		time.length_ns = UINT64_MAX;
	return time;
}

bool
tl_svg_moments_next(const struct svg_moments *m, const struct svg_time *time,
    unsigned i, uint64_t *place, struct svg_box *box)
{
	const struct svg_columns *c = &m->columns;
	const double scale = time->box.width / (double)time->length_ns;
	uint64_t column, begin, end;

	if (!tl_svg_columns_at(c, i, &column))
		return false;
	begin = column << c->shift;
	end = begin - c->first + (UINT64_C(1) << c->shift);
	begin = begin > c->first ? begin - c->first : 0;
	*place = tl_svg_folded(c, column, 0);
	*box = time->box;
	box->x += (double)begin * scale;
	box->width = (double)(end - begin) * scale;
	return true;
}

void
tl_svg_moments_draw(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time)
{
	struct svg_box box;
	uint64_t place;

	for (unsigned i = 0; tl_svg_moments_next(m, time, i, &place, &box);
	     i++) {
		const struct svg_point from = { box.x, box.y };
		const struct svg_point to = { box.x, box.y + box.height };

		if (box.width < MARK_LEAST)
			box.width = MARK_LEAST;
		if (m->of[place].losses > 0)
			tl_svg_rect(text, "lost", box);
		if (m->of[place].level > 0)
			tl_svg_line(text, "level-line", from, to);
	}
}

/* Draw the places of missing entries, with their numbers. */
static void
put_losses(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time, double y)
{
	struct svg_box box;
	uint64_t place;

	tl_svg_word(text, "dim", (struct svg_point){ SVG_MARGIN, y + 10 },
	    "lost");
	for (unsigned i = 0; tl_svg_moments_next(m, time, i, &place, &box);
	     i++) {
		if (m->of[place].losses == 0)
			continue;
		if (box.width < MARK_LEAST)
			box.width = MARK_LEAST;
		box.y = y;
		box.height = MARK_HEIGHT;
		tl_svg_rect_open(text, "lost-mark", box);
		tl_put_string(text, "<title>");
		tl_svg_count(text, m->of[place].lost);
		tl_put_string(text, " lost</title></rect>\n");
	}
}

/* Draw the changes of levels, with labels where there is room. */
static void
put_levels(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time, double y)
{
	struct svg_box box;
	uint64_t place;
	double free_from = 0;

	tl_svg_word(text, "dim", (struct svg_point){ SVG_MARGIN, y + 10 },
	    "level set");
	for (unsigned i = 0; tl_svg_moments_next(m, time, i, &place, &box);
	     i++) {
		const uint8_t level = m->of[place].level;

		if (level == 0)
			continue;
		tl_svg_rect(text, "level",
		    (struct svg_box){ box.x, y, MARK_LEAST, MARK_HEIGHT });
		if (box.x < free_from || box.x > SVG_WIDTH - LEVEL_APART)
			continue;
		free_from = box.x + LEVEL_APART;
		tl_svg_word(text, "dim",
		    (struct svg_point){ box.x + 5, y + 10 },
		    level == TIMELINE_LEVEL_NONE ? "nothing"
						 : tl_level_name(level));
	}
}

void
tl_svg_moments_rows(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time, double y)
{
	if (m->any_loss) {
		put_losses(text, m, time, y);
		y += ROW_HEIGHT;
	}
	if (m->any_level)
		put_levels(text, m, time, y);
}

double
tl_svg_moments_height(const struct svg_moments *m)
{
	return ROW_HEIGHT * (m->any_loss + m->any_level);
}
