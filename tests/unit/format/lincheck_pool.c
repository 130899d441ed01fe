/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_pool.c - our Lincheck traces follow the rules of the readers of
 * releases 3.1 to 3.1.2, which keep definitions in pools:
 *
 * An id that is defined again must be equal to the first definition.  Methods
 * with a primitive or void type are never equal.
 *
 * A name, class or method stands in the file before any reference to it.
 */
#include "base/file.h"
#include "format/lincheck/lincheck.h"
#include "format/lincheck/object.h"
#include "format/registry.h"
#include "lib/lincheck.h"
#include "lib/test.h"
#include "source/hosts.h"

#include <errno.h>
#include <unistd.h>

#define DATA "tests/data/lincheck/"

enum { IDS_MAX = 4096, EACH_MAX = 200000 };

static struct tl_bytes pools[TL_LINCHECK_POINT][IDS_MAX];
static struct tl_text written;
static uint64_t calls, blocks, methods;

/* == the model of the reader == */

/*
 * True if a type is primitive or void: the reader makes a new one for each
 * method.
 */
static bool
has_plain_type(struct tl_bytes body)
{
	struct tl_data_in in = tl_data_in(body.data, body.size);
	int32_t count = 1;
	uint8_t type;

	(void)tl_data_i32(&in); /* the class */
	(void)tl_data_utf(&in);
	for (int32_t i = 0; i <= count; i++) {
		while ((type = tl_data_u8(&in)) == 0)
			;
		if (type != 8)
			return true;
		(void)tl_data_utf(&in);
		if (i == 0)
			count = tl_data_i32(&in);
	}
	return false;
}

static void
restore(const struct tl_lincheck_object *o)
{
	struct tl_bytes *first;

	ck_assert(o->id >= 0 && o->id < IDS_MAX);
	first = &pools[o->kind][o->id];
	if (first->data) {
		ck_assert(tl_bytes_equal(*first, o->body));
		if (o->kind == TL_LINCHECK_METHOD && has_plain_type(o->body))
			ck_abort_msg("method %d is restored again", o->id);
	}
	methods += o->kind == TL_LINCHECK_METHOD;
	*first = o->body;
}

static void
needs(uint8_t kind, int32_t id)
{
	ck_assert(id >= 0 && id < IDS_MAX);
	if (!pools[kind][id].data)
		ck_abort_msg("kind %d id %d is not there yet", kind, id);
}

static void
resolve(const struct tl_lincheck_object *o)
{
	struct tl_data_in in = tl_data_in(o->body.data, o->body.size);

	switch (o->kind) {
	case TL_LINCHECK_METHOD:
	case TL_LINCHECK_FIELD:
		needs(TL_LINCHECK_CLASS, tl_data_i32(&in));
		break;
	case TL_LINCHECK_LOCATION:
		for (unsigned i = 0; i < 3; i++)
			needs(TL_LINCHECK_STRING, tl_data_i32(&in));
		break;
	case TL_LINCHECK_POINT:
		calls += o->class == TL_LINCHECK_CALL;
		if (o->location != TL_LINCHECK_NONE)
			needs(TL_LINCHECK_LOCATION, o->location);
		if (tl_lincheck_has_target(o->class))
			needs(tl_lincheck_target_kind(o->class), o->target);
		break;
	}
}

/* Load every object in the order of the file. */
static void
load_pools(void)
{
	struct tl_lincheck_dialect dialect = { .version = TL_LINCHECK_VERSION };
	size_t at = 16, need;

	memset(pools, 0, sizeof(pools));
	calls = blocks = methods = 0;
	while (at < written.size) {
		struct tl_lincheck_object o;
		const int64_t size = tl_lincheck_parse(&o, &dialect,
		    tl_bytes(written.data + at, written.size - at), true,
		    &need);

		ck_assert_int_gt(size, 0);
		blocks += o.kind == TL_LINCHECK_BLOCK_START;
		resolve(&o);
		if (o.kind < TL_LINCHECK_POINT)
			restore(&o);
		at += (size_t)size;
	}
}

/* == the writer == */

static struct tl_writer *writer;
static char folder[64], path[96], index_path[112];

static void
begin(void)
{
	strcpy(folder, "/tmp/test-lincheck-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/made.lincheck", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
	ck_assert_ok(tl_lincheck_write_at(&writer, path, NULL));
}

static void
put(const struct tl_event *event)
{
	ck_assert_ok(writer->sink.put(&writer->sink, event));
}

/* Our own reader must find no fault, neither in the data nor in the index. */
static void
check_whole(void)
{
	static const struct tl_source_plan plan = { .formats = &tl_formats_read,
		.check = true };
	struct tl_source input;

	tl_source_open(&input, path, &plan);
	ck_assert(tl_source_is_open(&input));
	ck_assert_uint_eq(tl_source_fault_count(&input), 0);
	tl_source_close(&input);
}

static void
check_written(void)
{
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_writer_free(writer);
	tl_text_clear(&written);
	ck_assert_ok(tl_read_file(path, SIZE_MAX, &written));
	load_pools();
	check_whole();
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(unlink(index_path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

/*
 * Put the events of a file with the number of a source; skip leaves out every
 * skip-th event, 0: none.
 */
static void
put_file(struct tl_source *input, const char *name, uint16_t number,
    unsigned skip)
{
	static const struct tl_source_plan plan = { .formats =
							&tl_formats_read };
	struct tl_cursor *cursor;
	struct tl_event event;
	unsigned n = 0;

	tl_source_open(input, name, &plan);
	ck_assert(tl_source_is_open(input));
	ck_assert_ok(tl_source_cursor(input, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		event.source = number;
		if (skip == 0 || ++n % skip != 0)
			put(&event);
	}
	tl_cursor_close(cursor);
}

static void
write_file(const char *name, unsigned skip)
{
	struct tl_source input;

	begin();
	put_file(&input, name, 0, skip);
	check_written();
	tl_source_close(&input);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

/* == events of other formats == */

enum { KINDS = 40 };

static char texts[KINDS][32];
static struct tl_message messages[KINDS];

static void
define_messages(void)
{
	for (int i = 0; i < KINDS; i++) {
		messages[i] =
		    (struct tl_message){ .category = tl_bytes_of("net"),
			    .file = tl_bytes_of("net.c"),
			    .line = 12,
			    .kind = i % 2 ? TIMELINE_RECORD_SPAN
					  : TIMELINE_RECORD_INSTANT,
			    .scope = TIMELINE_THREAD,
			    .level = (uint8_t)tl_level_parse("info") };
		snprintf(texts[i], sizeof(texts[i]), "message %d $n", i);
		ck_assert_ok(
		    tl_message_parse(&messages[i], tl_bytes_of(texts[i])));
	}
}

static void
put_of(int i, uint8_t kind, uint32_t tid, uint64_t n)
{
	put(&(struct tl_event){ .message = &messages[i],
	    .ns = 1000,
	    .args = { n },
	    .kind = kind,
	    .level = messages[i].level,
	    .cpu = TL_CPU_UNKNOWN,
	    .pid = 41,
	    .tid = tid });
}

/*
 * Threads log the same messages.  The blocks of the threads end at different
 * times, and each message is new to a thread whose block does not come first.
 */
static void
log_events(uint32_t threads, uint64_t each)
{
	for (uint64_t n = 0; n < each; n++) {
		for (uint32_t tid = 1; tid <= threads; tid++) {
			const int i =
			    (int)((n * threads / each * tid + n / 8) % KINDS);

			if (n % tid != 0)
				continue;
			if (messages[i].kind == TIMELINE_RECORD_SPAN)
				put_of(i, TL_BEGIN, tid, n);
			put_of(i & ~1, TL_INSTANT, tid, n);
			if (messages[i].kind == TIMELINE_RECORD_SPAN &&
			    n % 16 != 0)
				put_of(i, TL_END, tid, n);
		}
	}
}

TEST(a_method_stands_once_though_three_threads_call_it)
{
	begin();
	define_messages();
	log_events(3, 100);
	check_written();
	ck_assert_uint_eq(blocks, 3);
	ck_assert_uint_le(methods, KINDS + 1);
	ck_assert_uint_gt(calls, 100);
}

TEST(a_method_stands_once_in_many_blocks)
{
	begin();
	define_messages();
	log_events(5, EACH_MAX / 4);
	check_written();
	ck_assert_uint_ge(blocks, 10);
	ck_assert_uint_eq(methods, KINDS + 1);
	ck_assert_uint_gt(calls, EACH_MAX / 4);
}

/* == events of other traces == */

static const char *const of_8[] = { "v8-mem1", "v8-mem2", "v8-mem4",
	"v8-stream1", "v8-stream2", "v8-stream4" };
static const char *const later[] = { "v13-stream2", "v22-mem2", "v22-stream2" };

static const char *
path_of(const char *name)
{
	static char text[64];

	snprintf(text, sizeof(text), DATA "%s.trace", name);
	return text;
}

TEST(a_method_stands_once_in_a_trace_of_a_later_version, .to = 3)
{
	write_file(path_of(later[_i]), 0);
	ck_assert_uint_gt(calls, 0);
}

TEST(a_method_stands_once_in_a_part_of_a_trace, .to = 6)
{
	for (unsigned skip = 2; skip < 40; skip++)
		write_file(path_of(of_8[_i]), skip);
}

/*
 * The sixth file repeats methods itself; its copy is the same, byte for byte.
 */
TEST(a_method_stands_once_in_a_copy_of_such_a_trace, .to = 5)
{
	write_file(path_of(of_8[_i]), 0);
}

TEST(a_method_stands_once_where_traces_are_merged)
{
	struct tl_source input[6];

	begin();
	define_messages();
	for (uint16_t i = 0; i < 6; i++)
		put_file(&input[i], path_of(i < 3 ? of_8[3 + i] : later[i - 3]),
		    i, 0);
	log_events(3, 100);
	check_written();
	for (unsigned i = 0; i < 6; i++)
		tl_source_close(&input[i]);
}

/* Later releases define everything that a block needs in each block. */
TEST(methods_that_a_later_version_repeats_stand_once)
{
	struct foreign f;

	put_n(0x706e547124ee5f70, 8);
	put_n(10, 8);
	for (int i = 0; i < 3; i++) {
		put_n(10, 1); /* a block */
		put_i32(i);
		put_n(1, 1); /* a class */
		put_i32(0);
		put_utf("Main");
		put_n(2, 1); /* a method: void, no parameters */
		put_i32(0);
		put_i32(0);
		put_utf("run");
		put_n(10, 1);
		put_i32(0);
		put_n(8, 1); /* a call */
		put_n(0, 1);
		put_i32(-1);
		put_i32(i);
		put_i32(i);
		put_i32(0);
		put_i32(-1);
		put_i32(0);
		put_n(9, 1); /* the footer of the call */
		put_i32(-2);
		put_utf("");
		put_n(11, 1);
	}
	put_n(12, 1);
	foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new,
	    tl_bytes(file.data, file.size), 0);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.said.text), "");
	tl_text_clear(&written);
	tl_put_bytes(&written, tl_bytes(f.out.data, f.out.size));
	load_pools();
	ck_assert_uint_eq(methods, 1);
	ck_assert_uint_eq(calls, 3);
	foreign_free(&f);
}
