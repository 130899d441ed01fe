/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox_fixture.h - a profile in memory, and what stands at a path of it:
 * "threads.0.markers.phase.2".
 */
#ifndef TESTS_UNIT_FIREFOX_FIXTURE_H
#define TESTS_UNIT_FIREFOX_FIXTURE_H

#include "base/json.h"
#include "format/firefox/write.h"
#include "lib/spans_written.h"
#include "lib/test.h"
#include "lib/viewers.h"

/* An assertion for millions of things: those of Check write a mark each. */
#define MUST(condition) \
	do { \
		if (!(condition)) \
			ck_abort_msg("not: %s", #condition); \
	} while (0)

enum { DEPTH_MAX = 12, COLUMNS_MAX = 16, KEY_MAX = 160 };

/* An object or array that is open. */
struct level {
	bool is_array;
	uint64_t count; /* of values so far */
	char key[KEY_MAX];
	bool has_length; /* an object that is a table: all its arrays ... */
	uint64_t length; /* ... have as many values */
	uint64_t columns[COLUMNS_MAX];
	unsigned column_count;
};

struct walk {
	struct level levels[DEPTH_MAX];
	unsigned depth;
	/* Told of each value that is no object or array. */
	void (*value)(struct walk *walk, int kind, struct tl_bytes text);
	const char *wanted;
	char found[4096];
	unsigned times;
	uint64_t tables;
	void *user;
};

static inline void
walk_open(struct walk *w, bool is_array)
{
	MUST(w->depth + 1 < DEPTH_MAX);
	if (w->depth > 0)
		w->levels[w->depth].count++;
	w->depth++;
	w->levels[w->depth] = (struct level){ .is_array = is_array };
}

static inline void
walk_close(struct walk *w)
{
	struct level *level = &w->levels[w->depth];
	struct level *outer = &w->levels[w->depth - 1];

	if (level->is_array && !outer->is_array) {
		MUST(outer->column_count < COLUMNS_MAX);
		outer->columns[outer->column_count++] = level->count;
	}
	for (unsigned i = 0; level->has_length && i < level->column_count; i++)
		MUST(level->columns[i] == level->length);
	w->tables += level->has_length;
	w->depth--;
}

/* Where the walk is: "threads.0.name". */
static inline void
walk_path(const struct walk *w, char *path, size_t size)
{
	size_t at = 0;

	for (unsigned i = 1; i <= w->depth && at < size; i++) {
		const struct level *level = &w->levels[i];

		at += (size_t)(level->is_array
				   ? snprintf(path + at, size - at, "%s%llu",
					 i > 1 ? "." : "",
					 (unsigned long long)level->count - 1)
				   : snprintf(path + at, size - at, "%s%s",
					 i > 1 ? "." : "", level->key));
	}
}

static inline void
walk_value(struct walk *w, int kind, struct tl_bytes text)
{
	struct level *level = &w->levels[w->depth];

	level->count++;
	if (!level->is_array && strcmp(level->key, "length") == 0) {
		char digits[32] = "";

		MUST(kind == TL_JSON_NUMBER);
		memcpy(digits, text.data, text.size);
		level->has_length = true;
		level->length = strtoull(digits, NULL, 10);
	}
	if (w->value)
		w->value(w, kind, text);
}

static inline void
walk_token(struct walk *w, int kind, const struct tl_json_token *token)
{
	struct level *level = &w->levels[w->depth];

	switch (kind) {
	case TL_JSON_OBJECT:
	case TL_JSON_ARRAY:
		walk_open(w, kind == TL_JSON_ARRAY);
		break;
	case TL_JSON_OBJECT_END:
	case TL_JSON_ARRAY_END:
		walk_close(w);
		break;
	case TL_JSON_KEY:
		MUST(token->text.size < KEY_MAX);
		memcpy(level->key, token->text.data, token->text.size);
		level->key[token->text.size] = '\0';
		break;
	default:
		walk_value(w, kind, token->text);
	}
}

/* All of a profile, which must be whole. */
static inline void
walk(struct walk *w, struct tl_bytes profile)
{
	struct tl_json json = { 0 };
	struct tl_json_token token;
	int kind;

	w->depth = 0;
	tl_json_feed(&json, profile);
	while ((kind = tl_json_next(&json, &token)) > 0)
		walk_token(w, kind, &token);
	ck_assert_int_eq(kind, TL_JSON_MORE);
	tl_json_finish(&json);
	ck_assert_int_eq(tl_json_next(&json, &token), TL_JSON_END);
	ck_assert_uint_eq(w->depth, 0);
	tl_json_free(&json);
}

static inline void
look(struct walk *w, int kind, struct tl_bytes text)
{
	char path[2048];

	walk_path(w, path, sizeof(path));
	if (strcmp(path, w->wanted) != 0)
		return;
	ck_assert_uint_lt(text.size, sizeof(w->found) - 2);
	snprintf(w->found, sizeof(w->found), "%s%.*s%s",
	    kind == TL_JSON_STRING ? "'" : "", (int)text.size, text.data,
	    kind == TL_JSON_STRING ? "'" : "");
	if (kind == TL_JSON_NULL)
		strcpy(w->found, "null");
	if (kind == TL_JSON_TRUE || kind == TL_JSON_FALSE)
		strcpy(w->found, kind == TL_JSON_TRUE ? "true" : "false");
	w->times++;
}

/* What stands at a path, strings as 'text'; "" where nothing does. */
static inline const char *
at(const struct tl_text *profile, const char *path)
{
	static struct walk w;

	w = (struct walk){ .value = look, .wanted = path };
	walk(&w, tl_bytes(profile->data, profile->size));
	ck_assert_uint_le(w.times, 1);
	return w.found;
}

#define is_at(path, text) ck_assert_str_eq(at(&f.out, path), text)

#define MARKERS "threads.0.markers."

static inline void
setup(void)
{
	start_writer(tl_firefox_write_new);
}

static inline void
teardown(void)
{
	foreign_free(&f);
}

static inline void
finish(void)
{
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
}

static inline void
put(const struct tl_event *event)
{
	MUST(f.writer->sink.put(&f.writer->sink, event) == 0);
}

static inline void
put_set(enum viewers_set set, uint64_t count)
{
	struct tl_event event = { 0 };

	for (uint64_t i = 0; i < count && viewers_event(set, i, &event); i++)
		put(&event);
	finish();
}

/* Do tables have columns of one length?  How many tables there are. */
static inline uint64_t
check_tables(void)
{
	static struct walk w;

	w = (struct walk){ 0 };
	walk(&w, tl_bytes(f.out.data, f.out.size));
	return w.tables;
}

enum { SHARED_TABLES = 6 };

struct phases {
	uint64_t count[4];
};

static inline void
count_phase(struct walk *w, int kind, struct tl_bytes text)
{
	struct phases *phases = w->user;
	const struct level *outer = &w->levels[w->depth - 1];

	if (kind == TL_JSON_NUMBER && w->depth > 3 &&
	    strcmp(outer->key, "phase") == 0)
		phases->count[text.data[0] - '0']++;
}

static inline struct phases
count_phases(void)
{
	static struct walk w;
	struct phases phases = { 0 };

	w = (struct walk){ .value = count_phase, .user = &phases };
	walk(&w, tl_bytes(f.out.data, f.out.size));
	return phases;
}

#endif
