/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler.c - marks by label.
 *
 *	hash of the label --> slot --> label, span
 *
 * A lookup takes no lock: a slot is empty or points to data that never changes.
 * New labels are put in under the lock, in a table that never grows.  Labels
 * beyond the table are looked up in the timeline itself each time.
 *
 * Without a timeline marks go to a profile, front/profile.h.
 */
#include "base/word.h"
#include "front/fresh.h"
#include "front/label.h"
#include "front/profile.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline_profiler.h>

enum {
	SLOTS = 1 << 13, /* a power of two */
	LABELS_MAX = SLOTS / 2
};

struct entry {
	struct tl_front_label label;
	uint64_t hash;
	size_t size; /* of the name, without its NUL */
	char name[];
};

struct timeline_profiler {
	struct timeline *tl;        /* NULL: there is a profile */
	struct tl_profile *profile; /* NULL: there is a timeline */
	bool is_own;
	uint64_t lost;
	uint32_t count;
	uint64_t slots[SLOTS]; /* each 0, or the address of an entry */
};

static inline uint64_t
word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The last eight bytes of a name, or the whole of a shorter name.  The loop
 * avoids a call of memcpy with a size that the compiler does not know. */
static inline uint64_t
last_word(const char *name, size_t size)
{
	uint64_t word = 0;

	if (size >= sizeof(word))
		return word_at(name + size - sizeof(word));
	for (size_t i = 0; i < size; i++)
		word = word << 8 | (uint8_t)name[i];
	return word;
}

/* Hash a name eight bytes at a time, because every mark looks up its label. */
static uint64_t
hash_of(const char *name, size_t size)
{
	const uint64_t odd = UINT64_C(0x9e6c63d0876a3f6b);
	uint64_t hash = size;

	for (size_t at = 0; size - at > sizeof(hash); at += sizeof(hash)) {
		hash = (hash ^ word_at(name + at)) * odd;
		hash ^= hash >> 32;
	}
	hash = (hash ^ last_word(name, size)) * odd;
	return hash ^ hash >> 32;
}

static bool
is_same(const char *a, const char *b, size_t size)
{
	for (size_t at = 0; size - at > sizeof(uint64_t);
	     at += sizeof(uint64_t)) {
		if (word_at(a + at) != word_at(b + at))
			return false;
	}
	return last_word(a, size) == last_word(b, size);
}

/* The entry in a slot.  acquire: pairs with add_locked() */
static struct entry *
entry_at(const struct timeline_profiler *p, size_t slot)
{
	return (struct entry *)(uintptr_t)tl_load_acquire_64(&p->slots[slot]);
}

/* Find the entry of a name, or the free slot for a new entry. */
static struct entry *
find(const struct timeline_profiler *p, const struct tl_profile_key *key,
    size_t *slot)
{
	struct entry *e;

	/* At most half of the slots are taken, so the search ends. */
	for (size_t i = key->hash % SLOTS;; i = (i + 1) % SLOTS) {
		e = entry_at(p, i);
		*slot = i;
		if (!e || (e->hash == key->hash && e->size == key->size &&
			      is_same(e->name, key->name, key->size)))
			return e;
	}
}

/* Add a label to the table, unless another thread added the label first. */
static void
add_locked(struct timeline_profiler *p, const struct tl_profile_key *key,
    const struct tl_front_label *label)
{
	struct entry *e;
	size_t slot;

	if (p->count == LABELS_MAX || find(p, key, &slot))
		return;
	if (!(e = malloc(sizeof(*e) + key->size + 1)))
		return;
	e->label = *label;
	e->hash = key->hash;
	e->size = key->size;
	memcpy(e->name, key->name, key->size + 1);
	p->count++;
	/* release: pairs with entry_at() */
	tl_store_release_64(&p->slots[slot], (uint64_t)(uintptr_t)e);
}

static void
mark_new(struct timeline_profiler *p, const struct tl_profile_key *key,
    int is_end)
{
	struct tl_front_label label;

	if (tl_front_label(p->tl, "lms", key->name, "", key->name,
		TIMELINE_THREAD, &label) != 0) {
		tl_fetch_add_64(&p->lost, 1);
		return;
	}
	tl_strings_lock();
	add_locked(p, key, &label);
	tl_strings_unlock();
	tl_front_label_log(&label, is_end);
}

static void
mark(struct timeline_profiler *p, const char *name, int is_end)
{
	const size_t size = strlen(name);
	const struct tl_profile_key key = { name, size, hash_of(name, size) };
	const struct entry *e;
	size_t slot;

	if (p->profile) {
		tl_profile_mark(p->profile, &key, is_end);
		return;
	}
	e = find(p, &key, &slot);
	if (e)
		tl_front_label_log(&e->label, is_end);
	else
		mark_new(p, &key, is_end);
}

void
timeline_profiler_mark_begin(struct timeline_profiler *profiler,
    const char *label)
{
	if (profiler && label)
		mark(profiler, label, 0);
}

void
timeline_profiler_mark_end(struct timeline_profiler *profiler,
    const char *label)
{
	if (profiler && label)
		mark(profiler, label, 1);
}

uint64_t
timeline_profiler_lost(const struct timeline_profiler *profiler)
{
	if (!profiler)
		return 0;
	return profiler->profile ? tl_profile_lost(profiler->profile)
				 : tl_load_64(&profiler->lost);
}

static int
new_profiler(struct timeline_profiler **profiler)
{
	*profiler = calloc(1, sizeof(**profiler));
	return *profiler ? 0 : tl_error(-ENOMEM, "no memory for a profiler");
}

int
timeline_profiler_new(struct timeline_profiler **profiler, struct timeline *tl)
{
	int rc;

	*profiler = NULL;
	if (!tl)
		return 0;
	if ((rc = new_profiler(profiler)) == 0)
		(*profiler)->tl = tl;
	return rc;
}

/* A path that ends in ".tl" names a timeline, any other path a profile. */
static bool
is_timeline(const char *path)
{
	const size_t size = strlen(path);

	return size >= 3 && strcmp(path + size - 3, ".tl") == 0;
}

static int
open_profile(struct timeline_profiler **profiler, const char *path)
{
	int rc = new_profiler(profiler);

	if (rc == 0)
		rc = tl_profile_open(&(*profiler)->profile, path);
	if (rc != 0) {
		free(*profiler);
		*profiler = NULL;
	}
	return rc;
}

int
timeline_profiler_open(struct timeline_profiler **profiler, const char *path)
{
	struct timeline *tl;
	int rc;

	*profiler = NULL;
	if (!path)
		return tl_error(-EINVAL, "the path is NULL");
	if (!is_timeline(path))
		return open_profile(profiler, path);
	if ((rc = tl_front_fresh(&tl, path, NULL)) != 0)
		return rc;
	if ((rc = timeline_profiler_new(profiler, tl)) != 0)
		timeline_close(tl);
	else
		(*profiler)->is_own = true;
	return rc;
}

void
timeline_profiler_close(struct timeline_profiler *profiler)
{
	if (!profiler)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		free(entry_at(profiler, i));
	if (profiler->is_own)
		timeline_close(profiler->tl);
	tl_profile_close(profiler->profile);
	free(profiler);
}

/* Take count words at place i out of a command line. */
static void
take_out(int *argc, char **argv, int i, int count)
{
	for (int k = i; k + count <= *argc; k++)
		argv[k] = argv[k + count]; /* including the NULL at the end */
	*argc -= count;
}

int
timeline_profiler_options(struct timeline_profiler **profiler, int *argc,
    char **argv)
{
	static const char option[] = "--profiling";
	const size_t size = sizeof(option) - 1;
	const char *path;

	*profiler = NULL;
	for (int i = 1; i < *argc && argv[i] && strcmp(argv[i], "--") != 0;
	     i++) {
		if (strncmp(argv[i], option, size) != 0 ||
		    (argv[i][size] && argv[i][size] != '='))
			continue;
		path = argv[i][size]   ? argv[i] + size + 1
		       : i + 1 < *argc ? argv[i + 1]
				       : NULL;
		if (!path || !path[0])
			return tl_error(-EINVAL, "--profiling needs a file");
		take_out(argc, argv, i, argv[i][size] ? 1 : 2);
		return timeline_profiler_open(profiler, path);
	}
	return 0;
}
