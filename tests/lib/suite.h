/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite.h - the end of every unit test program: run a suite, say how it went.
 */
#ifndef TESTS_LIB_SUITE_H
#define TESTS_LIB_SUITE_H

#include <check.h>
#include <stdlib.h>

/* A machine under load is slow, and libcheck's four seconds are few: a minute
 * where a test says nothing, and three times as long for all. */
__attribute__((constructor)) static void
be_patient(void)
{
	setenv("CK_DEFAULT_TIMEOUT", "60", 0);
	setenv("CK_TIMEOUT_MULTIPLIER", "3", 0);
}

/* For main: 0 if every test passed. */
static inline int
run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#endif
