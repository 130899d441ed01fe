/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.c - whatever the bytes of a file are, a reader shows every whole
 * entry, reports the damage, and neither crashes nor hangs.
 */
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/snap_open.h"
#include "lib/test.h"

enum { EVENTS = 50 };

static struct frozen good;
static uint8_t *bytes; /* a copy to damage */

static void
setup(void)
{
	struct timeline_event *event, *span, *error;
	uint64_t number;

	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b%s", &event));
	ck_assert_ok(timeline_define_span(tl, "b", "debug", "span $x%f",
	    TIMELINE_THREAD, &span));
	ck_assert_ok(timeline_define(tl, "c", "error", "$e%x\nlong", &error));
	ck_assert_ok(timeline_string(tl, "eth0", &number));
	for (int i = 0; i < EVENTS / 5; i++) {
		timeline_log(event, i, number);
		timeline_begin(span, 2.5);
		timeline_end(span);
		timeline_log(error, i);
		tl_append_fallback(event, 7, number, 0, 0);
	}
	good = frozen_save();
	frozen_pack(&good);
	bytes = malloc(good.size);
	memcpy(bytes, good.bytes, good.size);
}

static void
teardown(void)
{
	free(bytes);
	frozen_free(&good);
	fixture_close();
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_good_file_shows_all)
{
	int rc;
	const struct walk w = frozen_look(bytes, good.size, &rc);

	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(w.events, EVENTS);
	ck_assert_uint_eq(w.lost, 0);
}

TEST(a_file_cut_anywhere_shows_what_is_left)
{
	uint64_t before = 0;
	int rc;

	for (size_t size = 0; size <= good.size; size += random_step(64)) {
		const struct walk w = frozen_look(bytes, size, &rc);

		if (size < TIMELINE_HEADER_SIZE) {
			ck_assert_int_eq(rc, size < 8 ? -EBADMSG : -ENODATA);
			continue;
		}
		ck_assert_int_eq(rc, 0);
		ck_assert_uint_ge(w.events, before);
		/* whole heads count the missing entries as lost */
		if (size >= good.header->entries_offset[0])
			ck_assert_uint_eq(w.events + w.lost, EVENTS);
		before = w.events;
	}
	ck_assert_uint_eq(before, EVENTS);
}

TEST(a_file_cut_at_odd_places_is_no_worse)
{
	int rc;

	for (size_t size = 0; size < good.size; size += random_step(37))
		frozen_look(bytes, size, &rc);
}

TEST(what_is_missing_is_named)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	ck_assert_ok(frozen_try(&snap, bytes, good.size - 1, &fault));
	ck_assert_uint_ge(tl_snap_fault_count(snap), 1);
	ck_assert_uint_eq(tl_snap_fault(snap, 0)->at, good.size - 1);
	ck_assert_ptr_nonnull(
	    strstr(tl_snap_fault(snap, 0)->text, "truncated"));
	tl_snap_close(snap);
}

/* Flip each bit of a part, one after the other. */
static void
flip_all(uint64_t from, uint64_t to, unsigned step)
{
	int rc;

	for (uint64_t bit = from * 8; bit < to * 8; bit += random_step(step)) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		frozen_look(bytes, good.size, &rc);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

TEST(every_bit_of_the_header_may_flip)
{
	flip_all(0, 768, 1);
	flip_all(768, TIMELINE_HEADER_SIZE, 257);
}

TEST(every_bit_of_the_heads_may_flip)
{
	flip_all(good.header->heads_offset,
	    good.header->heads_offset + 4 * TIMELINE_HEAD_SIZE, 1);
}

TEST(every_bit_of_the_records_may_flip)
{
	flip_all(good.header->strings_offset,
	    good.header->strings_offset + good.header->strings_tail, 1);
}

TEST(every_bit_of_a_knot_may_flip)
{
	flip_all(good.header->knots_offset,
	    good.header->knots_offset + 2 * TIMELINE_KNOT_SIZE, 1);
}

TEST(every_bit_of_an_entry_may_flip)
{
	flip_all(good.header->entries_offset[0],
	    good.header->entries_offset[0] + TIMELINE_ENTRY_SIZE, 1);
	flip_all(good.header->entries_offset[0], good.header->knots_offset,
	    131);
}

TEST(damage_to_a_lane_hides_that_lane_only)
{
	struct timeline_header *h = (void *)bytes;
	int rc;
	struct walk w;

	memset(bytes + timeline_head_offset(h, 1), 0xff, TIMELINE_HEAD_SIZE);
	w = frozen_look(bytes, good.size, &rc);
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_ge(w.events, EVENTS - EVENTS / 5);
}

/* Random words in the geometry, several at once and of any size. */
TEST(hostile_geometry_is_refused_or_harmless)
{
	uint64_t seed = 21;
	unsigned opened = 0;
	int rc;

	for (int i = 0; i < random_rounds(6000); i++) {
		for (int k = 0; k < 3; k++) {
			const uint64_t at = 8 * random_below(&seed, 192 / 8);
			const uint64_t word =
			    random_next(&seed) >> random_below(&seed, 64);

			memcpy(bytes + at, &word, sizeof(word));
		}
		if (i % 2)
			memcpy(bytes, good.bytes, 64);
		frozen_look(bytes, good.size, &rc);
		opened += rc == 0;
		memcpy(bytes, good.bytes, TIMELINE_HEADER_SIZE);
	}
	ck_assert_uint_lt(opened, 6000);
}

/* A few bytes that claim billions of entries. */
TEST(a_small_file_that_claims_much_is_looked_at_quickly)
{
	struct timeline_header *h = (void *)bytes;
	const uint64_t n = UINT64_C(1) << 31;
	struct walk w;
	int rc;

	h->tiers = 1;
	h->cpu_lanes = 3;
	h->fallback_lanes = 1;
	h->tier_entries[0] = n;
	h->names_offset = 0;
	h->knots_offset = h->entries_offset[0] + 4 * n * TIMELINE_ENTRY_SIZE;
	h->strings_offset = h->knots_offset + h->knots_max * TIMELINE_KNOT_SIZE;
	h->total_size = h->strings_offset + h->strings_size;
	for (uint32_t lane = 0; lane < 4; lane++) {
		struct timeline_head *head =
		    (void *)(bytes + timeline_head_offset(h, lane));

		head->head = head->end = 5 * n + 1000;
		head->first = 4 * n + 1000;
	}
	w = frozen_look(bytes, good.size, &rc);
	ck_assert_int_eq(rc, 0);
	/* entries that were overwritten count as lost, too */
	ck_assert_uint_eq(w.events + w.lost, 4 * (5 * n + 1000));
}

static struct timeline_record *
record(uint64_t at)
{
	return (void *)(bytes + good.header->strings_offset + at);
}

static struct tl_snap *
open_damaged(void)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	ck_assert_ok(frozen_try(&snap, bytes, good.size, &fault));
	return snap;
}

/* Three messages of this test, seven of the library. */
enum { MESSAGES = 10 };

TEST(records_in_a_circle_are_walked_once)
{
	const uint64_t newest = good.header->newest;
	struct tl_snap *snap;
	size_t all;

	snap = open_damaged();
	all = tl_snap_message_count(snap);
	ck_assert_uint_eq(tl_snap_fault_count(snap), 0);
	tl_snap_close(snap);
	ck_assert_uint_eq(all, MESSAGES);
	record(TIMELINE_STRINGS_START)->link = newest;
	snap = open_damaged();
	ck_assert_uint_eq(tl_snap_message_count(snap), all);
	ck_assert_uint_eq(tl_snap_fault_count(snap), 1);
	tl_snap_close(snap);
	record(newest)->link = newest;
	snap = open_damaged();
	ck_assert_uint_eq(tl_snap_message_count(snap), all);
	ck_assert_uint_ge(tl_snap_fault_count(snap), 1);
	tl_snap_close(snap);
}

/*
 * All whole definitions are found, in order, even if no link leads to them.
 * The damaged record (but) is not among them; 0: no record is damaged.
 */
static void
check_found(uint32_t but)
{
	struct tl_snap *snap = open_damaged();
	uint32_t before = 0;
	size_t strays = 0;

	ck_assert_uint_ge(tl_snap_fault_count(snap), 1);
	for (size_t i = 0; i < tl_snap_message_count(snap); i++) {
		ck_assert_uint_gt(tl_snap_message(snap, i)->id, before);
		before = tl_snap_message(snap, i)->id;
		strays += before == but;
	}
	ck_assert_uint_eq(tl_snap_message_count(snap), MESSAGES - (but != 0));
	ck_assert_uint_eq(strays, 0);
	ck_assert_uint_eq(frozen_walk(snap, TL_OLDEST_FIRST).events, EVENTS);
	tl_snap_close(snap);
}

TEST(a_damaged_newest_hides_no_definition)
{
	struct timeline_header *h = (void *)bytes;
	const uint64_t places[] = { 0, 8, 1, 96, good.header->newest + 16,
		good.header->strings_tail, UINT64_MAX, UINT64_MAX & ~15ULL };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		h->newest = places[i];
		check_found(0);
	}
}

TEST(a_damaged_record_hides_itself_only)
{
	const uint32_t damaged = (uint32_t)record(good.header->newest)->link;

	record(damaged)->level = TIMELINE_LEVEL_MAX + 1;
	check_found(damaged);
	/*
	 * the record is valid again, but a hash protects the link that should
	 * lead to it
	 */
	record(damaged)->level = TIMELINE_LEVEL_MAX;
	record(good.header->newest)->link = 8;
	check_found(damaged);
}

TEST(links_out_of_the_table_end_the_walk)
{
	const uint64_t links[] = { 8, 1, good.header->strings_tail,
		good.header->strings_size, UINT64_MAX, UINT64_MAX & ~15ULL,
		UINT64_C(1) << 32, (UINT64_C(1) << 32) + 64 };
	struct tl_snap *snap;

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		record(good.header->newest)->link = links[i];
		snap = open_damaged();
		ck_assert_uint_ge(tl_snap_fault_count(snap), 1);
		/*
		 * entries whose definition was not found have an unknown
		 * message
		 */
		ck_assert_uint_eq(frozen_walk(snap, TL_OLDEST_FIRST).events,
		    EVENTS);
		tl_snap_close(snap);
	}
}

TEST(faults_are_counted_beyond_those_kept)
{
	struct timeline_header *h = (void *)bytes;
	struct tl_snap *snap;
	const struct tl_fault *last = NULL;

	h->newest = 0;
	h->strings_tail = TIMELINE_STRINGS_START;
	snap = open_damaged();
	for (int i = 0; i < 10; i++)
		frozen_walk(snap, TL_OLDEST_FIRST);
	ck_assert_uint_gt(tl_snap_fault_count(snap), TL_SNAP_FAULTS_MAX);
	last = tl_snap_fault(snap, TL_SNAP_FAULTS_MAX - 1);
	ck_assert(last && last->rc == -EBADMSG);
	ck_assert_ptr_null(tl_snap_fault(snap, TL_SNAP_FAULTS_MAX));
	tl_snap_close(snap);
}

TEST(what_is_no_timeline_is_said_to_be_none)
{
	static uint8_t zeros[8192];
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;
	int fd;

	ck_assert_int_eq(frozen_try(&snap, zeros, 0, &fault), -EBADMSG);
	fault.rc = 0;
	ck_assert_int_eq(frozen_try(&snap, zeros, 8192, &fault), -EBADMSG);
	fault.rc = 0;
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(tl_snap_open_fd(&snap, fd, 0, &fault), -EBADMSG);
	close(fd);
	fault.rc = 0;
	ck_assert_int_eq(snap_open(&snap, "/nobody-has-this", 0, &fault),
	    -ENOENT);
	ck_assert_str_ne(fault.text, "");
	fault.rc = 0;
	ck_assert_int_eq(snap_open(&snap, "/dev/shm", 0, &fault), -EBADMSG);
	fault.rc = 0;
	ck_assert_int_eq(snap_open(&snap, "", 0, &fault), -EINVAL);
}

/* A live file whose end is missing, and one with bytes behind its end. */
TEST(a_damaged_copy_of_a_live_file_is_shown)
{
	uint8_t *longer = calloc(1, good.size + 100);
	struct walk w;
	int rc;

	frozen_make_live(bytes);
	w = frozen_look(bytes, good.size - 10, &rc);
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(w.events, EVENTS);
	memcpy(longer, bytes, good.size);
	w = frozen_look(longer, good.size + 100, &rc);
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(w.events, EVENTS);
	free(longer);
}
