/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpacked.c - open a file that gzip or zstd compressed and that contains
 * another format.  timeline.c reads our own compressed timelines in place.
 */
#include "source/kinds.h"
#include "source/sources.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Decode the first bytes of the packed file.  Returns 0, -ENOMEM, or -errno of
 * reading. */
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

/* Open the packed file, or set the fault.  Returns false if the file is for
 * timeline.c. */
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

/* Open a zstd file, which is read a second time by timeline.c if it is a
 * timeline. */
static int
open_zstd(struct tl_source *source, const struct tl_opening *o)
{
	struct tl_opening at = *o;

	if (lseek(o->fd, (off_t)o->first_size, SEEK_SET) < 0)
		return tl_source_fail(source, -errno);
	if (!open_inside(source, &at, true))
		tl_source_open_recognised(source, &at);
	return 0;
}

bool
tl_source_open_unpacked(struct tl_source *source, struct tl_opening *o)
{
	const char *packer =
	    tl_unpack_recognise(tl_bytes(o->first, o->first_size));

	if (!packer || o->fd < 0)
		return false;
	if (strcmp(packer, "zstd") == 0)
		(void)tl_source_open_copied(source, o, open_zstd);
	else
		(void)open_inside(source, o, false);
	return true;
}
