/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg_fixture.h - put events into a writer of pictures, and check that its
 * output is XML, whatever the events contain.
 */
#ifndef TESTS_UNIT_SVG_FIXTURE_H
#define TESTS_UNIT_SVG_FIXTURE_H

#include "base/utf8.h"
#include "format/svg/write.h"
#include "lib/foreign.h"
#include "lib/random.h"
#include "lib/test.h"

#include <timeline.h>

#define SVG_NS INT64_C(1795202658123456789)

static struct foreign f;
static struct tl_message work, part, lock, waited, note, depth;

static inline void
svg_message(struct tl_message *m, uint8_t kind, uint8_t scope, const char *text)
{
	*m = (struct tl_message){ .category = tl_bytes_of("net"),
		.kind = kind,
		.scope = scope,
		.level = 6 };
	ck_assert_int_eq(tl_message_parse(m, tl_bytes_of(text)), 0);
}

static inline void
svg_start(enum tl_svg_chart chart)
{
	foreign_init(&f);
	svg_message(&work, TIMELINE_RECORD_SPAN, TIMELINE_THREAD, "work");
	svg_message(&part, TIMELINE_RECORD_SPAN, TIMELINE_THREAD, "part $n");
	svg_message(&lock, TIMELINE_RECORD_SPAN, TIMELINE_SOURCE, "lock");
	svg_message(&waited, TIMELINE_RECORD_INSTANT, 0, "waited $time%t");
	svg_message(&note, TIMELINE_RECORD_INSTANT, 0, "note");
	svg_message(&depth, TIMELINE_RECORD_COUNTER, 0, "depth $n");
	ck_assert_int_eq(tl_svg_write_new(&f.writer, foreign_write, &f.out,
			     &f.noted.report),
	    0);
	tl_writer_set(f.writer, chart);
}

static inline void
svg_put(const struct tl_event *event)
{
	/* each ck_assert that holds still writes a line to a file */
	if (f.writer->sink.put(&f.writer->sink, event) != 0)
		ck_abort_msg("put failed");
}

/* The interval of the events that follow. */
static uint64_t svg_interval;

static inline void
svg_observed(uint64_t observed)
{
	svg_interval = observed;
}

static inline void
svg_event(uint8_t kind, const struct tl_message *message, int64_t ns,
    uint32_t tid, uint64_t arg)
{
	const struct tl_event e = { .message = message,
		.ns = ns,
		.kind = kind,
		.level = message->level,
		.pid = tid ? 41 : 0,
		.tid = tid,
		.observed = svg_interval,
		.args = { arg } };

	svg_put(&e);
}

static inline void
svg_span(const struct tl_message *message, int64_t from, int64_t to,
    uint32_t tid)
{
	svg_event(TL_BEGIN, message, from, tid, 0);
	svg_event(TL_END, message, to, tid, 0);
}

static inline void
svg_lose(uint64_t lost, int64_t ns)
{
	const struct tl_event e = { .kind = TL_LOST, .lost = lost, .ns = ns };

	svg_put(&e);
}

/* The characters that XML 1.0 allows in a document. */
static inline bool
is_xml_char(uint32_t code)
{
	if (code < 0x20)
		return code == '\t' || code == '\n' || code == '\r';
	return code < 0xd800 || (code >= 0xe000 && code <= 0xfffd) ||
	       (code >= 0x10000 && code <= 0x10ffff);
}

static inline void
check_chars(struct tl_bytes xml)
{
	for (size_t at = 0; at < xml.size;) {
		uint32_t code;
		const size_t size = tl_utf8_decode(xml, at, &code);

		if (size == 0 || !is_xml_char(code))
			ck_abort_msg("byte %zu is no XML", at);
		at += size;
	}
}

/* Each & must begin one of the references that need no definition. */
static inline void
check_references(const char *xml)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;",
		"&quot;" };

	for (; (xml = strchr(xml, '&')); xml++) {
		bool found = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			found |= strncmp(xml, known[i], strlen(known[i])) == 0;
		ck_assert_msg(found, "%.20s", xml);
	}
}

/* Check the attributes of a tag: name="value", each after a space. */
static inline const char *
check_attributes(const char *at)
{
	while (*at == ' ') {
		const size_t name = strcspn(at + 1, "=\"<> ");

		at += 1 + name;
		if (name == 0 || at[0] != '=' || at[1] != '"')
			ck_abort_msg("no attribute: %.40s", at);
		at += 2 + strcspn(at + 2, "\"<");
		if (*at != '"')
			ck_abort_msg("no end of a value: %.40s", at);
		at++;
	}
	return at;
}

enum { XML_DEPTH_MAX = 16 };

/* Check that tags nest and contain text. */
static inline void
check_tags(const char *at)
{
	struct tl_bytes open[XML_DEPTH_MAX];
	size_t count = 0, roots = 0;

	while ((at = strchr(at, '<'))) {
		const bool closes = *++at == '/';
		const char *name = at += closes;
		struct tl_bytes tag;

		at += strcspn(at, " />");
		tag = tl_bytes(name, (size_t)(at - name));
		if (tag.size == 0)
			ck_abort_msg("no name: %.40s", name);
		if (closes) {
			if (count == 0 || !tl_bytes_equal(open[--count], tag))
				ck_abort_msg("nothing to close: %.40s", name);
		} else {
			roots += count == 0;
			at = check_attributes(at);
		}
		if (at[0] == '/' && at[1] == '>')
			continue;
		if (*at != '>' || count == XML_DEPTH_MAX)
			ck_abort_msg("no end of a tag: %.40s", name);
		if (!closes)
			open[count++] = tag;
	}
	ck_assert_uint_eq(count, 0);
	ck_assert_uint_eq(roots, 1);
}

static inline void
check_xml(struct tl_text *xml)
{
	const char *text = tl_text_string(xml);

	ck_assert_uint_eq(strlen(text), xml->size);
	check_chars(tl_bytes(text, xml->size));
	check_references(text);
	check_tags(text);
	ck_assert_int_eq(strncmp(text, "<svg xmlns=", 11), 0);
	ck_assert_str_eq(text + xml->size - 7, "</svg>\n");
}

/* Finish the picture, which must be XML. */
static inline const char *
svg_finish(void)
{
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	check_xml(&f.out);
	return tl_text_string(&f.out);
}

static inline void
svg_has(const char *what)
{
	if (!strstr(tl_text_string(&f.out), what))
		ck_abort_msg("no %s in ... %s", what,
		    f.out.data + (f.out.size > 2000 ? f.out.size - 2000 : 0));
}

static inline void
svg_has_not(const char *what)
{
	ck_assert_msg(!strstr(tl_text_string(&f.out), what), "%s", what);
}

static inline size_t
svg_count(const char *what)
{
	size_t n = 0;

	for (const char *at = tl_text_string(&f.out); (at = strstr(at, what));
	     at += strlen(what))
		n++;
	return n;
}

#endif
