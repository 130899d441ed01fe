/* SPDX-License-Identifier: Apache-2.0 */
/* ctf.c - traces of the Common Trace Format, read again. */
#include "format/ctf/ctf.h"
#include "event/names.h"
#include "lib/test.h"
#include "lib/viewers.h"

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

static struct packet
only_packet(const char *name)
{
	struct tl_bytes in = stream(name);
	struct packet p;

	ck_assert(next_packet(&in, &p));
	ck_assert_uint_eq(in.size, 0);
	return p;
}

static bool
metadata_has(const char *text)
{
	return strstr(tl_text_string(named("metadata")), text) != NULL;
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(each_lane_has_a_stream)
{
	struct packet p;

	put_set(VIEWERS_PLAIN, UINT64_MAX);
	load();
	ck_assert_uint_eq(file_count, 4);
	p = only_packet("stream_0");
	ck_assert_uint_eq(p.cpu, 0);
	ck_assert_uint_eq(p.begin, VIEWERS_NS);
	p = only_packet("stream_1");
	ck_assert_uint_eq(p.cpu, 1);
	ck_assert_uint_eq(p.lane, 1);
	p = only_packet("stream_2");
	ck_assert_uint_eq(p.cpu, TL_CPU_UNKNOWN);
	ck_assert_uint_eq(p.begin, p.end);
}

TEST(an_event_lies_as_the_metadata_say)
{
	struct tl_bytes in;

	put_set(VIEWERS_PLAIN, UINT64_MAX);
	in = only_packet("stream_0").events;
	ck_assert_uint_eq(number(&in, 4), 0);
	ck_assert_uint_eq(number(&in, 8), VIEWERS_NS);
	ck_assert_uint_eq(number(&in, 4), 40);
	ck_assert_uint_eq(number(&in, 4), 50);
	ck_assert_uint_eq(number(&in, 8), (uint64_t)VIEWERS_NS * 3);
	ck_assert_uint_eq(number(&in, 8), 0);
	ck_assert_uint_eq(number(&in, 4), 0);
	ck_assert_uint_eq(number(&in, 4), 30);
	ck_assert_uint_eq(number(&in, 2), 0); /* no names */
	ck_assert_uint_eq(number(&in, 1), 0);
	ck_assert_uint_eq(number(&in, 1), 4);
	ck_assert_uint_eq(number(&in, 1), TL_INSTANT);
	ck_assert_uint_eq(number(&in, 8), UINT64_MAX);
	ck_assert_uint_eq(number(&in, 8), (uint64_t)INT64_MIN);
	ck_assert_uint_eq(number(&in, 8), UINT64_MAX);
	/* the message request: a string */
	ck_assert_uint_eq(number(&in, 4), 1);
	in.data += 8 + 4 + 4 + 8 + 8 + 4 + 4 + 2 + 3 + 8;
	ck_assert_str_eq(in.data, "/index");
	ck_assert(metadata_has("\tname = \"net:processed tcp, udp, and "
			       "other\";\n\tloglevel = 14;"));
	ck_assert(metadata_has("\t\tu64 _tcp;\n\t\ts64 _udp;\n\t\tx64 "
			       "_other;\n"));
	ck_assert(metadata_has("\t\tf64 _r;\n\t\ts64 _t;\n"));
	ck_assert(metadata_has("\t\ts64 _id;\n\t\tstring _path;\n"));
	ck_assert(metadata_has("enum : u8 { \"trace\" = 4 } level;"));
	ck_assert(metadata_has("\"http:request id to path_entry\""));
	ck_assert(metadata_has("\"http:request id to path_exit\""));
	ck_assert(metadata_has("src/server.c:101\nPackets of one pass. */"));
	ck_assert(!metadata_has("hostname"));
}

TEST(the_origin_stands_in_the_environment)
{
	const struct tl_origin origin = { .machine = "host\"a\\",
		.command = "server",
		.pid = 40 };

	tl_writer_facts(writer)->origin = origin;
	put_set(VIEWERS_PLAIN, 1);
	ck_assert(metadata_has("hostname = \"host\\\"a\\\\\\\\\";"));
	ck_assert(metadata_has("procname = \"server\";"));
	ck_assert(metadata_has("vpid = 40;"));
}

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

TEST(losses_lie_between_packets)
{
	static const uint64_t discarded[] = { 0, 11, 511, 514 };
	struct tl_bytes in;
	struct packet p;

	put_set(VIEWERS_LOSSY, UINT64_MAX);
	in = stream("stream_0");
	for (size_t i = 0; i < 4; i++) {
		ck_assert(next_packet(&in, &p));
		ck_assert_uint_eq(p.discarded, discarded[i]);
		ck_assert(i == 0 || i == 3 || p.events.size > 0);
	}
	ck_assert(!next_packet(&in, &p));
	ck_assert_uint_eq(only_packet("stream_1").discarded, 0);
	ck_assert_uint_eq(said_count, 0);
}

TEST(time_never_goes_back_in_a_stream)
{
	struct packet p;

	put_set(VIEWERS_BACK, UINT64_MAX);
	p = only_packet("stream_0");
	ck_assert(metadata_has("offset_s = -1;"));
	ck_assert_uint_eq(p.begin, 1000000000 - 5);
	ck_assert_uint_eq(p.end, VIEWERS_NS + 1000000000 + 10);
	ck_assert_uint_eq(said_count, 1);
	ck_assert_str_eq(said, "CTF has no clock that is set back: time "
			       "stands still meanwhile");
}

TEST(the_first_and_the_last_time_there_is_are_kept_apart)
{
	struct tl_event event = { 0 };
	struct packet p;

	ck_assert(viewers_event(VIEWERS_PLAIN, 0, &event));
	event.ns = INT64_MIN;
	ck_assert_ok(writer->sink.put(&writer->sink, &event));
	event.ns = INT64_MAX;
	ck_assert_ok(writer->sink.put(&writer->sink, &event));
	ck_assert_ok(writer->sink.finish(&writer->sink));
	p = only_packet("stream_0");
	ck_assert_uint_eq(p.begin, 0);
	ck_assert_uint_eq(p.end, INT64_MAX - 1000000000); /* 292 years */
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

TEST(an_event_has_the_names_of_its_thread_and_process)
{
	struct tl_names names = { 0 };
	struct tl_message message = { .kind = TIMELINE_RECORD_INSTANT,
		.level = 6,
		.names = &names };
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &message,
		.pid = 41,
		.tid = 42 };
	struct tl_bytes in;
	struct packet p;

	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("x")));
	ck_assert_ok(tl_names_add(&names, 41, 0, tl_bytes_of("p")));
	ck_assert_ok(tl_names_add(&names, 41, 42, tl_bytes_of("t\n")));
	ck_assert_ok(writer->sink.put(&writer->sink, &event));
	ck_assert_ok(writer->sink.finish(&writer->sink));
	in = stream("stream_0");
	ck_assert(next_packet(&in, &p));
	ck_assert_uint_eq(p.events.size, 44 + 3 + 2 + 3);
	ck_assert_str_eq(p.events.data + 44, "t?");
	ck_assert_str_eq(p.events.data + 44 + 3, "p");
	tl_names_free(&names);
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

TEST(a_trace_without_events_is_one)
{
	put_set(VIEWERS_PLAIN, 0);
	load();
	ck_assert_uint_eq(file_count, 1);
	ck_assert(metadata_has("/* CTF 1.8 */"));
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
