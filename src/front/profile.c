/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - marks to lines of an LMS profile.
 *
 *	2,<id>,<label>	when a label is new
 *	0,<id>,<diff>	begin
 *	1,<id>,<diff>	end; microseconds since the mark before
 *
 * The clock is read under the lock, so that lines stand in order of time and
 * no difference is negative.  A forked process has the profile's file but
 * shares neither labels nor time with its parent: its marks are only counted.
 */
#include "front/profile.h"

#include "base/text.h"
#include "front/log_file.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS_FIRST = 256 /* a power of two */ };

struct label {
	uint64_t hash;
	uint64_t id;
	size_t size;
	bool is_written; /* its line */
	char name[];
};

struct tl_profile {
	struct tl_log_file file;
	pthread_mutex_t lock; /* of all that follows */
	struct tl_text line;
	struct label **slots;
	size_t slot_count; /* a power of two, at least twice count */
	uint64_t count;
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

/* The slot of a label: where it is, or where it belongs. */
static size_t
find_slot(struct label *const *slots, size_t count,
    const struct tl_profile_key *key)
{
	size_t i = key->hash & (count - 1);

	while (slots[i] &&
	       !(slots[i]->hash == key->hash && slots[i]->size == key->size &&
		   memcmp(slots[i]->name, key->name, key->size) == 0))
		i = (i + 1) & (count - 1);
	return i;
}

static bool
grow(struct tl_profile *p)
{
	const size_t count = p->slot_count ? p->slot_count * 2 : SLOTS_FIRST;
	struct label **slots = calloc(count, sizeof(struct label *));

	if (!slots)
		return false;
	for (size_t i = 0; i < p->slot_count; i++) {
		struct label *l = p->slots[i];

		if (l)
			slots[find_slot(slots, count,
			    &(struct tl_profile_key){ l->name, l->size,
				l->hash })] = l;
	}
	free(p->slots);
	p->slots = slots;
	p->slot_count = count;
	return true;
}

/* The line of a label that is new: nothing in it ends the line. */
static void
put_label(struct tl_profile *p, const struct label *label)
{
	tl_put_string(&p->line, "2,");
	tl_put_unsigned(&p->line, label->id);
	tl_put_char(&p->line, ',');
	for (size_t i = 0; i < label->size; i++) {
		const char c = label->name[i];

		tl_put_char(&p->line, c == '\n' || c == '\r' ? ' ' : c);
	}
	tl_put_char(&p->line, '\n');
}

/* The label of a key, made if there was none; NULL without memory. */
static struct label *
find_label(struct tl_profile *p, const struct tl_profile_key *key)
{
	struct label *label;
	size_t slot;

	if (p->count * 2 >= p->slot_count && !grow(p))
		return NULL;
	slot = find_slot(p->slots, p->slot_count, key);
	if (p->slots[slot])
		return p->slots[slot];
	if (!(label = malloc(sizeof(*label) + key->size)))
		return NULL;
	label->hash = key->hash;
	label->id = p->count++;
	label->size = key->size;
	label->is_written = false;
	memcpy(label->name, key->name, key->size);
	p->slots[slot] = label;
	return label;
}

static bool
mark_locked(struct tl_profile *p, const struct tl_profile_key *key, int is_end)
{
	const int64_t now = now_us();
	struct label *label = find_label(p, key);

	if (!label)
		return false;
	tl_text_clear(&p->line);
	if (!label->is_written)
		put_label(p, label);
	tl_put_string(&p->line, is_end ? "1," : "0,");
	tl_put_unsigned(&p->line, label->id);
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
	/* In a child the lock may be held by a thread that it does not have. */
	const bool is_ours = getpid() == p->pid;
	bool is_marked = false;

	if (is_ours) {
		pthread_mutex_lock(&p->lock);
		is_marked = mark_locked(p, key, is_end);
		pthread_mutex_unlock(&p->lock);
	}
	if (!is_marked)
		__atomic_fetch_add(&p->lost, 1, __ATOMIC_RELAXED);
}

uint64_t
tl_profile_lost(const struct tl_profile *p)
{
	return __atomic_load_n(&p->lost, __ATOMIC_RELAXED);
}

/* Does a file begin as a profile does? */
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
	for (size_t i = 0; i < p->slot_count; i++)
		free(p->slots[i]);
	free(p->slots);
	tl_text_free(&p->line);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
