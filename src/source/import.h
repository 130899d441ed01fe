/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h - a file of a foreign format, read whole: its events in order of
 * time, its messages, and what was wrong with it.
 *
 *	file, pipe --pieces--> reader --events--> store --cursor--> events
 *
 * Memory is bounded whatever its size; what does not fit waits in a temporary
 * file (store.h).
 */
#ifndef TL_SOURCE_IMPORT_H
#define TL_SOURCE_IMPORT_H

#include "base/storage.h"
#include "event/merge.h"
#include "format/registry.h"
#include "source/progress.h"

struct tl_import;

struct tl_import_plan {
	const struct tl_format_row *format; /* that is read */
	const char *name;      /* of the file, which may tell things */
	struct tl_bytes first; /* what was read of fd before */
	int fd;
	/* Read in place of fd; first is of it, too.  NULL: fd. */
	struct tl_storage *storage;
	/* What lies beside it: this, ... */
	struct tl_storage *beside;
	bool has_place; /* ... or the file of that name, if there is one */
	struct tl_progress *progress; /* NULL: nobody waits */
};

/*
 * Read all that comes of plan->fd.  0; or -errno and a fault when nothing of
 * it can be shown: -EBADMSG not this format, -ENOMEM, or what reading and
 * spilling said.  What is damaged beyond that is no error here.
 */
int tl_import_new(struct tl_import **import, const struct tl_import_plan *plan,
    struct tl_fault *fault);
void tl_import_free(struct tl_import *import);

const struct tl_format_row *tl_import_format(const struct tl_import *import);
uint64_t tl_import_entries(const struct tl_import *import);
/* The messages in the order in which they were first met. */
size_t tl_import_message_count(const struct tl_import *import);
const struct tl_message *const *
tl_import_messages(const struct tl_import *import);

/* Thread number i as its format knows it; false: there are no more. */
bool tl_import_thread(const struct tl_import *import, size_t i,
    struct tl_reader_thread *thread);

/* What was said of it: some are damage (rc is not 0), some good to know.  At
 * most TL_SNAP_FAULTS_MAX are kept, all are counted. */
size_t tl_import_fault_count(const struct tl_import *import);
const struct tl_fault *
tl_import_fault(const struct tl_import *import, size_t i);
bool tl_import_is_damaged(const struct tl_import *import);

/* As tl_store_newest, tl_store_cursor. */
int tl_import_newest(const struct tl_import *import, int64_t *ns);
int tl_import_cursor(struct tl_import *import, enum tl_order order,
    struct tl_cursor **cursor);

#endif
