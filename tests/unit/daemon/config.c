/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - a configuration is read as the manual describes it, or refused
 * with an error that names the place and the fault: config.cases.
 */
#include "daemon/config/config.h"
#include "base/array.h"
#include "lib/golden.h"

#include <errno.h>
#include <stdlib.h>

static struct tl_config *config;
static struct tl_fault fault;

static void
setup(void)
{
	unsetenv("TIMELINED_SOCKET");
	config = NULL;
}

static void
teardown(void)
{
	tl_config_free(config);
	config = NULL;
}

static int
parse(const char *text)
{
	tl_config_free(config);
	config = NULL;
	memset(&fault, 0, sizeof(fault));
	return tl_config_parse(&config, "x.conf", text, strlen(text), &fault);
}

static void
good(const char *text)
{
	ck_assert_msg(parse(text) == 0, "%s: %s", text, fault.text);
}

TEST_FILE(.setup = setup, .teardown = teardown);

/* == what was read, without what is zero == */

static void
put_text(struct tl_text *out, const char *name, const char *text)
{
	if (text)
		tl_put_format(out, " %s='%s'", name, text);
}

static void
put_number(struct tl_text *out, const char *name, double number)
{
	if (number == number && number != 0)
		tl_put_format(out, " %s=%.12g", name, number);
}

static void
put_ns(struct tl_text *out, const char *name, uint64_t ns)
{
	if (ns == 0)
		return;
	tl_put_format(out, " %s=", name);
	tl_put_duration(out, (int64_t)ns);
}

static void
put_keep(struct tl_text *out, const struct tl_config_keep *keep)
{
	put_number(out, "keep.count", (double)keep->count);
	put_ns(out, "keep.age", keep->age_ns);
	put_number(out, "keep.bytes", (double)keep->bytes);
}

static void
put_rule(struct tl_text *out, const struct tl_config_rule *r)
{
	static const char *const kinds[] = { "event", "span", "interval",
		"absent", "argument", "rate", "level", "died" };

	tl_put_format(out, "    %s", kinds[r->kind]);
	put_text(out, "name", r->name);
	put_text(out, "category", r->match.category);
	put_text(out, "message", r->match.message);
	put_text(out, "to.category", r->other.category);
	put_text(out, "to.message", r->other.message);
	put_text(out, "when", r->when);
	put_text(out, "argument", r->argument);
	put_number(out, r->below ? "below" : "above", r->bound);
	put_ns(out, "limit", r->limit_ns);
	put_number(out, "level", r->level);
	put_number(out, "clear", r->clear);
	put_ns(out, "every", r->every_ns);
	put_number(out, "per_hour", (double)r->fires_max);
	put_number(out, "burst", r->actions.burst_level);
	put_ns(out, "burst.length", r->actions.burst_ns);
	put_number(out, "snapshot", r->actions.snapshot);
	put_number(out, "why", r->actions.why);
	for (size_t i = 0; r->actions.run && r->actions.run[i]; i++)
		put_text(out, "run", r->actions.run[i]);
	put_ns(out, "run.limit", r->actions.run ? r->actions.run_ns : 0);
	tl_put_char(out, '\n');
}

static void
put_bursts(struct tl_text *out, const struct tl_config_bursts *b)
{
	if (b->level_count == 0)
		return;
	tl_put_string(out, "    bursts");
	for (size_t i = 0; i < b->level_count; i++)
		put_number(out, "level", b->levels[i]);
	put_number(out, "rarer", b->rarer);
	put_ns(out, "length", b->length_ns);
	put_ns(out, "period", b->period_ns);
	put_number(out, "jitter", b->jitter);
	put_number(out, "slots", b->slots);
	put_number(out, "share", b->share);
	tl_put_char(out, '\n');
}

static void
put_snapshots(struct tl_text *out, const struct tl_config_snapshots *s)
{
	tl_put_string(out, "    snapshots");
	put_ns(out, "every", s->every_ns);
	put_number(out, "on_death", s->death.on);
	put_ns(out, "death.every", s->death.every_ns);
	put_number(out, "death.per_hour", (double)s->death.per_hour);
	put_ns(out, "request.every", s->request.every_ns);
	put_number(out, "request.per_hour", (double)s->request.per_hour);
	put_number(out, "compress", s->compress);
	put_keep(out, &s->keep);
	tl_put_char(out, '\n');
}

static void
put_timeline(struct tl_text *out, const struct tl_config_timeline *t)
{
	const struct tl_config_record *r = &t->record;

	tl_put_format(out, "  '%s'", t->name);
	put_number(out, "create", t->create);
	put_number(out, "entries", (double)t->options.entries);
	put_number(out, "mode", t->options.mode);
	put_number(out, "tiers", t->options.tiers);
	put_number(out, "strings", (double)t->options.stringtablesize);
	put_number(out, "cpu_lanes", t->options.cpu_lanes);
	put_number(out, "fallback_lanes", t->options.fallback_lanes);
	put_number(out, "stamp", t->options.stamp);
	put_number(out, "priority", t->priority);
	put_number(out, "priority_max", t->priority_max);
	put_ns(out, "keep", t->keep_ns);
	put_ns(out, "timer_window", t->timer_window_ns);
	for (size_t i = 0; i < t->owner_count; i++)
		tl_put_format(out, " owner=%u", t->owners[i]);
	tl_put_char(out, '\n');
	put_bursts(out, &t->bursts);
	put_snapshots(out, &t->snapshots);
	if (r->on) {
		tl_put_string(out, "    record");
		put_text(out, "directory", r->directory);
		put_number(out, "size", (double)r->size);
		put_ns(out, "age", r->age_ns);
		put_ns(out, "flush", r->flush_ns);
		put_number(out, "compress", r->compress);
		put_keep(out, &r->keep);
		tl_put_char(out, '\n');
	}
	if (t->kernel.on) {
		tl_put_string(out, "    kernel");
		put_number(out, "faults", t->kernel.faults);
		put_number(out, "names", t->kernel.names);
		put_number(out, "size", (double)t->kernel.size);
		tl_put_char(out, '\n');
	}
}

static void
put_daemon(struct tl_text *out)
{
	tl_put_string(out, config->path);
	put_text(out, "directory", config->directory);
	put_text(out, "socket", config->socket);
	put_text(out, "listen", config->listen);
	put_text(out, "page", config->page);
	put_text(out, "keeper", config->keeper);
	put_text(out, "user", config->user);
	put_number(out, "clock", config->clock);
	put_number(out, "seccomp", config->seccomp);
	put_ns(out, "poll", config->poll_ns);
	tl_put_char(out, '\n');
}

/* Read a text; options: "whole", "section" for more members of a section, or
 * "rule" for those of a trigger. */
static void
read_config(struct tl_text *out, const char *options, struct tl_bytes in)
{
	static const struct {
		int rc;
		const char *name;
	} errors[] = { { -EINVAL, "EINVAL" }, { -ENOEXEC, "ENOEXEC" },
		{ -ECANCELED, "ECANCELED" }, { -EFBIG, "EFBIG" },
		{ -ENOMEM, "ENOMEM" } };
	const bool is_rule = *options == 'r';
	struct tl_text text = { 0 };
	size_t error = 0;
	int rc;

	if (*options != 'w')
		tl_put_string(&text, "return { timelines = { { name = 't', ");
	tl_put_string(&text, is_rule ? "triggers = { { " : "");
	tl_put_bytes(&text, in);
	tl_put_string(&text, is_rule ? " } }" : "");
	if (*options != 'w')
		tl_put_string(&text, " } } }");
	rc = parse(tl_text_string(&text));
	tl_text_free(&text);
	ck_assert_int_eq(rc, fault.rc);
	ck_assert_int_eq(rc < 0, !config);
	if (rc == 0 && *options == 'w')
		put_daemon(out);
	for (size_t i = 0; rc == 0 && i < config->timeline_count; i++) {
		const struct tl_config_timeline *t = &config->timelines[i];

		if (!is_rule)
			put_timeline(out, t);
		for (size_t k = 0; k < t->rule_count; k++)
			put_rule(out, &t->rules[k]);
	}
	if (rc == 0)
		return;
	while (errors[error].rc != rc)
		ck_assert_uint_lt(++error, TL_COUNT(errors));
	tl_put_format(out, "%s: ", errors[error].name);
	golden_put_masked(out, fault.text);
}

TEST_TEXTS(configurations, "tests/unit/daemon/config.cases", read_config);

TEST(the_environment_names_the_socket)
{
	setenv("TIMELINED_SOCKET", "/tmp/other", 1);
	good("return {}");
	ck_assert_str_eq(config->socket, "/tmp/other");
	good("return { socket = '/s' }");
	ck_assert_str_eq(config->socket, "/tmp/other");
}

TEST(the_first_section_that_matches_holds)
{
	good("return { timelines = { { name = '/engine' }, "
	     "{ name = 'game-[a-m]*' }, { name = '*' } } }");
	ck_assert_ptr_eq(tl_config_find(config, "engine"),
	    &config->timelines[0]);
	ck_assert_ptr_eq(tl_config_find(config, "/engine"),
	    &config->timelines[0]);
	ck_assert_ptr_eq(tl_config_find(config, "game-b"),
	    &config->timelines[1]);
	ck_assert_ptr_eq(tl_config_find(config, "game-z"),
	    &config->timelines[2]);
	good("return {}");
	ck_assert_ptr_null(tl_config_find(config, "any"));
}

/* Parse each literal block of the manual. */
TEST(the_examples_of_the_manual_hold)
{
	FILE *f = fopen("src/daemon/timelined.conf.5", "r");
	char line[200], text[4096] = "";
	bool inside = false;
	unsigned count = 0;

	ck_assert(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, ".Ed", 3) == 0) {
			good(text);
			ck_assert_uint_gt(config->timeline_count, 0);
			inside = false;
			count++;
		}
		if (inside)
			strncat(text, line, sizeof(text) - strlen(text) - 1);
		if (strncmp(line, ".Bd -literal", 12) == 0) {
			inside = true;
			text[0] = '\0';
		}
	}
	fclose(f);
	ck_assert_uint_eq(count, 6);
}
