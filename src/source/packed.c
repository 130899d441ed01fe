/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packed.c - a recording in a zip as a source.
 *
 *	zip --+-- one trace --------> trace.c, with the index inside
 *	      \-- a foreign format --> foreign.c
 */
#include "source/kinds.h"

#include "base/file.h"
#include "trace/pack/packed.h"

#include <errno.h>

/* The format of the packed data if it is a foreign format that may be packed,
 * otherwise NULL. */
static const struct tl_source_format *
foreign_inside(const struct tl_source_formats *formats,
    struct tl_packed *packed, struct tl_opening *inside)
{
	const int64_t n = tl_storage_read_at(packed->data, inside->first,
	    sizeof(inside->first), 0);
	const struct tl_source_format *format;

	inside->first_size = n > 0 ? (size_t)n : 0;
	format = tl_source_recognise(formats,
	    tl_bytes(inside->first, inside->first_size));
	return format && format->read_new && format->may_be_packed ? format
								   : NULL;
}

static int
read_packed(struct tl_source *source, const struct tl_opening *o)
{
	struct tl_opening inside = { .plan = o->plan, .fd = -1 };
	struct tl_storage *file;
	struct tl_packed packed;
	int rc = tl_source_storage(o, &file);

	if (rc < 0)
		return tl_source_fail(source, rc);
	rc = tl_packed_open(&packed, file, &source->fault);
	if (rc < 0)
		return rc;
	inside.format = foreign_inside(o->plan->formats, &packed, &inside);
	if (inside.format)
		rc = tl_source_open_storage(source, &inside, packed.data,
		    packed.index);
	else
		rc = tl_source_open_trace_storage(source, o, packed.data,
		    packed.index);
	packed.data = packed.index = NULL;
	tl_packed_close(&packed);
	return rc;
}

int
tl_source_open_packed(struct tl_source *source, struct tl_opening *o)
{
	if (tl_packed_recognise(tl_bytes(o->first, o->first_size)) == 0)
		return o->format->read_new ? tl_source_open_reader(source, o)
					   : tl_source_open_trace(source, o);
	if (o->plan->follow || o->plan->live)
		return tl_fail(&source->fault, -EINVAL,
		    "a recorded trace is not followed");
	return tl_source_open_copied(source, o, read_packed);
}
