/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.h - TEST(name) { ... }: a test that registers itself.
 *
 *	TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);
 *
 *	TEST(a_lane_yields_one_less_than_it_has_slots)
 *	{
 *		ck_assert_...
 *	}
 *	TEST(a_version_is_read, .from = 1, .to = 9)	_i is 1, then 2 ... 8
 *	TEST(no_file_is_needed, .plain = true)	without the file's fixture
 *	TEST(any_byte, .to = 9, .sampled = true)	with SAMPLE a third of _i
 *
 * All files of tests/unit/LAYER are one program, build/tests/unit/LAYER, whose
 * arguments choose tests: see test.c.  Each test is a process of its own
 * (libcheck's fork mode): a crash ends one test.
 */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * libcheck writes the place of every assertion to a file.  In a loop the write
 * costs a hundred times as much as the assertion, so each place is written only
 * the first time.
 */
#define _mark_point(file, line) \
	__extension__({ \
		static bool marked_; \
\
		if (!marked_) { \
			marked_ = true; \
			(_mark_point)(file, line); \
		} \
	})

/* The call returns 0, not the negative number of an error. */
#define ck_assert_ok(call) \
	do { \
		const int rc_ = (call); \
\
		ck_assert_msg(rc_ == 0, "%s: %s", #call, strerror(-rc_)); \
	} while (0)

/*
 * The options of both macros.  A test has the options of its file unless it
 * sets its own.
 */
struct test {
	void (*setup)(void);
	void (*teardown)(void);
	/* runs once before all tests, which share the result */
	void (*once)(void);
	bool (*only_if)(void); /* false: the test does not exist */
	int from, to;          /* values of _i; both 0: the test runs once */
	const char *cases;     /* a file with a case for each _i (golden.h) */
	int timeout;           /* in seconds; 0: a minute */
	bool plain;            /* without the file's setup and teardown */
	bool sampled;          /* a third of the values of _i (sample.h) */

	TTest check;
	struct test *next;
};

void test_register(struct test *test);

#define TEST(test_name, ...) \
	static void test_name(int _i CK_ATTRIBUTE_UNUSED); \
	__attribute__((constructor)) static void test_name##_registers(void) \
	{ \
		static struct test test_ = { .check = { #test_name, test_name, \
						 __FILE__, __LINE__ }, \
			__VA_ARGS__ }; \
\
		test_register(&test_); \
	} \
	static void test_name(int _i CK_ATTRIBUTE_UNUSED)

#define TEST_FILE(...) \
	__attribute__((constructor)) static void file_registers(void) \
	{ \
		static struct test test_ = { .check = { NULL, NULL, __FILE__, \
						 __LINE__ }, \
			__VA_ARGS__ }; \
\
		test_register(&test_); \
	} \
	struct test

/* PROGRAM do NAME ARGUMENT...: a command for shell tests in a unit test
 * program. */
struct test_command {
	const char *name;
	int (*run)(int argc, char **argv);
	struct test_command *next;
};

void test_register_command(struct test_command *command);

#define TEST_COMMAND(command_name) \
	static int command_name(int argc, char **argv); \
	__attribute__((constructor)) static void command_name##_registers( \
	    void) \
	{ \
		static struct test_command command_ = { #command_name, \
			command_name, NULL }; \
\
		test_register_command(&command_); \
	} \
	static int command_name(int argc, char **argv)

#endif
