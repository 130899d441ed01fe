/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - marks to lines of an LMS profile.
 *
 *	2,<id>,<label>	when a label is new
 *	0,<id>,<diff>	begin
 *	1,<id>,<diff>	end; microseconds since the mark before
 *
 * The clock is read under the lock, so that lines stand in order of time and no
 * difference is negative.  A forked process has the profile's file but shares
 * neither labels nor time with its parent: the marks of a forked process are
 * only counted.
 */
#include "front/profile.h"

#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "base/word.h"
#include "front/log_file.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct label {
	size_t size;
	bool is_written; /* the line of the label */
	char name[];
};

struct tl_profile {
	struct tl_log_file file;
	pthread_mutex_t lock; /* guards the members below */
	struct tl_text line;
	struct tl_table table; /* of labels, by name */
	struct label **labels; /* by id */
	size_t count;
	size_t capacity;
	int64_t last_us;
	pid_t pid;
	uint64_t lost; /* also changed without the lock */
};

static int64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Find the label of a key, or make the label.  Returns false without memory. */
static bool
find_label(struct tl_profile *p, const struct tl_profile_key *key, size_t *id)
{
	const struct tl_bytes name = tl_bytes(key->name, key->size);
	const uint64_t hash = tl_hash_bytes(name);
	struct tl_probe probe = tl_table_probe(&p->table, hash);
	struct label *label;
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		label = p->labels[at];
		*id = at;
		if (tl_bytes_equal(tl_bytes(label->name, label->size), name))
			return true;
	}
	if (TL_ARRAY_ROOM(p->labels, p->capacity, p->count) < 0 ||
	    !(label = malloc(sizeof(*label) + key->size)))
		return false;
	if (tl_table_add(&p->table, hash, p->count) < 0) {
		free(label);
		return false;
	}
	label->size = key->size;
	label->is_written = false;
	memcpy(label->name, key->name, key->size);
	*id = p->count;
	p->labels[p->count++] = label;
	return true;
}

static bool
mark_locked(struct tl_profile *p, const struct tl_profile_key *key, int is_end)
{
	const int64_t now = now_us();
	struct label *label;
	size_t id;

	if (!find_label(p, key, &id))
		return false;
	label = p->labels[id];
	tl_text_clear(&p->line);
	if (!label->is_written) {
		/* Put the line of a new label.  Line breaks in the label become
		 * blanks, because a newline would end the line. */
		tl_put_string(&p->line, "2,");
		tl_put_unsigned(&p->line, id);
		tl_put_char(&p->line, ',');
		for (size_t i = 0; i < label->size; i++) {
			const char c = label->name[i];

			tl_put_char(&p->line, c == '\n' || c == '\r' ? ' ' : c);
		}
		tl_put_char(&p->line, '\n');
	}
	tl_put_string(&p->line, is_end ? "1," : "0,");
	tl_put_unsigned(&p->line, id);
	tl_put_char(&p->line, ',');
	tl_put_signed(&p->line, now - p->last_us);
	tl_put_char(&p->line, '\n');
	if (p->line.rc < 0 ||
	    !tl_log_file_write(&p->file, p->line.data, p->line.size))
		return false;
	label->is_written = true;
	p->last_us = now;
	return true;
}

void
tl_profile_mark(struct tl_profile *p, const struct tl_profile_key *key,
    int is_end)
{
	/* A child may have copied the lock while a thread of the parent held
	 * it. */
	const bool is_ours = getpid() == p->pid;
	bool is_marked = false;

	if (is_ours) {
		pthread_mutex_lock(&p->lock);
		is_marked = mark_locked(p, key, is_end);
		pthread_mutex_unlock(&p->lock);
	}
	if (!is_marked)
		tl_fetch_add_64(&p->lost, 1);
}

uint64_t
tl_profile_lost(const struct tl_profile *p)
{
	return tl_load_64(&p->lost);
}

/* Does the text begin as a profile does? */
static bool
is_profile(const char *start)
{
	return start[0] >= '0' && start[0] <= '2' && start[1] == ',' &&
	       (start[2] == '-' || (start[2] >= '0' && start[2] <= '9'));
}

int
tl_profile_open(struct tl_profile **profile, const char *path)
{
	struct tl_profile *p = calloc(1, sizeof(*p));
	int rc;

	*profile = NULL;
	if (!p)
		return tl_error(-ENOMEM, "no memory for a profile");
	if ((rc = tl_log_file_open(&p->file, path, is_profile)) != 0) {
		free(p);
		return rc;
	}
	pthread_mutex_init(&p->lock, NULL);
	p->pid = getpid();
	p->last_us = now_us();
	*profile = p;
	return 0;
}

void
tl_profile_close(struct tl_profile *p)
{
	if (!p)
		return;
	tl_log_file_close(&p->file);
	for (size_t i = 0; i < p->count; i++)
		free(p->labels[i]);
	free(p->labels);
	tl_table_free(&p->table);
	tl_text_free(&p->line);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
