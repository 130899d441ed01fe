/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - timeline-ship read: select the blocks of a stream
 *
 *	message --> valid? --> host? --> time? --> undamaged? --> new? --> write
 *	            |                              |              |
 *	            +---------- reported ----------+--------------+
 *
 * A block is stored after its events were logged.  Reading begins SLACK_NS
 * before since by the clock of the servers, for hosts whose clock is ahead.
 *
 * The copies of warnings (nats/protocol.h) are read first, those of blocks that
 * the stream has discarded.
 */
#include "base/process.h"
#include "event/filter.h"
#include "event/reader.h"
#include "ship/block.h"
#include "ship/nats/reader.h"
#include "ship/seen.h"
#include "ship/ship.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define SLACK_NS INT64_C(60000000000)

enum { GAPS_REPORTED_MAX = 100 };

enum { NOT_A_BLOCK, MISMATCH, LATE, DUPLICATE };

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NOT_A_BLOCK] = { -EBADMSG, "message without a block, skipped" },
	[MISMATCH] = { -EBADMSG,
	    "block whose content and message headers differ, "
	    "skipped" },
	[LATE] = { 0, "block behind a later one of its chain" },
	[DUPLICATE] = { 0, "block that was there already, left out" },
};

/* Which blocks are read: of chosen hosts, timelines and times, each once, in
 * the order of its chain, concatenated. */
struct selection {
	struct tl_nats_options nats;
	const struct tl_arguments *hosts; /* globs; none: any */
	const struct tl_arguments *timelines;
	int64_t since_ns; /* INT64_MIN: no bound; inclusive */
	int64_t until_ns; /* INT64_MAX: no bound; inclusive */
	uint64_t count;   /* stop after this many blocks; 0: no bound */
	bool follow;      /* wait for new blocks; else end at the last now */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
	/* Receives missing, damaged and foreign messages. */
	const struct tl_report *report;
};

struct reading {
	const struct selection *read;
	struct tl_seen seen;
	struct tl_notes notes;
	uint64_t written;
	uint64_t gaps;  /* ranges of missing blocks */
	uint64_t first; /* sequence of the oldest whole block */
	uint64_t kept;  /* blocks whose warnings were read instead */
	bool wrong;
};

static bool
matches(const struct tl_arguments *globs, const char *name)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (tl_glob_matches(globs->items[i], tl_bytes_of(name)))
			return true;
	}
	return globs->count == 0;
}

/* The only name that is chosen; NULL: there may be more. */
static const char *
only_name(const struct tl_arguments *globs)
{
	const char *name = globs->count == 1 ? globs->items[0] : "";
	const size_t size = strlen(name);

	return size > 0 && size < TL_BLOCK_NAME_MAX && !strpbrk(name, "*?[\\")
		   ? name
		   : NULL;
}

/* Let the servers filter if only one host or one timeline is chosen. */
static void
choose_subject(char subject[TL_NATS_SUBJECT_MAX], enum tl_nats_kind kind,
    const struct selection *read)
{
	const char *host = only_name(read->hosts);
	const char *timeline = only_name(read->timelines);

	if (host || timeline)
		tl_nats_subject_filter(subject, kind, host, timeline);
	else
		strcpy(subject, tl_nats_subjects[kind]);
}

/* Place a block, whose range ends with last, in its chain, and report what is
 * missing before it.  1: write it; 0: it was written already; -errno. */
static int
see(struct reading *r, const struct tl_block *block, uint64_t last)
{
	const struct tl_report *report = r->read->report;
	const struct tl_seen_chain *chain;
	const struct tl_seen_gap *gap;
	const int place = tl_seen_add(&r->seen, block, last, &chain);

	switch (place) {
	case TL_SEEN_FIRST:
		if (chain->begun == 0 || r->read->since_ns != INT64_MIN)
			return 1;
		if (chain->kept)
			r->seen.discarded += chain->begun;
		else
			tl_report_write(report, 0, TL_FAULT_NOWHERE,
			    "%s %s: the stream has discarded %lu blocks of "
			    "chain %.8s",
			    chain->host, chain->timeline, chain->begun,
			    chain->name);
		return 1;
	case TL_SEEN_NEXT:
		return 1;
	case TL_SEEN_AHEAD:
		gap = &chain->gaps[chain->gap_count - 1];
		r->wrong = true;
		if (r->gaps++ < GAPS_REPORTED_MAX)
			tl_report_write(report, -ENODATA, TL_FAULT_NOWHERE,
			    "%s %s: %lu blocks are missing before block %lu of "
			    "chain %.8s",
			    chain->host, chain->timeline,
			    gap->last - gap->first + 1, gap->last + 1,
			    chain->name);
		return 1;
	case TL_SEEN_LATE:
		tl_note(&r->notes, LATE, TL_FAULT_NOWHERE);
		return 1;
	case TL_SEEN_DUPLICATE:
		tl_note(&r->notes, DUPLICATE, TL_FAULT_NOWHERE);
		return 0;
	default:
		return place;
	}
}

static bool
is_in_time(const struct selection *read, const struct tl_block *block)
{
	return block->to_ns >= read->since_ns &&
	       block->from_ns <= read->until_ns;
}

/* Count an invalid message; the first is reported with its reason. */
static void
skip(struct reading *r, uint64_t at, const struct tl_fault *why)
{
	if (r->notes.count[NOT_A_BLOCK] == 0)
		tl_report_write(r->read->report, -EBADMSG, TL_FAULT_NOWHERE,
		    "message %lu: %s", at, why->text);
	tl_note(&r->notes, NOT_A_BLOCK, TL_FAULT_NOWHERE);
	r->wrong = true;
}

/* Write the chosen blocks of a stream until it ends or there are enough. */
static int
read_blocks(struct reading *r, struct tl_nats_reader *reader,
    struct tl_fault *fault)
{
	const struct selection *read = r->read;

	while (read->count == 0 || r->written < read->count) {
		struct tl_nats_read message;
		const struct tl_block *block = &message.block;
		struct tl_block_facts facts = { 0 };
		struct tl_fault why = { 0 };
		const struct tl_block *is = &facts.block;
		int rc = tl_nats_reader_next(reader, &message, fault);

		if (rc <= 0)
			return rc;
		if (rc == 2) {
			skip(r, message.sequence, fault);
			continue;
		}

		/* Skip warnings of a block that was read, and hosts and
		 * timelines that were not asked for. */
		if ((block->kept && message.whole >= r->first) ||
		    !matches(read->hosts, block->host) ||
		    !matches(read->timelines, block->timeline))
			continue;
		/* A block of another time only has a number.  A placeholder has
		 * no entries: its range is only in its bytes. */
		if (!is_in_time(read, block) && block->entries > 0) {
			if (see(r, block, block->number) < 0)
				return -ENOMEM;
			continue;
		}

		/* The bytes are whole, and agree with the headers. */
		rc = tl_block_describe(&facts, block->data, &why);
		if (rc < 0 && rc != -ENOMEM) {
			skip(r, message.sequence, &why);
			rc = 0;
		} else if (rc == 0 &&
			   (strcmp(block->chain, is->chain) != 0 ||
			       block->number != is->number ||
			       strcmp(block->host, is->host) != 0 ||
			       strcmp(block->timeline, is->timeline) != 0)) {
			tl_note(&r->notes, MISMATCH, TL_FAULT_NOWHERE);
			r->wrong = true;
		} else if (rc == 0 && (rc = see(r, block, facts.last)) > 0) {
			rc = 0;
			if (is_in_time(read, is)) {
				r->written++;
				r->kept += block->kept;
				rc = tl_write_all(STDOUT_FILENO,
				    block->data.data, block->data.size);
			}
		}
		tl_block_facts_free(&facts);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* 0; -errno and the fault; -EBADMSG: read to the end, and damage was
 * reported. */
static int
read_stream(const struct selection *read, struct tl_fault *fault)
{
	struct reading r = { .read = read, .notes.kinds = kinds };
	char subject[TL_NATS_SUBJECT_MAX], kept_subject[TL_NATS_SUBJECT_MAX];
	const struct tl_nats_reading whole = { .options = &read->nats,
		.subject = subject,
		.from_ns = read->since_ns < INT64_MIN + SLACK_NS
			       ? INT64_MIN
			       : read->since_ns - SLACK_NS,
		.follow = read->follow,
		.report = read->report,
		.stop = read->stop };
	struct tl_nats_reading kept = whole;
	struct tl_nats_reader *reader, *kept_reader;
	int rc;

	choose_subject(subject, TL_NATS_WHOLE, read);
	rc = tl_nats_reader_new(&reader, &whole, fault);
	if (rc < 0)
		return rc;

	/* The warnings of the blocks that the stream has discarded by now. */
	r.first = tl_nats_reader_first(reader);
	if (r.first > 1) {
		kept.kind = TL_NATS_KEPT;
		kept.subject = kept_subject;
		kept.follow = false;
		choose_subject(kept_subject, TL_NATS_KEPT, read);
		rc = tl_nats_reader_new(&kept_reader, &kept, fault);
		if (rc == 0) {
			rc = read_blocks(&r, kept_reader, fault);
			tl_nats_reader_free(kept_reader);
		}
	}
	if (rc >= 0 || rc == -ENOENT)
		rc = read_blocks(&r, reader, fault);
	tl_nats_reader_free(reader);

	tl_notes_report(&r.notes, read->report);
	if (r.kept > 0)
		tl_report_write(read->report, 0, TL_FAULT_NOWHERE,
		    "the stream has discarded %lu blocks; the warnings of %lu "
		    "of them were kept",
		    r.seen.discarded + r.kept, r.kept);
	if (r.gaps > GAPS_REPORTED_MAX)
		tl_report_write(read->report, -ENODATA, TL_FAULT_NOWHERE,
		    "%lu blocks are missing in all", r.seen.missing);
	tl_seen_free(&r.seen);
	if (rc == 0 && r.wrong)
		rc = tl_fail(fault, -EBADMSG,
		    "the stream has missing or damaged blocks");
	return rc;
}

/* == the command line == */

static int
read_options(struct tl_call *call, struct selection *read)
{
	const struct tl_options *o = &call->options;
	int rc;

	*read = (struct selection){ .since_ns = INT64_MIN,
		.until_ns = INT64_MAX,
		.follow = tl_options_has(o, TL_SHIP_FOLLOW),
		.hosts = &o->hosts,
		.timelines = &o->timelines,
		.report = &call->report };
	if (o->operands.count != 1)
		return tl_fail(&call->fault, -EINVAL, "read needs one URL");
	if ((rc = tl_call_cluster(call, &read->nats, o->operands.items[0])) <
		0 ||
	    (rc = tl_call_time(call, TL_SHIP_SINCE, &read->since_ns)) < 0 ||
	    (rc = tl_call_time(call, TL_SHIP_UNTIL, &read->until_ns)) < 0 ||
	    (rc = tl_options_number(o, TL_SHIP_COUNT, 1, UINT64_MAX,
		 &read->count, &call->fault)) < 0)
		return rc;
	return 0;
}

int
tl_verb_read(struct tl_call *call)
{
	struct selection read;
	int rc = read_options(call, &read);

	if (rc < 0)
		return tl_call_usage(call, rc);
	if (isatty(STDOUT_FILENO) == 1)
		return tl_fail(&call->fault, -EINVAL,
		    "blocks are binary: redirect standard output");
	read.stop = tl_call_stop_flag();
	return read_stream(&read, &call->fault);
}
