/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet.c - the archive of many hosts, read again by the places
 * that POSIX has given the fields of its headers.
 */
#include "format/perfetto/fleet_write.h"

#include "event/hosts/hosts.h"
#include "format/perfetto/fleet_tar.h"
#include "lib/perfetto_read.h"
#include "lib/test.h"
#include "lib/viewers.h"
#include "writer_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMBERS_MAX = 16, BLOCK = 512 };

struct member {
	const char *name;
	struct tl_bytes content;
	uint64_t changed_s;
};

static struct member members[MEMBERS_MAX];
static size_t member_count;

#define BOOT(n) \
	{ \
		n, n, n, n \
	}

/* Two timelines of one host, one of another whose process has the same
 * number, one of the first host before it was started again. */
static const struct tl_origin origins[] = {
	{ .machine = "web",
	    .command = "server",
	    .pid = 40,
	    .timeline = "one",
	    .boot_id = BOOT(1),
	    .boottime_ns = VIEWERS_NS - 5000 },
	{ .machine = "db",
	    .command = "postgres",
	    .pid = 40,
	    .boot_id = BOOT(2),
	    .monotonic_ns = VIEWERS_NS - 3000 },
	{ .machine = "web",
	    .command = "worker",
	    .pid = 41,
	    .timeline = "two",
	    .boot_id = BOOT(1) },
	{ .machine = "web", .boot_id = BOOT(9) },
};

static void
setup(void)
{
	writer_setup(tl_fleet_write_new);
}

/* The digits of a field. */
static uint64_t
octal(const char *field, size_t size)
{
	uint64_t n = 0;

	for (size_t i = 0; i + 1 < size; i++) {
		ck_assert(field[i] >= '0' && field[i] <= '7');
		n = n * 8 + (uint64_t)(field[i] - '0');
	}
	ck_assert_int_eq(field[size - 1], '\0');
	return n;
}

static void
check_sum(const char *header)
{
	uint64_t sum = 8 * ' ';

	for (size_t i = 0; i < BLOCK; i++) {
		if (i < 148 || i >= 156)
			sum += (unsigned char)header[i];
	}
	ck_assert_uint_eq(octal(header + 148, 7), sum);
	ck_assert_int_eq(header[155], ' ');
}

static void
check_zeros(size_t from, size_t to)
{
	ck_assert_uint_le(to, got.size);
	for (size_t i = from; i < to; i++)
		ck_assert_int_eq(got.data[i], '\0');
}

/* The member whose header lies at a place: where the next lies. */
static size_t
read_member(size_t at)
{
	const char *header = got.data + at;
	const size_t size = octal(header + 124, 12), start = at + BLOCK;
	const size_t next = start + (size + BLOCK - 1) / BLOCK * BLOCK;

	ck_assert_uint_lt(member_count, MEMBERS_MAX);
	check_sum(header);
	ck_assert_mem_eq(header + 257, "ustar\00000", 8);
	ck_assert_int_eq(header[156], '0');
	ck_assert_uint_eq(octal(header + 100, 8), 0644);
	ck_assert_uint_gt(size, 0);
	check_zeros(start + size, next);
	members[member_count++] = (struct member){ header,
		tl_bytes(got.data + start, size), octal(header + 136, 12) };
	return next;
}

static void
read_archive(void)
{
	size_t at = 0;

	finish();
	member_count = 0;
	while (got.size - at > (size_t)2 * BLOCK)
		at = read_member(at);
	ck_assert_uint_eq(got.size - at, (size_t)2 * BLOCK);
	check_zeros(at, got.size);
	ck_assert_uint_ge(member_count, 1);
	ck_assert_str_eq(members[0].name, "perfetto_manifest.json");
}

static void
is_manifest(const char *want)
{
	const struct tl_bytes content = members[0].content;

	ck_assert_uint_eq(content.size, strlen(want));
	ck_assert_mem_eq(content.data, want, content.size);
}

/* Every event of a set goes to a source, one after the other. */
static void
put_around(enum viewers_set set, uint64_t count, unsigned sources)
{
	struct tl_event event = { 0 };

	for (uint64_t i = 0; i < count && viewers_event(set, i, &event); i++) {
		event.source = (uint16_t)(i % sources);
		put(&event);
	}
}

/* The archive of some of each kind of event, of so many sources. */
static void
read_around(const struct tl_origin *sources, unsigned count)
{
	tl_writer_set_sources(writer, sources, count);
	put_around(VIEWERS_PLAIN, UINT64_MAX, count);
	read_archive();
}

static bool
is_command(uint32_t pid, const char *command)
{
	for (size_t i = 1; i < TRACKS_MAX; i++) {
		struct field process, name;

		if (tracks[i].data && pb_find(tracks[i], 3, &process) &&
		    pb_value(process.bytes, 1) == pid)
			return pb_find(process.bytes, 6, &name)
				   ? pb_is(name.bytes, command)
				   : command[0] == '\0';
	}
	return false;
}

TEST_FILE(.setup = setup, .teardown = writer_teardown, .timeout = 600);

TEST(every_host_has_a_trace_of_its_own)
{
	read_around(origins, 3);
	ck_assert_uint_eq(member_count, 3);
	is_manifest("{\"perfetto_manifest\":{\"version\":1,\n"
		    "\"trace_time\":{\"clock\":\"REALTIME\",\"file\":"
		    "\"web.pftrace\"},\n"
		    "\"files\":[\n"
		    "{\"path\":\"web.pftrace\",\"machine\":"
		    "{\"name\":\"web\"}},\n"
		    "{\"path\":\"db.pftrace\",\"machine\":"
		    "{\"name\":\"db\"}}],\n"
		    "\"attributes\":{}}}\n");
	ck_assert_str_eq(members[1].name, "web.pftrace");
	ck_assert_str_eq(members[2].name, "db.pftrace");
}

TEST(events_are_in_the_trace_of_their_host)
{
	struct tl_event event = { 0 };
	size_t web = 0, db = 0;
	int64_t of_db[32];

	read_around(origins, 3);
	read_all(members[1].content);
	ck_assert(pb_is(pb_bytes(machine, 17), "web"));
	ck_assert_int_eq(clock_of(6), 5000);
	ck_assert_int_eq(clock_of(3), -1);
	for (uint64_t i = 0; viewers_event(VIEWERS_PLAIN, i, &event); i++) {
		if (i % 3 == 1)
			of_db[db++] = event.ns;
		else
			ck_assert_int_eq(times[web++], event.ns);
	}
	ck_assert_uint_eq(event_count, web);
	read_all(members[2].content);
	ck_assert(pb_is(pb_bytes(machine, 17), "db"));
	ck_assert_int_eq(clock_of(3), 3010);
	ck_assert_uint_eq(event_count, db);
	for (size_t i = 0; i < db; i++)
		ck_assert_int_eq(times[i], of_db[i]);
	ck_assert_uint_eq(members[2].changed_s,
	    (uint64_t)of_db[db - 1] / 1000000000);
}

TEST(a_process_is_called_as_on_its_host)
{
	read_around(origins, 3);
	read_all(members[1].content);
	ck_assert(is_command(40, "server"));
	ck_assert(is_command(41, "worker")); /* of the other timeline */
	read_all(members[2].content);
	ck_assert(is_command(40, "postgres"));
	ck_assert(is_command(41, ""));
}

TEST(a_process_of_another_boot_is_another_one)
{
	static const struct tl_origin boots[] = { { .machine = "web",
						      .boot_id = BOOT(1) },
		{ .machine = "web",
		    .command = "ghost",
		    .pid = 41,
		    .boot_id = BOOT(9) } };

	read_around(boots, 2);
	read_all(members[1].content);
	ck_assert(is_command(41, ""));
	read_all(members[2].content);
	ck_assert(is_command(41, "ghost"));
}

TEST(a_host_that_was_started_again_is_another_one)
{
	read_around(origins, 4);
	ck_assert_uint_eq(member_count, 4);
	ck_assert_str_eq(members[1].name, "web__boot_01010101_.pftrace");
	ck_assert_str_eq(members[2].name, "db.pftrace");
	ck_assert_str_eq(members[3].name, "web__boot_09090909_.pftrace");
	read_all(members[1].content);
	ck_assert(pb_is(pb_bytes(machine, 17), "web (boot 01010101)"));
	read_all(members[3].content);
	ck_assert(pb_is(pb_bytes(machine, 17), "web (boot 09090909)"));
}

TEST(hostile_names_steer_nothing)
{
	static const struct tl_origin hostile[] = {
		{ .machine = "../..//etc/x\"}]\n\033[2J" },
		{ .machine = ".hidden" }, { .machine = "_HIDDEN" },
		{ .machine = "\xff\xe2\x80\xae" }
	};

	read_around(hostile, 4);
	ck_assert_str_eq(members[1].name, "_._..__etc_x______2J.pftrace");
	ck_assert_str_eq(members[2].name, "_hidden.pftrace");
	ck_assert_str_eq(members[3].name, "_HIDDEN-2.pftrace");
	for (size_t i = 0; i < members[0].content.size; i++) {
		const char c = members[0].content.data[i];

		ck_assert(c == '\n' || (c >= 0x20 && c < 0x7f));
	}
	ck_assert_ptr_nonnull(strstr(members[0].content.data,
	    "{\"name\":\"../..//etc/x\\\"}]\\\\n\\\\x1b[2J\"}"));
	ck_assert_ptr_nonnull(strstr(members[0].content.data,
	    "{\"name\":\"\\\\xff\\\\xe2\\\\x80\\\\xae\"}"));
}

/* As many as there can be, whose names are the same once they are plain. */
TEST(names_that_are_one_when_plain_are_told_apart)
{
	static struct tl_origin all[TL_FLEET_HOSTS_MAX - 1];
	const unsigned count = sizeof(all) / sizeof(all[0]);

	for (unsigned i = 0; i < count; i++)
		snprintf(all[i].machine, sizeof(all[i].machine), "\xff%c%c%c%c",
		    1 + i / 1000, 1 + i / 100 % 10, 1 + i / 10 % 10,
		    1 + i % 10);
	tl_writer_set_sources(writer, all, count);
	for (uint64_t i = 0; i < 3; i++) {
		struct tl_event event = { 0 };

		ck_assert(viewers_event(VIEWERS_PLAIN, i, &event));
		event.source = (uint16_t)(i * (count / 2));
		put(&event);
	}
	read_archive();
	ck_assert_uint_eq(member_count, 4);
	ck_assert_str_eq(members[1].name, "_____.pftrace");
	ck_assert_str_eq(members[2].name, "_____-2048.pftrace");
	ck_assert_str_eq(members[3].name, "_____-4095.pftrace");
}

TEST(a_host_without_events_has_no_trace)
{
	struct tl_event event = { 0 };

	tl_writer_set_sources(writer, origins, 3);
	ck_assert(viewers_event(VIEWERS_PLAIN, 0, &event));
	event.source = 1;
	put(&event);
	read_archive();
	ck_assert_uint_eq(member_count, 2);
	ck_assert_str_eq(members[1].name, "db.pftrace");
	ck_assert_ptr_nonnull(
	    strstr(members[0].content.data, "\"file\":\"db.pftrace\"}"));
	ck_assert_ptr_null(strstr(members[0].content.data, "web"));
}

TEST(an_archive_without_events_is_one)
{
	read_archive();
	ck_assert_uint_eq(member_count, 1);
	is_manifest("{\"perfetto_manifest\":{\"version\":1,\n\"files\":[],\n"
		    "\"attributes\":{}}}\n");
}

TEST(bounds_of_clocks_are_attributes)
{
	struct tl_event event = { 0 };

	tl_writer_set_sources(writer, origins, 4);
	for (uint64_t i = 0; viewers_event(VIEWERS_PLAIN, i, &event); i++) {
		event.source = i % 4;
		event.sync_us = i % 4 == 3   ? TL_SYNC_UNBOUNDED
				: i % 4 == 1 ? 1200 - (uint32_t)i
					     : 0;
		put(&event);
	}
	read_archive();
	ck_assert_ptr_nonnull(strstr(members[0].content.data,
	    "\"attributes\":{\n\"timeline.clock_error_us.db\":1199,\n"
	    "\"timeline.clock_error_us.web (boot 09090909)\":"
	    "\"unbounded\"}}}\n"));
}

TEST(what_a_trace_cannot_carry_is_said_of_its_host)
{
	read_around(origins, 3);
	ck_assert_uint_eq(said_count, 3);
	ck_assert_str_eq(said[0], "web: Perfetto has no counters of 2^63 and "
				  "above: rounded to a double");
	ck_assert_str_eq(said[2], "db: Perfetto has no place for a message's "
				  "explanation: left out");
}

/* As many as an inner trace has packets of events. */
static uint64_t
count_events(struct tl_bytes trace)
{
	struct field packet, event;
	uint64_t n = 0;

	while (pb_next(&trace, &packet))
		n += pb_find(packet.bytes, 11, &event);
	return n;
}

TEST(many_events_wait_in_a_file)
{
	tl_writer_set_sources(writer, origins, 3);
	put_around(VIEWERS_MANY, 10000, 3);
	ck_assert_uint_lt(writer->out.text.capacity, 1000); /* not here */
	read_archive();
	ck_assert_uint_gt(got.size, 10 * TL_OUT_SIZE_MAX / 2);
	ck_assert_uint_eq(count_events(members[1].content), 6667);
	ck_assert_uint_eq(count_events(members[2].content), 3333);
}

TEST(an_error_of_the_output_stops_the_caller)
{
	write_rc = -ENOSPC;
	tl_writer_set_sources(writer, origins, 3);
	put_around(VIEWERS_PLAIN, UINT64_MAX, 3);
	ck_assert_int_eq(writer->sink.finish(&writer->sink), -ENOSPC);
}

TEST(a_file_that_cannot_be_made_stops_the_caller)
{
	struct tl_event event = { 0 };
	int rc = 0;

	setenv("TMPDIR", "/nowhere", 1);
	for (uint64_t i = 0; rc == 0 && i < 100000; i++) {
		ck_assert(viewers_event(VIEWERS_MANY, i, &event));
		rc = writer->sink.put(&writer->sink, &event);
	}
	unsetenv("TMPDIR");
	ck_assert_int_eq(rc, -ENOENT);
}

/* What tar says of headers that are followed by as many bytes as they say. */
TEST(tar_reads_sizes_that_octal_digits_cannot_hold)
{
	static const uint64_t sizes[] = { 0, 077777777777, 0100000000000,
		UINT64_C(1) << 40 };
	struct tl_tar_member member = { .name = "x" };
	char path[] = "/tmp/test_format_fleet.XXXXXX", command[128], line[256];
	const int fd = mkstemp(path);
	uint64_t at = 0, size;
	FILE *tar;

	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < 4; i++) {
		member.size = sizes[i];
		member.changed_s = UINT64_C(1) << 35;
		tl_text_clear(&got);
		tl_tar_put_header(&got, &member);
		ck_assert_uint_eq(got.size, BLOCK);
		ck_assert_int_eq(pwrite(fd, got.data, BLOCK, (off_t)at), BLOCK);
		at += BLOCK + (sizes[i] + BLOCK - 1) / BLOCK * BLOCK;
	}
	ck_assert_int_eq(ftruncate(fd, (off_t)at + 2 * BLOCK), 0);
	snprintf(command, sizeof(command), "tar -ntvf %s", path);
	tar = popen(command, "r");
	ck_assert_ptr_nonnull(tar);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), tar));
		ck_assert_int_eq(sscanf(line, "%*s %*s %lu", &size), 1);
		ck_assert_uint_eq(size, sizes[i]);
		ck_assert_ptr_nonnull(strstr(line, "3058-"));
	}
	ck_assert_int_eq(pclose(tar), 0);
	close(fd);
	unlink(path);
}
