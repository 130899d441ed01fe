/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - the configuration: a Lua 5.4 table, loaded in the sandbox and
 * checked as a whole before any part is applied.  timelined.conf(5).
 *
 *	load.c      the file and the outermost table
 *	sections.c  "timelines": one section
 *	triggers.c  "triggers" of a section
 *	read.c      values: durations, sizes, globs, users, addresses
 *
 * To add a key: a member here, a line in the list of keys of its table, and a
 * paragraph in timelined.conf(5).
 */
#ifndef TL_DAEMON_CONFIG_CONFIG_H
#define TL_DAEMON_CONFIG_CONFIG_H

#include "base/fault.h"
#include "base/word.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <timeline.h>
#include <timeline_layout.h>

enum {
	TL_CONFIG_TIMELINES_MAX = 256,
	TL_CONFIG_RULES_MAX = 64,  /* per timeline */
	TL_CONFIG_OWNERS_MAX = 64, /* per timeline */
	TL_CONFIG_ARGV_MAX = 32,   /* of a program to run */
	TL_CONFIG_LEVELS_MAX = 9   /* of a list of sampling bursts */
};

#define TL_CONFIG_FILE "/etc/timeline/timelined.conf"

/*
 * Sampling bursts.  One level is drawn for each burst: levels[0] most often,
 * each next level `rarer` times less often.  The time from the start of one
 * burst to the next is period_ns, plus or minus up to jitter * period_ns / 2.
 * Comments give the defaults.
 */
struct tl_config_bursts {
	uint8_t levels[TL_CONFIG_LEVELS_MAX];
	size_t level_count; /* 0: no bursts */
	double rarer;       /* 5 */
	uint64_t length_ns; /* 100 us */
	uint64_t period_ns; /* 10 ms */
	double jitter;      /* 0 .. 1; 0.5; not used with slots */
	bool slots;         /* writers open slots; the daemon no bursts */
	double share;       /* of slots; 0: length_ns / period_ns */
};

/* The condition of a rule. */
enum tl_rule_kind {
	TL_RULE_EVENT,    /* an event that matches (and passes when) */
	TL_RULE_SPAN,     /* a span of the message longer than limit_ns */
	TL_RULE_INTERVAL, /* from match to other longer than limit_ns */
	TL_RULE_ABSENT,   /* no matching message for limit_ns */
	TL_RULE_ARGUMENT, /* an argument above (or below) bound */
	/* more (or fewer) entries a second than bound, over limit_ns */
	TL_RULE_RATE,
	TL_RULE_LEVEL, /* an entry of this level or above */
	TL_RULE_DIED   /* a process that logged has died */
};

struct tl_config_match {
	const char *category; /* glob; NULL: any category */
	const char *message;  /* glob of the first line; NULL: any message */
};

/* The actions of a rule; each action may be absent. */
struct tl_config_actions {
	uint8_t burst_level; /* 0: no burst */
	uint64_t burst_ns;
	bool snapshot;
	bool why;               /* explain the slow spans beside the snapshot */
	const char *const *run; /* argv, ended by NULL; NULL: none */
	uint64_t run_ns;        /* limit of the program's run time; 60 s */
};

struct tl_config_rule {
	const char *name; /* "trigger 3" if the table has no name */
	enum tl_rule_kind kind;
	struct tl_config_match match;
	struct tl_config_match other; /* end of a TL_RULE_INTERVAL */
	const char *when;     /* Lua, as in timeline-dump -e; may be NULL */
	const char *argument; /* name, for TL_RULE_ARGUMENT */
	double bound;
	bool below; /* fire below bound, not above */
	uint64_t limit_ns;
	uint8_t level; /* for TL_RULE_LEVEL */
	/* Value (argument, rate, or ns of a span or interval) at which the rule
	 * is armed again; NAN: at the bound. */
	double clear;
	uint64_t every_ns;  /* least time between firings; 10 s */
	uint64_t fires_max; /* per hour; 0: no limit; 60 */
	struct tl_config_actions actions;
};

/* The limits of the files kept of a section; 0: no limit.  The default is 100
 * by count. */
struct tl_config_keep {
	uint64_t count;
	uint64_t age_ns;
	uint64_t bytes;
};

/* How often an action may happen; 0: no limit. */
struct tl_config_rate {
	uint64_t every_ns; /* least time between actions */
	uint64_t per_hour;
};

struct tl_config_snapshots {
	uint64_t every_ns;             /* interval of the schedule; 0: none */
	bool on_death;                 /* when a process that logged has died */
	struct tl_config_rate death;   /* limit of on_death; 10 s, 60 */
	struct tl_config_rate request; /* limit of users' requests; 0, 600 */
	int compress;                  /* zstd level, 0: plain; 3 */
	struct tl_config_keep keep;    /* applied to each reason */
};

/* How to record a timeline; limits of 0: none. */
struct tl_config_record {
	bool on;
	const char *directory; /* NULL: directory of snapshots */
	uint64_t size;         /* largest size of a file */
	uint64_t age_ns;       /* largest age since the file's first event */
	uint64_t flush_ns;     /* longest history that a crash may lose */
	int compress;          /* zstd level, 0: plain; 3 */
	struct tl_config_keep keep;
};

/* Whether to keep the kernel's events for snapshots: drain = "save". */
struct tl_config_kernel {
	bool on;
	bool faults;   /* page faults, too */
	bool names;    /* keep the names of other tasks */
	uint64_t size; /* bytes of the kernel's buffer per CPU; 4 MiB */
};

/* One timeline, or all timelines that a glob matches. */
struct tl_config_timeline {
	const char *name; /* in /dev/shm, without a slash; may be a glob */
	bool create;      /* create an absent timeline (no glob) */
	struct timeline_options options; /* for create */
	/* Priority at the start; 0: unchanged; TIMELINE_LEVEL_NONE: off. */
	uint8_t priority;
	/* The highest priority that keep may set; 0: keep may not raise the
	 * priority. */
	uint8_t priority_max;
	uint64_t keep_ns;                   /* history to keep; 0: no control */
	uint64_t timer_window_ns;           /* window of the percentiles */
	uid_t owners[TL_CONFIG_OWNERS_MAX]; /* trusted besides our own user */
	size_t owner_count;
	struct tl_config_bursts bursts;
	struct tl_config_rule *rules;
	size_t rule_count;
	struct tl_config_snapshots snapshots;
	struct tl_config_record record;
	struct tl_config_kernel kernel;
};

struct tl_config {
	const char *path;      /* of the file */
	const char *directory; /* for snapshots */
	const char *socket;    /* for timelinectl; NULL: none */
	const char *listen;    /* "127.0.0.1:9464"; NULL: no metrics */
	const char *page;      /* UNIX socket of the page; may be NULL */
	const char *keeper;    /* UNIX socket of the keeper; may be NULL */
	const char *user;      /* become this user if root; NULL: stay */
	bool clock;            /* keep the clocks exact */
	bool seccomp;          /* filter the daemon's own system calls */
	uint64_t poll_ns;      /* time between reads of new entries */
	struct tl_config_timeline *timelines; /* the first match counts */
	size_t timeline_count;
	struct tl_config_memory *memory; /* read.h */
	uint32_t holders;                /* besides the owner */
};

/*
 * Load and check a file.  A fault names the place (file and line, or the path
 * of the key) and the error.  Returns 0, -ENOENT and other errors of reading,
 * -EINVAL for a wrong value or an unknown key, -ENOEXEC if the file does not
 * compile, -ECANCELED if the file raised an error, -EFBIG, -ENOMEM or -ETIME.
 * script/data.h has the sandbox.
 */
int tl_config_load(struct tl_config **config, const char *path,
    struct tl_fault *fault);
/* Load a configuration from memory; faults call it name. */
int tl_config_parse(struct tl_config **config, const char *name,
    const char *text, size_t size, struct tl_fault *fault);
/* Keep a configuration valid until another tl_config_free().  Any thread may
 * free it. */
static inline struct tl_config *
tl_config_hold(struct tl_config *config)
{
	tl_fetch_add_32(&config->holders, 1);
	return config;
}
void tl_config_free(struct tl_config *config);

/* The first section whose name matches a timeline, or NULL. */
const struct tl_config_timeline *
tl_config_find(const struct tl_config *config, const char *name);

#endif
