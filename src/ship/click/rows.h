/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - a block as rows of a table of ClickHouse
 *
 *	ns host timeline chain block row kind ... args.name args.value
 *
 * in TabSeparated, which servers from 18 on read alike.  A row is one event:
 * chain, block and row (its place in the block) identify it, whatever is left
 * out beside it, so that a block that is inserted twice has the same rows with
 * the same keys.
 *
 * Rejected: JSONEachRow, which has no arrays of names in old servers and three
 * times the bytes; DateTime64, which servers before 20 do not have.
 */
#ifndef TL_SHIP_CLICK_ROWS_H
#define TL_SHIP_CLICK_ROWS_H

#include "base/text.h"
#include "script/script.h"
#include "ship/block.h"
#include "ship/click/url.h"

/* Append "INSERT INTO ... FORMAT TabSeparated". */
void tl_click_put_insert(struct tl_text *text, const struct tl_click_url *url);
/* Append "CREATE TABLE IF NOT EXISTS ..."; window: the server can drop a
 * repeated insert by its token. */
void tl_click_put_table(struct tl_text *text, const struct tl_click_url *url,
    bool window);
/* Append "CREATE VIEW IF NOT EXISTS TABLE_unique ...". */
void tl_click_put_view(struct tl_text *text, const struct tl_click_url *url);

/* Append the rows of a block, of events that pass the filter, each by itself;
 * NULL: of all.  Losses pass.  0; -EBADMSG: it cannot be read; -errno; the
 * fault. */
int tl_click_put_rows(struct tl_text *text, const struct tl_block *block,
    struct tl_script_filter *filter, struct tl_fault *fault);

#endif
