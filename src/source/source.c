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
		if (!o.format)
			o.format = tl_formats_recognise(
			    tl_bytes(o.first, o.first_size));
		rc = o.format ? openers[tl_formats_index(o.format)](source, &o)
			      : tl_fault(&source->fault, -EBADMSG, 0,
				    o.first_size == 0 ? "empty file"
						      : "unknown file format");
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
