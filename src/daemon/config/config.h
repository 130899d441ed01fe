/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - the configuration: a Lua 5.4 table, loaded in the sandbox and
 * checked as a whole before any of it is applied.  timelined.conf(5).
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <timeline.h>
#include <timeline_layout.h>

enum {
	TL_CONFIG_TIMELINES_MAX = 256,
	TL_CONFIG_RULES_MAX = 64,  /* of one timeline */
	TL_CONFIG_OWNERS_MAX = 64, /* of one timeline */
	TL_CONFIG_ARGV_MAX = 32,   /* of a program to run */
	TL_CONFIG_LEVELS_MAX = 9   /* of nested bursts */
};

#define TL_CONFIG_FILE "/etc/timeline/timelined.conf"

/*
 * Sampling bursts.  One level is drawn for each burst: levels[0] most often,
 * each next one `rarer` times less often.  From the start of one burst to the
 * next it is period_ns, plus or minus up to jitter * period_ns / 2.
 */
struct tl_config_bursts {
	uint8_t levels[TL_CONFIG_LEVELS_MAX];
	size_t level_count; /* 0: no bursts */
	double rarer;       /* 5 */
	uint64_t length_ns; /* 100 us */
	uint64_t period_ns; /* 10 ms */
	double jitter;      /* 0 .. 1; 0.5; not used with slots */
	bool slots;         /* writers open slots; no burst is made */
	double share;       /* of slots; 0: length_ns / period_ns */
};

/* The condition of a rule. */
enum tl_rule_kind {
	TL_RULE_EVENT,    /* an event that matches (and passes when) */
	TL_RULE_SPAN,     /* a span of the message longer than limit_ns */
	TL_RULE_INTERVAL, /* from message to other longer than limit_ns */
	TL_RULE_ABSENT,   /* the message not seen for limit_ns */
	TL_RULE_ARGUMENT, /* an argument above (or below) bound */
	TL_RULE_RATE,     /* more (or fewer) than bound a second, over
			     limit_ns */
	TL_RULE_LEVEL,    /* an entry of this level or above */
	TL_RULE_DIED      /* a process that logged has died */
};

struct tl_config_match {
	const char *category; /* glob; NULL: any */
	const char *message;  /* glob of the first line; NULL: any */
};

/* The actions of a rule; each may be absent. */
struct tl_config_actions {
	uint8_t burst_level; /* 0: no burst */
	uint64_t burst_ns;
	bool snapshot;
	bool why; /* with what distinguishes its slow spans beside it */
	const char *const *run; /* argv, ended by NULL; NULL: none */
	uint64_t run_ns;        /* a program that lasts longer is ended; 60 s */
};

struct tl_config_rule {
	const char *name; /* "trigger 3" where the table gives none */
	enum tl_rule_kind kind;
	struct tl_config_match match;
	struct tl_config_match other; /* of TL_RULE_INTERVAL: its end */
	const char *when;     /* Lua expression as in timeline-dump -e; NULL */
	const char *argument; /* its name, of TL_RULE_ARGUMENT */
	double bound;
	bool below; /* fire below the bound, not above */
	uint64_t limit_ns;
	uint8_t level;      /* of TL_RULE_LEVEL */
	double clear;       /* armed again at this value (argument, rate, or
			       ns of span and interval); NAN: at the bound */
	uint64_t every_ns;  /* fires at most once in this time; 10 s */
	uint64_t fires_max; /* an hour; 0: no bound; 60 */
	struct tl_config_actions actions;
};

/* Which files are kept; 0: no such bound.  The default is 100 by count. */
struct tl_config_keep {
	uint64_t count;
	uint64_t age_ns;
	uint64_t bytes;
};

/* How often something may be done; 0: no such bound. */
struct tl_config_rate {
	uint64_t every_ns; /* at most once in this time */
	uint64_t per_hour;
};

struct tl_config_snapshots {
	uint64_t every_ns;             /* on a schedule; 0: not */
	bool on_death;                 /* when a process that logged has died */
	struct tl_config_rate death;   /* the limit of on_death; 10 s, 60 */
	struct tl_config_rate request; /* requested by users; 0, 600 */
	int compress;                  /* zstd level, 0: plain; 3 */
	struct tl_config_keep keep;    /* of those of one reason */
};

/* How a timeline is recorded; bounds of 0: none. */
struct tl_config_record {
	bool on;
	const char *directory; /* NULL: that of snapshots */
	uint64_t size;         /* largest size of a file */
	uint64_t age_ns;   /* largest age of a file, since its first event */
	uint64_t flush_ns; /* what a crash may take */
	int compress;      /* zstd level, 0: plain; 3 */
	struct tl_config_keep keep;
};

/* Whether the kernel's events are kept for snapshots: drain = "save". */
struct tl_config_kernel {
	bool on;
	bool faults;   /* page faults, too */
	bool names;    /* keep the names of other tasks */
	uint64_t size; /* bytes of the kernel's buffer for each CPU; 4 MiB */
};

/* One timeline, or those that a glob names. */
struct tl_config_timeline {
	const char *name; /* in /dev/shm, without a slash; may be a glob */
	bool create;      /* make it when it is not there (no glob) */
	struct timeline_options options; /* with which */
	uint8_t priority;     /* set at start; 0: leave it; TIMELINE_LEVEL_NONE:
			     off */
	uint8_t priority_max; /* keep may raise the priority up to here; 0:
				 may not */
	uint64_t keep_ns;     /* history that must stay; 0: no control */
	uint64_t timer_window_ns;           /* of which spans percentiles are */
	uid_t owners[TL_CONFIG_OWNERS_MAX]; /* trusted beside our own */
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
	const char *directory; /* of snapshots */
	const char *socket;    /* of timelinectl; NULL: none */
	const char *listen;    /* "127.0.0.1:9464"; NULL: no metrics */
	const char *page;      /* UNIX socket of the page; NULL: none */
	const char *keeper;    /* UNIX socket of the keeper; NULL: none */
	const char *user;      /* to become when started as root; NULL: stay */
	bool clock;            /* keep the clocks exact */
	bool seccomp;          /* filter the daemon's own system calls */
	uint64_t poll_ns;      /* how often new entries are read */
	struct tl_config_timeline *timelines; /* the first that matches */
	size_t timeline_count;
	struct tl_config_memory *memory; /* read.h */
};

/*
 * Load and check a file.  The fault names the place (file and line, or the
 * path of the key) and the error.  -ENOENT etc., -EINVAL a wrong value or an
 * unknown key, -ENOEXEC it does not compile, -ECANCELED it raised an error,
 * -EFBIG, -ENOMEM, -ETIME.  The sandbox is that of script/data.h.
 */
int tl_config_load(struct tl_config **config, const char *path,
    struct tl_fault *fault);
/* The same from memory; name stands in faults. */
int tl_config_parse(struct tl_config **config, const char *name,
    const char *text, size_t size, struct tl_fault *fault);
void tl_config_free(struct tl_config *config);

/* The first section that names this timeline; NULL: none does. */
const struct tl_config_timeline *
tl_config_find(const struct tl_config *config, const char *name);

#endif
