/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpacked.c - open a file that gzip or zstd compressed, where another format
 * is inside.  Our own timelines are read in place by timeline.c.
 */
#include "source/kinds.h"
#include "source/sources.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Decode the first bytes of what is inside: 0, -ENOMEM, -errno of reading. */
static int
unpack_first(struct tl_opening *inside, const struct tl_opening *o)
{
	int64_t n = 1;
	int rc;

	*inside = *o;
	inside->first_size = 0;
	rc = tl_unpack_new(&inside->unpack, tl_bytes(o->first, o->first_size),
	    o->fd);
	while (rc == 0 && inside->first_size < sizeof(inside->first) && n > 0) {
		n = tl_unpack_read(inside->unpack,
		    inside->first + inside->first_size,
		    sizeof(inside->first) - inside->first_size);
		if (n > 0)
			inside->first_size += (size_t)n;
	}
	if (rc == 0 && !inside->format)
		inside->format = tl_source_recognise(o->plan->formats,
		    tl_bytes(inside->first, inside->first_size));
	return rc == 0 && n < 0 ? (int)n : rc;
}

/* Open what is inside, or set the fault.  false: it is for timeline.c. */
static bool
open_inside(struct tl_source *source, struct tl_opening *o, bool is_zstd)
{
	const struct tl_fault *wrong;
	struct tl_opening inside;
	bool is_other;
	int rc = unpack_first(&inside, o);

	wrong = rc == 0 ? tl_unpack_fault(inside.unpack) : NULL;
	if (rc < 0 || (wrong && wrong->rc == -EFBIG)) {
		if (rc < 0)
			tl_source_fail(source, rc);
		else
			source->fault = *wrong;
		tl_unpack_free(inside.unpack);
		return true;
	}
	is_other = inside.format && inside.format->read_new;
	if (is_other)
		(void)tl_source_open_reader(source, &inside);
	else if (!is_zstd && inside.format)
		tl_fault(&source->fault, -EBADMSG, 0,
		    "a file of format %s is not read from gzip: gunzip it "
		    "first",
		    inside.format->name);
	else if (!is_zstd)
		tl_fault(&source->fault, -EBADMSG, 0,
		    "unknown file format within gzip");
	tl_unpack_free(inside.unpack);
	return is_other || !is_zstd;
}

/* What comes through a pipe is read twice: copy it. */
static int
copy_pipe(struct tl_opening *o, int *copy)
{
	*copy = tl_source_copy(o);
	if (*copy < 0)
		return *copy;
	o->fd = *copy;
	o->is_regular = true;
	return lseek(*copy, (off_t)o->first_size, SEEK_SET) < 0 ? -errno : 0;
}

bool
tl_source_open_unpacked(struct tl_source *source, struct tl_opening *o)
{
	const char *packer =
	    tl_unpack_recognise(tl_bytes(o->first, o->first_size));
	const bool is_zstd = packer && strcmp(packer, "zstd") == 0;
	bool is_done = true;
	int copy = -1, rc = 0;

	if (!packer || o->fd < 0)
		return false;
	if (is_zstd && !o->is_regular)
		rc = copy_pipe(o, &copy);
	if (rc < 0)
		tl_source_fail(source, rc);
	else
		is_done = open_inside(source, o, is_zstd);
	if (!is_done && copy >= 0) {
		tl_source_open_recognised(source, o);
		is_done = true;
	}
	if (copy >= 0)
		close(copy);
	return is_done;
}
