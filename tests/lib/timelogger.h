/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timelogger.h - write TimeLogger files byte by byte, for tests.
 */
#ifndef TESTS_LIB_TIMELOGGER_H
#define TESTS_LIB_TIMELOGGER_H

#include "foreign_file.h"
#include "golden.h"

static inline void
put_record(uint8_t type, int32_t id, int64_t ns)
{
	put_n(type, 1);
	put_n((uint32_t)id, 4);
	put_n((uint64_t)ns, 8);
}

static inline void
put_source_bytes(int32_t id, int64_t ns, const char *name, size_t size)
{
	put_record(0, id, ns);
	put_utf_bytes(name, size);
}

static inline void
put_source(int32_t id, int64_t ns, const char *name)
{
	put_source_bytes(id, ns, name, strlen(name));
}

static inline void
put_open(int32_t id, int64_t ns)
{
	put_record(1, id, ns);
}

static inline void
put_close(int32_t id, int64_t ns)
{
	put_record(2, id, ns);
}

/* Put a record that is a line of text: "source 0 5 name", "open 0 6". */
static inline void
put_timelogger_line(char *text)
{
	static const char *const types[] = { "source", "open", "close" };
	struct file_line line = file_line_of(text);

	line.text.size =
	    golden_unescape((char *)(uintptr_t)line.text.data, line.text.size);
	for (uint8_t i = 0; i < 3; i++)
		if (file_line_is(&line, types[i])) {
			put_record(i, (int32_t)line.n[0], line.n[1]);
			if (i == 0)
				put_utf_bytes(line.text.data, line.text.size);
			return;
		}
	if (file_line_is(&line, "record"))
		put_record((uint8_t)line.n[0], (int32_t)line.n[1], line.n[2]);
	else
		ck_assert_msg(put_file_line(&line), "%s", text);
}

static inline int64_t
timelogger_number(struct tl_bytes *in, unsigned size)
{
	uint64_t n = 0;

	ck_assert_uint_ge(in->size, size);
	for (unsigned i = 0; i < size; i++)
		n = n << 8 | (uint8_t)in->data[i];
	*in = tl_bytes(in->data + size, in->size - size);
	return (int64_t)n;
}

/* Print a file as lines of text. */
static inline void
print_timelogger(struct tl_text *out, struct tl_bytes in)
{
	static const char *const types[] = { "source", "open", "close" };

	while (in.size > 0) {
		const uint64_t type = (uint64_t)timelogger_number(&in, 1);
		const int32_t id = (int32_t)timelogger_number(&in, 4);
		const int64_t ns = timelogger_number(&in, 8);

		ck_assert_uint_lt(type, 3);
		tl_put_format(out, "%s %d %lld", types[type], id,
		    (long long)ns);
		if (type == 0) {
			const size_t size = (size_t)timelogger_number(&in, 2);

			ck_assert_uint_ge(in.size, size);
			tl_put_char(out, ' ');
			tl_put_plain(out, tl_bytes(in.data, size));
			in = tl_bytes(in.data + size, in.size - size);
		}
		tl_put_char(out, '\n');
	}
}

#endif
