/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - what is on the screen: rows, details, a prompt.
 */
#ifndef TL_DUMP_BROWSE_VIEW_H
#define TL_DUMP_BROWSE_VIEW_H

#include "dump/browse/model.h"

/* How long it took, for the column of times; nothing for what has no time. */
void tl_browse_put_time(struct tl_text *text, const struct tl_row *row);
/* "+ words", "- words" when unfolded; two spaces where nothing is inside. */
void tl_browse_put_row(struct tl_text *text, const struct tl_row *row);
/* Lines for the pane of details. */
void tl_browse_put_details(struct tl_text *text, const struct tl_browse *browse,
    const struct tl_row *row);

enum { TL_PROMPT_MAX = 256 };

struct tl_view {
	struct tl_browse *browse;
	bool details;
	char message[TL_PROMPT_MAX]; /* said until the next key */
	struct tl_text text;         /* of the line in hand */
};

/* Give the model as many rows as there is room for. */
void tl_view_resize(struct tl_view *view);
void tl_view_draw(struct tl_view *view);
/* Lines in place of the rows, one of them marked. */
void tl_view_draw_page(struct tl_view *view, const char *title,
    const char *const *lines, size_t count);
void tl_view_draw_threads(struct tl_view *view, uint64_t top, uint64_t at);
/* How many of them fit. */
uint64_t tl_view_page_rows(void);
/* The last line alone; the cursor behind it when asked for. */
void
tl_view_draw_prompt(struct tl_view *view, const char *lead, const char *typed);

#endif
