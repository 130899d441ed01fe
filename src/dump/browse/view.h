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

/* Append the duration of a row for its column.  Appends nothing if the row has
 * no duration. */
void tl_browse_put_time(struct tl_text *text, const struct tl_row *row);
/* Append "+ text", "- text" if the row is unfolded, or " text" if there is
 * nothing inside. */
void tl_browse_put_row(struct tl_text *text, const struct tl_row *row);
enum { TL_PROMPT_MAX = 256 };

/* Columns between duration and message. */
enum tl_columns {
	/* all columns if the terminal is wide, else the share */
	TL_COLUMNS_FIT,
	TL_COLUMNS_SHARE,
	TL_COLUMNS_SELF,
	TL_COLUMNS_START,
	TL_COLUMNS_ALL,
	TL_COLUMNS_NONE,
	TL_COLUMNS_COUNT
};

enum {
	/* a node with more children has no self time */
	TL_SELF_MAX = 1 << 14,
	TL_SELF_CACHE = 1 << 9
};

/* The self time of a node.  The place of its content identifies the node. */
struct tl_self {
	uint64_t content; /* 0: unset */
	uint64_t thread;
	int64_t ns;
};

struct tl_view {
	struct tl_browse *browse;
	bool details;
	enum tl_columns columns;
	unsigned shift; /* columns by which rows are shifted to the left */
	char message[TL_PROMPT_MAX]; /* shown until the next key */
	struct tl_text text;         /* the line being drawn */
	struct tl_self self[TL_SELF_CACHE];
};

/* The duration of a node without the durations of its children.  -1: no
 * duration, or more than TL_SELF_MAX children. */
int64_t tl_view_self(struct tl_view *view, const struct tl_row *row);

/* Append the lines of the details pane to view->text. */
void tl_view_put_details(struct tl_view *view, const struct tl_row *row);
/* Set the number of rows of the model to the rows that fit. */
void tl_view_resize(struct tl_view *view);
void tl_view_draw(struct tl_view *view);
/* Draw lines in place of the rows.  The list of threads marks thread `at`. */
void tl_view_draw_page(struct tl_view *view, const char *title,
    const char *const *lines, size_t count);
void tl_view_draw_threads(struct tl_view *view, uint64_t top, uint64_t at);
/* Draw merged calls from top on.  The message gets the remaining width. */
void tl_view_draw_merged(struct tl_view *view, const struct tl_merged *merged,
    const struct tl_merged_call *top, const struct tl_merged_call *at);
/* The number of lines of a page that fit. */
uint64_t tl_view_page_rows(void);
/* Draw only the last line, with the cursor after typed if typed is set. */
void
tl_view_draw_prompt(struct tl_view *view, const char *lead, const char *typed);

#endif
