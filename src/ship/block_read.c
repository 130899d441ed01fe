/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_read.c - parse a block; its bytes are untrusted
 */
#include "ship/block.h"
#include "trace/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A truncated block is damaged, too: unlike a live trace it has its end. */
static void
note_damage(void *context, const struct tl_fault *found)
{
	struct tl_fault *fault = context;

	if (found->rc < 0 && fault->rc == 0)
		*fault = *found;
}

static int
open_trace(struct tl_trace **trace, struct tl_bytes data,
    struct tl_fault *damage, struct tl_fault *fault)
{
	const struct tl_trace_read_options options = { .codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = { damage ? note_damage : NULL, damage } };
	struct tl_storage *storage;

	if (tl_storage_of_memory(&storage, data.data, data.size) < 0)
		return tl_fail(fault, -ENOMEM, "no memory");
	return tl_trace_open_storage(trace, storage, NULL, &options, fault);
}

int
tl_block_open(struct tl_trace **trace, struct tl_bytes data,
    struct tl_fault *fault)
{
	return open_trace(trace, data, NULL, fault);
}

/* == its INFOs and events == */

/* Copy an INFO as a string; false: absent, too long or with a NUL. */
static bool
copy_info(const struct tl_trace *trace, const char *name, char *to, size_t size)
{
	const struct tl_bytes info = tl_trace_info(trace, name);

	if (info.size == 0 || info.size >= size ||
	    memchr(info.data, '\0', info.size))
		return false;
	memcpy(to, info.data, info.size);
	to[info.size] = '\0';
	return true;
}

bool
tl_block_range_get(const char *text, const char *suffix, uint64_t *first,
    uint64_t *last)
{
	char words[2 * TL_UNSIGNED_MAX + 2];
	const size_t size = strcspn(text, ".");
	char *dash;

	if (size >= sizeof(words) || strcmp(text + size, suffix) != 0)
		return false;
	memcpy(words, text, size);
	words[size] = '\0';
	if (!(dash = strchr(words, '-')))
		return false;
	*dash = '\0';
	return tl_parse_unsigned(words, first) == 0 &&
	       tl_parse_unsigned(dash + 1, last) == 0 && *first <= *last;
}

static bool
read_numbers(struct tl_block_facts *facts, const struct tl_trace *trace)
{
	struct tl_block *b = &facts->block;
	char number[2 * TL_UNSIGNED_MAX + 2];
	uint64_t first;

	if (!copy_info(trace, TL_INFO_BLOCK, number, sizeof(number)) ||
	    tl_parse_unsigned(number, &b->number) != 0)
		return false;
	facts->last = b->number;
	if (copy_info(trace, TL_INFO_SENT, number, sizeof(number)) &&
	    tl_parse_unsigned(number, &facts->sent) != 0)
		return false;
	if (tl_trace_info(trace, TL_INFO_DROPPED).size == 0)
		return true;
	facts->dropped = true;
	return copy_info(trace, TL_INFO_DROPPED, number, sizeof(number)) &&
	       tl_block_range_get(number, "", &first, &facts->last) &&
	       first == b->number;
}

static void
read_positions(struct tl_text *to, const struct tl_trace *trace,
    const char *name)
{
	const struct tl_bytes positions = tl_trace_info(trace, name);

	if (positions.size > 0 && positions.size <= TL_POSITIONS_MAX &&
	    !memchr(positions.data, '\0', positions.size))
		tl_put_bytes(to, positions);
}

static void
count(struct tl_block *b, const struct tl_event *event)
{
	if (event->continued) /* counted in an earlier block */
		return;
	if (b->entries == 0 && b->lost == 0)
		b->from_ns = b->to_ns = event->ns;
	if (event->ns < b->from_ns)
		b->from_ns = event->ns;
	if (event->ns > b->to_ns)
		b->to_ns = event->ns;
	if (event->kind == TL_LOST)
		b->lost += event->lost;
	else
		b->entries++;
}

int
tl_block_count_levels(uint64_t counts[TIMELINE_LEVEL_NONE],
    struct tl_bytes data)
{
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_block_open(&trace, data, &fault);

	memset(counts, 0, TIMELINE_LEVEL_NONE * sizeof(*counts));
	if (rc < 0)
		return rc;
	rc = tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor);
	if (rc == 0) {
		while ((rc = tl_cursor_next(cursor, &event)) > 0) {
			if (event.kind != TL_LOST && !event.continued)
				counts[tl_block_level(&event)]++;
		}
		tl_cursor_close(cursor);
	}
	tl_trace_close(trace);
	return rc;
}

/* Read the entries that thinning removed, by level.  Invalid items are
 * skipped. */
static void
read_thinned(struct tl_block_facts *facts, const struct tl_trace *trace)
{
	char words[TIMELINE_LEVEL_NONE * (TL_UNSIGNED_MAX + 4)];
	char *rest = NULL;
	uint64_t count;

	memset(facts->thinned, 0, sizeof(facts->thinned));
	if (!copy_info(trace, TL_INFO_THINNED, words, sizeof(words)))
		return;
	for (char *word = strtok_r(words, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		if (word[0] >= '0' && word[0] <= '9' && word[1] == ':' &&
		    tl_parse_unsigned(word + 2, &count) == 0)
			facts->thinned[word[0] - '0'] = count;
}

static int
read_infos(struct tl_block_facts *facts, const struct tl_trace *trace,
    struct tl_fault *fault)
{
	struct tl_block *b = &facts->block;

	(void)copy_info(trace, TL_INFO_IDENTITY, facts->identity,
	    sizeof(facts->identity));
	(void)copy_info(trace, "boot", facts->boot, sizeof(facts->boot));
	read_thinned(facts, trace);
	read_positions(&facts->begins, trace, TL_INFO_BEGINS);
	read_positions(&facts->positions, trace, TL_INFO_POSITIONS);
	if (!copy_info(trace, "host", b->host, sizeof(b->host)) ||
	    !copy_info(trace, "timeline", b->timeline, sizeof(b->timeline)) ||
	    !copy_info(trace, TL_INFO_CHAIN, b->chain, sizeof(b->chain)) ||
	    strlen(b->chain) != TL_CHAIN_SIZE - 1 ||
	    strspn(b->chain, "0123456789abcdef") != TL_CHAIN_SIZE - 1 ||
	    !read_numbers(facts, trace))
		return tl_fail(fault, -EBADMSG,
		    "a trace, but not a block of a chain");
	return facts->begins.rc < 0 ? facts->begins.rc : facts->positions.rc;
}

int
tl_block_read_infos(struct tl_block_facts *facts, struct tl_bytes data,
    struct tl_fault *fault)
{
	struct tl_trace *trace;
	int rc = tl_block_open(&trace, data, fault);

	if (rc < 0)
		return rc;
	rc = read_infos(facts, trace, fault);
	tl_trace_close(trace);
	return rc;
}

int
tl_block_describe(struct tl_block_facts *facts, struct tl_bytes data,
    struct tl_fault *fault)
{
	struct tl_fault damage = { 0 };
	struct tl_trace *trace;
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = open_trace(&trace, data, &damage, fault);

	if (rc < 0)
		return rc;
	facts->block.data = data;
	rc = tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor);
	if (rc == 0) {
		while ((rc = tl_cursor_next(cursor, &event)) > 0)
			count(&facts->block, &event);
		tl_cursor_close(cursor);
	}
	rc = rc < 0 ? tl_fail(fault, rc, "%s", strerror(-rc))
		    : read_infos(facts, trace, fault);
	if (rc == 0 && damage.rc < 0)
		rc = tl_fault(fault, -EBADMSG, damage.at, "%s", damage.text);
	tl_trace_close(trace);
	return rc;
}

void
tl_block_facts_free(struct tl_block_facts *facts)
{
	tl_text_free(&facts->begins);
	tl_text_free(&facts->positions);
}
