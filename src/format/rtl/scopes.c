/* SPDX-License-Identifier: Apache-2.0 */
/* scopes.c - texts of scopes to messages; see front/rtl_text.h. */
#include "format/rtl/scopes.h"

#include "base/text.h"
#include "format/rtl/line.h"
#include "front/rtl_text.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	LABEL_SIZE_MAX = 32 << 10, /* a longer name is an argument */
	KEPT_SIZE_MAX = 160,
	KEPT_COUNT = 1 << 12
};

struct kept {
	struct tl_rtl_meaning meaning;
	uint32_t size; /* size of the key + 1; 0: free */
	char what;
	char key[KEPT_SIZE_MAX];
};

struct tl_rtl_scopes {
	struct tl_interner *interner;
	struct tl_text text; /* text of the new message */
	struct kept kept[KEPT_COUNT];
};

int
tl_rtl_scopes_new(struct tl_rtl_scopes **scopes, struct tl_interner *interner)
{
	struct tl_rtl_scopes *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->interner = interner;
	*scopes = s;
	return 0;
}

void
tl_rtl_scopes_free(struct tl_rtl_scopes *scopes)
{
	if (!scopes)
		return;
	tl_text_free(&scopes->text);
	free(scopes);
}

/* Can the first line of a message hold a name? */
static bool
is_plain(struct tl_bytes name)
{
	return name.size > 0 && name.size <= LABEL_SIZE_MAX &&
	       !memchr(name.data, '$', name.size) &&
	       !memchr(name.data, '\0', name.size);
}

/* Append the name of a scope, or the argument that holds the name. */
static int
put_name(struct tl_rtl_scopes *s, struct tl_bytes name,
    struct tl_rtl_meaning *meaning)
{
	if (is_plain(name)) {
		tl_put_bytes(&s->text, name);
		return 0;
	}
	meaning->has_label = true;
	tl_put_string(&s->text, TL_RTL_LABEL);
	return tl_interner_string(s->interner, name, &meaning->label);
}

/* Define the message of s->text, with its author and its project. */
static int
define(struct tl_rtl_scopes *s, const struct tl_rtl_scope *scope, char what,
    struct tl_rtl_meaning *meaning)
{
	const struct tl_bytes category = scope->project.size > 0
					     ? scope->project
					     : tl_bytes_of(TL_RTL_CATEGORY);

	if (scope->author.size > 0 &&
	    !tl_bytes_equal(scope->author, tl_bytes_of("-"))) {
		tl_put_string(&s->text, "\n" TL_RTL_AUTHOR);
		tl_put_bytes(&s->text, scope->author);
	}
	if (s->text.rc < 0)
		return s->text.rc;
	return tl_interner_message(s->interner, category,
	    tl_bytes(s->text.data, s->text.size),
	    what == '|' ? TIMELINE_RECORD_INSTANT : TIMELINE_RECORD_SPAN,
	    TL_RTL_LEVEL, TIMELINE_THREAD, &meaning->message);
}

static int
make_meaning(struct tl_rtl_scopes *s, char what, struct tl_bytes bytes,
    struct tl_rtl_meaning *meaning)
{
	const struct tl_rtl_scope scope = tl_rtl_scope_parse(bytes);
	int rc = 0;

	*meaning = (struct tl_rtl_meaning){ 0 };
	tl_text_clear(&s->text);
	if (what != '|' || scope.name.size > 0)
		rc = put_name(s, scope.name, meaning);
	if (what == '|')
		tl_put_string(&s->text, scope.name.size > 0
					    ? TL_RTL_COLON TL_RTL_MESSAGE
					    : TL_RTL_MESSAGE);
	return rc < 0 ? rc : define(s, &scope, what, meaning);
}

/*
 * Append a name with ? for bad characters: the part of the scope took the
 * label.
 */
static void
put_harmless(struct tl_text *text, struct tl_bytes name)
{
	for (size_t i = 0; i < name.size && i < LABEL_SIZE_MAX; i++) {
		const char c = name.data[i];

		tl_put_char(text, c == '$' || c == '\0' ? '?' : c);
	}
}

int
tl_rtl_scopes_part(struct tl_rtl_scopes *s, struct tl_bytes bytes,
    struct tl_bytes part, struct tl_rtl_meaning *meaning)
{
	const struct tl_rtl_scope scope = tl_rtl_scope_parse(bytes);
	int rc = 0;

	*meaning = (struct tl_rtl_meaning){ 0 };
	tl_text_clear(&s->text);
	if (scope.name.size > 0 && is_plain(part)) {
		rc = put_name(s, scope.name, meaning);
	} else {
		put_harmless(&s->text, scope.name);
	}
	tl_put_string(&s->text, scope.name.size > 0 ? TL_RTL_COLON : ": ");
	if (rc == 0)
		rc = put_name(s, part, meaning);
	return rc < 0 ? rc : define(s, &scope, '{', meaning);
}

static struct kept *
place_of(struct tl_rtl_scopes *s, char what, struct tl_bytes key)
{
	const uint64_t odd = UINT64_C(0x9e6c63d0876a3f6b);
	uint64_t hash = (uint64_t)(uint8_t)what ^ key.size, word;
	size_t at = 0;

	for (; key.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, key.data + at, sizeof(word));
		hash = (hash ^ word) * odd;
		hash ^= hash >> 32;
	}
	for (; at < key.size; at++)
		hash = (hash ^ (uint8_t)key.data[at]) * odd;
	return &s->kept[(hash >> 40) % KEPT_COUNT];
}

int
tl_rtl_scopes_find(struct tl_rtl_scopes *s, char what, struct tl_bytes key,
    struct tl_rtl_meaning *meaning)
{
	struct kept *k = place_of(s, what, key);
	int rc;

	if (k->size == key.size + 1 && k->what == what &&
	    tl_bytes_equal(tl_bytes(k->key, key.size), key)) {
		*meaning = k->meaning;
		return 0;
	}
	rc = make_meaning(s, what, key, meaning);
	if (rc < 0 || key.size > KEPT_SIZE_MAX)
		return rc;
	k->size = (uint32_t)key.size + 1;
	k->what = what;
	k->meaning = *meaning;
	if (key.size > 0)
		memcpy(k->key, key.data, key.size);
	return 0;
}
