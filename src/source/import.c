/* SPDX-License-Identifier: Apache-2.0 */
/* import.c - read a foreign file into a store. */
#include "source/import.h"

#include "base/file.h"
#include "event/message_map.h"
#include "event/store.h"
#include "snap/snap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_SIZE = 256 << 10, MESSAGES_FIRST = 64 };

struct tl_import {
	struct tl_sink sink; /* first: where the reader puts events */
	const struct tl_format_row *format;
	struct tl_reader *reader; /* owns the messages */
	struct tl_store *store;
	struct tl_progress *progress;
	struct tl_report report;
	struct tl_faults faults;
	bool damaged;
	struct tl_message_map seen;
	const struct tl_message **messages;
	size_t message_count;
	size_t message_capacity;
};

static int
add_message(struct tl_import *import, const struct tl_message *message)
{
	const struct tl_message **grown;
	size_t more;
	int rc;

	if (import->message_count == import->message_capacity) {
		more = import->message_capacity ? import->message_capacity * 2
						: MESSAGES_FIRST;
		grown = realloc(import->messages, more * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		import->messages = grown;
		import->message_capacity = more;
	}
	rc = tl_message_map_add(&import->seen, message, import);
	if (rc == 0)
		import->messages[import->message_count++] = message;
	return rc == -ENOSPC ? 0 : rc; /* it is not listed */
}

static int
take(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_import *import = (struct tl_import *)(void *)sink;
	struct tl_sink *store = tl_store_sink(import->store);
	int rc = 0;

	if (import->progress)
		tl_progress_tick(import->progress);
	if (event->message &&
	    !tl_message_map_find(&import->seen, event->message))
		rc = add_message(import, event->message);
	return rc < 0 ? rc : store->put(store, event);
}

static int
take_nothing_more(struct tl_sink *sink)
{
	(void)sink;
	return 0;
}

static void
note(void *context, const struct tl_fault *fault)
{
	struct tl_import *import = context;

	*tl_faults_next(&import->faults) = *fault;
	import->damaged |= fault->rc != 0 && fault->rc != -ENODATA;
}

/* The next bytes of the input, behind those that were fed: how many. */
static int64_t
read_piece(const struct tl_import_plan *plan, char *piece, uint64_t at)
{
	return plan->storage
		   ? tl_storage_read_at(plan->storage, piece, PIECE_SIZE, at)
		   : tl_read_waiting(plan->fd, piece, PIECE_SIZE);
}

static int
feed_all(struct tl_import *import, const struct tl_import_plan *plan)
{
	struct tl_reader *reader = import->reader;
	char *piece = malloc(PIECE_SIZE);
	uint64_t at = plan->first.size;
	int64_t n;
	int rc;

	if (!piece)
		return -ENOMEM;
	rc = reader->feed(reader, plan->first);
	while (rc == 0 && (n = read_piece(plan, piece, at)) != 0) {
		rc = n < 0 ? (int)n
			   : reader->feed(reader, tl_bytes(piece, (size_t)n));
		at += n > 0 ? (uint64_t)n : 0;
	}
	free(piece);
	return rc < 0 ? rc : reader->finish(reader);
}

/* Show the reader the file of its suffix. */
static int
feed_file_beside(struct tl_import *import, const char *name)
{
	struct tl_reader *reader = import->reader;
	struct tl_storage *storage;
	struct tl_text path = { 0 };
	int fd, rc = 0;

	tl_put_string(&path, name);
	tl_put_string(&path, reader->beside_suffix);
	if (path.rc < 0)
		return path.rc;
	fd = tl_open_read(tl_text_string(&path));
	tl_text_free(&path);
	if (fd < 0)
		return 0;
	if (tl_storage_of_fd(&storage, fd) == 0) {
		rc = reader->beside(reader, storage);
		tl_storage_close(storage);
	}
	close(fd);
	return rc;
}

static int
feed_beside(struct tl_import *import, const struct tl_import_plan *plan)
{
	struct tl_reader *reader = import->reader;

	if (!reader->beside_suffix)
		return 0;
	if (plan->beside)
		return reader->beside(reader, plan->beside);
	return plan->has_place ? feed_file_beside(import, plan->name) : 0;
}

static int
read_all(struct tl_import *import, const struct tl_import_plan *plan)
{
	int rc = tl_store_new(&import->store, TL_STORE_MEMORY_MAX);

	if (rc < 0)
		return rc;
	rc = plan->format->read_new(&import->reader, &import->sink,
	    &import->report);
	if (rc < 0)
		return rc;
	if (import->reader->named)
		import->reader->named(import->reader, plan->name);
	rc = feed_all(import, plan);
	if (rc == 0)
		rc = feed_beside(import, plan);
	if (rc < 0)
		return rc;
	return tl_store_sink(import->store)
	    ->finish(tl_store_sink(import->store));
}

int
tl_import_new(struct tl_import **import, const struct tl_import_plan *plan,
    struct tl_fault *fault)
{
	struct tl_import *new = calloc(1, sizeof(*new));
	int rc;

	if (!new)
		return tl_fault(fault, -ENOMEM, TL_FAULT_NOWHERE, "%s",
		    strerror(ENOMEM));
	new->sink = (struct tl_sink){ take, take_nothing_more };
	new->format = plan->format;
	new->progress = plan->progress;
	new->report = (struct tl_report){ note, new };
	rc = read_all(new, plan);
	if (rc == 0) {
		*import = new;
		return 0;
	}
	if (rc == -EBADMSG && new->faults.count > 0)
		*fault = new->faults.list[0]; /* why it is not the format */
	else
		tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s", strerror(-rc));
	tl_import_free(new);
	return rc;
}

void
tl_import_free(struct tl_import *import)
{
	if (!import)
		return;
	tl_store_free(import->store);
	if (import->reader)
		import->reader->free(import->reader);
	tl_message_map_free(&import->seen, NULL);
	free(import->messages);
	free(import);
}

const struct tl_format_row *
tl_import_format(const struct tl_import *import)
{
	return import->format;
}

uint64_t
tl_import_entries(const struct tl_import *import)
{
	return tl_store_count(import->store);
}

size_t
tl_import_message_count(const struct tl_import *import)
{
	return import->message_count;
}

const struct tl_message *const *
tl_import_messages(const struct tl_import *import)
{
	return import->messages;
}

bool
tl_import_thread(const struct tl_import *import, size_t i,
    struct tl_reader_thread *thread)
{
	return import->reader->thread &&
	       import->reader->thread(import->reader, i, thread);
}

size_t
tl_import_fault_count(const struct tl_import *import)
{
	return import->faults.count;
}

const struct tl_fault *
tl_import_fault(const struct tl_import *import, size_t i)
{
	return &import->faults.list[i];
}

bool
tl_import_is_damaged(const struct tl_import *import)
{
	return import->damaged;
}

int
tl_import_newest(const struct tl_import *import, int64_t *ns)
{
	return tl_store_newest(import->store, ns);
}

int
tl_import_cursor(struct tl_import *import, enum tl_order order,
    struct tl_cursor **cursor)
{
	return tl_store_cursor(import->store, order, cursor);
}
