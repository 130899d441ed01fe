/* SPDX-License-Identifier: Apache-2.0 */
/* run_status.c - what shipping came to, for people and programs. */
#include "ship/run.h"

#include "base/fields.h"
#include "base/size.h"
#include "event/message.h"

/* "1 block", "2 blocks" */
static void
put_count(struct tl_text *text, uint64_t count, const char *one,
    const char *many)
{
	tl_put_unsigned(text, count);
	tl_put_char(text, ' ');
	tl_put_string(text, count == 1 ? one : many);
}

static void
put_sent(struct tl_text *text, const struct tl_spool_status *s)
{
	put_count(text, s->settled, "block (", "blocks (");
	tl_put_size(text, s->settled_size);
	tl_put_string(text, ") sent");
	if (s->blocks == 0)
		return;
	tl_put_string(text, ", ");
	tl_put_unsigned(text, s->blocks);
	tl_put_string(text, " (");
	tl_put_size(text, s->size);
	tl_put_string(text, s->blocks == 1 ? ") waits" : ") wait");
}

static void
put_dropped(struct tl_text *text, const struct tl_spool_status *s)
{
	if (s->dropped == 0)
		return;
	tl_put_string(text, ", ");
	if (s->thinned_blocks > 0) {
		tl_put_unsigned(text, s->thinned_blocks);
		tl_put_string(text, " thinned and ");
	}
	tl_put_unsigned(text, s->dropped_blocks);
	tl_put_string(text, " dropped with ");
	put_count(text, s->dropped, "entry", "entries");
}

static void
put_entries(struct tl_text *text, const struct tl_run_result *r)
{
	put_count(text, r->sources.entries, "entry, ", "entries, ");
	tl_put_unsigned(text, r->sources.lost);
	tl_put_string(text, " lost, ");
	put_sent(text, &r->spool);
	put_dropped(text, &r->spool);
}

void
tl_run_line(struct tl_text *text, const struct tl_run_result *r, bool away)
{
	put_count(text, r->sources.count, "timeline, ", "timelines, ");
	put_entries(text, r);
	if (away)
		tl_put_string(text, "; the target is away");
}

static void
put_json(struct tl_text *text, const struct tl_run_result *r)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_unsigned(&f, "entries", r->sources.entries);
	tl_fields_unsigned(&f, "lost", r->sources.lost);
	tl_fields_unsigned(&f, "blocks_sent", r->spool.settled);
	tl_fields_unsigned(&f, "size_sent", r->spool.settled_size);
	tl_fields_unsigned(&f, "blocks_waiting", r->spool.blocks);
	tl_fields_unsigned(&f, "size_waiting", r->spool.size);
	tl_fields_unsigned(&f, "blocks_dropped", r->spool.dropped_blocks);
	tl_fields_unsigned(&f, "blocks_thinned", r->spool.thinned_blocks);
	tl_fields_unsigned(&f, "entries_dropped", r->spool.dropped);
	tl_fields_object(&f, "dropped_by_priority");
	for (unsigned i = TIMELINE_LEVEL_MIN; i <= TIMELINE_LEVEL_MAX; i++)
		tl_fields_unsigned(&f, tl_level_name(i),
		    r->spool.dropped_by[i]);
	tl_fields_unsigned(&f, "unknown", r->spool.dropped_by[0]);
	tl_fields_object_end(&f);
	tl_fields_unsigned(&f, "blocks_refused", r->refused);
	tl_fields_unsigned(&f, "chains", r->spool.chains);
	tl_fields_duration(&f, "lasted", r->lasted_ns);
	tl_fields_object_end(&f);
}

void
tl_run_summary(struct tl_text *text, const struct tl_run_result *r, bool json)
{
	if (json) {
		put_json(text, r);
		return;
	}
	put_entries(text, r);
	tl_put_string(text, " in ");
	tl_put_duration(text, r->lasted_ns / 1000000 * 1000000);
	tl_put_char(text, '\n');
}
