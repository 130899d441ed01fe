/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.h - run readers and writers of foreign formats in memory, and keep
 * the events and diagnostics.
 */
#ifndef TESTS_LIB_FOREIGN_H
#define TESTS_LIB_FOREIGN_H

#include "event/render.h"
#include "event/writer.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

/* Diagnostics, one on each line: "rc at text". */
struct foreign_report {
	struct tl_report report;
	struct tl_text text;
};

static inline void
foreign_say(void *context, const struct tl_fault *fault)
{
	struct tl_text *text = context;

	if (fault->at == TL_FAULT_NOWHERE)
		tl_put_format(text, "%d - %s\n", fault->rc, fault->text);
	else
		tl_put_format(text, "%d %llu %s\n", fault->rc,
		    (unsigned long long)fault->at, fault->text);
}

/* What foreign_run() does besides. */
static struct {
	bool all;         /* print all that is known of an event */
	const char *name; /* of the file; NULL: none */
	int setting;      /* of the writer; 0: none */
} foreign_options;

/* Events as text, one on each line, also passed to a writer if there is one. */
struct foreign_sink {
	struct tl_sink sink;
	struct tl_text text;
	struct tl_sink *next;
	uint64_t count;
	bool all; /* print all that is known of an event */
	int rc;   /* result of put */
};

/* Print what a line of a listing does not show, where it is not as usual. */
static inline void
foreign_put_rest(struct tl_text *text, const struct tl_event *e)
{
	const struct tl_message *m = e->message;
	const struct tl_bytes names[] = {
		m->names ? tl_names_process(m->names, e->pid) : tl_bytes_of(""),
		m->names ? tl_names_thread(m->names, e->pid, e->tid)
			 : tl_bytes_of("")
	};

	if (e->pid || e->tid)
		tl_put_format(text, " %u/%u", e->pid, e->tid);
	for (unsigned i = 0; i < 2; i++)
		if (names[i].size > 0)
			tl_put_format(text, " %s=%.*s",
			    i ? "thread" : "process", (int)names[i].size,
			    names[i].data);
	if (e->level != 6)
		tl_put_format(text, " level=%u", e->level);
	if (e->cpu != TL_CPU_UNKNOWN)
		tl_put_format(text, " cpu=%u", e->cpu);
	if (e->error_ns)
		tl_put_format(text, " error=%u", e->error_ns);
	if (m->scope == TIMELINE_SOURCE)
		tl_put_string(text, " source");
	if (m->explain.size > 0) {
		tl_put_string(text, " why=");
		tl_put_plain(text, m->explain);
	}
	if (e->proven && e->kind == TL_END)
		tl_put_format(text, " %lld+%lld", (long long)e->begun_ns,
		    (long long)e->duration_ns);
	else if (e->proven)
		tl_put_string(text, " proven");
	if (e->bare)
		tl_put_string(text, e->known ? " known" : " bare");
}

static inline int
foreign_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct foreign_sink *s = (struct foreign_sink *)(void *)sink;

	s->count++;
	if (event->message) {
		tl_put_format(&s->text, "%lld ", (long long)event->ns);
		tl_put_plain(&s->text, event->message->category);
		tl_put_char(&s->text, ' ');
		tl_render_line(&s->text, event);
		if (s->all)
			foreign_put_rest(&s->text, event);
		tl_put_char(&s->text, '\n');
	}
	if (s->next && s->rc == 0)
		return s->next->put(s->next, event);
	return s->rc;
}

static inline int
foreign_finish(struct tl_sink *sink)
{
	struct foreign_sink *s = (struct foreign_sink *)(void *)sink;

	return s->next ? s->next->finish(s->next) : 0;
}

static inline int
foreign_write(void *context, const char *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

/* A run: a reader, its events, and the file that a writer made of them. */
struct foreign {
	struct foreign_report said;  /* by the reader */
	struct foreign_report noted; /* by the writer */
	struct foreign_sink sink;
	struct tl_text out;
	struct tl_writer *writer;
	struct tl_reader *reader;
	int rc;
};

static inline void
foreign_init(struct foreign *f)
{
	memset(f, 0, sizeof(*f));
	f->said.report = (struct tl_report){ foreign_say, &f->said.text };
	f->noted.report = (struct tl_report){ foreign_say, &f->noted.text };
	f->sink.sink = (struct tl_sink){ foreign_put, foreign_finish };
}

/* Read bytes in pieces of step bytes; 0: all at once.  write may be NULL. */
static inline void
foreign_run(struct foreign *f, tl_reader_new *read, tl_writer_new *write,
    struct tl_bytes in, size_t step)
{
	foreign_init(f);
	f->sink.all = foreign_options.all;
	if (write) {
		ck_assert_int_eq(write(&f->writer, foreign_write, &f->out,
				     &f->noted.report),
		    0);
		f->sink.next = &f->writer->sink;
		if (foreign_options.setting)
			tl_writer_set(f->writer, foreign_options.setting);
	}
	ck_assert_ok(read(&f->reader, &f->sink.sink, &f->said.report));
	if (foreign_options.name)
		f->reader->named(f->reader, foreign_options.name);
	for (size_t at = 0; f->rc == 0 && at < in.size;) {
		const size_t left = in.size - at;
		const size_t size = step == 0 || step > left ? left : step;
		/*
		 * copy the piece into a buffer of exactly its size and free the
		 * buffer at once, so that a sanitizer sees any access outside
		 */
		char *piece = malloc(size);

		ck_assert_ptr_nonnull(piece);
		memcpy(piece, in.data + at, size);
		f->rc = f->reader->feed(f->reader, tl_bytes(piece, size));
		free(piece);
		at += size;
	}
	if (f->rc == 0)
		f->rc = f->reader->finish(f->reader);
	if (f->rc == 0)
		f->rc = f->sink.sink.finish(&f->sink.sink);
}

static inline void
foreign_free(struct foreign *f)
{
	tl_writer_free(f->writer);
	if (f->reader)
		f->reader->free(f->reader);
	tl_text_free(&f->said.text);
	tl_text_free(&f->noted.text);
	tl_text_free(&f->sink.text);
	tl_text_free(&f->out);
}

/*
 * Check that the reader reports the same events and diagnostics however the
 * bytes are cut into pieces.
 */
static inline void
foreign_check_pieces(tl_reader_new *read, struct tl_bytes in)
{
	static const size_t steps[] = { 1, 2, 3, 7, 13, 64, 1000 };
	struct foreign whole, f;

	foreign_run(&whole, read, NULL, in, 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		foreign_run(&f, read, NULL, in, steps[i]);
		ck_assert_int_eq(f.rc, whole.rc);
		ck_assert_uint_eq(f.sink.count, whole.sink.count);
		ck_assert_str_eq(tl_text_string(&f.sink.text),
		    tl_text_string(&whole.sink.text));
		ck_assert_str_eq(tl_text_string(&f.said.text),
		    tl_text_string(&whole.said.text));
		foreign_free(&f);
	}
	foreign_free(&whole);
}

#endif
