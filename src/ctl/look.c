/* SPDX-License-Identifier: Apache-2.0 */
/* look.c - look at a timeline, and say what was seen. */
#include "ctl/look.h"
#include "clock/clock.h"
#include "event/message.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int
tl_look_again(struct tl_look *look, bool whole)
{
	const uint64_t before = look->glance.appended;
	const int64_t then_ns = look->taken_ns;
	int rc;

	if (fstat(look->fd, &look->status) != 0)
		return tl_fault(&look->fault, -errno, TL_FAULT_NOWHERE, "%s",
		    strerror(errno));
	tl_glance_free(&look->glance);
	look->seen = false;
	rc = tl_glance_fd(&look->glance, look->fd, whole, &look->fault);
	if (rc != 0)
		return rc;
	look->seen = true;
	look->taken_ns = tl_clock_read(CLOCK_MONOTONIC);
	look->past_ns = then_ns ? look->taken_ns - then_ns : 0;
	look->fresh = then_ns && look->glance.appended > before
			  ? look->glance.appended - before
			  : 0;
	if (whole)
		tl_writers_read(&look->writers, look->fd, &look->glance);
	return 0;
}

void
tl_look_free(struct tl_look *look)
{
	tl_glance_free(&look->glance);
	if (look->fd >= 0)
		close(look->fd);
	look->fd = -1;
}

double
tl_look_rate(const struct tl_look *look)
{
	if (look->past_ns <= 0)
		return 0;
	return (double)look->fresh * 1e9 / (double)look->past_ns;
}

const char *
tl_look_state(const struct tl_look *look)
{
	switch (look->glance.header.state) {
	case TIMELINE_SAVED:
		return "saved";
	case TIMELINE_IMPORTED:
		return "imported";
	default:
		return !look->glance.now_tsc            ? "old"
		       : look->glance.header.superseded ? "superseded"
							: "live";
	}
}

const char *
tl_threshold_name(unsigned threshold)
{
	return threshold >= TIMELINE_LEVEL_NONE ? "off"
						: tl_level_name(threshold);
}

void
tl_look_put_level(struct tl_text *text, const struct tl_glance *glance)
{
	tl_put_string(text, tl_threshold_name(glance->threshold));
	if (!glance->burst)
		return;
	tl_put_string(text, " for ");
	tl_put_duration(text, (int64_t)glance->burst_left_ns);
}

static void
put_optional_ns(struct tl_fields *f, const char *name, const char *null_name,
    bool known, int64_t ns)
{
	if (known)
		tl_fields_duration(f, name, ns);
	else
		tl_fields_null(f, null_name);
}

void
tl_look_json(struct tl_fields *f, const struct tl_look *look)
{
	const struct tl_glance *g = &look->glance;

	tl_fields_string(f, "state", tl_look_state(look));
	tl_fields_string(f, "level", tl_threshold_name(g->threshold));
	tl_fields_string(f, "base", tl_threshold_name(g->base));
	put_optional_ns(f, "burst_left", "burst_left_ns", g->burst,
	    (int64_t)g->burst_left_ns);
	tl_fields_double(f, "rate", tl_look_rate(look));
	tl_fields_unsigned(f, "entries", g->appended);
	tl_fields_unsigned(f, "lost", g->dropped);
	put_optional_ns(f, "kept", "kept_ns", g->kept_ns >= 0, g->kept_ns);
	tl_writers_json(f, &look->writers);
}
