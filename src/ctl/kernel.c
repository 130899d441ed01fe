/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - record what the kernel does to the threads of a timeline
 */
#include "kernel/kernel.h"
#include "base/process.h"
#include "clock/clock.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { ROUND_MS = 50 };

struct tl_name
tl_ctl_sched_name(const struct tl_name *name)
{
	struct tl_name sched;

	(void)tl_sched_path(sched.shown, name->shown);
	(void)tl_sched_path(sched.path, name->path);
	return sched;
}

int
tl_call_kernel(struct tl_call *call, const struct tl_name *name,
    struct tl_session **session)
{
	const char *size = call->given[TL_CTL_BUFFER];
	struct tl_session_options options = { .faults = tl_call_has(call,
						  TL_CTL_FAULTS),
		.sched.names = tl_call_has(call, TL_CTL_NAMES) };
	struct tl_fault fault = { 0 };
	int rc;

	if (size && (tl_parse_size(size, &options.size) != 0 ||
			options.size < TL_KERNEL_SIZE_MIN ||
			options.size > TL_KERNEL_SIZE_MAX))
		return tl_call_usage(call,
		    "%s: not a size of 16K to 1G, like 4M", size);
	rc = tl_session_start(session, name->path, &options, &fault);
	return rc == 0 ? 0 : tl_call_fault(call, name->shown, rc, &fault);
}

int
tl_call_kernel_failed(struct tl_call *call, const struct tl_name *name, int rc)
{
	return tl_call_fail(call, name->shown, rc, "%s",
	    rc == -ECONNRESET
		? "the keeper of the kernel's events was ended; they "
		  "are not recorded any more"
		: strerror(-rc));
}

static void
put_summary(struct tl_call *call, const struct tl_name *name,
    const struct tl_sched_counts *counts, int64_t lasted_ns)
{
	struct tl_fields f = tl_call_json(call);
	struct tl_text *text = &call->out;
	const struct tl_name sched = tl_ctl_sched_name(name);
	const char *file = sched.shown;

	if (tl_call_has(call, TL_CTL_JSON)) {
		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "name", file);
		tl_fields_unsigned(&f, "entries", counts->events);
		tl_fields_unsigned(&f, "lost", counts->lost);
		tl_fields_unsigned(&f, "threads", counts->threads);
		tl_fields_duration(&f, "lasted", lasted_ns);
		tl_fields_object_end(&f);
		return;
	}
	tl_put_plain(text, tl_bytes_of(file));
	tl_put_format(text, ": %lu entries, %lu lost, of %lu threads in %s\n",
	    counts->events, counts->lost, counts->threads,
	    TL_DURATION(lasted_ns / 1000000 * 1000000));
}

int
tl_verb_kernel(struct tl_call *call)
{
	const char *duration =
	    call->operand_count > 1 ? call->operands[1] : NULL;
	struct tl_sched_counts counts;
	struct tl_session *session;
	struct tl_name name;
	int64_t for_ns = INT64_MAX;
	int64_t begun_ns;
	int rc = tl_call_name(call, 0, &name);
	int end_rc;

	if (rc != 0)
		return rc;
	if ((rc = tl_call_duration(call, duration, 1, INT64_MAX, &for_ns)) != 0)
		return rc;
	tl_signals_ask_to_stop(true);
	if ((rc = tl_call_kernel(call, &name, &session)) != 0)
		return rc;
	begun_ns = tl_clock_read(CLOCK_MONOTONIC);
	while (rc == 0 && !tl_stop_is_asked() &&
	       tl_clock_read(CLOCK_MONOTONIC) - begun_ns < for_ns) {
		(void)poll(NULL, 0, ROUND_MS);
		rc = tl_session_turn(session);
	}
	end_rc = tl_session_end(session, &counts);
	rc = rc == 0 ? end_rc : rc;
	put_summary(call, &name, &counts,
	    tl_clock_read(CLOCK_MONOTONIC) - begun_ns);
	return rc == 0 ? 0 : tl_call_kernel_failed(call, &name, rc);
}
