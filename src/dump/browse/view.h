/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h - the screen: rows, details, a prompt, pages in place of the rows.
 *
 *	 1/0  1 of 5  # Thread 1 (worker)  x.trace                    title
 *	   1.234ms  61.7%  - request id(7)                            rows
 *	     531us  43.0%      parse size(3)
 *	------------------------------------------------------------
 *	request id(7)                                                 details
 *	? help  q quit  ...                                           prompt
 */
#ifndef TL_DUMP_BROWSE_VIEW_H
#define TL_DUMP_BROWSE_VIEW_H

#include "dump/browse/merged.h"
#include "dump/browse/model.h"

/* How long it took, for the column of times; nothing for what has no time. */
void tl_browse_put_time(struct tl_text *text, const struct tl_row *row);
/* "+ words", "- words" when unfolded; two spaces where nothing is inside. */
void tl_browse_put_row(struct tl_text *text, const struct tl_row *row);
enum { TL_PROMPT_MAX = 256 };

/* Columns between duration and message. */
enum tl_columns {
	TL_COLUMNS_FIT, /* all on a wide terminal, else the share */
	TL_COLUMNS_SHARE,
	TL_COLUMNS_SELF,
	TL_COLUMNS_START,
	TL_COLUMNS_ALL,
	TL_COLUMNS_NONE,
	TL_COLUMNS_COUNT
};

enum {
	TL_SELF_MAX = 1 << 14, /* children that are summed for a self time */
	TL_SELF_CACHE = 1 << 9
};

/* The self time of a node, known by where its content is. */
struct tl_self {
	uint64_t content; /* 0: none is known */
	uint64_t thread;
	int64_t ns;
};

struct tl_view {
	struct tl_browse *browse;
	bool details;
	enum tl_columns columns;
	unsigned shift; /* columns that rows are moved to the left */
	char message[TL_PROMPT_MAX]; /* shown until the next key */
	struct tl_text text;         /* of the line in hand */
	struct tl_self self[TL_SELF_CACHE];
};

/* The duration without that of the children; -1: it has none, or more than
 * TL_SELF_MAX children. */
int64_t tl_view_self(struct tl_view *view, const struct tl_row *row);

/* Lines for the pane of details, appended to view->text. */
void tl_view_put_details(struct tl_view *view, const struct tl_row *row);
/* Give the model as many rows as there is room for. */
void tl_view_resize(struct tl_view *view);
void tl_view_draw(struct tl_view *view);
/* Lines in place of the rows, one of them marked. */
void tl_view_draw_page(struct tl_view *view, const char *title,
    const char *const *lines, size_t count);
void tl_view_draw_threads(struct tl_view *view, uint64_t top, uint64_t at);
/* Merged calls from top on; width of the message is what is left. */
void tl_view_draw_merged(struct tl_view *view, const struct tl_merged *merged,
    const struct tl_merged_call *top, const struct tl_merged_call *at);
/* How many of them fit. */
uint64_t tl_view_page_rows(void);
/* The last line alone; the cursor behind it when asked for. */
void
tl_view_draw_prompt(struct tl_view *view, const char *lead, const char *typed);

#endif
