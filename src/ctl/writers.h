/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers.h - the processes that wrote the newest entries of a timeline.
 *
 * Process ids are those of the writer's own namespace; one of another
 * namespace names somebody else here, or nobody.
 */
#ifndef TL_CTL_WRITERS_H
#define TL_CTL_WRITERS_H

#include "base/fields.h"
#include "snap/glance.h"

enum {
	TL_WRITERS_MAX = 64,       /* known of one timeline */
	TL_WRITER_ENTRIES_MAX = 32 /* of each lane tell who they are */
};

struct tl_writer {
	uint32_t pid;
	bool alive;
	uint64_t age_ns;  /* of its newest entry */
	uint64_t entries; /* of those that were looked at */
	char command[64]; /* as it calls itself; "" unknown */
};

struct tl_writers {
	struct tl_writer list[TL_WRITERS_MAX]; /* newest entry first */
	size_t count;
	size_t more; /* entries of others, for whom there was no room */
};

/* Who wrote the newest entries of each lane; of a file that nobody can write
 * to any more, nobody is alive. */
void tl_writers_read(struct tl_writers *writers, int fd,
    const struct tl_glance *glance);

/* "hello 123, worker 124 died". */
void tl_writers_put(struct tl_text *text, const struct tl_writers *writers);
void
tl_writers_json(struct tl_fields *fields, const struct tl_writers *writers);

#endif
