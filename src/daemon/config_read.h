/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_read.h - how the values of a configuration become members of its
 * structures: a list of keys for each kind of table, a reader for each kind of
 * value.  Only config*.c include this.
 */
#ifndef TL_DAEMON_CONFIG_READ_H
#define TL_DAEMON_CONFIG_READ_H

#include "daemon/config.h"
#include "script/data.h"

struct tl_config_reader {
	struct tl_config *config; /* being filled; it owns all memory */
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

#define TL_CONFIG_SECOND_NS UINT64_C(1000000000)
#define TL_CONFIG_HOUR_NS   (3600 * TL_CONFIG_SECOND_NS)
#define TL_CONFIG_DAY_NS    (24 * TL_CONFIG_HOUR_NS)
/* No file of this machine is older. */
#define TL_CONFIG_AGE_NS_MAX (36500 * TL_CONFIG_DAY_NS)

/* Memory of a configuration, zeroed; NULL: none, and a fault. */
void *tl_config_allocate(struct tl_config_reader *reader, size_t size);

/* Read a table: each of its keys has to stand in the list.  What a key does
 * not say keeps the value it had. */
int tl_config_read_keys(struct tl_config_reader *reader,
    const struct tl_data *table, const struct tl_config_key *keys, void *to);
/* Is it a list of at least one and at most count_max values? */
int tl_config_check_list(struct tl_config_reader *reader,
    const struct tl_data *list, size_t count_max);

/* config_value.c: what each fills in stands behind it. */
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

/* config_timeline.c: a section; to is struct tl_config_timeline. */
int tl_config_read_timeline(struct tl_config_reader *reader,
    const struct tl_data *table, struct tl_config_timeline *to);

/* config_timeline.c: what snapshots and recorded traces have in common. */
tl_config_read tl_config_read_keep; /* struct tl_config_keep */
/* int, a zstd level; what true says */
tl_config_read tl_config_read_compress;

/* config_record.c: to is struct tl_config_record, which has its defaults. */
tl_config_read tl_config_read_record;
void tl_config_record_init(struct tl_config_record *record);

/* config_bursts.c: to is struct tl_config_bursts. */
tl_config_read tl_config_read_bursts;

/* config_rule.c: to is struct tl_config_timeline. */
tl_config_read tl_config_read_triggers;

#endif
