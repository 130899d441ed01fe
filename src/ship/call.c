/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - what verbs share: they end when they are told to. */
#include "ship/call.h"

#include "base/clock.h"

#include <errno.h>
#include <time.h>

static volatile sig_atomic_t stop_asked;

static void
ask_stop(int signal_number)
{
	(void)signal_number;
	stop_asked = 1;
}

const volatile sig_atomic_t *
tl_call_stops(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = ask_stop };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &action, NULL);
	signal(SIGXFSZ, SIG_IGN); /* write says so */
	return &stop_asked;
}

int
tl_call_usage(struct tl_call *call, int rc)
{
	call->usage = rc < 0;
	return rc;
}

int
tl_call_time(struct tl_call *call, enum tl_ship_option option, int64_t *ns)
{
	const char *word = call->options.given[option];
	int64_t value;
	int rc;

	if (!word)
		return 0;
	if (word[0] == '-' || word[0] == '+') {
		rc = tl_parse_duration(word, &value);
		value = tl_add_ns(tl_clock_read(CLOCK_REALTIME), value);
	} else {
		rc = tl_parse_time(word, &value);
	}
	if (rc < 0)
		return tl_fault(&call->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "%s: not a time like 2026-11-20T19:24 or -10m", word);
	*ns = value;
	return 0;
}
