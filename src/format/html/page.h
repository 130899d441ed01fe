/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - the page without its entries, from src/format/html/page/.
 */
#ifndef TL_FORMAT_HTML_PAGE_H
#define TL_FORMAT_HTML_PAGE_H

#include "base/text.h"

#include <stdbool.h>

/* Append everything before the entries; title may be any text. */
void tl_html_page_start(struct tl_text *text, const char *title, bool live);
/* Append everything after the entries: the script. */
void tl_html_page_end(struct tl_text *text);

#endif
