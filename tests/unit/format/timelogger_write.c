/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timelogger_write.c - TimeLogger files are written from spans of timelines,
 * and from files that were read, byte for byte; and Java reads them.
 */
#include "format/timelogger/timelogger.h"
#include "lib/random.h"
#include "lib/test.h"
#include "lib/timelogger.h"

#include <unistd.h>

static struct foreign f;

/* Events of a timeline, put into the writer. */
static struct tl_message message;

static void
put_event_of(const struct tl_message *of, uint8_t kind, int64_t ns,
    uint32_t tid)
{
	const struct tl_event e = { .message = of,
		.ns = ns,
		.kind = kind,
		.level = of->level,
		.cpu = tid ? 1 : TL_CPU_UNKNOWN,
		.pid = tid ? 41 : 0,
		.tid = tid };

	ck_assert_ok(f.writer->sink.put(&f.writer->sink, &e));
}

static void
put_event(uint8_t kind, int64_t ns, uint32_t tid)
{
	put_event_of(&message, kind, ns, tid);
}

static void
start_writer(uint8_t scope, const char *text)
{
	foreign_init(&f);
	message = (struct tl_message){ .category = tl_bytes_of("net"),
		.kind = TIMELINE_RECORD_SPAN,
		.scope = scope,
		.level = 6 };
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(text)));
	ck_assert_ok(tl_timelogger_write_new(&f.writer, foreign_write, &f.out,
	    &f.noted.report));
}

static void
check_written(const char *noted)
{
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_mem_eq(tl_text_string(&f.out), tl_text_string(&file),
	    file.size);
	ck_assert_str_eq(tl_text_string(&f.noted.text), noted);
	foreign_free(&f);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_name_that_is_too_long_is_cut_and_said)
{
	char *name = malloc(70001);

	ck_assert_ptr_nonnull(name);
	memset(name, 'n', 70000);
	name[70000] = '\0';
	start_writer(TIMELINE_SOURCE, name);
	put_event(TL_BEGIN, 5, 0);
	memcpy(name, "net: ", 5);
	put_source_bytes(0, 5, name, 65535);
	put_open(0, 5);
	check_written("-95 - name is too long or not UTF-8: changed\n");
	free(name);
}

/* Random files that the original could have written. */
TEST(files_come_back_byte_for_byte, .to = 8)
{
	uint64_t state = (uint64_t)_i + 1;
	int32_t ids = 0;
	int64_t ns = (int64_t)random_next(&state) / 2;

	for (unsigned k = 0; k < 3000; k++) {
		const int32_t id = (int32_t)random_below(&state,
		    ids < 100 ? (uint64_t)ids + 1 : (uint64_t)ids);
		char name[40];

		ns += (int64_t)random_below(&state, 1000);
		if (id == ids) {
			snprintf(name, sizeof(name), "%s%llu",
			    ids % 4 ? "Thread-" : "\xc0\x80$x\n\xed\xa0\x80",
			    (unsigned long long)random_below(&state, 5));
			put_source(ids++, ns, name);
		}
		put_record((uint8_t)(1 + random_below(&state, 2)), id, ns);
	}
	foreign_run(&f, tl_timelogger_read_new, tl_timelogger_write_new,
	    tl_bytes(file.data, file.size), random_below(&state, 100));
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.sink.count, 3000 + (unsigned)ids);
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_mem_eq(f.out.data, file.data, file.size);
	foreign_free(&f);
}

/* The reader must return these times, kinds and names, in this order. */
struct wanted {
	struct tl_sink sink;
	struct tl_text name[400];
	int64_t ns[400];
	uint8_t kind[400];
	unsigned count;
	unsigned seen;
};

static int
compare(struct tl_sink *sink, const struct tl_event *event)
{
	struct wanted *w = (struct wanted *)(void *)sink;
	const unsigned i = w->seen;
	const struct tl_text *name = &w->name[i];

	if (event->kind == TL_INSTANT)
		return 0;
	ck_assert_uint_lt(i, w->count);
	ck_assert_int_eq(event->ns, w->ns[i]);
	ck_assert_uint_eq(event->kind, w->kind[i]);
	ck_assert_uint_ge(event->message->line1.size, name->size);
	ck_assert_mem_eq(event->message->line1.data, name->data, name->size);
	w->seen++;
	return 0;
}

/* Put spans of threads and of sources, never more ends than begins. */
static void
put_random_spans(struct wanted *w, const struct tl_message messages[4],
    uint64_t *state)
{
	unsigned open[4][3] = { { 0 } };
	int64_t ns = (int64_t)random_next(state) / 2;

	while (w->count < 400) {
		const unsigned m = (unsigned)random_below(state, 4);
		const uint32_t tid = (uint32_t)random_below(state, 3) + 1;
		unsigned *n = &open[m][m < 2 ? tid - 1 : 0];
		const bool begins = *n == 0 || random_below(state, 2);

		*n += begins ? 1 : -1u;
		ns += (int64_t)random_below(state, 1000);
		w->ns[w->count] = ns;
		w->kind[w->count] = begins ? TL_BEGIN : TL_END;
		tl_put_format(&w->name[w->count],
		    m < 2 ? "net: m%u (41/%u)" : "net: m%u", m, tid);
		put_event_of(&messages[m], w->kind[w->count++], ns, tid);
	}
}

TEST(spans_of_a_timeline_come_back, .to = 8)
{
	static struct wanted w;
	struct tl_message messages[4];
	char texts[4][8];
	struct tl_reader *reader;
	uint64_t state = (uint64_t)_i + 1;

	start_writer(TIMELINE_SOURCE, "x");
	w = (struct wanted){ .sink = { compare, NULL } };
	for (unsigned m = 0; m < 4; m++) {
		messages[m] = message;
		snprintf(texts[m], sizeof(texts[m]), "m%u", m);
		messages[m].scope = m < 2 ? TIMELINE_THREAD : TIMELINE_SOURCE;
		ck_assert_ok(
		    tl_message_parse(&messages[m], tl_bytes_of(texts[m])));
	}
	put_random_spans(&w, messages, &state);
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_ok(tl_timelogger_read_new(&reader, &w.sink, NULL));
	ck_assert_ok(reader->feed(reader, tl_bytes(f.out.data, f.out.size)));
	ck_assert_ok(reader->finish(reader));
	ck_assert_uint_eq(w.seen, 400);
	reader->free(reader);
	for (unsigned i = 0; i < 400; i++)
		tl_text_free(&w.name[i]);
	foreign_free(&f);
}

/* The entries that made the sources are overwritten. */
TEST(sources_whose_making_is_lost_keep_their_order)
{
	static const char *const texts[] = { "never\nsource 0",
		"late\nsource 1", "early\nsource 2",
		"late (overlap)\nsource 1: overlap", "$label%s\nsource 3",
		"held\nsource 4" };
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct tl_message sources[COUNT];

	start_writer(TIMELINE_SOURCE, "x");
	for (unsigned i = COUNT; i-- > 0;) { /* threads define in any order */
		sources[i] = message;
		sources[i].category = tl_bytes_of("source");
		ck_assert_ok(
		    tl_message_parse(&sources[i], tl_bytes_of(texts[i])));
		ck_assert_int_eq(f.writer->kind->set_message(f.writer, 0,
				     &sources[i]),
		    0);
	}
	put_event_of(&sources[2], TL_BEGIN, 5, 7);
	put_source(0, 5, "never");
	put_source(1, 5, "late");
	put_source(2, 5, "early");
	put_open(2, 5);
	put_event_of(&sources[1], TL_BEGIN, 6, 7);
	put_open(1, 6);
	put_event_of(&sources[1], TL_END, 7, 7);
	put_close(1, 7);
	put_source(3, 7, "held");
	check_written("-95 - the CPUs of a message are left out (2 times)\n"
		      "-95 - the threads of a source are left out (2 times)\n");
}

#define JAVA_WRITES \
	"import java.io.*; class W { public static void main(String[] a) " \
	"throws Exception { DataOutputStream d = new DataOutputStream(new " \
	"BufferedOutputStream(new FileOutputStream(a[0]))); String[] n = { " \
	"\"GameThread\", \"nul\\0, \\u00e9 \\u20ac\", " \
	"\"pair \\ud83d\\ude00\", \"alone \\ud800x\\udc00\" }; for (int i = " \
	"0; i < 4; i++) { d.writeByte(0); d.writeInt(i); " \
	"d.writeLong(System.nanoTime()); d.writeUTF(n[i]); for (int k = 0; " \
	"k < 5; k++) { d.writeByte(1 + k % 2); d.writeInt(i); " \
	"d.writeLong(System.nanoTime()); } } d.close(); } }\n"
#define JAVA_READS \
	"import java.io.*; class R { public static void main(String[] a) " \
	"throws Exception { DataInputStream d = new DataInputStream(new " \
	"BufferedInputStream(new FileInputStream(a[0]))); int n = 0, t; " \
	"while ((t = d.read()) >= 0) { d.readInt(); d.readLong(); if (t == " \
	"0) d.readUTF(); n++; } System.exit(n == %d ? 0 : 1); } }\n"

/* Run a Java program on a file; returns 0 if the program succeeds. */
static int
run_java(const char *directory, const char *name, const char *path)
{
	char command[400];

	snprintf(command, sizeof(command),
	    "java -Xshare:auto -XX:TieredStopAtLevel=1 %s/%s.java %s",
	    directory, name, path);
	return system(command);
}

static void
save(const char *directory, const char *name, const void *data, size_t size,
    char path[200])
{
	FILE *out;

	snprintf(path, 200, "%s/%s", directory, name);
	out = fopen(path, "wb");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(data, 1, size, out), size);
	fclose(out);
}

static void
load(const char *path)
{
	FILE *in = fopen(path, "rb");
	char bytes[4096];
	size_t size;

	ck_assert_ptr_nonnull(in);
	while ((size = fread(bytes, 1, sizeof(bytes), in)) > 0)
		tl_put_bytes(&file, tl_bytes(bytes, size));
	fclose(in);
}

/* We read a file that Java wrote, and Java reads a file that we wrote. */
TEST(java_understands_us_and_we_it)
{
	char directory[] = "/tmp/test_format_timelogger.XXXXXX";
	char program[600], java[200], data[200];

	if (system("command -v java >/dev/null && command -v javac "
		   ">/dev/null") != 0) {
		fputs("skipped: no java to compare with\n", stderr);
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(directory));
	save(directory, "W.java", JAVA_WRITES, strlen(JAVA_WRITES), java);
	snprintf(data, sizeof(data), "%s/data", directory);
	ck_assert_int_eq(run_java(directory, "W", data), 0);
	unlink(java);
	load(data);
	ck_assert_uint_gt(file.size, 4 * 15 + 20 * 13);
	ck_assert_uint_ge(tl_timelogger_recognise(
			      tl_bytes(file.data, file.size)),
	    80);
	foreign_run(&f, tl_timelogger_read_new, tl_timelogger_write_new,
	    tl_bytes(file.data, file.size), 0);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_mem_eq(f.out.data, file.data, file.size);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&f.sink.text),
	    "name(pair \xf0\x9f\x98\x80)\n"));
	foreign_free(&f);

	start_writer(TIMELINE_SOURCE, "bad \xff\xf0\x9f\x98\x80 \xed\xa0\x80");
	put_event(TL_BEGIN, 5, 0);
	put_event(TL_END, 6, 0);
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	save(directory, "data", f.out.data, f.out.size, data);
	foreign_free(&f);
	snprintf(program, sizeof(program), JAVA_READS, 3);
	save(directory, "R.java", program, strlen(program), java);
	ck_assert_int_eq(run_java(directory, "R", data), 0);
	unlink(java);
	unlink(data);
	rmdir(directory);
}
