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
#include "event/message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <pwd.h>
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
tl_config_allocate(struct tl_config_reader *reader, size_t size)
{
	struct tl_config_memory *memory = reader->memory;
	struct tl_config_block *block = calloc(1, sizeof(*block) + size);

	if (!block) {
		tl_fail(reader->fault, -ENOMEM, "out of memory");
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
tl_config_copy(struct tl_config_reader *reader, const char *text)
{
	char *made = tl_config_allocate(reader, strlen(text) + 1);

	return made ? strcpy(made, text) : NULL;
}

/* == tables == */

static const struct tl_config_key *
find_key(const struct tl_config_key *keys, const char *name)
{
	while (keys->name && strcmp(keys->name, name) != 0)
		keys++;
	return keys->name ? keys : NULL;
}

static int
refuse_key(const struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *keys)
{
	struct tl_near near = tl_near_to(value->name);
	struct tl_text names = { 0 };
	int rc;

	for (; keys->name; keys++) {
		tl_near_try(&near, keys->name);
		tl_put_char(&names, ' ');
		tl_put_string(&names, keys->name);
	}
	if (near.best[0])
		rc = tl_data_fault(value, reader->fault, -EINVAL,
		    "unknown key; did you mean %s?", near.best);
	else
		rc = tl_data_fault(value, reader->fault, -EINVAL,
		    "unknown key; known keys:%s", tl_text_string(&names));
	tl_text_free(&names);
	return rc;
}

static int
check_keys(const struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *keys)
{
	if (table->kind != TL_DATA_TABLE)
		return tl_data_fault(table, reader->fault, -EINVAL,
		    "not a table { }");
	if (table->list_count > 0)
		return tl_data_fault(&table->items[0], reader->fault, -EINVAL,
		    "a value without a key");
	for (size_t i = 0; i < table->count; i++)
		if (!find_key(keys, table->items[i].name))
			return refuse_key(reader, &table->items[i], keys);
	return 0;
}

int
tl_config_read_keys(struct tl_config_reader *reader,
    const struct tl_data *table, const struct tl_config_key *keys, void *to)
{
	int rc = check_keys(reader, table, keys);

	for (; rc == 0 && keys->name; keys++) {
		const struct tl_data *value = tl_data_get(table, keys->name);

		if (value)
			rc = keys->read(reader, value, keys,
			    (char *)to + keys->offset);
		else if (keys->required)
			rc = tl_data_fault(table, reader->fault, -EINVAL,
			    "'%s' is missing", keys->name);
	}
	return rc;
}

int
tl_config_check_list(struct tl_config_reader *reader,
    const struct tl_data *list, size_t count_max)
{
	if (list->kind != TL_DATA_TABLE)
		return tl_data_fault(list, reader->fault, -EINVAL,
		    "not a list { }");
	if (list->count > list->list_count)
		return tl_data_fault(&list->items[list->list_count],
		    reader->fault, -EINVAL,
		    "a key in a list: put each element in { } of its own");
	if (list->count == 0)
		return tl_data_fault(list, reader->fault, -EINVAL,
		    "an empty list");
	if (list->count > count_max)
		return tl_data_fault(list, reader->fault, -EINVAL,
		    "more than %zu elements", count_max);
	return 0;
}

enum { ADDRESS_MAX = 256, PORT_MAX = 65535 };

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

static int
wrong(const struct tl_config_reader *reader, const struct tl_data *value,
    const char *words)
{
	return tl_data_fault(value, reader->fault, -EINVAL, "%s", words);
}

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
check_bounds(const struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, const struct unit *units, uint64_t n)
{
	struct tl_text words = { 0 };
	int rc;

	if (n >= key->min && n <= key->max)
		return 0;
	tl_put_string(&words, "not between ");
	put_amount(&words, units, key->min);
	tl_put_string(&words, " and ");
	put_amount(&words, units, key->max);
	rc = wrong(reader, value, tl_text_string(&words));
	tl_text_free(&words);
	return rc;
}

int
tl_config_duration(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	uint64_t *ns = to;
	int64_t parsed;
	int rc;

	if (value->kind == TL_DATA_INTEGER || value->kind == TL_DATA_REAL)
		return wrong(reader, value,
		    "a number without a unit; write it like \"10ms\"");
	if (value->kind == TL_DATA_TEXT && strcmp(value->text, "0") != 0 &&
	    value->text[strspn(value->text, "+-0123456789.")] == '\0')
		return wrong(reader, value,
		    "a number without a unit; write it like \"10ms\"");
	if (value->kind != TL_DATA_TEXT ||
	    (rc = tl_parse_duration(value->text, &parsed)) == -EINVAL)
		return wrong(reader, value, "not a duration like 100us");
	if (rc < 0 || parsed < 0)
		parsed = rc < 0 && value->text[0] != '-' ? INT64_MAX : -1;
	rc = check_bounds(reader, value, key, durations, (uint64_t)parsed);
	if (rc == 0)
		*ns = (uint64_t)parsed;
	return rc;
}

int
tl_config_size(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	uint64_t *size = to;
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
		return wrong(reader, value,
		    "not a number like 5000 or \"64M\"");
	if (rc == -ERANGE)
		n = UINT64_MAX;
	if ((rc = check_bounds(reader, value, key, sizes, n)) == 0)
		*size = n;
	return rc;
}

/* == numbers == */

int
tl_config_flag(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	bool *flag = to;

	(void)key;
	if (value->kind != TL_DATA_FLAG)
		return wrong(reader, value, "not true or false");
	*flag = value->flag;
	return 0;
}

int
tl_config_number(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	uint32_t *number = to;

	if (value->kind != TL_DATA_INTEGER || value->integer < 0 ||
	    (uint64_t)value->integer < key->min ||
	    (uint64_t)value->integer > key->max)
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "not a whole number from %llu to %llu",
		    (unsigned long long)key->min, (unsigned long long)key->max);
	*number = (uint32_t)value->integer;
	return 0;
}

int
tl_config_real(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	double *real = to;

	(void)key;
	if ((value->kind != TL_DATA_INTEGER && value->kind != TL_DATA_REAL) ||
	    !isfinite(value->real))
		return wrong(reader, value, "not a number");
	*real = value->real;
	return 0;
}

int
tl_config_share(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	double share = 0;
	double *member = to;

	if (tl_config_real(reader, value, key, &share) < 0)
		return -EINVAL;
	if (share < 0 || share > 1)
		return wrong(reader, value, "not between 0 and 1");
	*member = share;
	return 0;
}

int
tl_config_mode(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	static const char octal[] = "01234567";
	uint32_t *mode = to;
	size_t size;

	(void)key;
	if (value->kind != TL_DATA_TEXT)
		return wrong(reader, value,
		    "not a mode in quotes like \"0640\"");
	size = strspn(value->text, octal);
	if (size < 3 || size > 4 || value->text[size] != '\0' ||
	    (size == 4 && value->text[0] != '0'))
		return wrong(reader, value, "not a mode like \"0640\"");
	*mode = (uint32_t)strtoul(value->text, NULL, 8);
	if ((*mode & 0600) != 0600)
		return wrong(reader, value,
		    "a mode that does not let the owner read and write");
	return 0;
}

/* == texts == */

int
tl_config_text(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char **text = to;

	(void)key;
	if (value->kind != TL_DATA_TEXT)
		return wrong(reader, value, "not a string");
	if (value->text[0] == '\0')
		return wrong(reader, value, "an empty string");
	*text = value->text;
	return 0;
}

int
tl_config_path(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char *path = "";
	const char **member = to;
	int rc;

	if ((rc = tl_config_text(reader, value, key, &path)) < 0)
		return rc;
	if (path[0] != '/')
		return wrong(reader, value, "not an absolute path");
	*member = path;
	return 0;
}

bool
tl_config_is_glob(const char *text)
{
	return strpbrk(text, "*?[\\") != NULL;
}

/* Read a glob.  fnmatch takes an unclosed bracket literally, and the user did
 * not mean that. */
int
tl_config_glob(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char **glob = to;
	int rc;

	if ((rc = tl_config_text(reader, value, key, glob)) < 0)
		return rc;
	for (const char *at = *glob; *at; at++) {
		if (*at == '\\' && *++at == '\0')
			return wrong(reader, value, "a glob that ends in \\");
		if (*at != '[')
			continue;
		at += at[1] == '!' || at[1] == '^' ? 2 : 1;
		at = *at ? strchr(at + 1, ']') : NULL;
		if (!at)
			return wrong(reader, value, "a glob with [ but no ]");
	}
	return 0;
}

int
tl_config_gate(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	uint8_t *level = to;
	const char *name = "";
	struct tl_fault unknown = { 0 };
	int parsed;
	int rc;

	if ((rc = tl_config_text(reader, value, key, &name)) < 0)
		return rc;
	parsed = strcmp(name, "off") == 0 ? TIMELINE_LEVEL_NONE
					  : tl_level_usage(name, &unknown);
	if (parsed <= 0)
		return tl_data_fault(value, reader->fault, -EINVAL, "%s",
		    unknown.text);
	*level = (uint8_t)parsed;
	return 0;
}

int
tl_config_level(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	uint8_t *level = to;
	const int rc = tl_config_gate(reader, value, key, level);

	if (rc == 0 && *level == TIMELINE_LEVEL_NONE)
		return wrong(reader, value, "\"off\" is not allowed here");
	return rc;
}

/* == users == */

int
tl_config_find_user(struct tl_config_reader *reader,
    const struct tl_data *value, uid_t *uid)
{
	const struct passwd *user;
	uint64_t number;

	if (value->kind == TL_DATA_INTEGER && value->integer >= 0 &&
	    value->integer < UINT32_MAX) { /* (uid_t)-1 is no user */
		*uid = (uid_t)value->integer;
		return 0;
	}
	if (value->kind != TL_DATA_TEXT)
		return wrong(reader, value, "not a user name or ID");
	if (tl_parse_unsigned(value->text, &number) == 0 &&
	    number < UINT32_MAX) {
		*uid = (uid_t)number;
		return 0;
	}
	if (!(user = getpwnam(value->text)))
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "unknown user '%.40s'", value->text);
	*uid = user->pw_uid;
	return 0;
}

/* Read a user.  A number becomes the name of its user, because groups are found
 * by name. */
int
tl_config_user(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char **member = to;
	const struct passwd *user;
	uid_t uid;
	int rc;

	(void)key;
	if ((rc = tl_config_find_user(reader, value, &uid)) < 0)
		return rc;
	if (!(user = getpwuid(uid)))
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "unknown user ID %u", (unsigned)uid);
	*member = tl_config_copy(reader, user->pw_name);
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
	const char *colon = strrchr(text, ':');
	const size_t size = colon ? (size_t)(colon - text) : 0;
	char host[ADDRESS_MAX];
	uint64_t port;

	if (size == 0 || size >= sizeof(host) ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    tl_parse_unsigned(colon + 1, &port) < 0 || port > PORT_MAX)
		return false;
	memcpy(host, text, size);
	host[size] = '\0';
	if (host[0] != '[')
		return inet_pton(AF_INET, host, parsed) == 1 ||
		       is_host_name(host);
	if (host[size - 1] != ']')
		return false;
	host[size - 1] = '\0';
	return inet_pton(AF_INET6, host + 1, parsed) == 1;
}

/* The value false disables an address. */
static bool
is_off(const struct tl_data *value)
{
	return value->kind == TL_DATA_FLAG && !value->flag;
}

int
tl_config_address(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	const char **address = to;

	(void)key;
	if (is_off(value)) {
		*address = NULL;
		return 0;
	}
	if (value->kind != TL_DATA_TEXT || !is_address(value->text))
		return wrong(reader, value,
		    "not an address like \"127.0.0.1:9464\" or \"[::1]:9464\", "
		    "nor false");
	*address = value->text;
	return 0;
}

int
tl_config_socket(struct tl_config_reader *reader, const struct tl_data *value,
    const struct tl_config_key *key, void *to)
{
	static const struct sockaddr_un address;
	const char **path = to;
	int rc;

	if (is_off(value)) {
		*path = NULL;
		return 0;
	}
	if ((rc = tl_config_path(reader, value, key, path)) < 0)
		return rc;
	if (strlen(*path) >= sizeof(address.sun_path))
		return tl_data_fault(value, reader->fault, -EINVAL,
		    "longer than %zu bytes", sizeof(address.sun_path) - 1);
	return 0;
}
