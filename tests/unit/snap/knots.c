/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots.c - a knot that is replaced while it is copied is either whole in the
 * copy or ignored.
 *
 * The kernel's copy cannot be stopped.  The program's own pread therefore reads
 * the knots word by word, upwards or downwards, and a writer acts before one of
 * the words.
 */
#include "lib/frozen.h"
#include "lib/test.h"
#include "snap/take.h"

#include <sys/syscall.h>

enum { WORD = 8, KNOT_WORDS = sizeof(struct timeline_knot) / WORD };

static struct {
	bool armed;
	bool downwards;
	unsigned before; /* the word before which the writer acts */
	uint64_t seq;    /* the number of the newest knot */
} stop;

static void
commit_knot(void)
{
	const uint64_t seq = tl->header->knot_count + 1;
	const struct timeline_knot knot = { .tsc = 1000 * seq,
		.utc_ns = (int64_t)(2000 * seq),
		.mult = 3000 * seq,
		.raw_ns = (int64_t)(4000 * seq),
		.est_err_ns = (uint32_t)seq,
		.max_err_ns = (uint32_t)(2 * seq),
		.sync_err_us = (uint32_t)(3 * seq),
		.epoch = (uint32_t)seq,
		.flags = (uint16_t)seq };

	tl_calibrate_commit(&tl->calibrate, &knot);
	stop.seq = seq;
}

/* Read the words of the oldest knot one by one. */
static void
read_stopped(int fd, uint8_t *data, uint64_t at)
{
	for (unsigned i = 0; i < KNOT_WORDS; i++) {
		const unsigned word = stop.downwards ? KNOT_WORDS - 1 - i : i;

		if (i == stop.before)
			commit_knot();
		ck_assert(syscall(SYS_pread64, fd, data + word * WORD, WORD,
			      at + word * WORD) == WORD);
	}
}

ssize_t
pread(int fd, void *data, size_t size, off_t at)
{
	const ssize_t n = syscall(SYS_pread64, fd, data, size, at);

	if (stop.armed && at == (off_t)tl->geometry.knots_offset) {
		stop.armed = false;
		read_stopped(fd, data, (uint64_t)at);
	}
	return n;
}

static void
expect_whole(const struct timeline_knot *k)
{
	const uint64_t seq = k->seq;

	if (seq == 0)
		return;
	ck_assert(seq <= stop.seq && k->tsc == 1000 * seq &&
		  k->utc_ns == (int64_t)(2000 * seq) && k->mult == 3000 * seq &&
		  k->raw_ns == (int64_t)(4000 * seq) && k->est_err_ns == seq &&
		  k->max_err_ns == 2 * seq && k->sync_err_us == 3 * seq &&
		  k->epoch == seq && k->flags == (uint16_t)seq);
}

/* Take a copy while the oldest knot is replaced. */
static void
take_stopped(unsigned before, bool downwards)
{
	struct tl_take take = { .close_clock = false };
	struct tl_faults faults = { 0 };
	struct timeline_knot knot;
	const int out = frozen_file("", 0);
	unsigned whole = 0;

	while (tl->header->knot_count % tl->geometry.knots_max != 0 ||
	       tl->header->knot_count < 2 * tl->geometry.knots_max)
		commit_knot();
	stop.before = before;
	stop.downwards = downwards;
	stop.armed = true;
	ck_assert_ok(tl_take(&take, tl->fd, &tl->geometry, out, &faults));
	ck_assert(!stop.armed);
	free(take.heads);
	for (uint32_t i = 0; i < tl->geometry.knots_max; i++) {
		ck_assert(syscall(SYS_pread64, out, &knot, sizeof(knot),
			      tl->geometry.knots_offset + i * sizeof(knot)) ==
			  (ssize_t)sizeof(knot));
		expect_whole(&knot);
		whole += knot.seq != 0;
	}
	ck_assert_uint_ge(whole, tl->geometry.knots_max - 1);
	close(out);
}

TEST_FILE(.setup = fixture_setup_tiny, .teardown = fixture_close);

TEST(a_knot_that_changes_during_the_copy_counts_for_nothing)
{
	for (unsigned before = 0; before < KNOT_WORDS; before++) {
		take_stopped(before, false);
		take_stopped(before, true);
	}
}
