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
#include "ship/read.h"

#include "base/process.h"
#include "event/filter.h"
#include "event/reader.h"
#include "ship/block.h"
#include "ship/nats/reader.h"
#include "ship/seen.h"
#include "ship/ship.h"

#include <errno.h>
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

struct work {
	const struct tl_ship_read *read;
	struct tl_seen seen;
	struct tl_notes notes;
	uint64_t written;
	uint64_t gaps;  /* ranges of missing blocks */
	uint64_t first; /* sequence of the oldest whole block */
	uint64_t kept;  /* blocks whose warnings were read instead */
	bool wrong;
};

static bool
matches(const char *const *globs, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (tl_glob_matches(globs[i], tl_bytes_of(name)))
			return true;
	}
	return count == 0;
}

/* Is it of a chosen host and timeline? */
static bool
is_wanted(const struct tl_ship_read *read, const struct tl_block *block)
{
	return matches(read->hosts, read->host_count, block->host) &&
	       matches(read->timelines, read->timeline_count, block->timeline);
}

static bool
is_plain_name(const char *glob)
{
	return strpbrk(glob, "*?[\\") == NULL && strlen(glob) > 0 &&
	       strlen(glob) < TL_BLOCK_NAME_MAX;
}

/* Let the servers filter if only one host or one timeline is chosen. */
static void
choose_subject(char subject[TL_NATS_SUBJECT_MAX], enum tl_nats_kind kind,
    const struct tl_ship_read *read)
{
	const bool one_host =
	    read->host_count == 1 && is_plain_name(read->hosts[0]);
	const bool one_timeline =
	    read->timeline_count == 1 && is_plain_name(read->timelines[0]);

	if (!one_host && !one_timeline) {
		strcpy(subject, tl_nats_subjects[kind]);
		return;
	}
	tl_nats_subject_filter(subject, kind, one_host ? read->hosts[0] : NULL,
	    one_timeline ? read->timelines[0] : NULL);
}

static int64_t
choose_start(int64_t since_ns)
{
	return since_ns < INT64_MIN + SLACK_NS ? INT64_MIN
					       : since_ns - SLACK_NS;
}

static void
report_gap(struct work *w, const struct tl_seen_chain *chain)
{
	const struct tl_seen_gap *gap = &chain->gaps[chain->gap_count - 1];

	w->wrong = true;
	if (w->gaps++ >= GAPS_REPORTED_MAX)
		return;
	tl_report_write(w->read->report, -ENODATA, TL_FAULT_NOWHERE,
	    "%s %s: %llu blocks are missing before block %llu of chain %.8s",
	    chain->host, chain->timeline,
	    (unsigned long long)(gap->last - gap->first + 1),
	    (unsigned long long)(gap->last + 1), chain->name);
}

static void
report_begun(struct work *w, const struct tl_seen_chain *chain)
{
	if (chain->begun == 0 || w->read->since_ns != INT64_MIN)
		return;
	if (chain->kept) {
		w->seen.discarded += chain->begun;
		return;
	}
	tl_report_write(w->read->report, 0, TL_FAULT_NOWHERE,
	    "%s %s: the stream has discarded %llu blocks of chain %.8s",
	    chain->host, chain->timeline, (unsigned long long)chain->begun,
	    chain->name);
}

/* 1: write it; 0: it was written already; -errno. */
static int
see(struct work *w, const struct tl_block *block, uint64_t last)
{
	const struct tl_seen_chain *chain;
	const int place = tl_seen_add(&w->seen, block, last, &chain);

	switch (place) {
	case TL_SEEN_FIRST:
		report_begun(w, chain);
		return 1;
	case TL_SEEN_NEXT:
		return 1;
	case TL_SEEN_AHEAD:
		report_gap(w, chain);
		return 1;
	case TL_SEEN_LATE:
		tl_note(&w->notes, LATE, TL_FAULT_NOWHERE);
		return 1;
	case TL_SEEN_DUPLICATE:
		tl_note(&w->notes, DUPLICATE, TL_FAULT_NOWHERE);
		return 0;
	default:
		return place;
	}
}

/* Do the bytes and the headers of the message agree? */
static bool
matches_message(const struct tl_block *expected, const struct tl_block *is)
{
	return strcmp(expected->chain, is->chain) == 0 &&
	       expected->number == is->number &&
	       strcmp(expected->host, is->host) == 0 &&
	       strcmp(expected->timeline, is->timeline) == 0;
}

static bool
is_in_time(const struct tl_ship_read *read, const struct tl_block *block)
{
	return block->to_ns >= read->since_ns &&
	       block->from_ns <= read->until_ns;
}

/* Count an invalid message; the first is reported with its reason. */
static int
skip(struct work *w, uint64_t at, const struct tl_fault *why)
{
	if (w->notes.count[NOT_A_BLOCK] == 0)
		tl_report_write(w->read->report, -EBADMSG, TL_FAULT_NOWHERE,
		    "message %llu: %s", (unsigned long long)at, why->text);
	tl_note(&w->notes, NOT_A_BLOCK, TL_FAULT_NOWHERE);
	w->wrong = true;
	return 0;
}

static int
take_whole(struct work *w, const struct tl_block *block,
    const struct tl_block_facts *facts)
{
	const struct tl_ship_read *read = w->read;
	int rc;

	if (!matches_message(block, &facts->block)) {
		tl_note(&w->notes, MISMATCH, TL_FAULT_NOWHERE);
		w->wrong = true;
		return 0;
	}
	rc = see(w, block, facts->last);
	if (rc <= 0 || !is_in_time(read, &facts->block))
		return rc < 0 ? rc : 0;
	w->written++;
	w->kept += block->kept;
	return read->write(read->context, block->data.data, block->data.size);
}

static int
take_block(struct work *w, const struct tl_block *block, uint64_t at)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	int rc = tl_block_describe(&facts, block->data, &fault);

	if (rc == 0)
		rc = take_whole(w, block, &facts);
	else if (rc != -ENOMEM)
		rc = skip(w, at, &fault);
	tl_block_facts_free(&facts);
	return rc;
}

static int
take(struct work *w, const struct tl_nats_read *read)
{
	const struct tl_block *block = &read->block;

	if (block->kept && read->whole >= w->first)
		return 0;
	if (!is_wanted(w->read, block))
		return 0;
	/* a placeholder has no entries: its range is only in its bytes */
	if (!is_in_time(w->read, block) && block->entries > 0)
		return see(w, block, block->number) < 0 ? -ENOMEM : 0;
	return take_block(w, block, read->sequence);
}

static bool
is_enough(const struct work *w)
{
	return w->read->count > 0 && w->written >= w->read->count;
}

static int
read_all(struct work *w, struct tl_nats_reader *reader, struct tl_fault *fault)
{
	struct tl_nats_read read;
	int rc = 0;

	while (!is_enough(w) &&
	       (rc = tl_nats_reader_next(reader, &read, fault)) > 0) {
		rc = rc == 2 ? skip(w, read.sequence, fault) : take(w, &read);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int
read_stream(struct work *w, const struct tl_nats_reading *reading,
    struct tl_fault *fault)
{
	struct tl_nats_reader *reader;
	int rc = tl_nats_reader_new(&reader, reading, fault);

	if (rc < 0)
		return rc;
	rc = read_all(w, reader, fault);
	tl_nats_reader_free(reader);
	return rc;
}

/* The warnings of the blocks that the stream has discarded by now. */
static int
read_kept(struct work *w, const struct tl_nats_reading *whole,
    struct tl_fault *fault)
{
	char subject[TL_NATS_SUBJECT_MAX];
	struct tl_nats_reading kept = *whole;
	int rc;

	kept.kind = TL_NATS_KEPT;
	kept.subject = subject;
	kept.follow = false;
	choose_subject(subject, TL_NATS_KEPT, w->read);
	rc = w->first > 1 ? read_stream(w, &kept, fault) : 0;
	return rc == -ENOENT ? 0 : rc;
}

static void
report_totals(struct work *w)
{
	tl_notes_report(&w->notes, w->read->report);
	if (w->kept > 0)
		tl_report_write(w->read->report, 0, TL_FAULT_NOWHERE,
		    "the stream has discarded %llu blocks; the warnings of "
		    "%llu of them were kept",
		    (unsigned long long)(w->seen.discarded + w->kept),
		    (unsigned long long)w->kept);
	if (w->gaps > GAPS_REPORTED_MAX)
		tl_report_write(w->read->report, -ENODATA, TL_FAULT_NOWHERE,
		    "%llu blocks are missing in all",
		    (unsigned long long)w->seen.missing);
}

int
tl_ship_read(const struct tl_ship_read *read, struct tl_fault *fault)
{
	struct work w = { .read = read, .notes.kinds = kinds };
	char subject[TL_NATS_SUBJECT_MAX];
	const struct tl_nats_reading reading = { .options = &read->nats,
		.subject = subject,
		.from_ns = choose_start(read->since_ns),
		.follow = read->follow,
		.report = read->report,
		.stop = read->stop };
	struct tl_nats_reader *reader;
	int rc;

	choose_subject(subject, TL_NATS_WHOLE, read);
	rc = tl_nats_reader_new(&reader, &reading, fault);
	if (rc < 0)
		return rc;
	w.first = tl_nats_reader_first(reader);
	rc = read_kept(&w, &reading, fault);
	if (rc >= 0)
		rc = read_all(&w, reader, fault);
	tl_nats_reader_free(reader);
	report_totals(&w);
	tl_seen_free(&w.seen);
	if (rc == 0 && w.wrong)
		rc = tl_fail(fault, -EBADMSG,
		    "the stream has missing or damaged blocks");
	return rc;
}

/* == the command line == */

static int
write_on(void *context, const char *data, size_t size)
{
	(void)context;
	return tl_write_all(STDOUT_FILENO, data, size);
}

static void
copy_words(const char **to, size_t *count, const struct tl_arguments *words)
{
	memcpy(to, words->items, words->count * sizeof(*to));
	*count = words->count;
}

static int
read_options(struct tl_call *call, struct tl_ship_read *read)
{
	const struct tl_options *o = &call->options;
	int rc;

	*read = (struct tl_ship_read){ .since_ns = INT64_MIN,
		.until_ns = INT64_MAX,
		.follow = tl_options_has(o, TL_SHIP_FOLLOW),
		.write = write_on,
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
	copy_words(read->hosts, &read->host_count, &o->hosts);
	copy_words(read->timelines, &read->timeline_count, &o->timelines);
	return 0;
}

int
tl_verb_read(struct tl_call *call)
{
	struct tl_ship_read read;
	int rc = read_options(call, &read);

	if (rc < 0)
		return tl_call_usage(call, rc);
	if (isatty(STDOUT_FILENO) == 1)
		return tl_fail(&call->fault, -EINVAL,
		    "blocks are binary: redirect standard output");
	read.stop = tl_call_stop_flag();
	return tl_ship_read(&read, &call->fault);
}
