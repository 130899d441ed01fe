/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_fixture.h - helpers for tests of configurations: texts that are valid,
 * and texts that are refused with exactly these words.
 */
#ifndef TESTS_UNIT_CONFIG_FIXTURE_H
#define TESTS_UNIT_CONFIG_FIXTURE_H

#include "daemon/config/config.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_config *config;
static struct tl_fault fault;

static inline void
setup(void)
{
	unsetenv("TIMELINED_SOCKET");
	config = NULL;
}

static inline void
teardown(void)
{
	tl_config_free(config);
	config = NULL;
}

static inline int
parse(const char *text)
{
	tl_config_free(config);
	config = NULL;
	memset(&fault, 0, sizeof(fault));
	return tl_config_parse(&config, "x.conf", text, strlen(text), &fault);
}

static inline void
good(const char *text)
{
	ck_assert_msg(parse(text) == 0, "%s: %s", text, fault.text);
}

/* Expect this error text after the name of the file. */
static inline void
bad(const char *text, const char *expected)
{
	const int rc = parse(text);

	ck_assert_msg(rc == -EINVAL, "%s: rc %d, %s", text, rc, fault.text);
	ck_assert_int_eq(fault.rc, rc);
	ck_assert(!config);
	ck_assert_msg(strncmp(fault.text, "x.conf: ", 8) == 0 &&
			  strcmp(fault.text + 8, expected) == 0,
	    "%s:\n'%s' is not\n'%s'", text, fault.text, expected);
}

/* A section named t with more settings. */
static inline const char *
section(const char *more)
{
	static char text[4096];

	snprintf(text, sizeof(text),
	    "return { timelines = { { name = 't', %s } } }", more);
	return text;
}

static inline const struct tl_config_timeline *
good_section(const char *more)
{
	good(section(more));
	ck_assert_uint_eq(config->timeline_count, 1);
	return &config->timelines[0];
}

static inline void
bad_section(const char *more, const char *expected)
{
	char text[TL_FAULT_TEXT_MAX + 32];

	snprintf(text, sizeof(text), "timelines[1].%s", expected);
	bad(section(more), text);
}

static inline const struct tl_config_rule *
good_rule(const char *more)
{
	char text[2048];
	const struct tl_config_timeline *timeline;

	snprintf(text, sizeof(text), "triggers = { { %s } }", more);
	timeline = good_section(text);
	ck_assert_uint_eq(timeline->rule_count, 1);
	return &timeline->rules[0];
}

static inline void
bad_rule(const char *more, const char *expected)
{
	char text[2048], words[TL_FAULT_TEXT_MAX];

	snprintf(text, sizeof(text), "triggers = { { %s } }", more);
	snprintf(words, sizeof(words), "triggers[1]%s", expected);
	bad_section(text, words);
}

#endif
