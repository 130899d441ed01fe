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
 * Without a timeline marks go to an LMS profile, the CSV of --profiling:
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
#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "base/word.h"
#include "front/front.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <timeline_profiler.h>
#include <unistd.h>

enum {
	SLOTS = 1 << 13, /* a power of two */
	LABELS_MAX = SLOTS / 2
};

/* The label of a mark: the name (a string), its size and its hash. */
struct key {
	const char *name;
	size_t size;
	uint64_t hash;
};

/* == a profile == */

struct label {
	size_t size;
	bool is_written; /* the line of the label */
	char name[];
};

struct profile {
	struct tl_log_file file;
	pthread_mutex_t lock; /* guards the members below */
	struct tl_text line;
	struct tl_table table; /* of labels, by name */
	struct label **labels; /* by id */
	size_t count;
	size_t capacity;
	int64_t last_us;
	pid_t pid;
	/* marks without memory, without room in the file system, or of a
	 * forked process; also changed without the lock */
	uint64_t lost;
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
find_label(struct profile *p, const struct key *key, size_t *id)
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
mark_locked(struct profile *p, const struct key *key, int is_end)
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

/* Write the line of a mark, in order of time; a new label has a line of its own
 * before the mark.  Any thread of the process that opened the profile may
 * call. */
static void
profile_mark(struct profile *p, const struct key *key, int is_end)
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

/* Does the text begin as a profile does? */
static bool
is_profile(const char *start)
{
	return start[0] >= '0' && start[0] <= '2' && start[1] == ',' &&
	       (start[2] == '-' || (start[2] >= '0' && start[2] <= '9'));
}

/* Open a profile at a path; time starts now.  A profile of an earlier run is
 * replaced.  Returns 0, an error of tl_log_file_open, or -ENOMEM. */
static int
profile_open(struct profile **profile, const char *path)
{
	struct profile *p = calloc(1, sizeof(*p));
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

static void
profile_close(struct profile *p)
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

/* == labels in a timeline == */

struct entry {
	struct tl_front_label label;
	uint64_t hash;
	size_t size; /* of the name, without its NUL */
	char name[];
};

struct timeline_profiler {
	struct timeline *tl;     /* NULL: there is a profile */
	struct profile *profile; /* NULL: there is a timeline */
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
find(const struct timeline_profiler *p, const struct key *key, size_t *slot)
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
add_locked(struct timeline_profiler *p, const struct key *key,
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
mark_new(struct timeline_profiler *p, const struct key *key, int is_end)
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
	const struct key key = { name, size, hash_of(name, size) };
	const struct entry *e;
	size_t slot;

	if (p->profile) {
		profile_mark(p->profile, &key, is_end);
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
	return tl_load_64(
	    profiler->profile ? &profiler->profile->lost : &profiler->lost);
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
		rc = profile_open(&(*profiler)->profile, path);
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
	profile_close(profiler->profile);
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
