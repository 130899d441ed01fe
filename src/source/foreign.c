/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - a file of a foreign format as a source.  Opening reads the whole
 * file, unless only its trees are wanted and its format has an index.
 *
 *	file, pipe --pieces--> reader --events--> sorter --cursor--> events
 *	   |  `--> unpack --^
 *	   `--- and index ---> reader of trees --> trees, read in place
 *
 * Events come in the order of the file and are sorted by time.  Memory is
 * bounded whatever the size of the file: events that do not fit wait in a
 * temporary file (event/sorter.h).
 */
#include "base/array.h"
#include "source/kinds.h"

#include "base/file.h"
#include "event/message_map.h"
#include "event/observe.h"
#include "event/sorter.h"
#include "trace/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_SIZE = 256 << 10 };

struct place {
	int64_t ns; /* INT64_MIN: none */
	uint64_t tsc;
};

struct foreign {
	struct tl_sink sink; /* first: the reader puts events here */
	/* The input until the source is loaded or closed: the bytes in first,
	 * then the rest from storage, unpack or fd, whichever is set first in
	 * this order. */
	const struct tl_source_format *format;
	int fd;
	struct tl_unpack *unpack;
	struct tl_storage *storage;
	struct tl_storage *beside;
	bool has_place;
	bool little;
	bool wants_trees;
	size_t memory_max; /* of the trees */
	struct tl_text first;

	struct tl_reader *reader; /* owns the messages; NULL: not loaded */
	struct tl_store *store;
	struct tl_reader *planter; /* owns the messages of the trees */
	struct tl_trees *trees;    /* NULL: none */
	/* The time and the stamp of the last loss of overwritten entries: no
	 * later entry is overwritten. */
	struct place complete;
	struct place last;
	bool falls; /* stamps, which are of several clocks, do not compare */
	struct tl_progress *progress;
	struct tl_report report;
	struct tl_faults faults;
	bool damaged;
	struct tl_message_map seen;
	/* in order of appearance */
	const struct tl_message **messages;
	size_t message_count;
	size_t message_capacity;
};

/* == reading it == */

static int
add_message(struct foreign *f, const struct tl_message *message)
{
	int rc;

	if (TL_ARRAY_ROOM(f->messages, f->message_capacity, f->message_count) <
	    0)
		return -ENOMEM;
	rc = tl_message_map_add(&f->seen, message, f);
	if (rc == 0)
		f->messages[f->message_count++] = message;
	return rc == -ENOSPC ? 0 : rc; /* too many: left out of the list */
}

static void
note_place(struct foreign *f, const struct tl_event *event)
{
	const struct place here = { event->ns, event->tsc }, last = f->last;

	if (event->message) {
		f->falls |= last.ns != INT64_MIN && here.ns != last.ns &&
			    here.tsc != last.tsc &&
			    (here.ns < last.ns) != (here.tsc < last.tsc);
		f->last = here;
	} else if (tl_event_is_start(event) && here.ns > f->complete.ns) {
		f->complete = here;
	}
}

static int
take(struct tl_sink *sink, const struct tl_event *event)
{
	struct foreign *f = (struct foreign *)(void *)sink;
	struct tl_sink *store = tl_store_sink(f->store);
	int rc = 0;

	if (f->progress)
		tl_progress_tick(f->progress);
	note_place(f, event);
	if (event->message && !tl_message_map_find(&f->seen, event->message))
		rc = add_message(f, event->message);
	return rc < 0 ? rc : store->put(store, event);
}

static int
take_nothing_more(struct tl_sink *sink)
{
	(void)sink;
	return 0;
}

static void
take_fault(void *context, const struct tl_fault *fault)
{
	struct foreign *f = context;

	*tl_faults_next(&f->faults) = *fault;
	f->damaged |= fault->rc != 0 && fault->rc != -ENODATA;
}

/* Open the second file that may lie beside the input.  *storage is NULL if
 * there is none. */
static int
open_beside(struct tl_storage **storage, const char *name, const char *suffix)
{
	struct tl_text path = { 0 };
	int fd;

	*storage = NULL;
	tl_put_string(&path, name);
	tl_put_string(&path, suffix);
	if (path.rc < 0)
		return path.rc;
	fd = tl_open_read(tl_text_string(&path));
	tl_text_free(&path);
	if (fd < 0)
		return 0;
	if (tl_storage_of_fd(storage, fd) < 0)
		*storage = NULL;
	close(fd);
	return 0;
}

/* == the source == */

static struct foreign *
foreign_of(const struct tl_source *source)
{
	return source->state;
}

/* Close everything that only loading needs. */
static void
free_input(struct foreign *f)
{
	tl_storage_close(f->storage);
	tl_storage_close(f->beside);
	tl_text_free(&f->first);
	tl_unpack_free(f->unpack);
	if (f->fd >= 0)
		close(f->fd);
	f->unpack = NULL;
	f->storage = f->beside = NULL;
	f->fd = -1;
}

static void
free_trees(struct foreign *f)
{
	if (f->trees)
		f->planter->trees_free(f->trees);
	if (f->planter)
		f->planter->free(f->planter);
	f->trees = NULL;
	f->planter = NULL;
}

static void
close_foreign(struct tl_source *source)
{
	struct foreign *f = foreign_of(source);

	free_trees(f);
	free_input(f);
	tl_store_free(f->store);
	if (f->reader)
		f->reader->free(f->reader);
	tl_message_map_free(&f->seen, NULL);
	free(f->messages);
	free(f);
}

/* Read the next bytes of the input, from byte at on.  Returns their number, 0
 * at the end, or -errno. */
static int64_t
read_piece(struct foreign *f, char *piece, uint64_t at)
{
	if (f->storage)
		return tl_storage_read_at(f->storage, piece, PIECE_SIZE, at);
	return f->unpack ? tl_unpack_read(f->unpack, piece, PIECE_SIZE)
			 : tl_read_waiting(f->fd, piece, PIECE_SIZE);
}

/* Open the trees of a file that has an index.  No trees are no failure, because
 * the file can be read whole. */
static int
open_trees(struct foreign *f, const char *name)
{
	struct tl_reader *reader;
	int rc = f->format->read_new(&f->planter, &f->sink, &f->report);

	if (rc < 0)
		return rc;
	reader = f->planter;
	if (!reader->trees || f->unpack)
		return 0;
	if (!f->beside && f->has_place)
		rc = open_beside(&f->beside, name, reader->beside_suffix);
	if (rc == 0 && f->beside && !f->storage)
		rc = tl_storage_of_fd(&f->storage, f->fd);
	if (rc == 0 && f->beside)
		rc = reader->trees(reader, f->storage, f->beside, &f->trees);
	if (f->trees)
		f->trees->budget.max = f->memory_max;
	return rc == -EBADMSG ? 0 : rc;
}

static int
load(struct tl_source *source, struct tl_progress *progress)
{
	struct foreign *f = foreign_of(source);
	struct tl_reader *reader;
	char *piece = malloc(PIECE_SIZE);
	uint64_t at = f->first.size;
	int64_t n = 1;
	int rc = -ENOMEM;

	if (piece)
		rc = tl_store_new(&f->store,
		    f->little ? TL_STORE_MEMORY_LITTLE : TL_STORE_MEMORY_MAX);
	if (rc == 0)
		rc = f->format->read_new(&f->reader, &f->sink, &f->report);
	if (rc < 0)
		goto out;
	f->progress = progress;
	reader = f->reader;
	if (reader->named)
		reader->named(reader, source->name);
	rc = reader->feed(reader, tl_bytes(f->first.data, f->first.size));
	while (rc == 0 && n > 0) {
		n = read_piece(f, piece, at);
		if (n > 0)
			rc = reader->feed(reader, tl_bytes(piece, (size_t)n));
		at += n > 0 ? (uint64_t)n : 0;
	}
	if (rc == 0 && n < 0)
		rc = (int)n;
	if (rc == 0 && f->unpack && tl_unpack_fault(f->unpack))
		take_fault(f, tl_unpack_fault(f->unpack));
	if (rc == 0)
		rc = reader->finish(reader);
	if (rc == 0 && reader->beside_suffix && !f->beside && f->has_place)
		rc = open_beside(&f->beside, source->name,
		    reader->beside_suffix);
	if (rc == 0 && reader->beside_suffix && f->beside)
		rc = reader->beside(reader, f->beside);
	if (rc == 0) {
		struct tl_sink *sink = tl_store_sink(f->store);

		rc = sink->finish(sink);
	}
	f->progress = NULL;
out:
	free(piece);
	if (!f->trees) /* trees are read in place */
		free_input(f);
	if (rc == -EBADMSG && f->faults.count > 0)
		source->fault =
		    /* the reason why the input has another format */
		    f->faults.list[0];
	else if (rc < 0)
		tl_source_fail(source, rc);
	return rc;
}

/* Open the trees if the plan asks for them, else read the whole file. */
static int
load_or_plant(struct tl_source *source, struct tl_progress *progress)
{
	struct foreign *f = foreign_of(source);
	int rc = f->wants_trees ? open_trees(f, source->name) : 0;

	if (rc < 0)
		return tl_source_fail(source, rc);
	if (f->trees)
		return 0;
	free_trees(f);
	return load(source, progress);
}

/* Read a file of which only the trees are open. */
static int
load_now(const struct tl_source *source)
{
	struct tl_source copy = *source;

	return foreign_of(source)->store ? 0 : load(&copy, NULL);
}

static int
observed(const struct tl_source *source, struct tl_observed_start *start)
{
	const struct foreign *f = foreign_of(source);

	tl_observed_said(start, TL_OLDEST_FIRST, tl_bytes("", 0));
	if (!f->falls)
		start->complete_from[0].tsc = f->complete.tsc;
	return 0;
}

/* Only overwritten entries make a part of the file one that is not observed. */
static int
open_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	const struct foreign *f = foreign_of(source);
	struct tl_observed_start start;
	int rc = load_now(source);

	if (rc == 0)
		rc = tl_store_cursor(f->store, order, cursor);
	if (rc < 0 || f->falls || f->complete.tsc == 0)
		return rc;
	(void)observed(source, &start);
	return tl_observe_recording(&start, f->messages, f->message_count,
	    cursor);
}

static int
newest(const struct tl_source *source, int64_t *ns)
{
	const int rc = load_now(source);

	return rc < 0 ? rc : tl_store_newest(foreign_of(source)->store, ns);
}

/* An entry that was not read takes at least a byte. */
static uint64_t
entries(const struct tl_source *source)
{
	const struct foreign *f = foreign_of(source);

	return f->store ? tl_store_count(f->store) : f->storage->size;
}

static size_t
messages(const struct tl_source *source, const struct tl_message *const **list)
{
	*list = foreign_of(source)->messages;
	return foreign_of(source)->message_count;
}

static size_t
faults(const struct tl_source *source, const struct tl_fault **list)
{
	*list = foreign_of(source)->faults.list;
	return foreign_of(source)->faults.count;
}

static bool
is_damaged(const struct tl_source *source)
{
	return foreign_of(source)->damaged;
}

static bool
thread(const struct tl_source *source, size_t i,
    struct tl_reader_thread *thread)
{
	struct foreign *f = foreign_of(source);
	struct tl_reader *reader = f->reader ? f->reader : f->planter;

	return reader->thread && reader->thread(reader, i, thread);
}

static void
add_origin(const struct tl_source *source, struct tl_origin *origin)
{
	const struct foreign *f = foreign_of(source);

	if (f->reader && f->reader->origin)
		f->reader->origin(f->reader, origin);
}

static struct tl_trees *
trees(const struct tl_source *source)
{
	return foreign_of(source)->trees;
}

static const struct tl_source_ops foreign_ops = { .close = close_foreign,
	.load = load_or_plant,
	.cursor = open_cursor,
	.newest = newest,
	.entries = entries,
	.messages = messages,
	.faults = faults,
	.is_damaged = is_damaged,
	.observed = observed,
	.thread = thread,
	.origin = add_origin,
	.trees = trees };

int
tl_source_open_storage(struct tl_source *source, struct tl_opening *o,
    struct tl_storage *storage, struct tl_storage *beside)
{
	struct foreign *f = calloc(1, sizeof(*f));
	int rc;

	if (!f) {
		tl_storage_close(storage);
		tl_storage_close(beside);
		return tl_source_fail(source, -ENOMEM);
	}
	f->sink = (struct tl_sink){ take, take_nothing_more };
	f->complete.ns = f->last.ns = INT64_MIN;
	f->report = (struct tl_report){ take_fault, f };
	f->format = o->format;
	f->storage = storage;
	f->beside = beside;
	f->has_place = o->has_place;
	f->little = o->plan->little;
	f->wants_trees = o->plan->trees;
	f->memory_max = o->plan->memory_max;
	f->unpack = o->unpack;
	o->unpack = NULL;
	f->fd = -1;
	source->ops = &foreign_ops;
	source->state = f;
	source->format = o->format->name;
	source->foreign = true;
	tl_put_bytes(&f->first, tl_bytes(o->first, o->first_size));
	if ((rc = f->first.rc) == 0 && f->unpack)
		rc = tl_unpack_own(f->unpack);
	else if (rc == 0 && !storage &&
		 (f->fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 0)) < 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	tl_source_fail(source, rc);
	tl_source_close(source);
	return source->fault.rc;
}

int
tl_source_open_reader(struct tl_source *source, struct tl_opening *o)
{
	struct tl_storage *storage = NULL;
	int rc = 0;

	if (o->plan->live)
		return tl_fail(&source->fault, -EINVAL,
		    "only a live timeline can be followed");
	if (o->plan->follow)
		return tl_fail(&source->fault, -EINVAL,
		    "a file of another format does not grow");
	if (o->fd < 0 && !o->unpack)
		rc = tl_source_storage(o, &storage);
	return rc < 0 ? tl_source_fail(source, rc)
		      : tl_source_open_storage(source, o, storage, NULL);
}
