/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - what verbs share: they end when they are told to. */
#include "ship/call.h"

#include "base/signals.h"
#include "clock/clock.h"

#include <errno.h>
#include <time.h>

const volatile sig_atomic_t *
tl_call_stops(void)
{
	tl_signals_ask_to_stop(true);
	return tl_stop_flag();
}

int
tl_call_usage(struct tl_call *call, int rc)
{
	call->usage = rc < 0;
	return rc;
}

int
tl_call_cluster(struct tl_call *call, struct tl_nats_options *nats,
    const char *url)
{
	struct tl_nats_url parsed;
	int rc = tl_options_nats(&call->options, nats, &call->fault);

	if (rc == 0 && (rc = tl_nats_url_parse(&parsed, url, &call->fault)) < 0)
		call->subject = url;
	nats->url = url;
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
