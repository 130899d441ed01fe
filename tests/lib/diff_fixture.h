/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_fixture.h - traces written as a few letters, for tests of comparisons.
 *
 *	"a(i3b(2)c)"	span a: an instant i, 3 us, span b of 2 us, instant c
 *	"a=7"		with 7 as its argument
 *	"a(i]"		a span that nothing ends
 *	"a|b"		b in the next thread
 */
#ifndef TESTS_UNIT_DIFF_FIXTURE_H
#define TESTS_UNIT_DIFF_FIXTURE_H

#include "test.h"
#include "trace/diff/diff.h"
#include "trace_fixture.h"

enum { LETTERS = 26, OPEN_MAX = 1 << 17, US = 1000 };

static struct tl_message letters[2][LETTERS]; /* instants, spans */

static inline void
diff_messages(void)
{
	static char texts[LETTERS][5];

	fixture_messages();
	for (int i = 0; i < LETTERS; i++) {
		memcpy(texts[i], "? $n", sizeof(texts[i]));
		texts[i][0] = (char)('a' + i);
		for (int span = 0; span < 2; span++) {
			struct tl_message *m = &letters[span][i];

			*m = (struct tl_message){ 0 };
			ck_assert_int_eq(tl_message_parse(m,
					     tl_bytes_of(texts[i])),
			    0);
			m->category = tl_bytes_of("letters");
			m->level = m->gate = 6;
			m->kind = span ? TIMELINE_RECORD_SPAN
				       : TIMELINE_RECORD_INSTANT;
		}
	}
}

/* A writer of traces from letters. */
struct letters {
	struct tl_trace_writer *writer;
	struct tl_trace_stream *stream;
	const char *const *names; /* of threads; NULL: no names */
	unsigned threads;
	int64_t now;
	const struct tl_message *open[OPEN_MAX];
	size_t depth;
};

static inline void
letters_thread(struct letters *l)
{
	const char *name = l->names ? l->names[l->threads] : "";

	l->depth = 0;
	l->threads++;
	ck_assert_int_eq(tl_trace_stream_new(&l->stream, l->writer, 100,
			     1000 + l->threads, tl_bytes_of(name)),
	    0);
}

static inline void
letters_put(struct letters *l, uint8_t kind, const struct tl_message *message,
    uint64_t n)
{
	const struct tl_event event = { .ns = l->now,
		.kind = kind,
		.message = message,
		.level = 6,
		.pid = 100,
		.tid = 1000 + l->threads,
		.args = { n },
		.bare = kind == TL_END };

	ck_assert_int_eq(tl_trace_stream_put(l->stream, &event), 0);
}

/* Write the event of one letter and its suffixes. */
static inline const char *
letters_event(struct letters *l, const char *at)
{
	const int letter = *at++ - 'a';
	uint64_t n = 0;

	ck_assert(letter >= 0 && letter < LETTERS);
	if (*at == '=') {
		n = (uint64_t)(at[1] - '0');
		at += 2;
	}
	if (*at != '(') {
		letters_put(l, TL_INSTANT, &letters[0][letter], n);
		return at;
	}
	ck_assert_uint_lt(l->depth, OPEN_MAX);
	l->open[l->depth++] = &letters[1][letter];
	letters_put(l, TL_BEGIN, &letters[1][letter], n);
	return at + 1;
}

static inline const char *
letters_step(struct letters *l, const char *at)
{
	if (*at >= '0' && *at <= '9') {
		l->now += (*at - '0') * US;
	} else if (*at == ')') {
		l->depth--;
		letters_put(l, TL_END, l->open[l->depth], 0);
	} else if (*at == ']') {
		l->depth--;
	} else if (*at == '|') {
		letters_thread(l);
	} else {
		return letters_event(l, at);
	}
	return at + 1;
}

static inline void
write_letters(struct made *made, const char *text, const char *const *names)
{
	static struct letters l;
	struct tl_trace_options options = { 0 };

	made_free(made);
	l = (struct letters){ .names = names, .now = 1000000000 };
	made_begin(made, &options, &l.writer);
	letters_thread(&l);
	while (*text)
		text = letters_step(&l, text);
	made_end(l.writer);
}

static inline struct tl_trace *
open_made(const struct made *made)
{
	struct tl_trace *trace;

	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made->data),
			     bytes_of(&made->index)),
	    0);
	return trace;
}

static const struct tl_diff_options diff_options = { .percent = TL_DIFF_PERCENT,
	.least_ns = TL_DIFF_LEAST_NS };

#endif
