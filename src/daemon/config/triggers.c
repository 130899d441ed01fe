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
static const uint64_t day_ns = TL_CONFIG_DAY_NS;

/* == which entries == */

#define MATCH(member) offsetof(struct tl_config_match, member)
static const struct tl_config_key match_keys[] = {
	{ "category", tl_config_glob, .offset = MATCH(category) },
	{ "message", tl_config_glob, .offset = MATCH(message) },
	{ .name = NULL },
};

#define AT(member) offsetof(struct tl_config_rule, member)
static int
need_match(struct tl_config_reader *r, const struct tl_data *table,
    const struct tl_config_match *match)
{
	if (match->category || match->message)
		return 0;
	return tl_config_wrong(r, table,
	    "'message' is missing (or 'category')");
}

static int
read_match(struct tl_config_reader *r, const struct tl_data *table, void *to)
{
	const int rc = tl_config_table(r, table, to);

	return rc < 0 ? rc : need_match(r, table, to);
}

/* == kinds == */

/* Read the duration at which a rule is armed again as a double, which is never
 * NAN. */
static int
read_clear(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	struct tl_config_rule *rule = to;
	uint64_t ns;
	int rc;

	if ((rc = tl_config_duration(r, value, &ns)) < 0)
		return rc;
	if (ns > rule->limit_ns)
		return tl_config_wrong(r, value, "more than 'longer'");
	rule->clear = (double)ns;
	return 0;
}

static const struct tl_config_key span_keys[] = {
	{ "category", tl_config_glob, .offset = AT(match.category) },
	{ "message", tl_config_glob, .offset = AT(match.message) },
	{ "longer", tl_config_duration, AT(limit_ns), 1, day_ns,
	    .required = true },
	{ "clear", read_clear, .max = day_ns },
	{ .name = NULL },
};
static const struct tl_config_key interval_keys[] = {
	{ "from", read_match, AT(match), .required = true, .keys = match_keys },
	{ "to", read_match, AT(other), .required = true, .keys = match_keys },
	{ "longer", tl_config_duration, AT(limit_ns), 1, day_ns,
	    .required = true },
	{ "clear", read_clear, .max = day_ns },
	{ .name = NULL },
};
static const struct tl_config_key absent_keys[] = {
	{ "category", tl_config_glob, .offset = AT(match.category) },
	{ "message", tl_config_glob, .offset = AT(match.message) },
	{ "longer", tl_config_duration, AT(limit_ns), 1, day_ns,
	    .required = true },
	{ .name = NULL },
};

static int
read_absent(struct tl_config_reader *r, const struct tl_data *table, void *to)
{
	const struct tl_config_rule *rule = to;
	const int rc = tl_config_table(r, table, to);

	return rc < 0 ? rc : need_match(r, table, &rule->match);
}

static const struct tl_config_key argument_keys[] = {
	{ "category", tl_config_glob, .offset = AT(match.category) },
	{ "message", tl_config_glob, .offset = AT(match.message) },
	{ "name", tl_config_text, AT(argument), .required = true },
	{ "above", tl_config_real, .offset = AT(bound) },
	{ "below", tl_config_real, .offset = AT(bound) },
	{ "clear", tl_config_real, .offset = AT(clear) },
	{ .name = NULL },
};
static const struct tl_config_key rate_keys[] = {
	{ "category", tl_config_glob, .offset = AT(match.category) },
	{ "message", tl_config_glob, .offset = AT(match.message) },
	{ "above", tl_config_real, .offset = AT(bound) },
	{ "below", tl_config_real, .offset = AT(bound) },
	{ "over", tl_config_duration, AT(limit_ns), TL_NS_PER_MS,
	    .max = day_ns },
	{ "clear", tl_config_real, .offset = AT(clear) },
	{ .name = NULL },
};

/* Read a bound, of which there is one, above or below; a rule is armed again on
 * the other side.  The time of a rate is a second if it is absent. */
static int
read_bound(struct tl_config_reader *r, const struct tl_data *table, void *to)
{
	struct tl_config_rule *rule = to;
	const struct tl_data *below, *above, *clear;
	int rc;

	if (r->key->keys == rate_keys)
		rule->limit_ns = TL_NS_PER_S;
	if ((rc = tl_config_table(r, table, rule)) < 0)
		return rc;
	below = tl_data_get(table, "below");
	above = tl_data_get(table, "above");
	clear = tl_data_get(table, "clear");
	if (!below && !above)
		return tl_config_wrong(r, table,
		    "'above' is missing (or 'below')");
	if (below && above)
		return tl_config_wrong(r, below, "'above' is given as well");
	rule->below = below != NULL;
	if (!clear || rule->clear == rule->bound ||
	    (rule->clear > rule->bound) == rule->below)
		return 0;
	return tl_config_wrong(r, clear, "%s",
	    below ? "less than 'below'" : "more than 'above'");
}

static int
read_died(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	(void)to;
	if (value->kind != TL_DATA_FLAG || !value->flag)
		return tl_config_wrong(r, value, "not true");
	return 0;
}

/* == actions == */

#define ACTION(member) offsetof(struct tl_config_actions, member)
static const struct tl_config_key burst_keys[] = {
	{ "level", tl_config_level, ACTION(burst_level), .required = true },
	{ "length", tl_config_duration, ACTION(burst_ns), TL_NS_PER_US,
	    .max = TL_NS_PER_H },
	{ .name = NULL },
};

/* Read the arguments of a program, which runs without a shell. */
static int
read_run(struct tl_config_reader *r, const struct tl_data *list, void *to)
{
	struct tl_config_actions *actions = to;
	const char **argv;
	const int rc = tl_config_check_list(r, list, TL_CONFIG_ARGV_MAX);

	if (rc < 0)
		return rc;
	argv = tl_config_allocate(r, (list->count + 1) * sizeof(argv[0]));
	if (!argv)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		const struct tl_data *arg = &list->items[i];

		if (arg->kind != TL_DATA_TEXT)
			return tl_config_wrong(r, arg, "not a string");
		argv[i] = arg->text;
	}
	/* The path must not depend on the daemon's working directory. */
	if (argv[0][0] != '/' && (argv[0][0] == '\0' || strchr(argv[0], '/')))
		return tl_config_wrong(r, &list->items[0],
		    "neither a name nor an absolute path");
	actions->run = argv;
	return 0;
}

/* == a trigger == */

/* Read an expression, and compile it so that `timelined -n` reports errors. */
static int
read_when(struct tl_config_reader *r, const struct tl_data *value, void *to)
{
	static const struct tl_script_io io = { 0 };
	static const char place[] = "-e:1: "; /* start of the fault's text */
	const char **when = to;
	struct tl_script_filter *filter;
	struct tl_fault fault = { 0 };
	const char *text = fault.text;
	int rc;

	if ((rc = tl_config_text(r, value, when)) < 0)
		return rc;
	rc = tl_script_filter_new(&filter, *when, NULL, &io, &fault);
	if (rc == 0) {
		tl_script_filter_free(filter);
		return 0;
	}
	if (strncmp(text, place, sizeof(place) - 1) == 0)
		text += sizeof(place) - 1;
	return tl_data_fault(value, r->fault, rc == -ENOEXEC ? -EINVAL : rc,
	    "%s", text);
}

/* Kinds come first, because the checks of other keys depend on the kind. */
static const struct tl_config_key keys[] = {
	[TL_RULE_EVENT] = { "event", tl_config_table, AT(match),
	    .keys = match_keys },
	[TL_RULE_SPAN] = { "span", tl_config_table, 0, .keys = span_keys },
	[TL_RULE_INTERVAL] = { "interval", tl_config_table, 0,
	    .keys = interval_keys },
	[TL_RULE_ABSENT] = { "absent", read_absent, 0, .keys = absent_keys },
	[TL_RULE_ARGUMENT] = { "argument", read_bound, 0,
	    .keys = argument_keys },
	[TL_RULE_RATE] = { "rate", read_bound, 0, .keys = rate_keys },
	[TL_RULE_LEVEL] = { "level", tl_config_level, .offset = AT(level) },
	[TL_RULE_DIED] = { "died", read_died, .offset = 0 },
	{ "when", read_when, .offset = AT(when) },
	{ "name", tl_config_text, .offset = AT(name) },
	{ "burst", tl_config_table, AT(actions), .keys = burst_keys },
	{ "snapshot", tl_config_flag, .offset = AT(actions.snapshot) },
	{ "why", tl_config_flag, .offset = AT(actions.why) },
	{ "run", read_run, .offset = AT(actions) },
	{ "timeout", tl_config_duration, AT(actions.run_ns), 10 * TL_NS_PER_MS,
	    .max = day_ns },
	{ "every", tl_config_duration, AT(every_ns), .max = day_ns },
	{ "per_hour", tl_config_size, AT(fires_max), .max = 3600000 },
	{ .name = NULL },
};

/* Find the kind, of which a trigger has exactly one. */
static int
read_kind(struct tl_config_reader *r, const struct tl_data *table,
    struct tl_config_rule *rule)
{
	const struct tl_data *first = NULL;

	for (unsigned kind = 0; kind <= TL_RULE_DIED; kind++) {
		const struct tl_data *value =
		    tl_data_get(table, keys[kind].name);

		if (!value)
			continue;
		if (first)
			return tl_config_wrong(r, value,
			    "'%s' is given as well; a trigger has one "
			    "condition",
			    first->name);
		first = value;
		rule->kind = kind;
	}
	if (first)
		return 0;
	return tl_config_wrong(r, table,
	    "no condition; use one of event span interval absent argument "
	    "rate level died");
}

static int
check_rule(struct tl_config_reader *r, const struct tl_data *table,
    const struct tl_config_rule *rule)
{
	const struct tl_data *when = tl_data_get(table, "when");
	const struct tl_data *timeout = tl_data_get(table, "timeout");

	if (timeout && !rule->actions.run)
		return tl_config_wrong(r, timeout,
		    "has no effect without 'run'");
	if (rule->actions.why && !rule->actions.snapshot)
		return tl_config_wrong(r, tl_data_get(table, "why"),
		    "has no effect without 'snapshot'");
	if (rule->actions.why && rule->kind != TL_RULE_SPAN)
		return tl_config_wrong(r, tl_data_get(table, "why"),
		    "explains slow spans: the condition must be 'span'");
	if (rule->kind == TL_RULE_DIED && when)
		return tl_config_wrong(r, when,
		    "there is no entry to test when a process has died");
	if (rule->kind == TL_RULE_EVENT && !when)
		return need_match(r, tl_data_get(table, "event"), &rule->match);
	return 0;
}

static int
read_rule(struct tl_config_reader *r, const struct tl_data *table,
    struct tl_config_rule *rule)
{
	char *name;
	int rc;

	rule->every_ns = every_ns;
	rule->fires_max = FIRES_MAX;
	rule->actions.burst_ns = burst_ns;
	rule->actions.run_ns = run_ns;
	rule->bound = NAN;
	rule->clear = NAN;
	if (table->kind == TL_DATA_TABLE && table->list_count == 0 &&
	    (rc = read_kind(r, table, rule)) < 0)
		return rc;
	if ((rc = tl_config_read_keys(r, table, keys, rule)) < 0)
		return rc;
	if ((rc = check_rule(r, table, rule)) < 0)
		return rc;
	if (rule->name)
		return 0;
	if (!(name = tl_config_allocate(r, NAME_MAX_SIZE)))
		return -ENOMEM;
	snprintf(name, NAME_MAX_SIZE, "trigger %u", table->place);
	rule->name = name;
	return 0;
}

/* Names differ.  Snapshots are kept for each reason separately, so reasons must
 * differ, too. */
static int
check_name(struct tl_config_reader *r, const struct tl_data *at,
    const struct tl_config_rule *rules, size_t i)
{
	char reason[TL_REASON_MAX + 1], other[TL_REASON_MAX + 1];

	tl_snapshot_reason_make(reason, rules[i].name);
	if (rules[i].actions.snapshot &&
	    (strcmp(reason, TL_REASON_DEATH) == 0 ||
		strcmp(reason, TL_REASON_REQUEST) == 0 ||
		strcmp(reason, TL_REASON_SCHEDULE) == 0))
		return tl_config_wrong(r, at,
		    "the name '%.40s' is reserved for other snapshots",
		    rules[i].name);
	for (size_t j = 0; j < i; j++) {
		if (strcmp(rules[j].name, rules[i].name) == 0)
			return tl_config_wrong(r, at,
			    "the name '%.40s' is taken by triggers[%zu]",
			    rules[i].name, j + 1);
		tl_snapshot_reason_make(other, rules[j].name);
		if (rules[i].actions.snapshot && rules[j].actions.snapshot &&
		    strcmp(reason, other) == 0)
			return tl_config_wrong(r, at,
			    "its snapshots would be named like those of "
			    "triggers[%zu]",
			    j + 1);
	}
	return 0;
}

int
tl_config_read_triggers(struct tl_config_reader *r, const struct tl_data *list,
    void *to)
{
	struct tl_config_timeline *timeline = to;
	int rc;

	if (list->kind == TL_DATA_TABLE && list->count == 0)
		return 0;
	rc = tl_config_check_list(r, list, TL_CONFIG_RULES_MAX);
	if (rc < 0)
		return rc;
	timeline->rules =
	    tl_config_allocate(r, list->count * sizeof(timeline->rules[0]));
	if (!timeline->rules)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		rc = read_rule(r, &list->items[i], &timeline->rules[i]);
		if (rc == 0)
			rc = check_name(r, &list->items[i], timeline->rules, i);
		if (rc < 0)
			return rc;
	}
	timeline->rule_count = list->count;
	return 0;
}
