/* SPDX-License-Identifier: Apache-2.0 */
/*
 * triggers.c - the triggers of a section: conditions and actions.
 */
#include "base/ns.h"
#include "daemon/config/read.h"
#include "daemon/disk/names.h"

#include "script/script.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_SIZE = 32, FIRES_MAX = 60 };

static const uint64_t every_ns = 10 * TL_NS_PER_S;
static const uint64_t run_ns = 60 * TL_NS_PER_S;
static const uint64_t burst_ns = 10000000;

/* == which entries == */

#define MATCH(member) \
	{ .name = "category", \
		tl_config_glob, \
		offsetof(struct tl_config_rule, member.category) }, \
	{ \
		.name = "message", tl_config_glob, \
		offsetof(struct tl_config_rule, member.message) \
	}
#define AT(member) offsetof(struct tl_config_rule, member)
#define LONGER \
	{ \
		.name = "longer", tl_config_duration, AT(limit_ns), .min = 1, \
		.max = TL_CONFIG_DAY_NS, .required = true \
	}

static int
need_match(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_match *match)
{
	if (match->category || match->message)
		return 0;
	return tl_data_fault(table, reader->fault, -EINVAL,
	    "'message' is missing (or 'category')");
}

static const struct tl_config_key match_keys[] = {
	MATCH(match),
	{ .name = NULL },
};
static const struct tl_config_key other_keys[] = {
	MATCH(other),
	{ .name = NULL },
};

/* == the value at which a rule is armed again == */

/* Read a duration as a double, which is never NAN. */
static int
read_clear_duration(struct tl_config_reader *reader,
    const struct tl_data *value, const struct tl_config_key *key, void *to)
{
	struct tl_config_rule *rule = to;
	uint64_t ns;
	int rc;

	if ((rc = tl_config_duration(reader, value, key, &ns)) < 0)
		return rc;
	if (ns > rule->limit_ns)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "more than 'longer'");
	rule->clear = (double)ns;
	return 0;
}

static int
check_clear(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_rule *rule)
{
	const struct tl_data *clear = tl_data_get(table, "clear");

	if (!clear || rule->clear == rule->bound ||
	    (rule->clear > rule->bound) == rule->below)
		return 0;
	return tl_data_fault(clear, reader->fault, -EINVAL, "%s",
	    rule->below ? "less than 'below'" : "more than 'above'");
}

/* == kinds == */

static int
read_event(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	(void)key;
	return tl_config_read_keys(reader, table, match_keys, to);
}

static int
read_span(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_config_key keys[] = {
		MATCH(match),
		LONGER,
		{ .name = "clear",
		    read_clear_duration,
		    0,
		    .max = TL_CONFIG_DAY_NS },
		{ .name = NULL },
	};

	(void)key;
	return tl_config_read_keys(reader, table, keys, to);
}

static int
read_from(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_rule *rule = to;
	const int rc = tl_config_read_keys(reader, table, match_keys, rule);

	(void)key;
	return rc < 0 ? rc : need_match(reader, table, &rule->match);
}

static int
read_to(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_rule *rule = to;
	const int rc = tl_config_read_keys(reader, table, other_keys, rule);

	(void)key;
	return rc < 0 ? rc : need_match(reader, table, &rule->other);
}

static int
read_interval(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_config_key keys[] = {
		{ .name = "from", read_from, 0, .required = true },
		{ .name = "to", read_to, 0, .required = true },
		LONGER,
		{ .name = "clear",
		    read_clear_duration,
		    0,
		    .max = TL_CONFIG_DAY_NS },
		{ .name = NULL },
	};

	(void)key;
	return tl_config_read_keys(reader, table, keys, to);
}

static int
read_absent(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_config_key keys[] = {
		MATCH(match),
		LONGER,
		{ .name = NULL },
	};
	struct tl_config_rule *rule = to;
	const int rc = tl_config_read_keys(reader, table, keys, rule);

	(void)key;
	return rc < 0 ? rc : need_match(reader, table, &rule->match);
}

/* Require either above or below. */
static int
check_bound(struct tl_config_reader *reader, const struct tl_data *table,
    struct tl_config_rule *rule)
{
	const struct tl_data *below = tl_data_get(table, "below");
	const struct tl_data *above = tl_data_get(table, "above");

	if (!below && !above)
		return tl_data_fault(table, reader->fault, -EINVAL,
		    "'above' is missing (or 'below')");
	if (below && above)
		return tl_data_fault(below, reader->fault, -EINVAL,
		    "'above' is given as well");
	rule->below = below != NULL;
	return check_clear(reader, table, rule);
}

static int
read_argument(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_config_key keys[] = {
		MATCH(match),
		{ .name = "name",
		    tl_config_text,
		    AT(argument),
		    .required = true },
		{ .name = "above", tl_config_real, AT(bound) },
		{ .name = "below", tl_config_real, AT(bound) },
		{ .name = "clear", tl_config_real, AT(clear) },
		{ .name = NULL },
	};
	const int rc = tl_config_read_keys(reader, table, keys, to);

	(void)key;
	return rc < 0 ? rc : check_bound(reader, table, to);
}

static int
read_rate(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_config_key keys[] = {
		MATCH(match),
		{ .name = "above", tl_config_real, AT(bound) },
		{ .name = "below", tl_config_real, AT(bound) },
		{ .name = "over",
		    tl_config_duration,
		    AT(limit_ns),
		    .min = 1000000,
		    .max = TL_CONFIG_DAY_NS },
		{ .name = "clear", tl_config_real, AT(clear) },
		{ .name = NULL },
	};
	struct tl_config_rule *rule = to;
	int rc;

	(void)key;
	rule->limit_ns = TL_NS_PER_S;
	if ((rc = tl_config_read_keys(reader, table, keys, rule)) < 0)
		return rc;
	return check_bound(reader, table, rule);
}

static int
read_level(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_rule *rule = to;

	return tl_config_level(reader, value, key, &rule->level);
}

static int
read_died(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	(void)key;
	(void)to;
	if (value->kind != TL_DATA_FLAG || !value->flag)
		return tl_data_fault(value, reader->fault, -EINVAL, "not true");
	return 0;
}

/* == actions == */

static int
read_burst(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_config_key keys[] = {
		{ .name = "level",
		    tl_config_level,
		    offsetof(struct tl_config_actions, burst_level),
		    .required = true },
		{ .name = "length",
		    tl_config_duration,
		    offsetof(struct tl_config_actions, burst_ns),
		    .min = 1000,
		    .max = TL_NS_PER_H },
		{ .name = NULL },
	};
	struct tl_config_actions *actions = to;

	(void)key;
	actions->burst_ns = burst_ns;
	return tl_config_read_keys(reader, table, keys, actions);
}

/* Read the arguments of a program, which runs without a shell. */
static int
read_run(struct tl_config_reader *reader, const struct tl_data *list,
    const struct tl_config_key *key, void *to)
{
	struct tl_config_actions *actions = to;
	const char **argv;
	const int rc = tl_config_check_list(reader, list, TL_CONFIG_ARGV_MAX);

	(void)key;
	if (rc < 0)
		return rc;
	argv = tl_config_allocate(reader, (list->count + 1) * sizeof(argv[0]));
	if (!argv)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		const struct tl_data *arg = &list->items[i];

		if (arg->kind != TL_DATA_TEXT)
			return tl_data_fault(arg, reader->fault, -EINVAL,
			    "not a string");
		argv[i] = arg->text;
	}
	/* The path must not depend on the daemon's working directory. */
	if (argv[0][0] != '/' && (argv[0][0] == '\0' || strchr(argv[0], '/')))
		return tl_data_fault(&list->items[0], reader->fault, -EINVAL,
		    "neither a name nor an absolute path");
	actions->run = argv;
	return 0;
}

/* == a trigger == */

/* Read an expression, and compile it so that `timelined -n` reports errors. */
static int
read_when(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	static const struct tl_script_io io = { 0 };
	static const char place[] = "-e:1: "; /* start of the fault's text */
	const char **when = to;
	struct tl_script_filter *filter;
	struct tl_fault fault = { 0 };
	const char *text = fault.text;
	int rc;

	if ((rc = tl_config_text(reader, value, key, when)) < 0)
		return rc;
	rc = tl_script_filter_new(&filter, *when, NULL, &io, &fault);
	if (rc == 0) {
		tl_script_filter_free(filter);
		return 0;
	}
	if (strncmp(text, place, sizeof(place) - 1) == 0)
		text += sizeof(place) - 1;
	return tl_data_fault(value, reader->fault,
	    rc == -ENOEXEC ? -EINVAL : rc, "%s", text);
}

/* Kinds come first, because the checks of other keys depend on the kind. */
static const struct tl_config_key keys[] = {
	[TL_RULE_EVENT] = { .name = "event", read_event, 0 },
	[TL_RULE_SPAN] = { .name = "span", read_span, 0 },
	[TL_RULE_INTERVAL] = { .name = "interval", read_interval, 0 },
	[TL_RULE_ABSENT] = { .name = "absent", read_absent, 0 },
	[TL_RULE_ARGUMENT] = { .name = "argument", read_argument, 0 },
	[TL_RULE_RATE] = { .name = "rate", read_rate, 0 },
	[TL_RULE_LEVEL] = { .name = "level", read_level, 0 },
	[TL_RULE_DIED] = { .name = "died", read_died, 0 },
	{ .name = "when", read_when, AT(when) },
	{ .name = "name", tl_config_text, AT(name) },
	{ .name = "burst", read_burst, AT(actions) },
	{ .name = "snapshot", tl_config_flag, AT(actions.snapshot) },
	{ .name = "why", tl_config_flag, AT(actions.why) },
	{ .name = "run", read_run, AT(actions) },
	{ .name = "timeout",
	    tl_config_duration,
	    AT(actions.run_ns),
	    .min = 10000000,
	    .max = TL_CONFIG_DAY_NS },
	{ .name = "every",
	    tl_config_duration,
	    AT(every_ns),
	    .max = TL_CONFIG_DAY_NS },
	{ .name = "per_hour", tl_config_size, AT(fires_max), .max = 3600000 },
	{ .name = NULL },
};

/* Find the kind, of which a trigger has exactly one. */
static int
read_kind(struct tl_config_reader *reader, const struct tl_data *table,
    struct tl_config_rule *rule)
{
	const struct tl_data *first = NULL;

	for (unsigned kind = 0; kind <= TL_RULE_DIED; kind++) {
		const struct tl_data *value =
		    tl_data_get(table, keys[kind].name);

		if (!value)
			continue;
		if (first)
			return tl_data_fault(value, reader->fault, -EINVAL,
			    "'%s' is given as well; a trigger has one "
			    "condition",
			    first->name);
		first = value;
		rule->kind = kind;
	}
	if (first)
		return 0;
	return tl_data_fault(table, reader->fault, -EINVAL,
	    "no condition; use one of event span interval absent argument "
	    "rate level died");
}

static int
check_rule(struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_rule *rule)
{
	const struct tl_data *when = tl_data_get(table, "when");
	const struct tl_data *timeout = tl_data_get(table, "timeout");

	if (timeout && !rule->actions.run)
		return tl_data_fault(timeout, reader->fault, -EINVAL,
		    "has no effect without 'run'");
	if (rule->actions.why && !rule->actions.snapshot)
		return tl_data_fault(tl_data_get(table, "why"), reader->fault,
		    -EINVAL, "has no effect without 'snapshot'");
	if (rule->actions.why && rule->kind != TL_RULE_SPAN)
		return tl_data_fault(tl_data_get(table, "why"), reader->fault,
		    -EINVAL,
		    "explains slow spans: the condition must be 'span'");
	if (rule->kind == TL_RULE_DIED && when)
		return tl_data_fault(when, reader->fault, -EINVAL,
		    "there is no entry to test when a process has died");
	if (rule->kind == TL_RULE_EVENT && !when)
		return need_match(reader, tl_data_get(table, "event"),
		    &rule->match);
	return 0;
}

/* Name a trigger without a name after its number. */
static int
give_name(struct tl_config_reader *reader, struct tl_config_rule *rule,
    size_t number)
{
	char *name;

	if (rule->name)
		return 0;
	if (!(name = tl_config_allocate(reader, NAME_MAX_SIZE)))
		return -ENOMEM;
	snprintf(name, NAME_MAX_SIZE, "trigger %zu", number);
	rule->name = name;
	return 0;
}

static int
read_rule(struct tl_config_reader *reader, const struct tl_data *table,
    struct tl_config_rule *rule)
{
	int rc;

	rule->every_ns = every_ns;
	rule->fires_max = FIRES_MAX;
	rule->actions.run_ns = run_ns;
	rule->bound = NAN;
	rule->clear = NAN;
	if (table->kind == TL_DATA_TABLE && table->list_count == 0 &&
	    (rc = read_kind(reader, table, rule)) < 0)
		return rc;
	if ((rc = tl_config_read_keys(reader, table, keys, rule)) < 0)
		return rc;
	if ((rc = check_rule(reader, table, rule)) < 0)
		return rc;
	return give_name(reader, rule, table->place);
}

/* Do two rules save snapshots for the same reason?  Snapshots are kept for each
 * reason separately, so reasons must differ. */
static bool
has_same_reason(const struct tl_config_rule *a, const struct tl_config_rule *b)
{
	char one[TL_REASON_MAX + 1], other[TL_REASON_MAX + 1];

	if (!a->actions.snapshot || !b->actions.snapshot)
		return false;
	tl_snapshot_reason_make(one, a->name);
	tl_snapshot_reason_make(other, b->name);
	return strcmp(one, other) == 0;
}

static bool
is_reserved(const struct tl_config_rule *rule)
{
	char reason[TL_REASON_MAX + 1];

	tl_snapshot_reason_make(reason, rule->name);
	return rule->actions.snapshot &&
	       (strcmp(reason, TL_REASON_DEATH) == 0 ||
		   strcmp(reason, TL_REASON_REQUEST) == 0 ||
		   strcmp(reason, TL_REASON_SCHEDULE) == 0);
}

static int
check_name(struct tl_config_reader *reader, const struct tl_data *list,
    const struct tl_config_rule *rules, size_t i)
{
	const struct tl_data *at = &list->items[i];

	if (is_reserved(&rules[i]))
		return tl_data_fault(at, reader->fault, -EINVAL,
		    "the name '%.40s' is reserved for other snapshots",
		    rules[i].name);
	for (size_t j = 0; j < i; j++) {
		if (strcmp(rules[j].name, rules[i].name) == 0)
			return tl_data_fault(at, reader->fault, -EINVAL,
			    "the name '%.40s' is taken by triggers[%zu]",
			    rules[i].name, j + 1);
		if (has_same_reason(&rules[i], &rules[j]))
			return tl_data_fault(at, reader->fault, -EINVAL,
			    "its snapshots would be named like those of "
			    "triggers[%zu]",
			    j + 1);
	}
	return 0;
}

int
tl_config_read_triggers(struct tl_config_reader *reader,
    const struct tl_data *list, const struct tl_config_key *key, void *to)
{
	struct tl_config_timeline *timeline = to;
	int rc;

	(void)key;
	if (list->kind == TL_DATA_TABLE && list->count == 0)
		return 0;
	rc = tl_config_check_list(reader, list, TL_CONFIG_RULES_MAX);
	if (rc < 0)
		return rc;
	timeline->rules = tl_config_allocate(reader,
	    list->count * sizeof(timeline->rules[0]));
	if (!timeline->rules)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		rc = read_rule(reader, &list->items[i], &timeline->rules[i]);
		if (rc == 0)
			rc = check_name(reader, list, timeline->rules, i);
		if (rc < 0)
			return rc;
	}
	timeline->rule_count = list->count;
	return 0;
}
