/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - timeline-ship run: its options, and the report of what was done
 */
#include "ship/run.h"

#include "base/array.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/ns.h"
#include "base/options.h"
#include "base/process.h"
#include "base/text.h"
#include "event/hosts/origin.h"
#include "event/message.h"
#include "format/jsonl/jsonl.h"
#include "ring/guard.h"
#include "ship/click/url.h"
#include "ship/ship.h"
#include "trace/layout.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KIB = 1 << 10,
	MIB = 1 << 20,
	BLOCK_SIZE = 256 * KIB,
	BLOCK_SIZE_MIN = 16 * KIB,
	BLOCK_SIZE_MAX = 32 * MIB,
	SPOOL_BLOCKS_MIN = 4 /* that there is room for */
};

static const struct tl_run_options usual = {
	.target = { .part_size = 64 * MIB, .part_ns = 600 * TL_NS_PER_S },
	.chain = { .block_size = BLOCK_SIZE, .every_ns = TL_NS_PER_S },
	.spool_size = UINT64_C(256) * MIB,
	.linger_ns = 2 * TL_NS_PER_S,
};

/* Named here, not found in the table of all formats, for which the program
 * would have to carry each. */
static const struct tl_format_row *
find_format(const char *name)
{
	static const struct tl_format_row formats[] = {
		{ .name = "jsonl",
		    .write_new = tl_jsonl_write_new,
		    .suffix = ".jsonl" },
		{ .name = "parquet",
		    .write_new = tl_parquet_write_new,
		    .suffix = ".parquet",
		    .flags = TL_FORMAT_BINARY | TL_FORMAT_UNITS }
	};

	for (size_t i = 0; i < TL_COUNT(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

static int
read_format(struct tl_call *call, struct tl_run_options *run)
{
	const char *word = call->options.given[TL_SHIP_FORMAT];
	const char *unit = call->options.given[TL_SHIP_PARQUET_TIME];
	struct tl_target_options *target = &run->target;

	if (word && strcmp(word, "trace") != 0) {
		if (!(target->format = find_format(word)))
			return tl_usage(&call->fault, word,
			    "not one of trace, jsonl, parquet");
		if (!tl_target_takes_formats(target->url))
			return tl_usage(&call->fault, "--format",
			    "works only with a directory or -");
		if (strcmp(target->url, "-") == 0 && strcmp(word, "jsonl") != 0)
			return tl_usage(&call->fault, word,
			    "not for standard output");
	}
	if (unit && tl_parquet_time_parse(unit, &target->parquet_time) < 0)
		return tl_usage(&call->fault, unit,
		    "no such unit of --parquet-time: nanos or micros");
	if (unit &&
	    !(target->format && target->format->flags & TL_FORMAT_UNITS))
		return tl_usage(&call->fault, "--parquet-time",
		    "only with --format parquet");
	return 0;
}

/* A file or a timeline where a target is meant. */
static int
check_target(struct tl_call *call, const char *url)
{
	char path[TL_PATH_MAX];
	struct stat st;

	if (!url || url[0] == '\0')
		return tl_usage(&call->fault, "run", "needs --to TARGET");
	if (strcmp(url, "-") != 0 && stat(url, &st) == 0 && S_ISREG(st.st_mode))
		return tl_usage(&call->fault, url,
		    "a file; --to takes a directory, which ship fills");
	if (url[0] == '/' && tl_name_path(url, path) == 0 &&
	    strcmp(path, url) != 0 && access(path, F_OK) == 0)
		return tl_usage(&call->fault, url,
		    "a timeline; the operands of run are --to TARGET "
		    "TIMELINE...");
	return 0;
}

static int
read_values(struct tl_call *call, struct tl_run_options *run)
{
#define AT(member) offsetof(struct tl_run_options, member)
	static const struct tl_option_key keys[] = {
		{ TL_SHIP_BLOCK_SIZE, AT(chain.block_size), BLOCK_SIZE_MIN,
		    UINT64_MAX },
		{ TL_SHIP_SPOOL_SIZE, AT(spool_size), 0, UINT64_MAX },
		{ TL_SHIP_PART_SIZE, AT(target.part_size), MIB, UINT64_MAX },
		{ TL_SHIP_EVERY, AT(chain.every_ns), 10 * TL_NS_PER_MS, 0 },
		{ TL_SHIP_PART_AGE, AT(target.part_ns), 100 * TL_NS_PER_MS, 0 },
		{ TL_SHIP_FOR, AT(for_ns), TL_NS_PER_MS, 0 },
		{ TL_SHIP_LINGER, AT(linger_ns), 0, 0 },
		{ .option = TL_SHIP_OPTIONS },
	};
#undef AT
	struct tl_fault *fault = &call->fault;
	int rc = tl_options_read(&call->options, keys, run, fault);

	if (rc < 0)
		return rc;
	if (run->chain.block_size > BLOCK_SIZE_MAX)
		return tl_usage(fault, "--block-size", "more than 32M");
	if (run->spool_size / SPOOL_BLOCKS_MIN < run->chain.block_size)
		return tl_usage(fault, "--spool-size",
		    "less than four blocks (--block-size)");
	run->target.held_max = run->spool_size / 2;
	return 0;
}

static int
read_host(struct tl_call *call, struct tl_run_options *run)
{
	static struct tl_origin here;
	const struct tl_arguments *hosts = &call->options.hosts;

	if (hosts->count > 1)
		return tl_usage(&call->fault, "--host", "given more than once");
	tl_origin_here(&here);
	run->chain.host = hosts->count > 0 ? hosts->items[0] : here.machine;
	if (run->chain.host[0] == '\0')
		return tl_usage(&call->fault, "--host",
		    "this machine has no host name; give one");
	if (strlen(run->chain.host) >= sizeof(here.machine))
		return tl_usage(&call->fault, "--host",
		    "a name of more than 64 bytes");
	return 0;
}

static int
check_timelines(struct tl_call *call, const struct tl_arguments *names)
{
	char path[TL_PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i];

		if (name[0] == '\0')
			return tl_usage(&call->fault, "run",
			    "empty name of a timeline");
		if (strlen(name) >= TL_BLOCK_NAME_MAX)
			return tl_usage(&call->fault, name,
			    "a name of more than 255 bytes");
		/* A file where a live timeline is meant. */
		if (tl_name_path(name, path) == 0 && access(path, F_OK) != 0 &&
		    stat(name, &st) == 0)
			return tl_usage(&call->fault, name,
			    "no live timeline; timeline-convert reads files");
	}
	return 0;
}

static int
read_options(struct tl_call *call, struct tl_run_options *run)
{
	const struct tl_options *o = &call->options;
	int rc;

	*run = usual;
	run->target.url = o->given[TL_SHIP_TO];
	run->target.expression = o->given[TL_SHIP_EXPRESSION];
	if ((rc = check_target(call, run->target.url)) < 0 ||
	    (rc = check_timelines(call, &o->operands)) < 0 ||
	    (rc = tl_options_nats(o, &run->target.nats, &call->fault)) < 0 ||
	    (rc = read_format(call, run)) < 0)
		return rc;
	if (run->target.expression && !tl_click_is_url(run->target.url))
		return tl_usage(&call->fault, "-e",
		    "chooses rows of clickhouse://; other targets take all");
	if ((rc = read_host(call, run)) < 0 ||
	    (rc = read_values(call, run)) < 0)
		return rc;
	run->target.nats.url = run->target.url;
	run->target.report = run->chain.report = run->report = &call->report;
	run->chain.all = tl_options_has(o, TL_SHIP_ALL);
	if (tl_options_has(o, TL_SHIP_ZSTD))
		run->chain.compress = TL_TRACE_ZSTD_LEVEL;
	run->spool = o->given[TL_SHIP_SPOOL];
	run->quiet = tl_options_has(o, TL_SHIP_QUIET);
	run->timelines = o->operands.items;
	run->timeline_count = o->operands.count;
	return 0;
}

/* == reports == */

static void
put_entries(struct tl_text *text, const struct tl_run_result *r)
{
	tl_put_format(text, "%s, %lu lost, %s (%s) sent",
	    TL_COUNTED(r->sources.entries, "entry"), r->sources.lost,
	    TL_COUNTED(r->spool.acked, "block"), TL_SIZE(r->spool.acked_size));
	if (r->spool.blocks != 0)
		tl_put_format(text, ", %lu (%s) wait%s", r->spool.blocks,
		    TL_SIZE(r->spool.size), r->spool.blocks == 1 ? "s" : "");
	if (r->spool.dropped == 0)
		return;
	tl_put_string(text, ", ");
	if (r->spool.thinned_blocks > 0)
		tl_put_format(text, "%lu thinned and ",
		    r->spool.thinned_blocks);
	tl_put_format(text, "%lu dropped with %s", r->spool.dropped_blocks,
	    TL_COUNTED(r->spool.dropped, "entry"));
}

void
tl_run_line(struct tl_text *text, const struct tl_run_result *r,
    bool disconnected)
{
	tl_put_format(text, "%s, ", TL_COUNTED(r->sources.count, "timeline"));
	put_entries(text, r);
	if (disconnected)
		tl_put_string(text, "; not connected to the target");
}

static void
put_summary(struct tl_text *text, const struct tl_run_result *r, bool json)
{
	if (json) {
		struct tl_fields f = { .text = text, .json = true };

		tl_fields_object(&f, NULL);
		tl_fields_unsigned(&f, "entries", r->sources.entries);
		tl_fields_unsigned(&f, "lost", r->sources.lost);
		tl_fields_unsigned(&f, "blocks_sent", r->spool.acked);
		tl_fields_unsigned(&f, "size_sent", r->spool.acked_size);
		tl_fields_unsigned(&f, "blocks_waiting", r->spool.blocks);
		tl_fields_unsigned(&f, "size_waiting", r->spool.size);
		tl_fields_unsigned(&f, "blocks_dropped",
		    r->spool.dropped_blocks);
		tl_fields_unsigned(&f, "blocks_thinned",
		    r->spool.thinned_blocks);
		tl_fields_unsigned(&f, "entries_dropped", r->spool.dropped);
		tl_fields_object(&f, "dropped_by_priority");
		for (unsigned i = TIMELINE_LEVEL_MIN; i <= TIMELINE_LEVEL_MAX;
		     i++)
			tl_fields_unsigned(&f, tl_level_name(i),
			    r->spool.dropped_by[i]);
		tl_fields_unsigned(&f, "unknown", r->spool.dropped_by[0]);
		tl_fields_object_end(&f);
		tl_fields_unsigned(&f, "blocks_refused", r->refused);
		tl_fields_unsigned(&f, "chains", r->spool.chains);
		tl_fields_duration(&f, "lasted", r->lasted_ns);
		tl_fields_object_end(&f);
		return;
	}
	put_entries(text, r);
	tl_put_format(text, " in %s\n",
	    TL_DURATION(r->lasted_ns / 1000000 * 1000000));
}

/* == the verb == */

int
tl_verb_run(struct tl_call *call)
{
	struct tl_run_options run;
	struct tl_run_result result;
	int rc = read_options(call, &run);

	if ((call->usage = rc < 0))
		return rc;
	tl_signals_ask_to_stop(true);
	run.stop = tl_stop_flag();
	/* a timeline needs five while a block is made */
	tl_raise_fds_max();
	(void)tl_guard_start(); /* without a guard heads are not mapped */
	rc = tl_run(&run, &result, &call->fault);
	if (rc < 0)
		return rc;
	call->aside = strcmp(run.target.url, "-") == 0;
	if (!run.quiet || tl_options_has(&call->options, TL_SHIP_JSON))
		put_summary(&call->out, &result,
		    tl_options_has(&call->options, TL_SHIP_JSON));
	if (!result.failed)
		return 0;
	return tl_fail(&call->fault, -EIO,
	    "%lu %s lost; use --spool to keep such blocks", result.spool.blocks,
	    result.spool.blocks == 1 ? "block was not sent, and is"
				     : "blocks were not sent, and are");
}
