/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - values of a configuration: tables and their keys, durations, sizes,
 * globs, users, addresses.
 */
#include "daemon/config/read.h"

#include "base/file.h"
#include "base/ns.h"
#include "base/options.h"
#include "base/text.h"
#include "daemon/serve/listen.h"
#include "event/message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* == memory == */

struct tl_config_block {
	struct tl_config_block *next;
	max_align_t data[];
};

void *
tl_config_allocate(struct tl_config_reader *r, size_t size)
{
	struct tl_config_memory *memory = r->memory;
	struct tl_config_block *block = calloc(1, sizeof(*block) + size);

	if (!block) {
		tl_fail(r->fault, -ENOMEM, "out of memory");
		return NULL;
	}
	block->next = memory->blocks;
	memory->blocks = block;
	return block->data;
}

void
tl_config_memory_free(struct tl_config_memory *memory)
{
	struct tl_config_block *block;

	while ((block = memory->blocks)) {
		memory->blocks = block->next;
		free(block);
	}
	tl_data_free(memory->data);
	memory->data = NULL;
}

const char *
tl_config_copy(struct tl_config_reader *r, const char *text)
{
	char *made = tl_config_allocate(r, strlen(text) + 1);

	return made ? strcpy(made, text) : NULL;
}

int
tl_config_wrong(const struct tl_config_reader *r, const struct tl_data *value,
    const char *format, ...)
{
	char words[TL_FAULT_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	return tl_data_fault(value, r->fault, -EINVAL, "%s", words);
}

/* == tables == */

/* Refuse a value whose key is not in the list. */
static int
check_key(struct tl_config_reader *r, const struct tl_data *value,
    const struct tl_config_key *keys)
{
	struct tl_near near = tl_near_to(value->name);
	struct tl_text names = { 0 };
	int rc;

	for (; keys->name && strcmp(keys->name, value->name) != 0; keys++) {
		tl_near_try(&near, keys->name);
		tl_put_char(&names, ' ');
		tl_put_string(&names, keys->name);
	}
	if (keys->name)
		rc = 0;
	else if (near.best[0])
		rc = tl_config_wrong(r, value, "unknown key; did you mean %s?",
		    near.best);
	else
		rc = tl_config_wrong(r, value, "unknown key; known keys:%s",
		    tl_text_string(&names));
	tl_text_free(&names);
	return rc;
}

int
tl_config_read_keys(struct tl_config_reader *r, const struct tl_data *table,
    const struct tl_config_key *keys, void *to)
{
	int rc = 0;

	if (table->kind != TL_DATA_TABLE)
		return tl_config_wrong(r, table, "not a table { }");
	if (table->list_count > 0)
		return tl_config_wrong(r, &table->items[0],
		    "a value without a key");
	for (size_t i = 0; rc == 0 && i < table->count; i++)
		rc = check_key(r, &table->items[i], keys);
	for (; rc == 0 && keys->name; keys++) {
		const struct tl_data *value = tl_data_get(table, keys->name);

		r->key = keys;
		if (value)
			rc = keys->read(r, value, (char *)to + keys->offset);
		else if (keys->required)
			rc = tl_config_wrong(r, table, "'%s' is missing",
			    keys->name);
	}
	return rc;
}

int
tl_config_table(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	return tl_config_read_keys(r, value, r->key->keys, to);
}

int
tl_config_switch(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	bool *on = to;

	if (value->kind == TL_DATA_FLAG)
		return tl_config_flag(r, value, on);
	*on = true;
	return tl_config_table(r, value, to);
}

int
tl_config_check_list(struct tl_config_reader *r, const struct tl_data *list,
    size_t count_max)
{
	if (list->kind != TL_DATA_TABLE)
		return tl_config_wrong(r, list, "not a list { }");
	if (list->count > list->list_count)
		return tl_config_wrong(r, &list->items[list->list_count],
		    "a key in a list: put each element in { } of its own");
	if (list->count == 0)
		return tl_config_wrong(r, list, "an empty list");
	if (list->count > count_max)
		return tl_config_wrong(r, list, "more than %zu elements",
		    count_max);
	return 0;
}

/* A unit of durations or sizes. */
struct unit {
	const char *name;
	uint64_t value;
};

static const struct unit durations[] = {
	{ "d", TL_CONFIG_DAY_NS },
	{ "h", TL_NS_PER_H },
	{ "m", 60 * TL_NS_PER_S },
	{ "s", TL_NS_PER_S },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};
static const struct unit sizes[] = {
	{ "T", UINT64_C(1) << 40 },
	{ "G", UINT64_C(1) << 30 },
	{ "M", UINT64_C(1) << 20 },
	{ "K", UINT64_C(1) << 10 },
	{ "", 1 },
};

/* == with units == */

/* Put an amount with the largest unit that gives a whole number: 3600000000000
 * ns as 1h. */
static void
put_amount(struct tl_text *text, const struct unit *units, uint64_t n)
{
	while (n % units->value != 0 || (n == 0 && units->value != 1))
		units++;
	tl_put_unsigned(text, n / units->value);
	tl_put_string(text, units->name);
}

static int
check_bounds(struct tl_config_reader *r, const struct tl_data *value,
    const struct unit *units, uint64_t n)
{
	struct tl_text words = { 0 };
	int rc;

	if (n >= r->key->min && n <= r->key->max)
		return 0;
	tl_put_string(&words, "not between ");
	put_amount(&words, units, r->key->min);
	tl_put_string(&words, " and ");
	put_amount(&words, units, r->key->max);
	rc = tl_config_wrong(r, value, "%s", tl_text_string(&words));
	tl_text_free(&words);
	return rc;
}

int
tl_config_duration(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	int64_t parsed;
	int rc;

	if (value->kind == TL_DATA_INTEGER || value->kind == TL_DATA_REAL ||
	    (value->kind == TL_DATA_TEXT && strcmp(value->text, "0") != 0 &&
		value->text[strspn(value->text, "+-0123456789.")] == '\0'))
		return tl_config_wrong(r, value,
		    "a number without a unit; write it like \"10ms\"");
	if (value->kind != TL_DATA_TEXT ||
	    (rc = tl_parse_duration(value->text, &parsed)) == -EINVAL)
		return tl_config_wrong(r, value, "not a duration like 100us");
	if (rc < 0 || parsed < 0)
		parsed = rc < 0 && value->text[0] != '-' ? INT64_MAX : -1;
	rc = check_bounds(r, value, durations, (uint64_t)parsed);
	if (rc == 0)
		*(uint64_t *)to = (uint64_t)parsed;
	return rc;
}

int
tl_config_size(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	uint64_t n = UINT64_MAX; /* fails check_bounds below */
	int rc = -EINVAL;

	if (value->kind == TL_DATA_TEXT) {
		rc = tl_parse_size(value->text, &n);
	} else if (value->kind == TL_DATA_INTEGER) {
		rc = 0;
		if (value->integer >= 0)
			n = (uint64_t)value->integer;
	}
	if (rc == -EINVAL)
		return tl_config_wrong(r, value,
		    "not a number like 5000 or \"64M\"");
	if (rc == -ERANGE)
		n = UINT64_MAX;
	if ((rc = check_bounds(r, value, sizes, n)) == 0)
		*(uint64_t *)to = n;
	return rc;
}

/* == numbers == */

int
tl_config_flag(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	if (value->kind != TL_DATA_FLAG)
		return tl_config_wrong(r, value, "not true or false");
	*(bool *)to = value->flag;
	return 0;
}

int
tl_config_number(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	if (value->kind != TL_DATA_INTEGER || value->integer < 0 ||
	    (uint64_t)value->integer < r->key->min ||
	    (uint64_t)value->integer > r->key->max)
		return tl_config_wrong(r, value,
		    "not a whole number from %lu to %lu", r->key->min,
		    r->key->max);
	*(uint32_t *)to = (uint32_t)value->integer;
	return 0;
}

int
tl_config_real(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	if ((value->kind != TL_DATA_INTEGER && value->kind != TL_DATA_REAL) ||
	    !isfinite(value->real))
		return tl_config_wrong(r, value, "not a number");
	*(double *)to = value->real;
	return 0;
}

int
tl_config_share(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	const double *share = to;

	if (tl_config_real(r, value, to) < 0)
		return -EINVAL;
	if (*share < 0 || *share > 1)
		return tl_config_wrong(r, value, "not between 0 and 1");
	return 0;
}

int
tl_config_mode(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	static const char octal[] = "01234567";
	uint32_t *mode = to;
	size_t size;

	if (value->kind != TL_DATA_TEXT)
		return tl_config_wrong(r, value,
		    "not a mode in quotes like \"0640\"");
	size = strspn(value->text, octal);
	if (size < 3 || size > 4 || value->text[size] != '\0' ||
	    (size == 4 && value->text[0] != '0'))
		return tl_config_wrong(r, value, "not a mode like \"0640\"");
	*mode = (uint32_t)strtoul(value->text, NULL, 8);
	if ((*mode & 0600) != 0600)
		return tl_config_wrong(r, value,
		    "a mode that does not let the owner read and write");
	return 0;
}

/* == texts == */

int
tl_config_text(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	if (value->kind != TL_DATA_TEXT)
		return tl_config_wrong(r, value, "not a string");
	if (value->text[0] == '\0')
		return tl_config_wrong(r, value, "an empty string");
	*(const char **)to = value->text;
	return 0;
}

int
tl_config_path(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	const int rc = tl_config_text(r, value, to);

	if (rc == 0 && value->text[0] != '/')
		return tl_config_wrong(r, value, "not an absolute path");
	return rc;
}

bool
tl_config_is_glob(const char *text)
{
	return strpbrk(text, "*?[\\") != NULL;
}

/* Read a glob.  fnmatch takes an unclosed bracket literally, and the user did
 * not mean that. */
int
tl_config_glob(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	const int rc = tl_config_text(r, value, to);

	if (rc < 0)
		return rc;
	for (const char *at = value->text; *at; at++) {
		if (*at == '\\' && *++at == '\0')
			return tl_config_wrong(r, value,
			    "a glob that ends in \\");
		if (*at != '[')
			continue;
		at += at[1] == '!' || at[1] == '^' ? 2 : 1;
		at = *at ? strchr(at + 1, ']') : NULL;
		if (!at)
			return tl_config_wrong(r, value,
			    "a glob with [ but no ]");
	}
	return 0;
}

int
tl_config_gate(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	const char *name = "";
	struct tl_fault unknown = { 0 };
	int rc, parsed;

	if ((rc = tl_config_text(r, value, &name)) < 0)
		return rc;
	parsed = strcmp(name, "off") == 0 ? TIMELINE_LEVEL_NONE
					  : tl_level_usage(name, &unknown);
	if (parsed <= 0)
		return tl_config_wrong(r, value, "%s", unknown.text);
	*(uint8_t *)to = (uint8_t)parsed;
	return 0;
}

int
tl_config_level(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	const int rc = tl_config_gate(r, value, to);

	if (rc == 0 && *(uint8_t *)to == TIMELINE_LEVEL_NONE)
		return tl_config_wrong(r, value, "\"off\" is not allowed here");
	return rc;
}

/* == users == */

int
tl_config_find_user(struct tl_config_reader *r, const struct tl_data *value,
    uid_t *uid)
{
	const struct passwd *user;
	uint64_t number;

	if (value->kind == TL_DATA_INTEGER && value->integer >= 0 &&
	    value->integer < UINT32_MAX) { /* (uid_t)-1 is no user */
		*uid = (uid_t)value->integer;
		return 0;
	}
	if (value->kind != TL_DATA_TEXT)
		return tl_config_wrong(r, value, "not a user name or ID");
	if (tl_parse_unsigned(value->text, &number) == 0 &&
	    number < UINT32_MAX) {
		*uid = (uid_t)number;
		return 0;
	}
	if (!(user = getpwnam(value->text)))
		return tl_config_wrong(r, value, "unknown user '%.40s'",
		    value->text);
	*uid = user->pw_uid;
	return 0;
}

/* Read a user.  A number becomes the name of its user, because groups are found
 * by name. */
int
tl_config_user(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	const char **member = to;
	const struct passwd *user;
	uid_t uid;
	const int rc = tl_config_find_user(r, value, &uid);

	if (rc < 0)
		return rc;
	if (!(user = getpwuid(uid)))
		return tl_config_wrong(r, value, "unknown user ID %u",
		    (unsigned)uid);
	*member = tl_config_copy(r, user->pw_name);
	return *member ? 0 : -ENOMEM;
}

/* == addresses == */

/* Is text a name like localhost?  A text without a letter is a number or
 * invalid. */
static bool
is_host_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *all = text;

	if (!strpbrk(text, letters))
		return false;
	while (*all && (strchr(letters, *all) || strchr("0123456789.-", *all)))
		all++;
	return *all == '\0' && text[0] != '-';
}

/* Is it "127.0.0.1:9464", "[::1]:9464" or "localhost:9464"? */
static bool
is_address(const char *text)
{
	unsigned char parsed[sizeof(struct in6_addr)];
	struct tl_tcp_address address;
	struct tl_fault fault = { 0 };

	if (tl_tcp_address_parse(&address, text, &fault) < 0)
		return false;
	if (text[0] == '[')
		return inet_pton(AF_INET6, address.host, parsed) == 1;
	return inet_pton(AF_INET, address.host, parsed) == 1 ||
	       is_host_name(address.host);
}

/* The value false disables an address. */
static bool
is_off(const struct tl_data *value)
{
	return value->kind == TL_DATA_FLAG && !value->flag;
}

int
tl_config_address(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	if (!is_off(value) &&
	    (value->kind != TL_DATA_TEXT || !is_address(value->text)))
		return tl_config_wrong(r, value,
		    "not an address like \"127.0.0.1:9464\" or \"[::1]:9464\", "
		    "nor false");
	*(const char **)to = is_off(value) ? NULL : value->text;
	return 0;
}

int
tl_config_socket(struct tl_config_reader *r, const struct tl_data *value,
    void *to)
{
	static const struct sockaddr_un address;
	int rc = 0;

	if (is_off(value))
		*(const char **)to = NULL;
	else
		rc = tl_config_path(r, value, to);
	if (rc == 0 && value->kind == TL_DATA_TEXT &&
	    strlen(value->text) >= sizeof(address.sun_path))
		return tl_config_wrong(r, value, "longer than %zu bytes",
		    sizeof(address.sun_path) - 1);
	return rc;
}
