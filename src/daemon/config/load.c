/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - load a configuration, and find the section of a timeline.
 */
#include "base/ns.h"
#include "daemon/config/config.h"

#include "base/file.h"
#include "base/options.h"
#include "daemon/config/read.h"
#include "kernel/kernel.h"

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

static struct tl_config *
allocate_config(void)
{
	struct tl_config *config = calloc(1, sizeof(*config));

	if (config && !(config->memory = calloc(1, sizeof(*config->memory)))) {
		free(config);
		config = NULL;
	}
	return config;
}

void
tl_config_free(struct tl_config *config)
{
	if (!config || tl_fetch_add_32(&config->holders, UINT32_MAX) > 0)
		return;
	tl_config_memory_free(config->memory);
	free(config->memory);
	free(config);
}

/* == the outermost table == */

/* Fail if an earlier section always matches in place of section i. */
static int
check_reachable(struct tl_config_reader *r, const struct tl_data *list,
    const struct tl_config_timeline *all, size_t i)
{
	const struct tl_data *name = tl_data_get(&list->items[i], "name");

	for (size_t j = 0; j < i; j++) {
		if (strcmp(all[j].name, all[i].name) == 0)
			return tl_config_wrong(r, name,
			    "timelines[%zu] has this name already", j + 1);
		if (!tl_config_is_glob(all[i].name) &&
		    fnmatch(all[j].name, all[i].name, 0) == 0)
			return tl_config_wrong(r, name,
			    "timelines[%zu], '%s', matches first", j + 1,
			    all[j].name);
	}
	return 0;
}

static int
read_timelines(struct tl_config_reader *r, const struct tl_data *list, void *to)
{
	struct tl_config *config = to;
	int rc;

	if (list->kind == TL_DATA_TABLE && list->count == 0)
		return 0;
	rc = tl_config_check_list(r, list, TL_CONFIG_TIMELINES_MAX);
	if (rc < 0)
		return rc;
	config->timelines =
	    tl_config_allocate(r, list->count * sizeof(config->timelines[0]));
	if (!config->timelines)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		rc = tl_config_read_timeline(r, &list->items[i],
		    &config->timelines[i]);
		if (rc == 0)
			rc = check_reachable(r, list, config->timelines, i);
		if (rc < 0)
			return rc;
	}
	config->timeline_count = list->count;
	return 0;
}

#define AT(member) offsetof(struct tl_config, member)
static const struct tl_config_key keys[] = {
	{ "directory", tl_config_path, .offset = AT(directory) },
	{ "socket", tl_config_socket, .offset = AT(socket) },
	{ "listen", tl_config_address, .offset = AT(listen) },
	{ "page", tl_config_socket, .offset = AT(page) },
	{ "keeper", tl_config_socket, .offset = AT(keeper) },
	{ "user", tl_config_user, .offset = AT(user) },
	{ "poll", tl_config_duration, AT(poll_ns), TL_NS_PER_MS,
	    .max = 10 * TL_NS_PER_S },
	{ "clock", tl_config_flag, .offset = AT(clock) },
	{ "seccomp", tl_config_flag, .offset = AT(seccomp) },
	{ "timelines", read_timelines, .offset = 0 },
	{ .name = NULL },
};

static int
read_all(struct tl_config_reader *r, const char *name, struct tl_config *config)
{
	const char *socket = getenv("TIMELINED_SOCKET");
	int rc;

	config->directory = DIRECTORY;
	config->socket = TL_CONTROL_SOCKET;
	config->listen = LISTEN;
	config->keeper = TL_KEEPER_SOCKET;
	config->poll_ns = poll_ns;
	config->clock = true;
	config->seccomp = true;
	if (!(config->path = tl_config_copy(r, name)))
		return -ENOMEM;
	rc = tl_config_read_keys(r, r->memory->data, keys, config);
	if (rc < 0 || !socket || !*socket)
		return rc;
	config->socket = tl_config_copy(r, socket);
	return config->socket ? 0 : -ENOMEM;
}

int
tl_config_parse(struct tl_config **config, const char *name, const char *text,
    size_t size, struct tl_fault *fault)
{
	struct tl_config *made = allocate_config();
	struct tl_config_reader r = { .fault = fault };
	int rc;

	if (!made)
		return tl_fail(fault, -ENOMEM, "out of memory");
	r.memory = made->memory;
	rc = tl_data_load(&made->memory->data, name, text, size, fault);
	if (rc == 0)
		rc = read_all(&r, name, made);
	if (rc == 0)
		*config = made;
	else
		tl_config_free(made);
	return rc;
}

/* == the file == */

int
tl_config_load(struct tl_config **config, const char *path,
    struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	int rc = tl_read_file(path, TL_DATA_SOURCE_MAX, &text);

	if (rc == -EFBIG)
		tl_fail(fault, rc,
		    "%s: larger than %d KiB: not a configuration", path,
		    TL_DATA_SOURCE_MAX / 1024);
	else if (rc == -ENOENT && strcmp(path, TL_CONFIG_FILE) == 0)
		tl_fail(fault, rc, "%s: %s; -c names another configuration",
		    path, strerror(ENOENT));
	else if (rc < 0)
		tl_fail(fault, rc, "%s: %s", path,
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
