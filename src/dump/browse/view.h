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

/* Append the duration of a row for its column; nothing if it has none. */
void tl_browse_put_time(struct tl_text *text, const struct tl_row *row);
/* Append "+ text", or "- text" if it is unfolded; two spaces if nothing is
 * inside. */
void tl_browse_put_row(struct tl_text *text, const struct tl_row *row);
enum { TL_PROMPT_MAX = 256 };

/* Columns between duration and message. */
enum tl_columns {
	/* all of them if the terminal is wide, else the share */
	TL_COLUMNS_FIT,
	TL_COLUMNS_SHARE,
	TL_COLUMNS_SELF,
	TL_COLUMNS_START,
	TL_COLUMNS_ALL,
	TL_COLUMNS_NONE,
	TL_COLUMNS_COUNT
};

enum {
	/* a self time is known for at most this many children */
	TL_SELF_MAX = 1 << 14,
	TL_SELF_CACHE = 1 << 9
};

/* The self time of a node, which is identified by the place of its content. */
struct tl_self {
	uint64_t content; /* 0: unset */
	uint64_t thread;
	int64_t ns;
};

struct tl_view {
	struct tl_browse *browse;
	bool details;
	enum tl_columns columns;
	unsigned shift; /* columns that rows are moved to the left */
	char message[TL_PROMPT_MAX]; /* shown until the next key */
	struct tl_text text;         /* the line that is drawn */
	struct tl_self self[TL_SELF_CACHE];
};

/* The duration without that of the children.  -1: it has none, or more than
 * TL_SELF_MAX children. */
int64_t tl_view_self(struct tl_view *view, const struct tl_row *row);

/* Append the lines of the pane of details to view->text. */
void tl_view_put_details(struct tl_view *view, const struct tl_row *row);
/* Set the number of rows of the model to those that fit. */
void tl_view_resize(struct tl_view *view);
void tl_view_draw(struct tl_view *view);
/* Draw lines in place of the rows, one of them marked. */
void tl_view_draw_page(struct tl_view *view, const char *title,
    const char *const *lines, size_t count);
void tl_view_draw_threads(struct tl_view *view, uint64_t top, uint64_t at);
/* Draw merged calls from top on; the message gets the width that is left. */
void tl_view_draw_merged(struct tl_view *view, const struct tl_merged *merged,
    const struct tl_merged_call *top, const struct tl_merged_call *at);
/* How many lines of such a page fit. */
uint64_t tl_view_page_rows(void);
/* Draw the last line only, with the cursor after it if typed is set. */
void
tl_view_draw_prompt(struct tl_view *view, const char *lead, const char *typed);

#endif
