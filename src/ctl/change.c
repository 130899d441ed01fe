/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.c - verbs that change a timeline: create, remove, priority, burst,
 * level, slower
 *
 * A user who names a timeline here trusts its owner: root and members of its
 * group may change a timeline of another user, as far as its mode permits.
 */
#include "base/file.h"
#include "base/ns.h"
#include "base/options.h"
#include "clock/clock.h"
#include "ctl/ctl.h"
#include "event/message.h"
#include "ring/ring.h"
#include "snap/timers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define RATE_MAX INT64_C(1000000000) /* entries a second */

static int
attach(struct tl_call *call, struct tl_name *name, struct timeline **tl)
{
	struct stat status;
	int rc = tl_call_name(call, 0, name);

	if (rc != 0)
		return rc;
	if (lstat(name->path, &status) != 0)
		return tl_call_no_file(call, name, errno);
	if (S_ISLNK(status.st_mode))
		return tl_call_fail(call, name->shown, -ELOOP,
		    "a symbolic link, which is not followed");
	rc = tl_attach(tl, name->path, status.st_uid);
	return rc == 0 ? 0 : tl_call_library(call, name, rc);
}

/* Refuse a word where the operands are in another order. */
static void
refuse_swapped(struct tl_call *call, const char *word, const char *kind)
{
	tl_call_usage(call, "%s: not a %s; the operands of %s are %s", word,
	    kind, call->verb->name, call->verb->arguments);
}

/* The name of a level for the library; "off" and "default" if they are
 * permitted.  NULL: it is none of them, which is reported. */
static const char *
read_level(struct tl_call *call, const char *word, bool off, bool defined)
{
	bool swapped = false; /* another operand is a priority */
	int64_t ns;
	int level;

	if ((off && strcasecmp(word, "off") == 0) ||
	    (defined && strcasecmp(word, "default") == 0))
		return word[0] == 'o' || word[0] == 'O' ? "off" : "default";
	if (strchr(word, '/') || tl_parse_duration(word, &ns) == 0) {
		refuse_swapped(call, word, "priority");
		return NULL;
	}
	level = tl_level_usage(word, &call->fault);
	if (level > 0)
		return tl_level_name((unsigned)level);
	call->usage = true;
	if (strchr(call->fault.text, '?'))
		return NULL;
	for (size_t i = 0; i < call->operand_count; i++)
		swapped |= tl_level_parse(call->operands[i]) >= 0;
	if (swapped) {
		call->fault.rc = 0;
		refuse_swapped(call, word, "priority");
	} else {
		strcat(strcat(call->fault.text, off ? ", off" : ""),
		    defined ? ", default" : "");
	}
	return NULL;
}

static int
parse_mode(struct tl_call *call, uint32_t *mode)
{
	const char *word = call->given[TL_CTL_MODE];
	char *end;
	unsigned long value;

	if (!word)
		return 0;
	value = strtoul(word, &end, 8);
	if (word[0] < '0' || word[0] > '7' || *end != '\0' || value == 0 ||
	    value > 0777)
		return tl_call_usage(call,
		    "%s: not the mode of a file, like 0660", word);
	*mode = (uint32_t)value;
	return 0;
}

static int
parse_stamp(struct tl_call *call, uint32_t *stamp)
{
	static const char *const names[] = { "tsc", "realtime" };
	const char *word = call->given[TL_CTL_STAMP];
	int clock;

	if (!word)
		return 0;
	clock = tl_call_choose(call, names, 2, word, "clock");
	if (clock < 0)
		return clock;
	*stamp = clock == 0 ? TIMELINE_STAMP_TSC : TIMELINE_STAMP_REALTIME;
	return 0;
}

/* Parse a rate in entries a second: "5000", or "100k" with powers of 1000. */
static int
parse_rate(struct tl_call *call, uint64_t *rate)
{
	static const char units[] = "kMG";
	const char *word = call->given[TL_CTL_RATE];
	char digits[24];
	const size_t size = strspn(word, "0123456789");
	const char *unit = word[size] ? strchr(units, word[size]) : NULL;

	snprintf(digits, sizeof(digits), "%.*s", (int)size, word);
	if (size >= sizeof(digits) || tl_parse_unsigned(digits, rate) < 0 ||
	    (word[size] && (!unit || word[size + 1])) || *rate == 0 ||
	    *rate > RATE_MAX)
		return tl_call_usage(call,
		    "%s: not a rate in entries a second, like 5000 or 100k",
		    word);
	for (; unit && unit >= units; unit--)
		*rate *= 1000;
	return *rate <= RATE_MAX ? 0
				 : tl_call_usage(call,
				       "%s: over 1G entries a "
				       "second",
				       word);
}

/* Set the number of entries for each CPU that the busiest CPU logs in the time
 * of --keep. */
static int
parse_keep(struct tl_call *call, struct timeline_options *o, uint64_t *kept)
{
	const uint64_t cpus = o->cpu_lanes ? o->cpu_lanes : tl_cpus();
	uint64_t rate, lane;
	int64_t keep;
	int rc;

	if (!tl_call_has(call, TL_CTL_KEEP) && !tl_call_has(call, TL_CTL_RATE))
		return 0;
	if (!tl_call_has(call, TL_CTL_KEEP) || !tl_call_has(call, TL_CTL_RATE))
		return tl_call_usage(call, "--keep and --rate need each other: "
					   "--keep 60s --rate 100k");
	if (o->entries)
		return tl_call_usage(call,
		    "--keep cannot be combined with --entries");
	call->usage = true;
	if ((rc = tl_option_duration(call->given[TL_CTL_KEEP], &keep,
		 &call->fault)) != 0)
		return rc;
	call->usage = false;
	if (keep <= 0)
		return tl_call_usage(call, "%s: not a length of time",
		    call->given[TL_CTL_KEEP]);
	if ((rc = parse_rate(call, &rate)) != 0)
		return rc;
	lane = (uint64_t)(((unsigned __int128)keep * rate + TL_NS_PER_S - 1) /
			  TL_NS_PER_S);
	if (lane > UINT64_C(1) << 31)
		return tl_call_usage(call,
		    "--keep %s --rate %s: over 2G entries for each CPU",
		    call->given[TL_CTL_KEEP], call->given[TL_CTL_RATE]);
	o->entries = lane * cpus;
	*kept = rate;
	return 0;
}

/* Entries that all lanes hold. */
static uint64_t
room_of(const struct timeline_header *h)
{
	uint64_t entries = 0;

	for (uint32_t i = 0; i < timeline_lane_count(h); i++)
		entries += timeline_lane_entries(h, i);
	return entries;
}

static void
put_created(struct tl_call *call, const struct tl_name *name,
    const struct timeline *tl, uint64_t rate)
{
	const struct timeline_header *h = &tl->geometry;
	struct tl_fields f = tl_call_json(call);
	struct stat status;
	const uint64_t used =
	    fstat(tl->fd, &status) == 0 ? tl_file_used(&status) : 0;

	if (!tl_call_has(call, TL_CTL_JSON)) {
		/* Report the memory, how many entries there are, as lanes are
		 * rounded up to powers of two, and how long --keep is then. */
		const uint64_t entries = timeline_lane_entries(h, 0);
		struct tl_text *out = &call->out;

		tl_put_format(out,
		    "%s: %s in use, %lu entries for each of %u CPUs",
		    name->shown, TL_SIZE(used), entries, h->cpu_lanes);
		if (rate)
			tl_put_format(out, ": %s at %lu entries a second",
			    TL_DURATION((int64_t)((unsigned __int128)entries *
						  TL_NS_PER_S / rate)),
			    rate);
		tl_put_format(out, "; %lu in all lanes", room_of(h));
		if (tl_call_has(call, TL_CTL_ENTRIES))
			tl_put_format(out, ", %lu asked for", h->entries_asked);
		tl_put_char(out, '\n');
		return;
	}
	tl_fields_object(&f, NULL);
	tl_fields_string(&f, "name", name->shown);
	tl_fields_unsigned(&f, "size", h->total_size);
	tl_fields_unsigned(&f, "used", used);
	tl_fields_unsigned(&f, "entries", room_of(h));
	tl_fields_unsigned(&f, "entries_asked", h->entries_asked);
	tl_fields_unsigned(&f, "tiers", h->tiers);
	tl_fields_unsigned(&f, "cpu_lanes", h->cpu_lanes);
	tl_fields_unsigned(&f, "fallback_lanes", h->fallback_lanes);
	tl_fields_string(&f, "stamp",
	    h->clock_kind == TIMELINE_CLOCK_TSC ? "tsc" : "realtime");
	tl_fields_object_end(&f);
}

int
tl_verb_create(struct tl_call *call)
{
	struct timeline_options options = { 0 };
	struct timeline *tl;
	struct tl_name name;
	struct stat status;
	uint64_t rate = 0, tiers = 0, cpus = 0, fallback = 0;
	int rc = tl_call_name(call, 0, &name);

	if (rc != 0)
		return rc;

	if ((rc = tl_call_number(call, TL_CTL_ENTRIES, 1, UINT64_C(1) << 40,
		 &options.entries)) != 0 ||
	    (rc = tl_call_number(call, TL_CTL_STRINGS, 1, UINT64_C(1) << 31,
		 &options.stringtablesize)) != 0 ||
	    (rc = tl_call_number(call, TL_CTL_TIERS, 1, 2, &tiers)) != 0 ||
	    (rc = tl_call_number(call, TL_CTL_CPU_LANES, 1, TIMELINE_LANES_MAX,
		 &cpus)) != 0 ||
	    (rc = tl_call_number(call, TL_CTL_FALLBACK_LANES, 1,
		 TIMELINE_LANES_MAX, &fallback)) != 0 ||
	    (rc = parse_mode(call, &options.mode)) != 0)
		return rc;
	options.tiers = (uint32_t)tiers;
	options.cpu_lanes = (uint32_t)cpus;
	options.fallback_lanes = (uint32_t)fallback;
	if ((rc = parse_keep(call, &options, &rate)) != 0 ||
	    (rc = parse_stamp(call, &options.stamp)) != 0)
		return rc;
	/* checked first: tl_create would allocate the whole file */
	rc = lstat(name.path, &status) == 0
		 ? -EEXIST
		 : tl_create(&tl, name.path, &options);
	if (rc == -EEXIST)
		return tl_call_fail(call, name.shown, rc, "exists already");
	if (rc == -ENOENT)
		return tl_call_fail(call, name.shown, rc,
		    "no such folder: a name with a slash inside is a path");
	if (rc != 0)
		return tl_call_library(call, &name, rc);
	put_created(call, &name, tl, rate);
	timeline_close(tl);
	return 0;
}

int
tl_verb_remove(struct tl_call *call)
{
	struct tl_name name;
	int rc = tl_call_name(call, 0, &name);

	if (rc != 0)
		return rc;
	rc = timeline_remove(name.path);
	if (rc == -ENOENT)
		return tl_call_no_file(call, &name, ENOENT);
	return rc == 0 ? 0 : tl_call_library(call, &name, rc);
}

int
tl_verb_priority(struct tl_call *call)
{
	struct timeline *tl;
	struct tl_name name;
	const char *level = read_level(call, call->operands[1], true, false);
	int rc = level ? attach(call, &name, &tl) : -EINVAL;

	if (rc != 0)
		return rc;
	rc = timeline_priority(tl, level);
	if (rc != 0)
		tl_call_library(call, &name, rc);
	else if (strcmp(level, "off") == 0)
		tl_put_format(&call->out, "%s: logging nothing\n", name.shown);
	else
		tl_put_format(&call->out, "%s: logging %s and above\n",
		    name.shown, level);
	timeline_close(tl);
	return rc;
}

int
tl_verb_burst(struct tl_call *call)
{
	struct timeline *tl;
	struct tl_name name;
	int64_t ns = 0;
	const char *level = read_level(call, call->operands[1], false, false);
	int rc =
	    level ? tl_call_duration(call, call->operands[2], 1, INT64_MAX, &ns)
		  : -EINVAL;

	if (rc != 0 || (rc = attach(call, &name, &tl)) != 0)
		return rc;
	rc = timeline_burst(tl, level, (uint64_t)ns);
	if (rc != 0)
		tl_call_library(call, &name, rc);
	else
		tl_put_format(&call->out,
		    "%s: logging %s and above until %s (%s)\n", name.shown,
		    level, TL_TIME(tl_clock_read(CLOCK_REALTIME) + ns),
		    TL_DURATION(ns));
	timeline_close(tl);
	return rc;
}

/* Report that nothing matches; returns -ENOENT. */
static int
put_no_match(struct tl_call *call, const struct tl_name *name, const char *what,
    const char *glob, const char *category)
{
	return tl_call_fail(call, name->shown, -ENOENT,
	    "no %s matches %s%s%s: timeline-dump --list %s shows what there is",
	    what, glob, category ? " in category " : "",
	    category ? category : "", name->shown);
}

int
tl_verb_level(struct tl_call *call)
{
	const char *category = call->given[TL_CTL_CATEGORY];
	struct timeline *tl;
	struct tl_name name;
	const char *level = read_level(call, call->operands[2], true, true);
	int rc = level ? attach(call, &name, &tl) : -EINVAL;

	if (rc != 0)
		return rc;
	rc = timeline_level(tl, category ? category : "*", call->operands[1],
	    level);
	if (rc == -ENOENT)
		put_no_match(call, &name, "message", call->operands[1],
		    category);
	else if (rc != 0)
		tl_call_library(call, &name, rc);
	else if (strcmp(level, "off") == 0)
		tl_put_format(&call->out,
		    "%s: messages that match %s are not logged\n", name.shown,
		    call->operands[1]);
	else
		tl_put_format(&call->out, "%s: messages that match %s %s%s\n",
		    name.shown, call->operands[1],
		    strcmp(level, "default") == 0
			? "have the level of their definition"
			: "are logged as ",
		    strcmp(level, "default") == 0 ? "" : level);
	timeline_close(tl);
	return rc;
}

/* Has a word the form of a percentile? */
static bool
is_percentile(const char *word)
{
	return (word[0] == 'p' || word[0] == 'P') && word[1] >= '0' &&
	       word[1] <= '9';
}

/* Parse "p99.9" into millionths; 0: it is not a percentile. */
static uint64_t
read_percentile(const char *word)
{
	char *end;
	double percent;

	if (!is_percentile(word))
		return 0;
	percent = strtod(word + 1, &end);
	if (*end != '\0' || !(percent >= 0.0001) || percent > 99.9999)
		return 0;
	return (uint64_t)(percent * 10000 + 0.5);
}

int
tl_verb_slower(struct tl_call *call)
{
	const char *category = call->given[TL_CTL_CATEGORY];
	const char *word = call->operands[2];
	const uint64_t percentile = read_percentile(word);
	const bool off = strcasecmp(word, "off") == 0;
	struct timeline *tl;
	struct tl_name name;
	int64_t ns = 0;
	int rc = 0;

	if (!percentile && is_percentile(word))
		rc = tl_call_usage(call,
		    "%s: a percentile is from p0.0001 to p99.9999", word);
	else if (!percentile && !off &&
		 (tl_parse_duration(call->operands[1], &ns) == 0 ||
		     read_percentile(call->operands[1])) &&
		 tl_parse_duration(word, &ns) < 0) {
		refuse_swapped(call, word, "duration");
		rc = -EINVAL;
	} else if (!percentile && !off && !strpbrk(word, "0123456789"))
		rc = tl_call_usage(call,
		    "%s: not a duration, as 1ms, nor a percentile, as p99, nor "
		    "off",
		    word);
	else if (!percentile && !off)
		rc = tl_call_duration(call, word, 0, INT64_MAX, &ns);
	if (rc != 0 || (rc = attach(call, &name, &tl)) != 0)
		return rc;
	if (!category)
		category = "*";
	if (!percentile)
		rc = timeline_slower(tl, category, call->operands[1],
		    off ? UINT64_MAX : (uint64_t)ns);
	else if (tl_timers_set(tl, category, call->operands[1], 0,
		     percentile) == 0)
		rc = -ENOENT;
	else
		rc = tl_timers_keep(tl, NULL, 0);
	if (rc == -ENOENT)
		put_no_match(call, &name, "timer", call->operands[1],
		    call->given[TL_CTL_CATEGORY]);
	else if (rc != 0)
		tl_call_library(call, &name, rc);
	else if (off)
		tl_put_format(&call->out,
		    "%s: timers that match %s log no span\n", name.shown,
		    call->operands[1]);
	else
		tl_put_format(&call->out,
		    "%s: timers that match %s log spans of at least %s\n",
		    name.shown, call->operands[1],
		    percentile ? word : TL_DURATION(ns));
	timeline_close(tl);
	return rc;
}
