/* SPDX-License-Identifier: Apache-2.0 */
/* snap.c - open a timeline for reading: freeze, check, open its parts. */
#include "snap/snap.h"
#include "base/file.h"
#include "ring/ring.h"
#include "snap/reader.h"
#include "snap/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int
tl_snap_check_kind(int fd, struct stat *st, struct tl_fault *fault)
{
	if (fstat(fd, st) != 0)
		return tl_fail(fault, -errno, "%s", strerror(errno));
	return S_ISREG(st->st_mode)
		   ? 0
		   : tl_fail(fault, -EBADMSG, "not a regular file");
}

int
tl_snap_check_header(struct timeline_header *header, int64_t n,
    struct tl_fault *fault)
{
	if (n < 0)
		return tl_fault(fault, (int)n, 0, "%s", strerror((int)-n));
	if (n < (int64_t)sizeof(*header)) {
		const bool begun = n >= (int64_t)sizeof(header->magic) &&
				   header->magic == TIMELINE_MAGIC;

		return tl_fault(fault, begun ? -ENODATA : -EBADMSG, (uint64_t)n,
		    begun ? "truncated in its header" : "not a timeline");
	}
	return tl_layout_check(header, fault);
}

static int
read_header(struct tl_snap *snap, struct tl_fault *fault)
{
	struct timeline_header *header = &snap->header;
	const int64_t n =
	    tl_storage_read_at(snap->frozen, header, sizeof(*header), 0);
	struct tl_fault wrong = { 0 };

	if (tl_snap_check_header(header, n, &wrong) == 0)
		return 0;
	/* the reason why the file is not a timeline */
	if (snap->faults.count > 0)
		wrong = snap->faults.list[0];
	return tl_fault(fault, wrong.rc, wrong.at, "%s", wrong.text);
}

/* Is the file the live file whose header was read before?  The geometry of a
 * file never changes unless bytes are damaged. */
static int
check_expected(const struct timeline_header *header, uint64_t size,
    const struct timeline_header *expected, struct tl_fault *fault)
{
	const size_t from = offsetof(struct timeline_header, cpu_lanes);
	const size_t to = offsetof(struct timeline_header, levels);

	if (header->state != TIMELINE_LIVE ||
	    header->major != expected->major ||
	    header->clock_kind != expected->clock_kind ||
	    memcmp((const char *)header + from, (const char *)expected + from,
		to - from) != 0 ||
	    memcmp(header->fallback_entries, expected->fallback_entries,
		sizeof(header->fallback_entries)) != 0 ||
	    header->names_offset != expected->names_offset ||
	    header->names_max != expected->names_max)
		return tl_fault(fault, -EBADMSG, 0,
		    "the header changed while the file was read");
	if (size < header->total_size)
		return tl_fault(fault, -ENODATA, size,
		    "truncated while the file was read");
	return 0;
}

static void
describe_lane(struct tl_snap *snap, uint32_t i,
    const struct timeline_head *head)
{
	const struct timeline_header *h = &snap->header;
	struct tl_snap_lane *lane = &snap->lanes[i];

	lane->cpu =
	    timeline_lane_is_fallback(h, i) ? TL_CPU_UNKNOWN : i / h->tiers;
	lane->tier = timeline_lane_tier(h, i);
	lane->entries = timeline_lane_entries(h, i);
	lane->head = head->head;
	lane->cleared = head->cleared;
	lane->first = head->first;
	lane->end = head->end;
	lane->torn = head->torn;
	lane->stuck = head->stuck;
	if (h->state == TIMELINE_IMPORTED)
		lane->overwritten = head->overwritten;
	if (h->state == TIMELINE_SAVED && head->wanted > 0 &&
	    head->wanted < head->first && head->first <= head->end)
		lane->left_out = head->first - head->wanted;
}

/* Replace an invalid range by a valid one. */
static void
check_range(struct tl_snap *snap, uint32_t i)
{
	struct tl_snap_lane *lane = &snap->lanes[i];
	const uint64_t at = timeline_head_offset(&snap->header, i);
	/* in a live file the slot of the oldest entry may be half overwritten;
	 * the sum of an entry would prove that it is whole */
	const uint64_t room =
	    lane->entries - (snap->header.state == TIMELINE_LIVE &&
				!timeline_lane_has_sums(&snap->header, i));

	if (lane->head > UINT64_MAX / 4) {
		tl_faults_add(&snap->faults, at, "impossible head of a lane");
		lane->first = lane->end = 0;
		return;
	}
	if (lane->end > lane->head || lane->first > lane->end) {
		tl_faults_add(&snap->faults, at,
		    "impossible range of entries of a lane");
		lane->end = lane->head;
		lane->first = lane->first < lane->end ? lane->first : 0;
	}
	if (lane->end - lane->first > room) {
		if (snap->header.state != TIMELINE_LIVE)
			tl_faults_add(&snap->faults, at,
			    "more entries in a lane than it has room for");
		lane->first = lane->end - room;
	}
}

/* Count the entries overwritten before the range, and cut the range to the
 * wanted entries, which is no loss.  A lane that is sorted by stamp is cut when
 * it is sorted. */
static void
cut_range(struct tl_snap_lane *lane, bool sorted,
    const struct tl_snap_plan *plan)
{
	const bool cut = plan->tail && lane->end - lane->first >= plan->tail;

	if (cut && !sorted)
		lane->first = lane->end - plan->tail;
	if (!cut && !plan->from && lane->first > lane->cleared)
		lane->lapped = lane->first - lane->cleared;
}

/* Read the heads of the lanes. */
static int
read_lanes(struct tl_snap *snap, const struct tl_snap_plan *plan)
{
	const struct timeline_header *h = &snap->header;
	struct timeline_head head;
	int64_t n;

	for (uint32_t i = 0; i < snap->lane_count; i++) {
		n = tl_storage_read_at(snap->frozen, &head, sizeof(head),
		    timeline_head_offset(h, i));
		if (n < 0)
			return (int)n;
		if (n < (int64_t)sizeof(head))
			memset(&head, 0, sizeof(head));
		/* a damaged copy of a live file */
		if (h->state == TIMELINE_LIVE) {
			head.first =
			    head.cleared < head.head ? head.cleared : head.head;
			head.end = head.head;
		}
		describe_lane(snap, i, &head);
		check_range(snap, i);
		cut_range(&snap->lanes[i], tl_snap_is_sorted(snap, i), plan);
	}
	return 0;
}

/* Note damage of the storage. */
static void
note_storage(void *context, uint64_t at, const char *what)
{
	struct tl_snap *snap = context;

	tl_faults_add(&snap->faults, at, "%s", what);
}

static void
note_knot(void *context, uint64_t at, const char *what)
{
	const struct tl_snap *snap = context;

	at += snap->header.knots_offset;
	/* otherwise the file is truncated, which is already a fault */
	if (at < snap->frozen->size)
		note_storage(context, at, what);
}

static int
read_clock(struct tl_snap *snap)
{
	const struct timeline_header *h = &snap->header;
	const size_t size = h->knots_max * sizeof(struct timeline_knot);
	struct timeline_knot *knots = calloc(1, size);
	int64_t n;
	int rc;

	if (!knots)
		return -ENOMEM;
	n = tl_storage_read_at(snap->frozen, knots, size, h->knots_offset);
	rc = n < 0 ? (int)n
		   : tl_time_build(&snap->time, h, knots, h->knots_max,
			 note_knot, snap);
	free(knots);
	return rc;
}

/* Copy a live file into memory: into parts, or a file in memory.  All later
 * reads are from the copy. */
static int
freeze(struct tl_snap *snap, int live, const struct tl_snap_plan *plan)
{
	struct tl_take take = { .tail = plan->tail,
		.from = plan->from,
		.close_clock = true,
		.holes = plan->holes,
		.finish = plan->finish,
		.parts = plan->parts,
		.found = plan->found };
	const int fd = plan->parts ? -1 : memfd_create("timeline", MFD_CLOEXEC);
	struct tl_storage *copy = snap->frozen;
	int rc = fd < 0 && !plan->parts
		     ? -errno
		     : tl_take(&take, live, &snap->header, fd, &snap->faults);

	if (rc == 0 && fd >= 0)
		rc = tl_storage_of_fd(&copy, fd);
	if (fd >= 0)
		close(fd);
	free(take.heads);
	if (rc != 0)
		return rc;
	if (!plan->parts)
		tl_storage_close(snap->frozen);
	snap->frozen = copy;
	snap->header = take.header;
	snap->was_live = true;
	return 0;
}

static int
gather(struct tl_snap *snap, uint64_t file_size,
    const struct tl_snap_plan *plan)
{
	int rc;

	snap->lane_count = timeline_lane_count(&snap->header);
	snap->lanes = calloc(snap->lane_count, sizeof(*snap->lanes));
	if (!snap->lanes)
		return -ENOMEM;
	if ((rc = read_lanes(snap, plan)) != 0)
		return rc;
	if (plan->messages)
		snap->messages = plan->messages;
	else if ((rc = tl_messages_new(&snap->messages, &snap->header,
		      file_size)) != 0)
		return rc;
	snap->owns_messages = !plan->messages;
	if ((rc = tl_messages_update(snap->messages, snap->frozen,
		 &snap->header, &snap->faults)) != 0)
		return rc;
	return read_clock(snap);
}

/* Read a storage, which is taken over, even on failure.  live: its file, which
 * can be frozen; -1: none. */
static int
read_storage(struct tl_snap **out, struct tl_storage *storage, int live,
    const struct tl_snap_plan *plan, struct tl_fault *fault)
{
	struct tl_snap *snap = calloc(1, sizeof(*snap));
	const uint64_t size = storage->size;
	uint64_t total;
	struct stat st;
	int rc;

	if (!snap) {
		tl_storage_close(storage);
		return tl_fail(fault, -ENOMEM, "%s", strerror(ENOMEM));
	}
	snap->frozen = storage;
	snap->tail = plan->tail;
	snap->is_round = plan->holes != NULL;
	snap->size = size;
	if (live >= 0 && fstat(live, &st) == 0)
		snap->used = tl_file_used(&st);
	storage->damaged = note_storage;
	storage->context = snap;
	if ((rc = read_header(snap, fault)) != 0)
		goto close;
	if (plan->geometry && (rc = check_expected(&snap->header, size,
				   plan->geometry, fault)) != 0)
		goto close;
	total = snap->header.total_size;
	if (size < total)
		tl_faults_add(&snap->faults, size,
		    "truncated: %llu bytes of %llu", (unsigned long long)size,
		    (unsigned long long)total);
	else if (size > total)
		tl_faults_add(&snap->faults, total, "%llu bytes too many",
		    (unsigned long long)(size - total));
	if (live >= 0 && snap->header.state == TIMELINE_LIVE && size >= total)
		rc = freeze(snap, live, plan);
	if (rc == 0)
		rc = gather(snap, size, plan);
	if (rc != 0) {
		tl_fail(fault, rc, "%s", tl_file_error(rc));
		goto close;
	}
	*out = snap;
	return 0;
close:
	tl_snap_close(snap);
	return rc;
}

int
tl_snap_read(struct tl_snap **snap, int fd, const struct tl_snap_plan *plan,
    struct tl_fault *fault)
{
	struct tl_storage *storage;
	struct stat st;
	int rc;

	if ((rc = tl_snap_check_kind(fd, &st, fault)) != 0)
		return rc;
	if (plan->parts) {
		tl_parts_clear(plan->parts, (uint64_t)st.st_size);
		storage = &plan->parts->storage;
	} else if ((rc = tl_storage_of_fd(&storage, fd)) != 0) {
		return tl_fail(fault, rc, "%s", tl_file_error(rc));
	}
	return read_storage(snap, storage, fd, plan, fault);
}

int
tl_snap_open_storage(struct tl_snap **snap, struct tl_storage *storage,
    uint64_t tail, struct tl_fault *fault)
{
	return read_storage(snap, storage, -1,
	    &(struct tl_snap_plan){ .tail = tail }, fault);
}

int
tl_snap_open_fd(struct tl_snap **snap, int fd, uint64_t tail,
    struct tl_fault *fault)
{
	return tl_snap_read(snap, fd, &(struct tl_snap_plan){ .tail = tail },
	    fault);
}

int
tl_snap_check(struct tl_snap *snap)
{
	return snap->frozen->check ? snap->frozen->check(snap->frozen) : 0;
}

void
tl_snap_close(struct tl_snap *snap)
{
	if (!snap)
		return;
	tl_snap_free_builtins(snap);
	tl_storage_close(snap->frozen);
	if (snap->owns_messages)
		tl_messages_free(snap->messages);
	tl_time_free(&snap->time);
	free(snap->lanes);
	free(snap);
}

const struct timeline_header *
tl_snap_header(const struct tl_snap *snap)
{
	return &snap->header;
}

uint64_t
tl_snap_size(const struct tl_snap *snap)
{
	return snap->size;
}

uint64_t
tl_snap_used(const struct tl_snap *snap)
{
	return snap->used;
}

bool
tl_snap_was_live(const struct tl_snap *snap)
{
	return snap->was_live;
}

size_t
tl_snap_lane_count(const struct tl_snap *snap)
{
	return snap->lane_count;
}

const struct tl_snap_lane *
tl_snap_lane(const struct tl_snap *snap, size_t i)
{
	return &snap->lanes[i];
}

void
tl_snap_put_left_out(struct tl_text *text, uint32_t cpu, uint32_t tier,
    uint64_t kept, uint64_t left_out)
{
	if (cpu == TL_CPU_UNKNOWN)
		tl_put_string(text, "threads without a CPU");
	else
		tl_put_format(text, "CPU %u", cpu);
	tl_put_format(text, ", tier %u: the newest %lu %s kept; %lu %s", tier,
	    kept, kept == 1 ? "entry is" : "entries are", left_out,
	    left_out == 1 ? "older one was" : "older ones were");
	tl_put_string(text, " overwritten while the file was copied");
}

size_t
tl_snap_message_count(const struct tl_snap *snap)
{
	return snap->messages->count;
}

const struct tl_message *
tl_snap_message(const struct tl_snap *snap, size_t i)
{
	return snap->messages->list[i];
}

bool
tl_snap_has_ended(const struct tl_snap *snap)
{
	return snap->end.message;
}

bool
tl_snap_cut(const struct tl_snap *snap, struct tl_event *cut)
{
	const struct timeline_header *h = &snap->header;
	const struct tl_time_segment *segment;

	if (h->cut == 0 || h->state == TIMELINE_LIVE || !timeline_is_whole(h))
		return false;
	if (snap->end.message) {
		*cut = (struct tl_event){ .tsc = snap->end.tsc,
			.epoch = snap->end.epoch,
			.ns = snap->end.ns,
			.steps_ns = snap->end.steps_ns };
		return true;
	}
	segment = tl_time_find(&snap->time, h->epochs, h->cut);
	*cut = (struct tl_event){ .tsc = h->cut,
		.epoch = h->epochs,
		.ns = tl_time_on(segment, h->cut, NULL),
		.steps_ns = segment->steps_ns };
	return true;
}

const struct tl_message *const *
tl_snap_messages(const struct tl_snap *snap)
{
	return (const struct tl_message *const *)snap->messages->list;
}

size_t
tl_snap_knot_count(const struct tl_snap *snap)
{
	return snap->time.knot_count;
}

const struct timeline_knot *
tl_snap_knot(const struct tl_snap *snap, size_t i)
{
	return &snap->time.knots[i];
}

size_t
tl_snap_fault_count(const struct tl_snap *snap)
{
	return snap->faults.count;
}

const struct tl_fault *
tl_snap_fault(const struct tl_snap *snap, size_t i)
{
	return i < TL_SNAP_FAULTS_MAX ? &snap->faults.list[i] : NULL;
}

int64_t
tl_snap_time(const struct tl_snap *snap, uint32_t epoch, uint64_t tsc,
    uint32_t *error_ns)
{
	return tl_time_convert(&snap->time, epoch, tsc, error_ns);
}

int
tl_snap_clock(struct tl_time *time, int fd,
    const struct timeline_header *geometry)
{
	struct timeline_header header;
	struct timeline_knot *knots;
	int rc = tl_take_clock(fd, geometry, &header, &knots);

	if (rc != 0)
		return rc;
	rc = tl_time_build(time, &header, knots, geometry->knots_max, NULL,
	    NULL);
	free(knots);
	return rc;
}

static const struct timeline_knot *
knot_at(const void *time, size_t i)
{
	return &((const struct tl_time *)time)->knots[i];
}

bool
tl_snap_same_clock(const struct tl_snap *a, const struct tl_snap *b)
{
	const struct tl_knot_list knots[] = { { &a->time, a->time.knot_count,
						  knot_at },
		{ &b->time, b->time.knot_count, knot_at } };

	return a->header.clock_kind == b->header.clock_kind &&
	       tl_boot_is_known(a->header.boot_id) &&
	       memcmp(a->header.boot_id, b->header.boot_id,
		   sizeof(a->header.boot_id)) == 0 &&
	       tl_knots_agree(&knots[0], &knots[1]);
}
