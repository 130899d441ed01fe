/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read the values of a configuration into members of structures: a
 * list of keys for each kind of table, a reader for each kind of value.  Only
 * src/daemon/config includes read.h.
 */
#ifndef TL_DAEMON_CONFIG_READ_H
#define TL_DAEMON_CONFIG_READ_H

#include "base/ns.h"
#include "daemon/config/config.h"
#include "script/data.h"

#include <stdbool.h>
#include <sys/types.h>

/* All memory of a configuration: the texts from tl_data_load, and blocks, which
 * are freed together. */
struct tl_config_memory {
	struct tl_data *data;
	struct tl_config_block *blocks;
};

struct tl_config_reader {
	struct tl_config_memory *memory;
	struct tl_fault *fault;
	const struct tl_config_key *key; /* whose value is being read */
};

/* Read a value into the member at to.  Returns 0, or -errno with a fault. */
typedef int tl_config_read(struct tl_config_reader *reader,
    const struct tl_data *value, void *to);

struct tl_config_key {
	const char *name; /* NULL ends a list of keys */
	tl_config_read *read;
	size_t offset; /* of the member in its structure */
	uint64_t min;  /* bounds, for readers that use bounds */
	uint64_t max;
	bool required;
	const struct tl_config_key *keys; /* of a table */
};

#define TL_CONFIG_DAY_NS (24 * TL_NS_PER_H)
/* No file of this machine is older than this. */
#define TL_CONFIG_AGE_NS_MAX (36500 * TL_CONFIG_DAY_NS)

/* Allocate zeroed memory.  Returns NULL with a fault if there is none. */
void *tl_config_allocate(struct tl_config_reader *reader, size_t size);
const char *tl_config_copy(struct tl_config_reader *reader, const char *text);
void tl_config_memory_free(struct tl_config_memory *memory);

/* Set the fault of a value; returns -EINVAL. */
int tl_config_wrong(const struct tl_config_reader *reader,
    const struct tl_data *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Read a table, whose keys must all be in the list.  A member whose key is
 * absent keeps its value.  Returns 0, or -errno with a fault. */
int tl_config_read_keys(struct tl_config_reader *reader,
    const struct tl_data *table, const struct tl_config_key *keys, void *to);
/* Is list a list of at least one and at most count_max values?  Returns 0, or
 * -errno with a fault. */
int tl_config_check_list(struct tl_config_reader *reader,
    const struct tl_data *list, size_t count_max);

/* Readers; each comment gives the type of the member at to. */
tl_config_read tl_config_table;    /* what the offsets of its keys count from */
tl_config_read tl_config_switch;   /* likewise, begins with a bool: a flag, or
				      a table, which sets the bool */
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

/* Find the number of a user that is given by name or number. */
int tl_config_find_user(struct tl_config_reader *reader,
    const struct tl_data *value, uid_t *uid);
/* Does the text have characters that are special to fnmatch? */
bool tl_config_is_glob(const char *text);

/* sections.c: one section of "timelines", with defaults for absent keys. */
int tl_config_read_timeline(struct tl_config_reader *reader,
    const struct tl_data *table, struct tl_config_timeline *to);
/* triggers.c: the triggers of a section; to is struct tl_config_timeline. */
tl_config_read tl_config_read_triggers;

#endif
