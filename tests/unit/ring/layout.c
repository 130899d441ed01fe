/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - a geometry is what was asked for, and any other geometry is
 * refused.
 */
#include "lib/fixture.h"
#include "lib/random.h"
#include "lib/sample.h"
#include "lib/test.h"

static struct timeline_header header;

static int
plan_with(struct timeline_options options, uint32_t clock, bool has_rseq)
{
	memset(&header, 0, sizeof(header));
	header.clock_kind = clock;
	return tl_layout_plan(&header, &options, has_rseq);
}

static int
plan(struct timeline_options options)
{
	return plan_with(options, TIMELINE_CLOCK_TSC, true);
}

/* The reference: the smallest power of two that is at least n. */
static uint64_t
power_at_least(uint64_t n)
{
	for (int i = 0; i < 64; i++)
		if (UINT64_C(1) << i >= n)
			return UINT64_C(1) << i;
	return 0;
}

TEST_FILE(.timeout = 60);

TEST(defaults_are_ten_mib_of_entries)
{
	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 4 }), 0);
	ck_assert_uint_eq(header.entries_asked, 163840);
	ck_assert_uint_eq(header.tier_entries[0], 65536);
	ck_assert_uint_eq(header.tier_entries[1], 8192);
	ck_assert_uint_eq(header.fallback_entries[0], 65536);
	ck_assert_uint_eq(header.fallback_entries[1], 8192);
	ck_assert_uint_eq(header.tiers, 2);
	ck_assert_uint_eq(header.fallback_lanes, 1);
	ck_assert_uint_eq(header.strings_size, 1048576);
}

TEST(a_lane_has_the_smallest_power_of_two_that_is_enough)
{
	uint64_t seed = 1;

	for (int i = 0; i < random_rounds(20000); i++) {
		const uint64_t entries = 1 + random_below(&seed, 1 << 24);
		const uint32_t lanes = 1 + (uint32_t)random_below(&seed, 200);
		const uint64_t each = (entries + lanes - 1) / lanes;
		const uint64_t n = power_at_least(each < 64 ? 64 : each);

		ck_assert_int_eq(plan((struct timeline_options){ .entries =
								     entries,
				     .cpu_lanes = lanes }),
		    0);
		ck_assert_uint_eq(header.tier_entries[0], n);
		ck_assert_uint_eq(header.tier_entries[1],
		    n / 8 < 64 ? 64 : n / 8);
		ck_assert_uint_ge(lanes * header.tier_entries[0], entries);
	}
}

/* A process without rseq has this lane alone, however many CPUs there are. */
TEST(a_fallback_lane_is_no_smaller_on_many_cpus)
{
	for (uint32_t lanes = 1; lanes <= 192; lanes++) {
		ck_assert_int_eq(plan((struct timeline_options){
				     .cpu_lanes = lanes }),
		    0);
		ck_assert_uint_eq(header.fallback_entries[0], 65536);
		ck_assert_uint_eq(header.fallback_entries[1], 8192);
		ck_assert_uint_eq(timeline_lane_entries(&header, 0),
		    header.tier_entries[0]);
		ck_assert_uint_eq(timeline_lane_entries(&header, 2 * lanes),
		    65536);
		ck_assert_uint_eq(timeline_lane_entries(&header, 2 * lanes + 1),
		    8192);
	}
	ck_assert_uint_le(tl_layout_dense(&header), 20 << 20);
	for (uint64_t entries = 1; entries < 5000; entries++) {
		const uint64_t n = power_at_least((entries + 3) / 4);

		ck_assert_int_eq(plan((struct timeline_options){ .entries =
								     entries,
				     .cpu_lanes = 4 }),
		    0);
		ck_assert_uint_eq(header.fallback_entries[0], n < 64 ? 64 : n);
		ck_assert_uint_eq(header.fallback_entries[1],
		    n / 8 < 64 ? 64 : n / 8);
	}
}

TEST(with_stamps_of_clock_gettime_the_fallback_has_all_entries)
{
	for (int has_rseq = 0; has_rseq < 2; has_rseq++) {
		ck_assert_int_eq(
		    plan_with((struct timeline_options){ .cpu_lanes = 64 },
			TIMELINE_CLOCK_REALTIME, has_rseq),
		    0);
		ck_assert_uint_eq(header.tier_entries[0], 64);
		ck_assert_uint_eq(header.tier_entries[1], 64);
		ck_assert_uint_eq(header.fallback_entries[0], 262144);
		ck_assert_uint_eq(header.fallback_entries[1], 32768);
		ck_assert(!tl_layout_is_small(&header));
	}
	ck_assert_int_eq(plan_with((struct timeline_options){ .cpu_lanes = 64,
				       .entries = (UINT64_C(1) << 31) + 1 },
			     TIMELINE_CLOCK_REALTIME, false),
	    -EFBIG);
}

TEST(a_creator_without_rseq_makes_lanes_of_cpus_for_those_that_attach)
{
	ck_assert_int_eq(plan_with((struct timeline_options){ .cpu_lanes = 4 },
			     TIMELINE_CLOCK_TSC, false),
	    0);
	ck_assert_uint_eq(header.tier_entries[0], 65536);
	ck_assert_uint_eq(header.tier_entries[1], 8192);
	ck_assert_uint_eq(header.fallback_entries[0], 262144);
	ck_assert_uint_eq(header.fallback_entries[1], 32768);
	ck_assert(!tl_layout_is_small(&header));
}

TEST(lanes_of_cpus_below_what_was_asked_for_are_small)
{
	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 4 }), 0);
	ck_assert(!tl_layout_is_small(&header));
	header.tier_entries[0] = 64;
	ck_assert(tl_layout_is_small(&header));
}

TEST(cpu_lanes_are_the_online_cpus)
{
	ck_assert_int_eq(plan((struct timeline_options){ 0 }), 0);
	ck_assert_uint_ge(header.cpu_lanes,
	    (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Make a list as the kernel writes it, of every second CPU below n. */
static char *
every_second(unsigned n)
{
	char *list = malloc(8 * (size_t)n);
	size_t size = 0;

	for (unsigned cpu = 0; cpu < n; cpu += 2)
		size +=
		    (size_t)sprintf(list + size, "%s%u", cpu ? "," : "", cpu);
	strcpy(list + size, "\n");
	return list;
}

TEST(cpus_are_counted_in_a_list_of_any_length)
{
	ck_assert_uint_eq(tl_cpu_count("0\n", NULL, 0), 1);
	ck_assert_uint_eq(tl_cpu_count("0-1\n", NULL, 0), 2);
	ck_assert_uint_eq(tl_cpu_count("0-3,8-11", NULL, 0), 12);
	for (unsigned n = 3; n < 4096; n += 188) {
		char *list = every_second(n);

		ck_assert_uint_eq(tl_cpu_count(list, NULL, 0),
		    (n - 1) / 2 * 2 + 1);
		free(list);
	}
}

TEST(a_list_that_is_none_counts_nothing)
{
	static const char *const lists[] = { "", "\n", "-", "cpu", "0-", "0,",
		"0-3x", "1 2", "0-99999999999999999999", "0-4294967295" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		ck_assert_uint_eq(tl_cpu_count(lists[i], NULL, 0), 0);
}

/* A container may show two CPUs and let its threads run on the last two. */
TEST(where_threads_may_run_counts_too)
{
	unsigned long mask[4] = { 0 };

	ck_assert_uint_eq(tl_cpu_count("0-1\n", mask, 4), 2);
	mask[0] = 1;
	ck_assert_uint_eq(tl_cpu_count("0-1\n", mask, 4), 2);
	ck_assert_uint_eq(tl_cpu_count("", mask, 4), 1);
	mask[2] = 3;
	ck_assert_uint_eq(tl_cpu_count("0-1\n", mask, 4), 130);
	ck_assert_uint_eq(tl_cpu_count("", mask, 4), 130);
	ck_assert_uint_eq(tl_cpu_count("0-255\n", mask, 4), 256);
	mask[3] = 1ul << 63;
	ck_assert_uint_eq(tl_cpu_count("", mask, 4), 256);
}

TEST(an_id_of_a_boot_is_32_digits)
{
	static const char text[] = "01234567-89ab-cdef-0123-456789ABCDEF\n";
	static const uint8_t wanted[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
		0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	uint8_t id[16];

	ck_assert(tl_boot_id_parse(tl_bytes_of(text), id));
	ck_assert_mem_eq(id, wanted, 16);
	ck_assert(tl_boot_id_parse(tl_bytes(text, 36), id));
	for (size_t size = 0; size < 36; size++)
		ck_assert(!tl_boot_id_parse(tl_bytes(text, size), id));
	ck_assert(
	    !tl_boot_id_parse(tl_bytes_of(
				  "01234567-89ab-cdef-0123-456789ABCDEFG"),
		id));
	ck_assert(
	    !tl_boot_id_parse(tl_bytes_of(
				  "0123456789ab-cdef-0123-456789ABCDEFxx"),
		id));
	ck_assert(!tl_boot_id_parse(tl_bytes_of(
					"00000000-0000-0000-0000-000000000000"),
	    id));
}

TEST(one_tier_is_enough_when_asked)
{
	ck_assert_int_eq(plan((struct timeline_options){ .tiers = 1,
			     .cpu_lanes = 2 }),
	    0);
	ck_assert_uint_eq(header.tiers, 1);
	ck_assert_uint_eq(timeline_lane_count(&header), 3);
}

TEST(what_cannot_be_is_refused)
{
	ck_assert_int_eq(plan((struct timeline_options){ .tiers = 3 }),
	    -EINVAL);
	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 4097 }),
	    -EINVAL);
	ck_assert_int_eq(plan((struct timeline_options){
			     .fallback_lanes = 4097 }),
	    -EINVAL);
	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 1,
			     .entries = (UINT64_C(1) << 31) + 1 }),
	    -EFBIG);
	ck_assert_int_eq(plan((struct timeline_options){
			     .entries = UINT64_MAX }),
	    -EFBIG);
	ck_assert_int_eq(plan((struct timeline_options){
			     .stringtablesize = (UINT64_C(1) << 31) + 1 }),
	    -EFBIG);
	ck_assert_int_eq(plan((struct timeline_options){
			     .stringtablesize = UINT64_MAX }),
	    -EFBIG);
}

/* Check the header: the check must accept every planned geometry. */
static int
check(void)
{
	struct tl_fault fault = { 0 };
	const int rc = tl_layout_check(&header, &fault);

	ck_assert_int_eq(rc, fault.rc);
	return rc;
}

static void
plan_good(void)
{
	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 2,
			     .entries = 1000 }),
	    0);
	header.clock_kind = TIMELINE_CLOCK_TSC;
	ck_assert_int_eq(check(), 0);
}

TEST(every_plan_passes_the_check)
{
	uint64_t seed = 2;

	for (int i = 0; i < random_rounds(5000); i++) {
		ck_assert_int_eq(
		    plan_with((struct timeline_options){ .entries =
							     1 +
							     random_below(&seed,
								 1 << 30),
				  .stringtablesize =
				      random_below(&seed, 1 << 30),
				  .cpu_lanes =
				      1 + (uint32_t)random_below(&seed, 4096),
				  .fallback_lanes =
				      1 + (uint32_t)random_below(&seed, 4096),
				  .tiers =
				      1 + (uint32_t)random_below(&seed, 2) },
			i % 4 < 2 ? TIMELINE_CLOCK_TSC
				  : TIMELINE_CLOCK_REALTIME,
			i % 2 == 0),
		    0);
		ck_assert_int_eq(check(), 0);
	}
}

/* Every byte of every region has exactly one owner. */
TEST(regions_lie_apart_and_fill_the_file)
{
	uint8_t *owned;
	uint64_t end = 0;

	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 3,
			     .fallback_lanes = 2,
			     .entries = 5000 }),
	    0);
	owned = calloc(1, header.total_size);
	for (uint64_t i = 0; i < header.header_size; i++)
		owned[i]++;
	for (uint32_t lane = 0; lane < timeline_lane_count(&header); lane++) {
		for (int i = 0; i < TIMELINE_HEAD_SIZE; i++)
			owned[timeline_head_offset(&header, lane) + i]++;
		for (uint64_t q = 0; q < timeline_lane_entries(&header, lane);
		     q++)
			for (int i = 0; i < TIMELINE_ENTRY_SIZE; i++)
				owned[timeline_entry_offset(&header, lane, q) +
				      i]++;
	}
	for (uint64_t i = 0;
	     i < header.knots_max * sizeof(struct timeline_knot); i++)
		owned[header.knots_offset + i]++;
	for (uint64_t i = 0; i < header.names_max * TIMELINE_NAME_SIZE; i++)
		owned[header.names_offset + i]++;
	for (uint64_t i = 0; i < header.strings_size; i++)
		owned[header.strings_offset + i]++;
	for (uint32_t i = 0; i < header.timers_max; i++) {
		for (size_t k = 0; k < sizeof(struct timeline_timer); k++)
			owned[timeline_timer_offset(&header, i) + k]++;
		for (uint32_t row = 0; row < header.timer_rows; row++)
			for (uint32_t k = 0; k < TIMELINE_HISTOGRAM_SIZE; k++)
				owned[timeline_histogram_offset(&header, i,
					  row) +
				      k]++;
	}
	for (uint64_t i = 0; i < header.total_size; i++) {
		ck_assert_uint_le(owned[i], 1);
		end = owned[i] ? i + 1 : end;
	}
	ck_assert_uint_eq(end, header.total_size);
	free(owned);
}

TEST(entries_of_a_lap_later_share_their_slot)
{
	plan_good();
	ck_assert_uint_eq(timeline_entry_offset(&header, 3, 5),
	    timeline_entry_offset(&header, 3,
		5 + 7 * timeline_lane_entries(&header, 3)));
	ck_assert_uint_eq(timeline_entry_offset(&header, 2, 1) -
			      timeline_entry_offset(&header, 0, 1),
	    header.tier_entries[0] * 64);
}

#define REFUSES(member, value, error) \
	do { \
		plan_good(); \
		header.member = (value); \
		ck_assert_int_eq(check(), error); \
	} while (0)

TEST(an_impossible_header_is_refused)
{
	REFUSES(magic, 1, -EBADMSG);
	REFUSES(magic, __builtin_bswap64(TIMELINE_MAGIC), -EPROTO);
	REFUSES(major, 0, -EPROTO);
	REFUSES(major, 3, -EPROTO);
	REFUSES(fallback_entries[0], 0, -EBADMSG);
	REFUSES(fallback_entries[1], 1, -EBADMSG);
	REFUSES(fallback_entries[1], 65, -EBADMSG);
	REFUSES(fallback_entries[0], UINT64_C(1) << 31, -EBADMSG);
	REFUSES(fallback_entries[0], UINT64_C(1) << 63, -EBADMSG);
	REFUSES(incompat, 1, -EPROTO);
	REFUSES(state, 0, -EPROTO);
	REFUSES(state, 4, -EPROTO);
	REFUSES(clock_kind, 3, -EPROTO);
	REFUSES(entry_size, 128, -EPROTO);
	REFUSES(cpu_lanes, 0, -EBADMSG);
	REFUSES(cpu_lanes, UINT32_MAX, -EBADMSG);
	REFUSES(fallback_lanes, 0, -EBADMSG);
	REFUSES(tiers, 0, -EBADMSG);
	REFUSES(tiers, 5, -EBADMSG);
	REFUSES(knots_max, 0, -EBADMSG);
	REFUSES(knots_max, 1025, -EBADMSG);
	REFUSES(tier_entries[1], 0, -EBADMSG);
	REFUSES(tier_entries[0], 1, -EBADMSG);
	REFUSES(tier_entries[0], 96, -EBADMSG);
	REFUSES(tier_entries[0], UINT64_C(1) << 63, -EBADMSG);
	REFUSES(entries_offset[0], 0, -EBADMSG);
	REFUSES(entries_offset[1], header.entries_offset[0], -EBADMSG);
	REFUSES(heads_offset, 4095, -EBADMSG);
	REFUSES(heads_offset, 4097, -EBADMSG);
	REFUSES(knots_offset, UINT64_MAX - 63, -EBADMSG);
	REFUSES(names_offset, header.knots_offset, -EBADMSG);
	REFUSES(names_offset, header.strings_offset, -EBADMSG);
	REFUSES(names_max, 8, -EBADMSG);
	REFUSES(names_max, 1028, -EBADMSG);
	REFUSES(names_max, UINT64_MAX - 31, -EBADMSG);
	REFUSES(strings_offset, header.total_size, -EBADMSG);
	REFUSES(strings_size, UINT64_MAX, -EBADMSG);
	REFUSES(strings_size, header.strings_size + 1, -EBADMSG);
	REFUSES(total_size, 0, -EBADMSG);
	REFUSES(total_size, header.total_size - 1, -EBADMSG);
}

/* Return the place of the fault that keeps a writer from the file. */
static uint64_t
refused_at(void)
{
	struct tl_fault fault = { 0 };

	ck_assert_int_eq(tl_layout_check_writer(&header, header.total_size,
			     &fault),
	    -EPROTO);
	ck_assert_ptr_nonnull(strstr(fault.text, "remove the file"));
	return fault.at;
}

TEST(a_writer_wants_more_than_a_reader)
{
	struct tl_fault fault = { 0 };

	plan_good();
	ck_assert_ok(
	    tl_layout_check_writer(&header, header.total_size, &fault));
	ck_assert_int_eq(tl_layout_check_writer(&header, header.total_size - 1,
			     &fault),
	    -ENODATA);
	header.compat |= 4;
	ck_assert_int_eq(check(), 0);
	ck_assert_uint_eq(refused_at(),
	    offsetof(struct timeline_header, compat));
	header.compat = TIMELINE_COMPAT_TIMERS | TIMELINE_COMPAT_GATES;
	header.major = 1;
	ck_assert_uint_eq(refused_at(),
	    offsetof(struct timeline_header, major));
	header.major = TIMELINE_MAJOR;
	header.writer_abi++;
	ck_assert_int_eq(check(), 0);
	ck_assert_uint_eq(refused_at(),
	    offsetof(struct timeline_header, writer_abi));
	header.writer_abi--;
	header.compat = 0;
	header.minor = 0;
	ck_assert_ok(
	    tl_layout_check_writer(&header, header.total_size, &fault));
	header.state = TIMELINE_SAVED;
	ck_assert_int_eq(tl_layout_check_writer(&header, header.total_size,
			     NULL),
	    -EROFS);
}

/* Version 1 had no size of its own for fallback lanes. */
TEST(version_1_had_fallback_lanes_as_long_as_others)
{
	const uint64_t shift = 1024 * TIMELINE_ENTRY_SIZE;

	ck_assert_int_eq(plan((struct timeline_options){ .cpu_lanes = 1,
			     .entries = 1000 }),
	    0);
	header.clock_kind = TIMELINE_CLOCK_TSC;
	header.major = 1;
	memset(header.fallback_entries, 0xff, sizeof(header.fallback_entries));
	/* there is no room for lanes that long */
	ck_assert_int_eq(check(), -EBADMSG);
	header.entries_offset[1] += shift;
	header.knots_offset += 2 * shift;
	header.strings_offset += 2 * shift;
	header.total_size += 2 * shift;
	ck_assert_int_eq(check(), 0);
	ck_assert_uint_eq(timeline_lane_entries(&header, 2), 1024);
	ck_assert_uint_eq(timeline_lane_entries(&header, 3), 128);
	ck_assert_uint_eq(timeline_entry_offset(&header, 2, 0),
	    header.entries_offset[0] + 1024 * TIMELINE_ENTRY_SIZE);
}

/* No header passes the check if its regions lead outside the file. */
TEST(a_checked_header_never_leads_outside)
{
	uint64_t seed = 4 + sample_first(0);
	const int rounds = random_rounds(200000) / (int)sample_step();
	unsigned passed = 0;

	for (int i = 0; i < rounds; i++) {
		uint8_t *bytes = (uint8_t *)&header;

		plan_good();
		for (int k = 0; k < 2; k++)
			bytes[(random_below(&seed, 5) ? 64 : 640) +
			      random_below(&seed, 160)] ^=
			    (uint8_t)(1 << random_below(&seed, 8));
		if (tl_layout_check(&header, NULL) != 0)
			continue;
		passed++;
		for (uint32_t lane = 0; lane < timeline_lane_count(&header);
		     lane++) {
			const uint64_t n = timeline_lane_entries(&header, lane);

			ck_assert_uint_le(timeline_head_offset(&header, lane) +
					      128,
			    header.total_size);
			ck_assert_uint_le(timeline_entry_offset(&header, lane,
					      n - 1) +
					      64,
			    header.total_size);
		}
	}
	ck_assert_uint_gt(passed, 0);
}
