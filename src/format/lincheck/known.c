/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_known.c - bodies to definitions, definitions to ids. */
#include "format/lincheck/known.h"

#include <errno.h>
#include <stdlib.h>

/* Is an id free?  Then it is taken: 1; 0; -ENOSPC, -ENOMEM. */
static int
use(struct tl_lincheck_known *k, uint8_t kind, int32_t id)
{
	uint32_t number;

	return tl_numbers_get(&k->used,
	    (struct tl_number_key){ kind, (uint32_t)id }, &number);
}

static int
choose_id(struct tl_lincheck_known *k, uint8_t kind, int32_t wanted,
    int32_t *id)
{
	int rc = wanted >= 0 ? use(k, kind, wanted) : 0;

	*id = wanted;
	k->moved |= wanted >= 0 && rc == 0;
	while (rc == 0) {
		*id = k->next[kind]++;
		if (kind == TL_LINCHECK_STRING) /* counted from 1 */
			++*id;
		rc = use(k, kind, *id);
	}
	return rc < 0 ? rc : 0;
}

static int
number_of(struct tl_lincheck_known *k, uint8_t kind, int32_t wanted,
    struct tl_bytes body, uint64_t *number)
{
	struct tl_text key = { 0 };
	int rc;

	tl_put_char(&key, (char)kind);
	tl_put_bytes(&key, tl_bytes(&wanted, sizeof(wanted)));
	tl_put_bytes(&key, body);
	rc = key.rc;
	if (rc == 0 && key.size > TL_DEFINER_TEXT_MAX)
		rc = -ENOSPC; /* two might be taken for one */
	if (rc == 0)
		rc = tl_definer_string(k->bodies, tl_bytes(key.data, key.size),
		    number);
	tl_text_free(&key);
	return rc;
}

static int
make(struct tl_lincheck_known *k, uint8_t kind, int32_t wanted,
    struct tl_bytes body, struct tl_lincheck_definition *d)
{
	int32_t id;
	const int rc = choose_id(k, kind, wanted, &id);
	char *copy = rc == 0 ? malloc(body.size) : NULL;

	if (!copy)
		return rc < 0 ? rc : -ENOMEM;
	memcpy(copy, body.data, body.size);
	*d = (struct tl_lincheck_definition){ .body = copy,
		.size = (uint32_t)body.size,
		.id = id,
		.kind = kind };
	return 0;
}

int
tl_lincheck_known_add(struct tl_lincheck_known *k, uint8_t kind, int32_t wanted,
    struct tl_bytes body, uint32_t *number)
{
	void *definitions = k->definitions;
	uint64_t string;
	int rc = number_of(k, kind, wanted, body, &string);

	if (rc < 0)
		return rc;
	if (string > TL_NUMBERS_MAX)
		return -ENOSPC;
	*number = (uint32_t)string - 1;
	if (*number >= k->capacity) {
		rc = tl_numbers_room(&definitions, &k->capacity, *number,
		    sizeof(*k->definitions));
		k->definitions = definitions;
	}
	if (rc < 0 || k->definitions[*number].body)
		return rc;
	return make(k, kind, wanted, body, &k->definitions[*number]);
}

void
tl_lincheck_known_free(struct tl_lincheck_known *k)
{
	for (size_t i = 0; i < k->capacity; i++)
		free(k->definitions[i].body);
	free(k->definitions);
	tl_numbers_free(&k->used);
	tl_definer_free(k->bodies);
}
