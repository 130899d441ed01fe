/* SPDX-License-Identifier: Apache-2.0 */
/* ctf.c - traces of the Common Trace Format, read again. */
#include "format/ctf/ctf.h"
#include "lib/test.h"
#include "lib/writer_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { FILES_MAX = 8, NAME_SIZE = 32 };

/* The header and the context of a packet, and its events. */
struct packet {
	uint64_t begin, end, content, size, discarded, number;
	uint32_t cpu, lane, source;
	struct tl_bytes events;
};

struct file {
	char name[NAME_SIZE];
	struct tl_text data;
};

static struct file file[FILES_MAX];
static size_t file_count;
static char path[64];
static char said[TL_FAULT_TEXT_MAX];
static unsigned said_count;
static struct tl_writer *writer;

/* Read the files that were written. */
static void
load(void)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	char name[512], piece[4096];
	size_t size;
	FILE *in;

	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		ck_assert_uint_lt(file_count, FILES_MAX);
		snprintf(file[file_count].name, NAME_SIZE, "%.31s",
		    entry->d_name);
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		ck_assert_ptr_nonnull(in = fopen(name, "r"));
		while ((size = fread(piece, 1, sizeof(piece), in)) > 0)
			tl_put_bytes(&file[file_count].data,
			    tl_bytes(piece, size));
		fclose(in);
		ck_assert_uint_gt(file[file_count++].data.size, 0);
	}
	closedir(folder);
}

static struct tl_text *
named(const char *name)
{
	if (file_count == 0)
		load();
	for (size_t i = 0; i < file_count; i++) {
		if (strcmp(file[i].name, name) == 0)
			return &file[i].data;
	}
	return NULL;
}

static void
hear(void *context, const struct tl_fault *fault)
{
	(void)context;
	said_count++;
	strcpy(said, fault->text);
}

static const struct tl_report report = { hear, NULL };

static void
setup(void)
{
	memset(file, 0, sizeof(file));
	file_count = said_count = 0;
	snprintf(path, sizeof(path), "/tmp/tl-ctf-%d", (int)getpid());
	ck_assert_ok(tl_ctf_write_at(&writer, path, &report));
}

static void
teardown(void)
{
	char name[512];

	tl_writer_free(writer);
	if (file_count == 0)
		load();
	for (size_t i = 0; i < file_count; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, file[i].name);
		ck_assert_int_eq(unlink(name), 0);
		tl_text_free(&file[i].data);
	}
	ck_assert_int_eq(rmdir(path), 0);
}

static void
put_set(enum viewers_set set, uint64_t count)
{
	struct tl_event event = { 0 };

	for (uint64_t i = 0; i < count && viewers_event(set, i, &event); i++)
		ck_assert_ok(writer->sink.put(&writer->sink, &event));
	ck_assert_ok(writer->sink.finish(&writer->sink));
}

static uint64_t
number(struct tl_bytes *in, size_t size)
{
	uint64_t n = 0;

	ck_assert_uint_ge(in->size, size);
	for (size_t i = 0; i < size; i++)
		n |= (uint64_t)(unsigned char)in->data[i] << (8 * i);
	in->data += size;
	in->size -= size;
	return n;
}

/* Take the first packet off a stream; false: the stream has ended. */
static bool
next_packet(struct tl_bytes *in, struct packet *p)
{
	const struct tl_bytes whole = *in;

	if (in->size == 0)
		return false;
	ck_assert_uint_eq(number(in, 4), 0xc1fc1fc1);
	ck_assert_uint_eq(number(in, 4), 0);
	p->begin = number(in, 8);
	p->end = number(in, 8);
	p->content = number(in, 8);
	p->size = number(in, 8);
	p->discarded = number(in, 8);
	p->number = number(in, 8);
	p->cpu = (uint32_t)number(in, 4);
	p->lane = (uint32_t)number(in, 4);
	p->source = (uint32_t)number(in, 4);
	ck_assert_uint_eq(p->content, p->size);
	ck_assert_uint_le(p->size / 8, whole.size);
	ck_assert_uint_le(p->begin, p->end);
	p->events =
	    tl_bytes(in->data, (size_t)(whole.data + p->size / 8 - in->data));
	*in = tl_bytes(whole.data + p->size / 8, whole.size - p->size / 8);
	return true;
}

static struct tl_bytes
stream(const char *name)
{
	const struct tl_text *text = named(name);

	ck_assert_ptr_nonnull(text);
	return tl_bytes(text->data, text->size);
}

static bool
metadata_has(const char *text)
{
	return strstr(tl_text_string(named("metadata")), text) != NULL;
}

/* The type and the name of the next field that the metadata define; returns
 * false at the end of the fields. */
static bool
next_field(const char **at, char type[16], char name[64])
{
	int size = 0;

	if (sscanf(*at, " %15[a-z0-9] %63[^;];%n", type, name, &size) != 2)
		return false;
	*at += size;
	return true;
}

static void
print_field(struct tl_text *out, const char *type, struct tl_bytes *in)
{
	uint64_t value;
	double real;
	size_t size;

	if (strcmp(type, "string") == 0) {
		size = strnlen(in->data, in->size);
		ck_assert_uint_lt(size, in->size);
		tl_put_format(out, "\"%.*s\"", (int)size, in->data);
		in->data += size + 1;
		in->size -= size + 1;
		return;
	}
	value = number(in, (size_t)atoi(type + 1) / 8);
	memcpy(&real, &value, sizeof(real));
	if (*type == 's')
		tl_put_signed(out, (int64_t)value);
	else if (*type == 'f')
		tl_put_format(out, "%.17g", real);
	else
		tl_put_format(out, *type == 'x' ? "0x%llx" : "%llu",
		    (unsigned long long)value);
}

/* Print an event, whose fields lie as the metadata say. */
static void
print_event(struct tl_text *out, const char *metadata, struct tl_bytes *in)
{
	static const char head[] = "u32 id; u64 ns; u32 pid; u32 tid; u64 tsc; "
				   "u64 number; u32 epoch; u32 error; "
				   "string thread; string process; "
				   "u8 category; u8 level; u8 kind; ";
	char type[16], name[64], wanted[64];
	const char *at = head, *fields;

	snprintf(wanted, sizeof(wanted), "\tid = %u;\n\tstream_id",
	    (unsigned)number(&(struct tl_bytes){ in->data, in->size }, 4));
	metadata = strstr(metadata, wanted);
	ck_assert_ptr_nonnull(metadata);
	fields = strstr(metadata, "fields := struct {") + 18;
	while (next_field(&at, type, name)) {
		tl_put_format(out, "%s=", name);
		print_field(out, type, in);
		tl_put_char(out, ' ');
	}
	at = strstr(metadata, "} begun;");
	if (at && at < fields) {
		print_field(out, "u8", in);
		tl_put_char(out, '+');
		print_field(out, "s64", in);
	}
	tl_put_char(out, ':');
	while (next_field(&fields, type, name)) {
		tl_put_format(out, " %s=", name + 1);
		print_field(out, type, in);
	}
	tl_put_char(out, '\n');
}

/* Write the events of lines (writer_text.h), and print the metadata, without the
 * option "all" without the layout, the streams, and what is said. */
static void
write_ctf(struct tl_text *out, const char *options, struct tl_bytes in)
{
	const char *metadata, *offset, *env, *layout;
	struct packet p;
	char name[16];

	writer_text_put_all(writer, in);
	metadata = tl_text_string(named("metadata"));
	offset = strstr(metadata, "\toffset_s");
	env = strstr(offset, "env {");
	layout = strstr(env, "stream {");
	if (golden_has(options, "all"))
		tl_put_string(out, metadata);
	else
		tl_put_format(out, "%.*s\n%.*s%s", (int)strcspn(offset, "\n"),
		    offset, (int)(layout - env), env,
		    strstr(layout, "\n};\n\n") + 5);
	for (unsigned i = 0; i + 1 < file_count; i++) {
		snprintf(name, sizeof(name), "stream_%u", i);
		for (in = stream(name); next_packet(&in, &p);) {
			tl_put_format(out,
			    "%s: %llu to %llu, %llu discarded, packet %llu, "
			    "cpu %u, lane %u, source %u\n",
			    name, (unsigned long long)p.begin,
			    (unsigned long long)p.end,
			    (unsigned long long)p.discarded,
			    (unsigned long long)p.number, p.cpu, p.lane,
			    p.source);
			while (p.events.size > 0)
				print_event(out, metadata, &p.events);
		}
	}
	if (said_count > 0)
		tl_put_format(out, "said: %s\n", said);
	teardown();
	setup();
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST_TEXTS(traces, "tests/unit/format/write_ctf.cases", write_ctf);

TEST(a_full_packet_is_followed_by_the_next)
{
	struct tl_bytes in;
	struct packet p;
	uint64_t end = 0, count = 0;

	put_set(VIEWERS_MANY, 20000);
	in = stream("stream_0");
	while (next_packet(&in, &p)) {
		ck_assert_uint_eq(p.number, count++);
		ck_assert_uint_ge(p.begin, end);
		ck_assert_uint_lt(p.size / 8, 65 << 10);
		end = p.end;
	}
	ck_assert_uint_gt(count, 5);
}

TEST(hostile_texts_end_no_string_and_no_comment)
{
	const char *text;
	unsigned open = 0;

	put_set(VIEWERS_HOSTILE, UINT64_MAX);
	ck_assert(metadata_has("/* \n* / event { / * */"));
	ck_assert(metadata_has("\"a\\\"b\\\\\\\\c*/\\\\n\\\\x1b[2J"));
	text = tl_text_string(named("metadata"));
	for (; *text != '\0'; text++) {
		ck_assert(*text >= ' ' || *text == '\n' || *text == '\t');
		ck_assert((unsigned char)*text < 0x80);
		if (open && *text == '\\')
			text++;
		else if (*text == '"')
			open = !open;
		ck_assert(*text != '\n' || !open);
	}
}

static char large[50000];

static struct tl_bytes
get_large(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	memset(large, (int)n, sizeof(large));
	return tl_bytes(large, sizeof(large));
}

TEST(an_event_may_be_larger_than_a_packet)
{
	static const struct tl_strings strings = { get_large };
	struct tl_message message = { .kind = TIMELINE_RECORD_INSTANT,
		.level = 6,
		.strings = &strings };
	struct tl_event event = { .ns = 5,
		.kind = TL_INSTANT,
		.message = &message,
		.args = { 'a', 'b', 'c', 1 } };
	struct tl_bytes in;
	struct packet p;

	ck_assert_ok(
	    tl_message_parse(&message, tl_bytes_of("$a%s $b%s $c%s $d%s")));
	ck_assert_ok(writer->sink.put(&writer->sink, &event));
	ck_assert_ok(writer->sink.put(&writer->sink, &event));
	ck_assert_ok(writer->sink.finish(&writer->sink));
	in = stream("stream_0");
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(next_packet(&in, &p));
		ck_assert_uint_eq(p.events.size,
		    49 + 3 * sizeof(large) + 4 * sizeof(large) + 4);
	}
	ck_assert_uint_eq(in.size, 0);
}

TEST(an_error_of_the_output_stops_the_caller)
{
	char name[96];

	snprintf(name, sizeof(name), "%s/metadata", path);
	ck_assert_int_eq(symlink("/dev/null", name), 0);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), -ELOOP);
	ck_assert_int_eq(unlink(name), 0);
}

TEST(a_trace_is_never_written_into_a_directory_of_others)
{
	struct tl_writer *again;

	ck_assert_int_eq(tl_ctf_write_at(&again, path, &report), -EEXIST);
	ck_assert_int_eq(tl_ctf_write_at(&again, "/dev/null/x", &report),
	    -ENOTDIR);
}
