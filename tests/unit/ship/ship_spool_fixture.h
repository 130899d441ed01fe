/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ship_spool_fixture.h - a spool in the folder of a test.
 */
#ifndef TESTS_UNIT_SHIP_SPOOL_FIXTURE_H
#define TESTS_UNIT_SHIP_SPOOL_FIXTURE_H

#include "lib/test.h"
#include "ship/spool/spool.h"
#include "ship_fixture.h"

enum { ROOM = 1 << 20 };

static struct tl_spool *spool;
static const struct tl_report report = { ship_say, NULL };

static inline int
try_open(const char *path, uint64_t size_max, struct tl_spool **opened)
{
	const struct tl_spool_options options = { .path = path,
		.size_max = size_max,
		.report = &report };
	struct tl_fault fault = { 0 };

	return tl_spool_open(opened, &options, &fault);
}

static inline void
open_spool(uint64_t size_max)
{
	ck_assert_int_eq(try_open(folder, size_max, &spool), 0);
}

static inline void
reopen(void)
{
	tl_spool_free(spool);
	open_spool(ROOM);
}

static inline struct tl_spool_chain *
chain_of(const char *timeline)
{
	struct tl_spool_chain *chain;
	struct tl_fault fault = { 0 };

	ck_assert_ok(tl_spool_chain(&chain, spool, "host", timeline, &fault));
	return chain;
}

static inline int
put_in(struct tl_spool_chain *chain, const char *timeline, uint64_t entries,
    uint64_t lost)
{
	struct tl_block block = { .host = "host",
		.entries = entries,
		.lost = lost,
		.number = tl_spool_chain_next(chain) };
	struct tl_text text = { 0 };
	char positions[32];
	int rc;

	snprintf(block.timeline, sizeof(block.timeline), "%s", timeline);
	snprintf(block.chain, sizeof(block.chain), "%s",
	    tl_spool_chain_name(chain));
	snprintf(positions, sizeof(positions), "0:%llu",
	    (unsigned long long)block.number + 1);
	ship_block(&text, &block, 1000 * (int64_t)block.number, positions);
	rc = tl_spool_put(chain, &block, positions);
	tl_text_free(&text);
	return rc;
}

static inline void
put(const char *timeline, uint64_t entries)
{
	ck_assert_int_eq(put_in(chain_of(timeline), timeline, entries, 0), 0);
}

static inline struct tl_spool_status
status(void)
{
	struct tl_spool_status s;

	tl_spool_status(spool, &s);
	return s;
}

#endif
