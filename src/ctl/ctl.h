/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.h - the interface between main and the verbs of timelinectl
 *
 * Problem.  One small tool has to work on a machine that is in trouble: without
 * the daemon, without write permission, on files that are truncated, hostile or
 * being written while they are read.
 *
 *	argv --tl_verbs_parse--> struct tl_call --verb->run--> call.out, .fault
 *	       verbs.def                |                              |
 *	       options.def              +-- change  create remove priority burst
 *	                                |           level: map and write (ring)
 *	                                +-- list top save record:
 *	                                |           read only (snap, trace)
 *	                                +-- kernel: forks a keeper, writes a
 *	                                |           second timeline (kernel)
 *	                                +-- daemon  status snapshot reload page:
 *	                                            one request over a socket
 *
 * A verb is one function and one row of verbs.def, from which dispatch, help
 * and the check of options are made; tests compare the rows with the man page
 * and the completion.  A verb appends to call->out and returns 0, or returns
 * -errno with call->fault filled in.  Only main.c prints diagnostics and exits.
 *
 * Reading verbs open the file once with O_NONBLOCK and read it with pread; only
 * record maps the heads of the lanes, under a guard (ring/guard.h).  So a file
 * that shrinks gives an error and no SIGBUS.  Every number from the file is
 * checked before it is used, and all text from it is escaped.
 *
 * The first fault is kept, since later ones are consequences of it.  Everything
 * runs in one thread, except that record has the thread of its recorder.
 *
 * Verbs that also exist in timelined (record, snapshot) were not moved there:
 * the tool must work where no daemon runs.  The text-based socket protocol was
 * kept over a library, so that timelinectl needs neither sqlite nor zip.
 */
#ifndef TL_CTL_CTL_H
#define TL_CTL_CTL_H

#include "base/fault.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_OPERANDS_MAX = 64 };

enum tl_ctl_option {
#define OPTION(letter, name, argument, constant, help) TL_CTL_##constant,
#include "ctl/options.def"
#undef OPTION
	TL_CTL_OPTIONS
};

struct tl_call;

struct tl_verb {
	const char *name;
	const char *arguments;
	size_t least; /* operands, at least */
	size_t most;  /* operands, at most */
	int (*run)(struct tl_call *call);
	uint64_t options; /* a bit for each tl_ctl_option */
	const char *description;
};

struct tl_call {
	const struct tl_verb *verb;
	const char *operands[TL_OPERANDS_MAX];
	size_t operand_count;
	const char
	    *given[TL_CTL_OPTIONS]; /* argument; "" if it takes none; NULL */
	uint64_t letters;           /* options that were given by a letter */
	struct tl_text out;
	bool usage;                /* a usage error */
	char subject[TL_PATH_MAX]; /* of the fault; "": none */
	struct tl_fault fault;
};

/* A timeline as the user named it, and its path. */
struct tl_name {
	char shown[TL_PATH_MAX]; /* "/name", or a path */
	char path[TL_PATH_MAX];
};

static inline bool
tl_call_has(const struct tl_call *call, enum tl_ctl_option option)
{
	return call->given[option] != NULL;
}

/* Set a fault of the command line; returns -EINVAL. */
int tl_call_usage(struct tl_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Set a fault about a subject, which may be NULL; returns rc. */
int tl_call_fail(struct tl_call *call, const char *subject, int rc,
    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Report that the timeline was removed while it was followed.  0; -ENOENT: -n
 * wanted more of it. */
int tl_call_removed(struct tl_call *call, const struct tl_name *name);
/* Set a fault from another layer, with its place. */
int tl_call_fault(struct tl_call *call, const char *subject, int rc,
    const struct tl_fault *fault);
/* Set a fault with the text of timeline_error(3). */
int tl_call_library(struct tl_call *call, const struct tl_name *name, int rc);

/* Parse the number of an option, within bounds; *n stays if the option was not
 * given. */
int tl_call_number(struct tl_call *call, enum tl_ctl_option option,
    uint64_t least, uint64_t most, uint64_t *n);

/* The index of a word among the names of a kind, by tl_option_choose. */
int tl_call_choose(struct tl_call *call, const char *const *names, size_t count,
    const char *word, const char *kind);
/* Parse a duration, "10ms", within bounds; *ns stays if word is NULL. */
int tl_call_duration(struct tl_call *call, const char *word, int64_t least_ns,
    int64_t most_ns, int64_t *ns);

/* The timeline of operand i or, if that is missing, of TIMELINE in the
 * environment. */
int tl_call_name(struct tl_call *call, size_t i, struct tl_name *name);
/* Resolve a name: "demo" is "/demo". */
int
tl_call_resolve(struct tl_call *call, const char *word, struct tl_name *name);
/* Set the fault for a file that cannot be opened, with the nearest name;
 * returns -error. */
int
tl_call_no_file(struct tl_call *call, const struct tl_name *name, int error);
/* Open a timeline for reading.  The descriptor, or -errno. */
int tl_call_open(struct tl_call *call, const struct tl_name *name);

struct tl_session;
/* The file of a timeline's kernel events, beside it; empty if its path would be
 * too long. */
struct tl_name tl_ctl_sched_name(const struct tl_name *name);
/* Start to record the kernel events of a timeline (kernel/kernel.h), as
 * --buffer, --faults and --names choose.  0 or -errno. */
int tl_call_kernel(struct tl_call *call, const struct tl_name *name,
    struct tl_session **session);
/* Set the fault for a failure of that later; returns rc. */
int
tl_call_kernel_failed(struct tl_call *call, const struct tl_name *name, int rc);

/* Write the output so far.  0 or -errno; -EPIPE: the reader has left. */
int tl_call_flush(struct tl_call *call);

/* The fields of a JSON object at the outermost level. */
static inline struct tl_fields
tl_call_json(struct tl_call *call)
{
	return (struct tl_fields){ .text = &call->out, .json = true };
}

/* == verbs == */

#define JSON 0
#define GROUP(title)
#define VERB(name, arguments, least, most, function, options, help) \
	int function(struct tl_call *call);
#include "ctl/verbs.def"
#undef VERB
#undef GROUP
#undef JSON

/* Parse the command line.  1: it was answered by a text (help, version); 0: its
 * verb is to be run; -errno. */
int tl_verbs_parse(struct tl_call *call, int argc, char **argv);

#endif
