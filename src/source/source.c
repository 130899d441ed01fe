/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - detect the format of a file, and open it. */
#include "source/kinds.h"

#include "base/array.h"
#include "base/file.h"
#include "base/process.h"
#include "event/sched.h"
#include "snap/compressed.h"
#include "snap/shm.h"
#include "trace/read.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITER_MS = 1000 /* time a FIFO may lack a writer */ };

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

int
tl_source_open_copied(struct tl_source *source, struct tl_opening *o,
    int (*open)(struct tl_source *source, const struct tl_opening *o))
{
	struct tl_opening copy = *o;
	int rc;

	if (o->is_regular)
		return open(source, o);
	copy.fd = tl_source_copy(o);
	if (copy.fd < 0)
		return tl_source_fail(source, copy.fd);
	copy.is_regular = true;
	rc = open(source, &copy);
	close(copy.fd);
	return rc;
}

int
tl_source_storage(const struct tl_opening *o, struct tl_storage **storage)
{
	return o->fd < 0 ? tl_storage_of_memory(storage, o->memory.data,
			       o->memory.size)
			 : tl_storage_of_fd(storage, o->fd);
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

static const struct tl_source_format own[] = {
	{ "timeline", tl_source_open_timeline, tl_snap_recognise, NULL, false },
	{ "trace", tl_source_open_trace, tl_trace_recognise, NULL, false },
	{ "core", tl_source_open_core, tl_core_recognise, NULL, false }
};
static const struct tl_source_formats all_own = { own, TL_COUNT(own), NULL };

const struct tl_source_format *
tl_source_own_format(const char *name)
{
	for (size_t i = 0; i < TL_COUNT(own); i++)
		if (strcmp(own[i].name, name) == 0)
			return &own[i];
	return NULL;
}

const struct tl_source_format *
tl_source_recognise(const struct tl_source_formats *formats,
    struct tl_bytes first)
{
	const struct tl_source_format *best = NULL;
	unsigned most = 0;

	if (first.size > TL_SOURCE_FIRST_SIZE)
		first.size = TL_SOURCE_FIRST_SIZE;
	for (size_t i = 0; i < formats->count; i++) {
		const struct tl_source_format *format = &formats->list[i];
		const unsigned sure =
		    format->recognise ? format->recognise(first) : 0;

		if (sure > most) {
			most = sure;
			best = format;
		}
	}
	return best;
}

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
	if (S_ISFIFO(status.st_mode)) /* a writer may open the FIFO later */
		(void)poll(&fifo, 1, WRITER_MS);
	while (o->first_size < sizeof(o->first) && n > 0) {
		n = tl_read_waiting(o->fd, o->first + o->first_size,
		    sizeof(o->first) - o->first_size);
		if (n > 0)
			o->first_size += (size_t)n;
	}
	return n < 0 ? (int)n : 0;
}

/* Does the file begin with two packets of a Perfetto trace? */
static bool
is_perfetto(struct tl_bytes first)
{
	uint64_t size = 0;
	size_t at = 0;

	for (int packet = 0; packet < 2; packet++, at += size) {
		if (at >= first.size || first.data[at++] != 0x0a)
			return false;
		size = 0;
		for (unsigned shift = 0; shift < 28; shift += 7) {
			if (at >= first.size)
				return false;
			size |= (uint64_t)(first.data[at] & 0x7f) << shift;
			if (!(first.data[at++] & 0x80))
				break;
		}
	}
	return true;
}

/* The name of a common format that is not read, by the first bytes of a file or
 * by a word in them. */
static const char *
known_as(struct tl_bytes first)
{
	static const struct {
		struct tl_bytes magic;
		bool inside;
		const char *words;
	} formats[] = {
		{ { "SQLite format 3", 15 }, false,
		    ": a SQLite database (timeline-convert writes one, and "
		    "reads none)" },
		{ { "PAR1", 4 }, false,
		    ": a Parquet file (timeline-convert writes one, and reads "
		    "none)" },
		{ { "PERFILE2", 8 }, false, ": a perf.data file" },
		{ { "FLR\0", 4 }, false, ": a JFR recording" },
		{ { "\xd4\xc3\xb2\xa1", 4 }, false,
		    ": a packet capture (pcap)" },
		{ { "\x0a\x0d\x0d\x0a", 4 }, false,
		    ": a packet capture (pcapng)" },
		{ { "creator: callgrind", 18 }, true,
		    ": a profile of callgrind" },
		{ { "speedscope.app", 14 }, true, ": a profile of speedscope" },
		{ { "\"timeDeltas\"", 12 }, true, ": a CPU profile of V8" },
		{ { "\"geckoProfile", 13 }, true, ": a profile of Firefox" },
		{ { "\"stackTable\"", 12 }, true, ": a profile of Firefox" },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct tl_bytes magic = formats[i].magic;

		if (formats[i].inside
			? memmem(first.data, first.size, magic.data,
			      magic.size) != NULL
			: first.size >= magic.size &&
			      memcmp(first.data, magic.data, magic.size) == 0)
			return formats[i].words;
	}
	return is_perfetto(first) ? ": a Perfetto trace (timeline-convert "
				    "writes one, and reads none)"
				  : "";
}

/* Report an unknown format, and name the programs that read other formats. */
static void
refuse(struct tl_source *source, const struct tl_opening *o)
{
	const bool is_zip =
	    o->first_size >= 4 && memcmp(o->first, "PK\3\4", 4) == 0;

	if (o->plan->formats)
		tl_fault(&source->fault,
		    o->first_size == 0 ? -ENODATA : -ENOTSUP, 0,
		    o->first_size == 0 ? "empty file" : "unknown file format%s",
		    known_as(tl_bytes(o->first, o->first_size)));
	else if (o->first_size == 0)
		tl_fail(&source->fault, -ENODATA, "the file is empty");
	else
		tl_fail(&source->fault, -ENOTSUP, "%s",
		    is_zip ? "a zip file: timeline-convert -o OUT.trace writes "
			     "a packed trace as one that can be read here"
			   : "neither a timeline nor a trace: timeline-convert "
			     "-o OUT.trace writes other formats as a trace");
}

void
tl_source_open_recognised(struct tl_source *source, struct tl_opening *o)
{
	if (!o->format)
		o->format =
		    tl_source_recognise(o->plan->formats ? o->plan->formats
							 : &all_own,
			tl_bytes(o->first, o->first_size));
	if (o->format)
		(void)o->format->open(source, o);
	else
		refuse(source, o);
}

/* Open a file, whose first bytes were read, or memory as its format. */
static void
open_format(struct tl_source *source, struct tl_opening *o)
{
	const struct tl_source_formats *formats = o->plan->formats;

	o->format = o->plan->format;
	if (!formats || !formats->unpack || !formats->unpack(source, o))
		tl_source_open_recognised(source, o);
}

static void
open_fd(struct tl_source *source, int fd, bool has_place,
    const struct tl_source_plan *plan)
{
	struct tl_opening o = { .plan = plan, .fd = fd };
	const int rc = read_first(&o);

	o.has_place = o.is_regular && has_place;
	if (rc < 0)
		tl_source_fail(source, rc);
	else
		open_format(source, &o);
	source->withheld = o.withheld; /* an opener may reset the source */
}

static void
open_file(struct tl_source *source, const struct tl_source_plan *plan)
{
	int fd;

	if (strcmp(source->name, "-") == 0) {
		open_fd(source, STDIN_FILENO, false, plan);
		return;
	}
	fd = tl_open_read(source->name);
	if (fd >= 0)
		open_fd(source, fd, true, plan);
	else if (fd == -ENOENT && plan->formats)
		tl_shm_no_such(source->name, &source->fault);
	else if (source->name[0] == '\0')
		tl_fail(&source->fault, fd, "empty name of a file");
	else if (strcmp(source->name, "/") == 0)
		tl_source_fail(source, -EISDIR);
	else
		tl_source_fail(source, fd);
	if (fd >= 0)
		close(fd);
}

static void
open_memory(struct tl_source *source, struct tl_bytes memory,
    const struct tl_source_plan *plan)
{
	struct tl_opening o = { .plan = plan,
		.fd = -1,
		.memory = memory,
		.is_regular = true };

	o.first_size =
	    memory.size < sizeof(o.first) ? memory.size : sizeof(o.first);
	if (o.first_size > 0)
		memcpy(o.first, memory.data, o.first_size);
	open_format(source, &o);
}

/* Does the path name a pipe? */
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

static void
load(struct tl_source *source, const struct tl_source_plan *plan)
{
	if (source->ops && source->ops->load &&
	    source->ops->load(source, plan->progress) < 0)
		tl_source_close(source);
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
	load(source, plan);
}

void
tl_source_open_from(struct tl_source *source, const struct tl_source_from *from,
    const struct tl_source_plan *plan)
{
	*source = (struct tl_source){ .name = from->name, .file = from->name };
	if (from->memory)
		open_memory(source, *from->memory, plan);
	else if (from->fd)
		open_fd(source, *from->fd, false, plan);
	else
		open_file(source, plan);
	load(source, plan);
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
	tl_core_free(source->core);
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

/* The list of faults of a source.  One that is not open has its own. */
static size_t
faults_of(const struct tl_source *source, const struct tl_fault **list)
{
	*list = &source->fault;
	if (!source->ops)
		return 1;
	return source->ops->faults ? source->ops->faults(source, list) : 0;
}

size_t
tl_source_fault_count(const struct tl_source *source)
{
	const struct tl_fault *list;

	return faults_of(source, &list);
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
	const struct tl_fault *list;

	faults_of(source, &list);
	return &list[i];
}

bool
tl_source_is_damaged(const struct tl_source *source)
{
	return source->ops && source->ops->is_damaged
		   ? source->ops->is_damaged(source)
		   : tl_source_fault_count(source) > 0;
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

const char *
tl_source_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void
tl_source_origin(const struct tl_source *source, struct tl_origin *origin)
{
	const char *name = tl_source_base_name(source->name);

	*origin = (struct tl_origin){ 0 };
	/* the name of the file without suffixes, unless the source knows
	 * more */
	if (strcmp(name, "-") != 0)
		tl_origin_name(origin->timeline,
		    tl_bytes(name, strcspn(name, ".")));
	if (source->ops->origin)
		source->ops->origin(source, origin);
}

int
tl_source_observed(const struct tl_source *source,
    struct tl_observed_start *start)
{
	*start = (struct tl_observed_start){ .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = TIMELINE_LEVEL_MIN,
		.guessed = true };
	return source->ops && source->ops->observed
		   ? source->ops->observed(source, start)
		   : 0;
}

int
tl_source_complete(const struct tl_source *source,
    struct tl_observed_from *from)
{
	struct tl_observed_start start;
	const int rc = tl_source_observed(source, &start);

	*from = (struct tl_observed_from){ 0 };
	for (unsigned tier = 0; rc >= 0 && tier < start.tiers; tier++)
		if (tl_observed_before(*from, start.complete_from[tier]))
			*from = start.complete_from[tier];
	return rc;
}
