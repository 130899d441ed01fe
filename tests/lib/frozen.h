/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frozen.h - files for tests of readers: a valid file as bytes in memory, which
 * a test changes and opens again.
 */
#ifndef TESTS_LIB_FROZEN_H
#define TESTS_LIB_FROZEN_H

#include "event/render.h"
#include "fixture.h"
#include "pack.h"
#include "snap/snap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct frozen {
	uint8_t *bytes;
	size_t size;
	struct timeline_header *header; /* in bytes */
};

static inline struct frozen
frozen_read(const char *path)
{
	struct frozen f = { 0 };
	struct stat st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert(fd >= 0 && fstat(fd, &st) == 0);
	f.size = (size_t)st.st_size;
	f.bytes = malloc(f.size);
	ck_assert(read(fd, f.bytes, f.size) == (ssize_t)f.size);
	f.header = (void *)f.bytes;
	close(fd);
	return f;
}

/* Save a snapshot of the fixture's timeline. */
static inline struct frozen
frozen_save(void)
{
	char path[64];
	struct frozen f;

	snprintf(path, sizeof(path), "/dev/shm/test-frozen-%d", (int)getpid());
	ck_assert_ok(timeline_save(tl, path));
	f = frozen_read(path);
	unlink(path);
	return f;
}

/* Make the file smaller, with tests/lib/pack.h. */
static inline void
frozen_pack(struct frozen *f)
{
	uint8_t *const packed = pack_snapshot(f->bytes, &f->size);

	ck_assert_ptr_nonnull(packed);
	free(f->bytes);
	f->bytes = packed;
	f->header = (void *)packed;
}

static inline void
frozen_free(struct frozen *f)
{
	free(f->bytes);
}

static inline struct timeline_head *
frozen_head(const struct frozen *f, uint32_t lane)
{
	return (void *)(f->bytes + timeline_head_offset(f->header, lane));
}

static inline struct timeline_entry *
frozen_entry(const struct frozen *f, uint32_t lane, uint64_t q)
{
	return (void *)(f->bytes + timeline_entry_offset(f->header, lane, q));
}

/* Change a saved file into the form of a byte-by-byte copy of a live file. */
static inline void
frozen_make_live(uint8_t *bytes)
{
	struct timeline_header *h = (void *)bytes;

	h->state = TIMELINE_LIVE;
	for (uint32_t i = 0; i < timeline_lane_count(h); i++) {
		const struct timeline_head *head =
		    (void *)(bytes + timeline_head_offset(h, i));

		for (uint64_t q = head->first;
		     timeline_lane_has_sums(h, i) && q < head->end; q++) {
			struct timeline_entry *e =
			    (void *)(bytes + timeline_entry_offset(h, i, q));

			if (e->stamp == timeline_stamp_whole(q))
				e->stamp = timeline_stamp_fallback(q, e);
		}
	}
}

/* An open file with the first size bytes. */
static inline int
frozen_file(const void *bytes, size_t size)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert(fd >= 0);
	ck_assert(write(fd, bytes, size) == (ssize_t)size);
	return fd;
}

static inline int
frozen_try(struct tl_snap **snap, const void *bytes, size_t size,
    struct tl_fault *fault)
{
	const int fd = frozen_file(bytes, size);
	const int rc = tl_snap_open_fd(snap, fd, 0, fault);

	close(fd);
	return rc;
}

static inline struct tl_snap *
frozen_open(const struct frozen *f, uint64_t tail)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap = NULL;
	const int fd = frozen_file(f->bytes, f->size);

	ck_assert_msg(tl_snap_open_fd(&snap, fd, tail, &fault) == 0, "%s",
	    fault.text);
	close(fd);
	return snap;
}

/* The result of a walk over all events. */
struct walk {
	uint64_t events;
	uint64_t lost;
	uint64_t sum; /* of the first arguments */
};

/* Read all events in one order, and render them. */
static inline struct walk
frozen_walk(struct tl_snap *snap, enum tl_order order)
{
	struct tl_text text = { 0 };
	struct tl_cursor *cursor;
	struct walk w = { 0 };
	struct tl_event e;
	int rc;

	ck_assert_ok(tl_snap_cursor(snap, order, &cursor));
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		text.size = 0;
		tl_render_line(&text, &e);
		if (e.kind == TL_LOST)
			w.lost += e.lost;
		else
			w.sum += e.args[0];
		w.events += e.kind != TL_LOST;
	}
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
	tl_text_free(&text);
	return w;
}

/* Open a file that may be damaged, and read all of it. */
static inline struct walk
frozen_look(const void *bytes, size_t size, int *rc)
{
	struct tl_fault fault = { 0 };
	struct walk newest = { 0 }, oldest;
	struct tl_snap *snap;

	*rc = frozen_try(&snap, bytes, size, &fault);
	ck_assert(*rc == 0 || (fault.rc == *rc && fault.text[0]));
	if (*rc != 0)
		return newest;
	newest = frozen_walk(snap, TL_NEWEST_FIRST);
	oldest = frozen_walk(snap, TL_OLDEST_FIRST);
	ck_assert_uint_eq(newest.events, oldest.events);
	ck_assert_uint_eq(newest.lost, oldest.lost);
	ck_assert_uint_eq(newest.sum, oldest.sum);
	for (size_t i = 0;
	     i < tl_snap_fault_count(snap) && i < TL_SNAP_FAULTS_MAX; i++)
		ck_assert(tl_snap_fault(snap, i)->text[0]);
	tl_snap_close(snap);
	return newest;
}

#endif
