/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - a recorder whose files are blocks. */
#include "ship/run.h"

#include "base/file.h"
#include "base/word.h"
#include "snap/inspect.h"
#include "trace/chain/chain.h"
#include "trace/record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	AGAIN_MS = 100, /* pause before a block is put again */
	DELAY_PART = 5,
	DELAY_NS_MAX = 200000000,
	THREAD_BLOCK_MAX = 128 << 10
};

struct tl_feed {
	struct tl_recorder *recorder;
	struct tl_spool_chain *kept;
	const struct tl_report *report;
	char timeline[TL_BLOCK_NAME_MAX];
	char identity[TL_IDENTITY_MAX];
	char boot[TL_IDENTITY_MAX];
	uint32_t stop;   /* give up a block that cannot be put */
	uint32_t put_rc; /* why a block cannot be put; 0 */
	mode_t withheld; /* by the file of the timeline */

	/* of the thread that writes */
	struct tl_text positions;
	struct tl_text data;
};

/* == files of the recorder == */

/* The files are in memory.  The path names no file, since the recorder removes
 * failed files by it. */
static int
begin(void *context, int64_t ns, struct tl_recorder_files *files)
{
	int rc;

	(void)context;
	(void)ns;
	strcpy(files->path, "/dev/null/block");
	files->data = memfd_create("timeline-block", MFD_CLOEXEC);
	if (files->data < 0)
		return -errno;
	files->index = memfd_create("timeline-block-index", MFD_CLOEXEC);
	if (files->index >= 0)
		return 0;
	rc = -errno;
	close(files->data);
	return rc;
}

static int
describe(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_content *content)
{
	struct tl_feed *c = context;
	const uint64_t *positions;
	size_t lane_count;

	if (!content) {
		/* A block begins at the positions of the chain: the end of the
		 * last block. */
		const char *begins = tl_spool_chain_positions(c->kept);
		char number[TL_UNSIGNED_MAX + 1];
		int rc;

		snprintf(number, sizeof(number), "%lu",
		    tl_spool_chain_next(c->kept));
		rc = tl_recorder_info(recorder, TL_INFO_CHAIN,
		    tl_spool_chain_name(c->kept));
		if (rc == 0)
			rc = tl_recorder_info(recorder, TL_INFO_BLOCK, number);
		if (rc == 0)
			rc = tl_recorder_info(recorder, TL_INFO_IDENTITY,
			    c->identity);
		if (rc == 0 && begins[0])
			rc = tl_recorder_info(recorder, TL_INFO_BEGINS, begins);
		return rc;
	}
	lane_count = tl_recorder_positions(recorder, 0, &positions);
	tl_text_clear(&c->positions);
	tl_put_positions(&c->positions, positions, lane_count);
	if (c->positions.rc < 0)
		return c->positions.rc;
	return tl_recorder_info(recorder, TL_INFO_POSITIONS,
	    tl_text_string(&c->positions));
}

static int
read_data(struct tl_feed *c, const struct tl_recorder_files *files, size_t size)
{
	int64_t n;
	char *room;

	tl_text_clear(&c->data);
	room = tl_text_reserve(&c->data, size);
	if (!room)
		return -ENOMEM;
	n = tl_read_at(files->data, room, size, 0);
	if (n != (int64_t)size)
		return n < 0 ? (int)n : -EIO;
	c->data.size = size;
	return 0;
}

/*
 * Try to put the block until it is in the spool.  Meanwhile the timeline
 * overwrites entries that are not read; they are counted as lost.  A block that
 * cannot be put before the end is discarded: the positions of the chain do not
 * move, so the next run reads its entries again.
 */
static void
put(struct tl_feed *c, const struct tl_recorder_files *files,
    const struct tl_block *from)
{
	struct tl_block block = *from;
	int before, rc;

	for (;;) {
		rc = read_data(c, files, block.data.size);
		block.data.data = c->data.data;
		if (rc == 0)
			rc = tl_spool_put(c->kept, &block,
			    tl_text_string(&c->positions));

		/* Report a fault once, and its end. */
		before = (int)tl_load_32(&c->put_rc);
		tl_store_32(&c->put_rc, (uint32_t)rc);
		if (rc != before) {
			if (rc < 0)
				tl_report_write(c->report, rc, TL_FAULT_NOWHERE,
				    "%s: a block cannot be spooled: %s",
				    c->timeline, tl_file_error(rc));
			else
				tl_report_write(c->report, 0, TL_FAULT_NOWHERE,
				    "%s: blocks can be spooled again",
				    c->timeline);
		}
		if (rc == 0 || tl_load_32(&c->stop) != 0)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = AGAIN_MS * 1000000L },
		    NULL);
	}
}

static void
ended(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_files *files,
    const struct tl_recorder_content *content, int rc)
{
	const struct tl_block block = { .from_ns = content->from_ns,
		.to_ns = content->to_ns,
		.entries = content->entries,
		.lost = content->lost,
		.withheld = ((struct tl_feed *)context)->withheld,
		.data = tl_bytes(NULL, (size_t)content->data_size) };

	(void)recorder;
	if (rc == 0 && (block.entries > 0 || block.lost > 0))
		put(context, files, &block);
}

/* == start == */

/* Begin a chain: at the next entry, or at the first there was. */
static int
begin_at(struct tl_feed *c, const struct tl_inspection *inspection, bool all)
{
	struct tl_text words = { 0 };
	int rc;

	for (size_t i = 0; i < inspection->lane_count; i++) {
		const uint64_t at = all ? 0 : inspection->lanes[i].head;

		tl_put_format(&words, "%s%zu:%lu", i > 0 ? " " : "", i, at);
	}
	rc = words.rc;
	if (rc == 0)
		rc = tl_spool_chain_begin(c->kept, c->identity, c->boot,
		    tl_text_string(&words));
	tl_text_free(&words);
	return rc;
}

static int
add(struct tl_feed *c, int fd, struct tl_fault *fault)
{
	uint64_t *positions;
	size_t lane_count;
	int rc = tl_parse_positions(tl_spool_chain_positions(c->kept),
	    &positions, &lane_count);

	if (rc < 0)
		return rc;
	rc = tl_recorder_add_at(c->recorder, c->timeline, fd, positions,
	    lane_count, fault);
	free(positions);
	return rc;
}

/* Continue if it is the same file, else begin.  Positions that the file cannot
 * have (stale) make it begin, too. */
static int
add_timeline(struct tl_feed *c, int fd, bool all, struct tl_fault *fault)
{
	struct tl_fault stale = { 0 };
	struct tl_inspection inspection;
	bool fresh;
	int rc = tl_inspect_fd(&inspection, fd, false, fault);
	char *end;

	if (rc != 0)
		return rc;

	/* The identity of a file: a new one of the same name was created at
	 * another time. */
	for (size_t i = 0; i < sizeof(inspection.header.boot_id); i++)
		snprintf(c->boot + 2 * i, 3, "%02x",
		    inspection.header.boot_id[i]);
	strcpy(c->identity, c->boot);
	end = c->identity + strlen(c->identity);
	snprintf(end, sizeof(c->identity) - (size_t)(end - c->identity),
	    "-%lx-%lx", inspection.header.created_ns,
	    inspection.header.created_tsc);

	fresh = tl_spool_chain_identity(c->kept)[0] == '\0';
	if (strcmp(tl_spool_chain_identity(c->kept), c->identity) != 0)
		rc = begin_at(c, &inspection, all || !fresh);
	if (rc == 0 && (rc = add(c, fd, &stale)) != 0) {
		rc = begin_at(c, &inspection, true);
		if (rc == 0)
			rc = add(c, fd, fault);
	}
	tl_inspection_free(&inspection);
	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", strerror(-rc));
}

static int
start(struct tl_feed *c, int fd, const struct tl_feed_options *options,
    struct tl_fault *fault)
{
	/* Entries wait for a small part of the age of a block. */
	const uint64_t delay_ns = options->every_ns / DELAY_PART;
	const struct tl_recorder_options how = { .size_max =
						     options->block_size,
		.age_ns = options->every_ns,
		.flush_ns = options->every_ns * 2,
		.delay_ns = delay_ns < DELAY_NS_MAX ? delay_ns : DELAY_NS_MAX,
		.block_size = options->block_size < THREAD_BLOCK_MAX
				  ? (size_t)options->block_size
				  : THREAD_BLOCK_MAX,
		.compress = options->compress,
		.whole = true,
		.command = "timeline-ship",
		.host = options->host };
	const struct tl_recorder_host host = { .begin = begin,
		.describe = describe,
		.ended = ended,
		.context = c };
	int rc = tl_recorder_new(&c->recorder, &how, &host);

	if (rc == 0 && (rc = add_timeline(c, fd, options->all, fault)) != 0)
		return rc;
	if (rc == 0)
		rc = options->readers
			 ? tl_recorder_start_with(c->recorder, options->readers)
			 : tl_recorder_start(c->recorder);
	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", strerror(-rc));
}

int
tl_feed_start(struct tl_feed **chain, struct tl_spool_chain *kept,
    const char *timeline, int fd, const struct tl_feed_options *options,
    struct tl_fault *fault)
{
	struct tl_feed *c = calloc(1, sizeof(*c));
	struct stat st;
	int rc;

	if (!c)
		return tl_fail(fault, -ENOMEM, "no memory");
	if (fstat(fd, &st) == 0)
		c->withheld = tl_file_withheld(&st);
	c->kept = kept;
	c->report = options->report;
	snprintf(c->timeline, sizeof(c->timeline), "%s", timeline);
	rc = start(c, fd, options, fault);
	if (rc < 0)
		tl_feed_free(c);
	else
		*chain = c;
	return rc;
}

void
tl_feed_status(struct tl_feed *c, struct tl_feed_status *status)
{
	struct tl_recorder_status recorder;
	const int put_rc = (int)tl_load_32(&c->put_rc);

	tl_recorder_status(c->recorder, &recorder);
	*status = (struct tl_feed_status){ .entries = recorder.events,
		.lost = recorder.lost,
		.rc = recorder.rc < 0 ? recorder.rc : recorder.source_rc,
		.done = recorder.done };
	if (status->rc == 0)
		status->rc = put_rc;
}

void
tl_feed_stop(struct tl_feed *c)
{
	tl_store_32(&c->stop, 1);
	tl_recorder_stop(c->recorder);
}

void
tl_feed_free(struct tl_feed *c)
{
	if (!c)
		return;
	tl_store_32(&c->stop, 1);
	tl_recorder_free(c->recorder);
	tl_text_free(&c->positions);
	tl_text_free(&c->data);
	free(c);
}
