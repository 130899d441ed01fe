/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front_fixture.h - what a front end left in a timeline, a line for each
 * entry, oldest first:
 *
 *	> sfx2 "::Foo\nauthor: ab1"
 *	. rtl "$1%d of $2%s" 5 "text"
 */
#ifndef TESTS_UNIT_FRONT_FIXTURE_H
#define TESTS_UNIT_FRONT_FIXTURE_H

#include "base/text.h"
#include "lib/fixture.h"
#include "lib/test.h"

enum { FRONT_ENTRIES_MAX = 4096 };

static struct tl_text front_text;

static inline int
front_older(const void *a, const void *b)
{
	const struct timeline_entry *const *x = a;
	const struct timeline_entry *const *y = b;

	return ((*x)->tsc > (*y)->tsc) - ((*x)->tsc < (*y)->tsc);
}

static inline struct tl_record
front_record(const struct timeline *of, uint64_t offset)
{
	struct tl_record r;

	ck_assert_ok(tl_record_at(&r, of->strings, of->geometry.strings_size,
	    offset, 0, NULL));
	return r;
}

static inline void
front_put(const struct timeline *of, const struct timeline_entry *e)
{
	const struct tl_record r =
	    front_record(of, e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS);

	if (r.fixed.builtin != TIMELINE_BUILTIN_NONE)
		return;
	tl_put_string(&front_text, r.fixed.kind != TIMELINE_RECORD_SPAN ? ". "
				   : (e->message & TIMELINE_MESSAGE_END)
				       ? "< "
				       : "> ");
	tl_put_bytes(&front_text, r.category);
	tl_put_string(&front_text, " \"");
	tl_put_bytes(&front_text, r.text);
	tl_put_char(&front_text, '"');
	for (unsigned i = 0; i < r.fixed.argc; i++) {
		tl_put_char(&front_text, ' ');
		if (e->message & TIMELINE_MESSAGE_BARE) {
			tl_put_char(&front_text, '-');
		} else if (r.fixed.formats[i] == TIMELINE_ARG_STRING) {
			tl_put_char(&front_text, '"');
			tl_put_bytes(&front_text,
			    front_record(of, e->args[i]).text);
			tl_put_char(&front_text, '"');
		} else {
			tl_put_signed(&front_text, (int64_t)e->args[i]);
		}
	}
	tl_put_char(&front_text, '\n');
}

/* List all entries; the lanes must have held all of them. */
static inline const char *
front_list(const struct timeline *of)
{
	static const struct timeline_entry *entries[FRONT_ENTRIES_MAX];
	size_t count = 0;

	tl_text_clear(&front_text);
	for (uint32_t i = 0; i < timeline_lane_count(&of->geometry); i++) {
		const struct timeline_head *head =
		    (void *)(of->map + timeline_head_offset(&of->geometry, i));

		for (uint64_t q = 0; q < head->head; q++) {
			ck_assert_uint_lt(count, FRONT_ENTRIES_MAX);
			entries[count++] =
			    (void *)(of->map +
				     timeline_entry_offset(&of->geometry, i,
					 q));
		}
	}
	qsort(entries, count, sizeof(void *), front_older);
	for (size_t i = 0; i < count; i++)
		front_put(of, entries[i]);
	return tl_text_string(&front_text);
}

#endif
