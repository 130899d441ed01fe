/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - sources that are open or not.
 *
 *	activity    2 .            +----+		"name (overlap)"
 *	            1 .  +---------+....+----+		"name"
 *	            0 ...+...................+..+    +..
 *	           -1 .                         +----+	"name (below 0)"
 *
 * A step between two amounts of activity begins or ends the span of the higher
 * amount; the span below 0 begins when the source is closed.  Second lines are
 * "source N", which keeps sources with the same name apart.  The instant
 * "source $id%d is $name%s" tells that a source was made.
 */
#include "base/word.h"
#include "front/front.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline_source.h>

enum { ACTIVE, OVERLAP, BELOW, LEVELS };
enum { WHICH_SIZE_MAX = 64 };

struct timeline_source {
	uint64_t activity; /* a signed number; shared by threads */
	struct tl_front_label labels[LEVELS];
};

static uint32_t sources; /* made by this process so far */

static int
make_labels(struct timeline_source *s, struct timeline *tl, uint32_t number,
    const char *name)
{
	static const struct {
		const char *suffix;
		const char *which;
	} levels[LEVELS] = {
		{ "", "" },
		{ " (overlap)", ": overlap" },
		{ " (below 0)", ": below 0" },
	};
	char which[WHICH_SIZE_MAX];
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < LEVELS; i++) {
		snprintf(which, sizeof(which), "source %u%s", (unsigned)number,
		    levels[i].which);
		rc = tl_front_label(tl, "source", name, levels[i].suffix, which,
		    TIMELINE_SOURCE, &s->labels[i]);
	}
	return rc;
}

int
timeline_source_new(struct timeline_source **source, struct timeline *tl,
    const char *name)
{
	struct timeline_source *s;
	uint32_t number;
	int rc;

	*source = NULL;
	if (!tl)
		return 0;
	if (!name || !name[0])
		return tl_error(-EINVAL, "a source without a name");
	if (!(s = calloc(1, sizeof(*s))))
		return tl_error(-ENOMEM, "no memory for a source");
	number = tl_fetch_add_32(&sources, 1) & INT32_MAX;
	rc = make_labels(s, tl, number, name);
	if (rc == 0) {
		/* Log that the source was made, for file formats that define a
		 * source before its first use. */
		struct timeline_event *event;
		uint64_t string;

		rc = timeline_string(tl, name, &string);
		if (rc == 0)
			rc = timeline_define(tl, "timelogger", "info",
			    "source $id%d is $name%s", &event);
		if (rc == 0 && timeline_enabled(event))
			timeline_append(event, number, string, 0, 0);
	}
	if (rc < 0)
		free(s);
	else
		*source = s;
	return rc;
}

void
timeline_source_free(struct timeline_source *source)
{
	free(source);
}

/* Log the step between activity higher and the amount below, up or down. */
static void
log_step(const struct timeline_source *s, int64_t higher, bool is_up)
{
	const unsigned level = higher == 1  ? ACTIVE
			       : higher > 1 ? OVERLAP
					    : BELOW;

	tl_front_label_log(&s->labels[level], is_up == (level == BELOW));
}

void
timeline_source_open(struct timeline_source *source)
{
	if (source)
		log_step(source,
		    (int64_t)tl_fetch_add_64(&source->activity, 1) + 1, true);
}

void
timeline_source_close(struct timeline_source *source)
{
	if (source)
		log_step(source,
		    (int64_t)tl_fetch_add_64(&source->activity, UINT64_MAX),
		    false);
}

int64_t
timeline_source_activity(const struct timeline_source *source)
{
	return source ? (int64_t)tl_load_64(&source->activity) : 0;
}
