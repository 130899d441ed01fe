/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.c - add inputs to a reader; offsets and origins of inputs. */
#include "read/read.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* == further inputs == */

static int
refuse_begun(const struct timeline_reader *r, const char *what)
{
	return r->given_by ? tl_read_fail(-EINVAL,
				 "%s before the first event is asked for", what)
			   : 0;
}

/* Restart reading after a change of the inputs. */
static int
restart(struct timeline_reader *r)
{
	tl_cursor_close(r->cursor);
	r->cursor = NULL;
	return tl_read_begin(r);
}

int
timeline_read_add(struct timeline_reader *r, const char *path)
{
	const struct tl_source_from from = { .name = path };
	const size_t before = r->sources.count;
	int rc;

	if (!path)
		return tl_read_fail(-EINVAL, "the path is NULL");
	rc = refuse_begun(r, "an input is added");
	if (rc == 0 && r->roots)
		rc = tl_read_fail(-EINVAL, "a reader of nodes has one input");
	if (rc < 0)
		return rc;
	rc = tl_read_add(r, &from,
	    strcmp(path, "-") == 0 ? "standard input" : path);
	if (rc == 0)
		rc = restart(r);
	if (rc == 0)
		return 0;
	while (r->sources.count > before)
		tl_source_free(&r->sources.items[--r->sources.count]);
	(void)restart(r);
	return rc;
}

/* == clocks == */

int
timeline_read_offset(struct timeline_reader *r, const char *host,
    int64_t offset_ns)
{
	struct tl_hosts_plan *plan = &r->offsets;
	char *offset;
	int rc = refuse_begun(r, "the times of a host are changed");

	if (rc < 0)
		return rc;
	if (!host)
		return tl_read_fail(-EINVAL, "the host is NULL");
	if (plan->offset_count == TL_HOSTS_OFFSETS_MAX)
		return tl_read_fail(-EINVAL, "more than %d offsets",
		    TL_HOSTS_OFFSETS_MAX);
	if (asprintf(&offset, "%s=%lldns", host, (long long)offset_ns) < 0)
		return tl_read_fail(-ENOMEM, "not enough memory");
	plan->offsets[plan->offset_count++] = offset;
	rc = restart(r);
	if (rc == 0)
		return 0;
	free((char *)(uintptr_t)plan->offsets[--plan->offset_count]);
	plan->offsets[plan->offset_count] = NULL;
	(void)restart(r);
	return rc;
}

/* == facts about inputs == */

struct tl_read_about *
tl_read_about(struct timeline_reader *r, size_t source)
{
	return TL_ARRAY_ZEROS(r->about, r->about_count, source) < 0
		   ? NULL
		   : &r->about[source];
}

void
tl_read_free_about(struct timeline_reader *r)
{
	for (size_t i = 0; i < r->about_count; i++) {
		free(r->about[i].loss);
		free(r->about[i].origin);
	}
	free(r->about);
	for (size_t i = 0; i < r->offsets.offset_count; i++)
		free((char *)(uintptr_t)r->offsets.offsets[i]);
}

static struct tl_read_origin *
new_origin(const struct timeline_reader *r, size_t number)
{
	const struct tl_source *source = &r->sources.items[number];
	struct tl_read_origin *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	tl_source_origin(source, &o->known);
	tl_origin_boot_text(o->known.boot_id, o->boot);
	memcpy(o->host, source->host->name, sizeof(o->host));
	o->shown = (struct timeline_read_origin){ .input = source->name,
		.host = o->host,
		.boot = o->boot,
		.timeline = o->known.timeline,
		.command = o->known.command,
		.pid = o->known.pid,
		.number = (unsigned)number };
	return o;
}

const struct timeline_read_origin *
tl_read_origin(struct timeline_reader *r, size_t source)
{
	struct tl_read_about *about = tl_read_about(r, source);

	if (about && !about->origin)
		about->origin = new_origin(r, source);
	if (!about || !about->origin) {
		tl_read_fail(-ENOMEM, "not enough memory");
		return NULL;
	}
	return &about->origin->shown;
}

const struct timeline_read_origin *
timeline_read_origin(const struct timeline_read_event *event)
{
	const struct tl_read_definition *d = tl_read_defined(event->definition);

	if (!d) {
		tl_read_fail(-EINVAL, "not an event of a reader");
		return NULL;
	}
	return tl_read_origin(d->reader, d->source);
}
