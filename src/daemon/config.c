/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - the configuration: read, checked, found in, given back.
 *
 * Texts stay where tl_data_load put them; what else is made lies in blocks
 * that are freed at once.
 */
#include "daemon/config.h"

#include "base/control.h"
#include "base/file.h"
#include "daemon/config_read.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "/var/lib/timeline"
#define LISTEN    "127.0.0.1:9464"
static const uint64_t poll_ns = 10000000;

struct block {
	struct block *next;
	max_align_t data[];
};

struct tl_config_strings {
	struct tl_data *data;
	struct block *blocks;
};

/* == memory == */

void *
tl_config_allocate(struct tl_config_reader *reader, size_t size)
{
	struct tl_config_strings *strings = reader->config->strings;
	struct block *block = calloc(1, sizeof(*block) + size);

	if (!block) {
		tl_fault(reader->fault, -ENOMEM, TL_FAULT_NOWHERE,
		    "not enough memory");
		return NULL;
	}
	block->next = strings->blocks;
	strings->blocks = block;
	return block->data;
}

void
tl_config_free(struct tl_config *config)
{
	struct block *block;

	if (!config)
		return;
	while ((block = config->strings->blocks)) {
		config->strings->blocks = block->next;
		free(block);
	}
	tl_data_free(config->strings->data);
	free(config->strings);
	free(config);
}

static struct tl_config *
allocate_config(void)
{
	struct tl_config *config = calloc(1, sizeof(*config));
	struct tl_config_strings *strings = calloc(1, sizeof(*strings));

	if (!config || !strings) {
		free(config);
		free(strings);
		return NULL;
	}
	config->strings = strings;
	return config;
}

static const char *
copy(struct tl_config_reader *reader, const char *text)
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
	struct tl_text names = { 0 };
	int rc;

	for (; keys->name; keys++) {
		tl_put_char(&names, ' ');
		tl_put_string(&names, keys->name);
	}
	rc = tl_data_fault(value, reader->fault, -EINVAL,
	    "unknown key; there are%s", tl_text_string(&names));
	tl_text_free(&names);
	return rc;
}

static int
check_keys(const struct tl_config_reader *reader, const struct tl_data *table,
    const struct tl_config_key *keys)
{
	if (table->kind != TL_DATA_TABLE)
		return tl_data_fault(table, reader->fault, -EINVAL,
		    "not a table in { }");
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
		    "not a list in { }");
	if (list->count > list->list_count)
		return tl_data_fault(&list->items[list->list_count],
		    reader->fault, -EINVAL,
		    "a key in a list: its values stand in { } of their own");
	if (list->count == 0)
		return tl_data_fault(list, reader->fault, -EINVAL,
		    "an empty list");
	if (list->count > count_max)
		return tl_data_fault(list, reader->fault, -EINVAL,
		    "more than %zu", count_max);
	return 0;
}

/* == the outermost table == */

/* Would an earlier section keep this one from ever being found? */
static int
check_reachable(struct tl_config_reader *reader, const struct tl_data *list,
    size_t i)
{
	const struct tl_config_timeline *all = reader->config->timelines;
	const struct tl_data *name = tl_data_get(&list->items[i], "name");

	for (size_t j = 0; j < i; j++) {
		if (strcmp(all[j].name, all[i].name) == 0)
			return tl_data_fault(name, reader->fault, -EINVAL,
			    "timelines[%zu] has this name already", j + 1);
		if (!tl_config_is_glob(all[i].name) &&
		    fnmatch(all[j].name, all[i].name, 0) == 0)
			return tl_data_fault(name, reader->fault, -EINVAL,
			    "timelines[%zu], '%s', matches first", j + 1,
			    all[j].name);
	}
	return 0;
}

static int
read_timelines(struct tl_config_reader *reader, const struct tl_data *list,
    const struct tl_config_key *key, void *to)
{
	struct tl_config *config = to;
	int rc;

	(void)key;
	if (list->kind == TL_DATA_TABLE && list->count == 0)
		return 0;
	rc = tl_config_check_list(reader, list, TL_CONFIG_TIMELINES_MAX);
	if (rc < 0)
		return rc;
	config->timelines = tl_config_allocate(reader,
	    list->count * sizeof(config->timelines[0]));
	if (!config->timelines)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		rc = tl_config_read_timeline(reader, &list->items[i],
		    &config->timelines[i]);
		if (rc == 0)
			rc = check_reachable(reader, list, i);
		if (rc < 0)
			return rc;
	}
	config->timeline_count = list->count;
	return 0;
}

#define AT(member) offsetof(struct tl_config, member)
static const struct tl_config_key keys[] = {
	{ .name = "directory", tl_config_path, AT(directory) },
	{ .name = "socket", tl_config_socket, AT(socket) },
	{ .name = "listen", tl_config_address, AT(listen) },
	{ .name = "page", tl_config_socket, AT(page) },
	{ .name = "user", tl_config_user, AT(user) },
	{ .name = "poll",
	    tl_config_duration,
	    AT(poll_ns),
	    .min = 1000000,
	    .max = 10 * TL_CONFIG_SECOND_NS },
	{ .name = "clock", tl_config_flag, AT(clock) },
	{ .name = "seccomp", tl_config_flag, AT(seccomp) },
	{ .name = "timelines", read_timelines, 0 },
	{ .name = NULL },
};

static int
read_all(struct tl_config_reader *reader, const char *name)
{
	struct tl_config *config = reader->config;
	const char *socket = getenv("TIMELINED_SOCKET");
	int rc;

	config->directory = DIRECTORY;
	config->socket = TL_CONTROL_SOCKET;
	config->listen = LISTEN;
	config->poll_ns = poll_ns;
	config->clock = true;
	config->seccomp = true;
	if (!(config->path = copy(reader, name)))
		return -ENOMEM;
	rc = tl_config_read_keys(reader, config->strings->data, keys, config);
	if (rc < 0 || !socket || !*socket)
		return rc;
	config->socket = copy(reader, socket);
	return config->socket ? 0 : -ENOMEM;
}

int
tl_config_parse(struct tl_config **config, const char *name, const char *text,
    size_t size, struct tl_fault *fault)
{
	struct tl_config_reader reader = { allocate_config(), fault };
	int rc;

	if (!reader.config)
		return tl_fault(fault, -ENOMEM, TL_FAULT_NOWHERE,
		    "not enough memory");
	rc = tl_data_load(&reader.config->strings->data, name, text, size,
	    fault);
	if (rc < 0)
		goto free;
	if ((rc = read_all(&reader, name)) < 0)
		goto free;
	*config = reader.config;
	return 0;
free:
	tl_config_free(reader.config);
	return rc;
}

/* == the file == */

int
tl_config_load(struct tl_config **config, const char *path,
    struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	int rc = tl_read_file(path, TL_DATA_SOURCE_MAX, &text);

	if (rc < 0)
		tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s", path,
		    rc == -EINVAL ? "not a file" : strerror(-rc));
	else
		rc = tl_config_parse(config, path, text.data, text.size, fault);
	tl_text_free(&text);
	return rc;
}

const struct tl_config_timeline *
tl_config_find(const struct tl_config *config, const char *name)
{
	name += name[0] == '/';
	for (size_t i = 0; i < config->timeline_count; i++)
		if (fnmatch(config->timelines[i].name, name, 0) == 0)
			return &config->timelines[i];
	return NULL;
}
