/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - how the values of a configuration become members of structures: a
 * list of keys for each kind of table, a reader for each kind of value.
 *
 * Only src/daemon/config includes it.
 */
#ifndef TL_DAEMON_CONFIG_READ_H
#define TL_DAEMON_CONFIG_READ_H

#include "base/ns.h"
#include "daemon/config/config.h"
#include "script/data.h"

#include <stdbool.h>
#include <sys/types.h>

/* All memory of a configuration: its texts, where tl_data_load put them, and
 * blocks, which are freed together. */
struct tl_config_memory {
	struct tl_data *data;
	struct tl_config_block *blocks;
};

struct tl_config_reader {
	struct tl_config_memory *memory;
	struct tl_fault *fault;
};

struct tl_config_key;

/* Read a value into the member at to: 0, or -errno and a fault. */
typedef int tl_config_read(struct tl_config_reader *reader,
    const struct tl_data *value, const struct tl_config_key *key, void *to);

struct tl_config_key {
	const char *name; /* NULL ends a list of keys */
	tl_config_read *read;
	size_t offset; /* of the member in its structure */
	uint64_t min;  /* bounds, of readers that ask for them */
	uint64_t max;
	bool required;
};

#define TL_CONFIG_DAY_NS (24 * TL_NS_PER_H)
/* No file of this machine is older. */
#define TL_CONFIG_AGE_NS_MAX (36500 * TL_CONFIG_DAY_NS)

/* Allocate zeroed memory; NULL: there is none, and a fault. */
void *tl_config_allocate(struct tl_config_reader *reader, size_t size);
const char *tl_config_copy(struct tl_config_reader *reader, const char *text);
void tl_config_memory_free(struct tl_config_memory *memory);

/* Read a table: each of its keys must be in the list.  A member whose key is
 * absent keeps the value it had. */
int tl_config_read_keys(struct tl_config_reader *reader,
    const struct tl_data *table, const struct tl_config_key *keys, void *to);
/* Is it a list of at least one and at most count_max values? */
int tl_config_check_list(struct tl_config_reader *reader,
    const struct tl_data *list, size_t count_max);

/* The comment after each reader gives the type of the member at to. */
tl_config_read tl_config_flag;     /* bool */
tl_config_read tl_config_duration; /* uint64_t ns, min .. max */
tl_config_read tl_config_size;     /* uint64_t, min .. max; 64M or number */
tl_config_read tl_config_number;   /* uint32_t, min .. max */
tl_config_read tl_config_real;     /* double */
tl_config_read tl_config_share;    /* double, 0 .. 1 */
tl_config_read tl_config_mode;     /* uint32_t, "0640" */
tl_config_read tl_config_text;     /* const char *, not empty */
tl_config_read tl_config_path;     /* const char *, absolute */
tl_config_read tl_config_glob;     /* const char * */
tl_config_read tl_config_level;    /* uint8_t, a priority */
tl_config_read tl_config_gate;     /* uint8_t, a priority or "off" */
tl_config_read tl_config_user;     /* const char *, name or number, known */
tl_config_read tl_config_address;  /* const char *, or false: NULL */
tl_config_read tl_config_socket;   /* const char *, or false: NULL */

/* The number of a user, by name or number. */
int tl_config_find_user(struct tl_config_reader *reader,
    const struct tl_data *value, uid_t *uid);
/* Does it hold anything that fnmatch takes for more than itself? */
bool tl_config_is_glob(const char *text);

/* sections.c: one section of "timelines", with defaults for absent keys. */
int tl_config_read_timeline(struct tl_config_reader *reader,
    const struct tl_data *table, struct tl_config_timeline *to);
/* triggers.c: its triggers; to is struct tl_config_timeline. */
tl_config_read tl_config_read_triggers;

#endif
