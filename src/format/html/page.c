/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - the HTML, style and script of the page, embedded. */
#include "format/html/live.h"

#include "base/array.h"
#include "base/embed.h"

TL_EMBED(tl_page_body, "src/format/html/page/page.html")
TL_EMBED(tl_page_style, "src/format/html/page/page.css")
#define SCRIPT(name) \
	TL_EMBED(tl_page_##name, "src/format/html/page/" #name ".js")
#include "format/html/page/scripts.def"
#undef SCRIPT

/* One script made of several files, in this order. */
static const struct {
	const char *text;
	const char *end;
} scripts[] = {
#define SCRIPT(name) { tl_page_##name, tl_page_##name##_end },
#include "format/html/page/scripts.def"
#undef SCRIPT
};

/* A page may connect only to its own daemon, and a file connects to nothing. */
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'";

static void
put_embedded(struct tl_text *text, const char *from, const char *end)
{
	tl_put_bytes(text, tl_bytes(from, (size_t)(end - from)));
}

/* Append any text as text of HTML. */
static void
put_html(struct tl_text *text, const char *string)
{
	struct tl_text plain = { 0 };

	tl_put_plain(&plain, tl_bytes_of(string));
	tl_put_xml(text, tl_text_bytes(&plain));
	if (plain.rc != 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
}

void
tl_html_page_start(struct tl_text *text, const char *title, bool live)
{
	tl_put_string(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			    "<meta charset=\"utf-8\">\n");
	tl_put_string(text, policy);
	tl_put_string(text, live ? "; connect-src 'self'\">\n" : "\">\n");
	tl_put_string(text,
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<meta name=\"color-scheme\" content=\"light dark\">\n"
	    "<link rel=\"icon\" href=\"data:,\">\n<title>");
	put_html(text, title);
	tl_put_string(text, "</title>\n<style>\n");
	put_embedded(text, tl_page_style, tl_page_style_end);
	tl_put_string(text, "</style>\n</head>\n<body data-mode=\"");
	tl_put_string(text, live ? "live" : "file");
	tl_put_string(text, "\">\n");
	put_embedded(text, tl_page_body, tl_page_body_end);
}

void
tl_html_page_end(struct tl_text *text)
{
	tl_put_string(text, "<script>\n\"use strict\";\n");
	for (size_t i = 0; i < TL_COUNT(scripts); i++)
		put_embedded(text, scripts[i].text, scripts[i].end);
	tl_put_string(text, "</script>\n</body>\n</html>\n");
}
