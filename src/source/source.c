/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - detect the format of a file, and open it. */
#include "source/kinds.h"

#include "base/file.h"
#include "base/process.h"
#include "event/sched.h"
#include "snap/shm.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITER_MS = 1000 /* time that a FIFO may have no writer */ };

/* == for openers == */

int
tl_source_fail(struct tl_source *source, int rc)
{
	return tl_fail(&source->fault, rc, "%s", tl_file_error(rc));
}

int
tl_source_copy(const struct tl_opening *o)
{
	return tl_file_copy(o->fd, o->first, o->first_size);
}

bool
tl_source_has_steady_knots(const struct tl_source *source)
{
	const uint16_t jumps = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;
	const size_t count = tl_source_knot_count(source);

	for (size_t k = 0; k < count; k++) {
		if (tl_source_knot(source, k)->flags & jumps)
			return false;
	}
	return true;
}

/* == opening == */

/* By row of the table of formats; NULL: it cannot be read. */
static tl_source_opener *const openers[] = {
#define tl_source_open_none NULL
#define FORMAT(name, opener, reader, recogniser, writer, at, suffix, flags, \
    help) \
	tl_source_open_##opener,
#include "format/formats.def"
#undef FORMAT
#undef tl_source_open_none
};

static int
read_first(struct tl_opening *o)
{
	struct pollfd fifo = { .fd = o->fd, .events = POLLIN };
	struct stat status;
	int64_t n = 1;

	if (fstat(o->fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	o->is_regular = S_ISREG(status.st_mode);
	o->withheld = tl_file_withheld(&status);
	if (S_ISFIFO(status.st_mode)) /* its writer may open it later */
		(void)poll(&fifo, 1, WRITER_MS);
	while (o->first_size < sizeof(o->first) && n > 0) {
		n = tl_read_waiting(o->fd, o->first + o->first_size,
		    sizeof(o->first) - o->first_size);
		if (n > 0)
			o->first_size += (size_t)n;
	}
	return n < 0 ? (int)n : 0;
}

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
		inside->format = tl_formats_recognise(
		    tl_bytes(inside->first, inside->first_size));
	return rc == 0 && n < 0 ? (int)n : rc;
}

/* A file of another format that is compressed: is it one?  packer is what
 * compressed it.  The result of opening it is in rc. */
static bool
open_packed(struct tl_source *source, struct tl_opening *o, const char *packer,
    int *rc)
{
	const bool is_zstd = strcmp(packer, "zstd") == 0;
	const struct tl_fault *wrong;
	struct tl_opening inside;
	bool is_other;

	if ((*rc = unpack_first(&inside, o)) < 0) {
		tl_source_fail(source, *rc);
		tl_unpack_free(inside.unpack);
		return true;
	}
	wrong = tl_unpack_fault(inside.unpack);
	if (wrong && wrong->rc == -EFBIG) {
		source->fault = *wrong;
		*rc = wrong->rc;
		tl_unpack_free(inside.unpack);
		return true;
	}
	is_other = inside.format && inside.format->read_new;
	if (is_other)
		*rc = tl_source_open_reader(source, &inside);
	else if (!is_zstd && inside.format)
		*rc = tl_fault(&source->fault, -EBADMSG, 0,
		    "a file of format %s is not read from gzip: gunzip it "
		    "first",
		    inside.format->name);
	else if (!is_zstd)
		*rc = tl_fault(&source->fault, -EBADMSG, 0,
		    "unknown file format within gzip");
	tl_unpack_free(inside.unpack);
	return is_other || !is_zstd;
}

/* Compressed timelines are read in place, from a file. */
static int
copy_packed(struct tl_opening *o, int *copy)
{
	*copy = tl_source_copy(o);
	if (*copy < 0)
		return *copy;
	o->fd = *copy;
	o->is_regular = true;
	return lseek(*copy, (off_t)o->first_size, SEEK_SET) < 0 ? -errno : 0;
}

/* A file whose first bytes were read. */
static int
open_first(struct tl_source *source, struct tl_opening *o)
{
	const char *packer =
	    tl_unpack_recognise(tl_bytes(o->first, o->first_size));
	int copy = -1, rc = 0;

	if (packer && strcmp(packer, "zstd") == 0 && !o->is_regular)
		rc = copy_packed(o, &copy);
	if (rc < 0) {
		tl_source_fail(source, rc);
	} else if (!packer || !open_packed(source, o, packer, &rc)) {
		if (!o->format)
			o->format = tl_formats_recognise(
			    tl_bytes(o->first, o->first_size));
		rc = o->format ? openers[tl_formats_index(o->format)](source, o)
			       : tl_fault(&source->fault, -EBADMSG, 0,
				     o->first_size == 0 ? "empty file"
							: "unknown file "
							  "format");
	}
	if (copy >= 0)
		close(copy);
	return rc;
}

static int
open_file(struct tl_source *source, const struct tl_source_plan *plan)
{
	const bool is_standard = strcmp(source->name, "-") == 0;
	struct tl_opening o = { .plan = plan,
		.format = plan->format,
		.fd = is_standard ? STDIN_FILENO : tl_open_read(source->name) };
	int rc = o.fd < 0 ? o.fd : read_first(&o);

	if (o.fd == -ENOENT) {
		tl_shm_no_such(source->name, &source->fault);
	} else if (rc < 0) {
		tl_source_fail(source, rc);
	} else {
		o.has_place = o.is_regular && !is_standard;
		rc = open_first(source, &o);
	}
	source->withheld = o.withheld; /* an opener may set the source anew */
	if (!is_standard && o.fd >= 0)
		close(o.fd);
	return rc;
}

/* Is it read through a pipe? */
static bool
is_pipe(const char *path)
{
	char resolved[TL_PATH_MAX];
	struct stat st;

	if (strcmp(path, "-") == 0)
		return fstat(STDIN_FILENO, &st) == 0 &&
		       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
	return tl_name_find(path, resolved) == 0 && stat(resolved, &st) == 0 &&
	       S_ISFIFO(st.st_mode);
}

void
tl_source_open(struct tl_source *source, const char *path,
    const struct tl_source_plan *plan)
{
	const bool is_remote = tl_remote_is_name(path);

	*source = (struct tl_source){ .name = path, .file = path };
	if (plan->follow && (is_remote || is_pipe(path)))
		tl_source_open_followed(source);
	else if (is_remote)
		tl_source_open_remote(source, plan);
	else
		open_file(source, plan);
	if (source->ops && source->ops->load &&
	    source->ops->load(source, plan->progress) < 0)
		tl_source_close(source);
}

void
tl_source_close(struct tl_source *source)
{
	if (source->ops)
		source->ops->close(source);
	source->ops = NULL;
	source->state = NULL;
	source->host = NULL;
}

void
tl_source_free(struct tl_source *source)
{
	tl_source_close(source);
	free(source->own_name);
	free(source->own_file);
	*source = (struct tl_source){ 0 };
}

bool
tl_source_has_kernel(const struct tl_source *source)
{
	return tl_source_is_open(source) &&
	       tl_sched_is_any(tl_source_messages(source),
		   tl_source_message_count(source));
}

/* == faults == */

size_t
tl_source_fault_count(const struct tl_source *source)
{
	return source->ops ? source->ops->fault_count(source) : 1;
}

size_t
tl_source_faults_kept(const struct tl_source *source)
{
	const size_t count = tl_source_fault_count(source);

	return count < TL_SNAP_FAULTS_MAX ? count : TL_SNAP_FAULTS_MAX;
}

const struct tl_fault *
tl_source_fault(const struct tl_source *source, size_t i)
{
	return source->ops ? source->ops->fault(source, i) : &source->fault;
}

bool
tl_source_is_damaged(const struct tl_source *source)
{
	return !source->ops || source->ops->is_damaged(source);
}

enum tl_source_state
tl_source_state(const struct tl_source *source)
{
	if (tl_source_is_damaged(source))
		return TL_SOURCE_DAMAGED;
	for (size_t i = 0; i < tl_source_faults_kept(source); i++) {
		if (tl_source_fault(source, i)->rc == -ENODATA)
			return TL_SOURCE_UNFINISHED;
	}
	return TL_SOURCE_WHOLE;
}

/* == origin == */

void
tl_source_origin(const struct tl_source *source, struct tl_origin *origin)
{
	const char *slash = strrchr(source->name, '/');
	const char *name = slash ? slash + 1 : source->name;

	*origin = (struct tl_origin){ 0 };
	/* the name of the file without suffixes, unless more is known */
	if (strcmp(name, "-") != 0)
		tl_origin_name(origin->timeline,
		    tl_bytes(name, strcspn(name, ".")));
	if (source->ops->origin)
		source->ops->origin(source, origin);
}
