/* SPDX-License-Identifier: Apache-2.0 */
/* writer_fixture.h - a writer, its output, and its diagnostics. */
#ifndef TESTS_UNIT_WRITER_FIXTURE_H
#define TESTS_UNIT_WRITER_FIXTURE_H

#include "event/writer.h"
#include "lib/test.h"

#include <string.h>

enum { SAID_MAX = 8 };

static struct tl_text got;
static char said[SAID_MAX][TL_FAULT_TEXT_MAX];
static unsigned said_count;
static struct tl_writer *writer;
static int write_rc;    /* the result of the output */
static unsigned writes; /* calls of the output */

static inline int
take(void *context, const char *data, size_t size)
{
	ck_assert_ptr_eq(context, &got);
	ck_assert_uint_gt(size, 0);
	writes++;
	tl_put_bytes(&got, tl_bytes(data, size));
	return write_rc;
}

static inline void
hear(void *context, const struct tl_fault *fault)
{
	(void)context;
	ck_assert_uint_lt(said_count, SAID_MAX);
	strcpy(said[said_count++], fault->text);
}

typedef int writer_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report);

static inline void
writer_setup(writer_new *make)
{
	static const struct tl_report report = { hear, NULL };

	got = (struct tl_text){ 0 };
	said_count = writes = 0;
	write_rc = 0;
	ck_assert_int_eq(make(&writer, take, &got, &report), 0);
}

static inline void
writer_teardown(void)
{
	tl_writer_free(writer);
	tl_text_free(&got);
}

static inline void
put(const struct tl_event *event)
{
	ck_assert_ok(writer->sink.put(&writer->sink, event));
}

static inline void
finish(void)
{
	ck_assert_ok(writer->sink.finish(&writer->sink));
}

#endif
