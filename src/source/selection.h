/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.h - the options that choose entries, the same in every program:
 * rows of selection.def.
 */
#ifndef TL_SOURCE_SELECTION_H
#define TL_SOURCE_SELECTION_H

#include "base/fault.h"
#include "base/options.h"
#include "event/filter.h"
#include "source/hosts.h"
#include "source/remote.h"
#include "source/sources.h"

#include <stdbool.h>

/* The option values of the rows, above the values of any program. */
enum {
	TL_SELECTION_FIRST = 4096,
#define SELECTION(letter, name, argument, constant, take, help) \
	TL_SELECTION_##constant,
#define INPUT SELECTION
#include "source/selection.def"
#undef INPUT
#undef SELECTION
};

struct tl_selection {
	bool any; /* a row of SELECTION was given */
	struct tl_bound since;
	struct tl_bound until;
	struct tl_filter filter; /* without the time window */
	const char *expression;  /* NULL: none */
	int64_t slower_ns;       /* least duration of a span; 0: any entry */
	const char *host_globs[TL_FILTER_LIST_MAX]; /* any may match */
	size_t host_glob_count;
	struct tl_hosts_plan hosts; /* options for the clocks of hosts */
};

/* Select all entries. */
void tl_selection_init(struct tl_selection *selection);
/* Take an option; its argument must outlive the selection.  Returns 0, 1 if
 * value is no option of selection.def, or -EINVAL with a fault. */
int tl_selection_take(struct tl_selection *selection, int value,
    const char *argument, struct tl_fault *fault);
/* Apply TIMELINE_PRIORITY if no option was given.  Returns 0, or -EINVAL with a
 * fault. */
int
tl_selection_defaults(struct tl_selection *selection, struct tl_fault *fault);

/* The request to a server for at least the selected entries.  The request is
 * valid as long as the selection. */
struct tl_remote_plan
tl_selection_remote(const struct tl_selection *selection, bool follow);

/* Does the selection restrict the entries? */
bool tl_selection_is_any(const struct tl_selection *selection);

/*
 * Apply --offset to the clocks of hosts, before the first entry is read.  With
 * in_order, entries of several hosts are shown in one order, and hosts whose
 * order is unknown are reported.  Returns 0, -ENOMEM, or -EINVAL with a fault
 * if the command line names no known host.
 */
int tl_selection_hosts(const struct tl_selection *selection,
    struct tl_sources *sources, tl_warn *warn, bool in_order,
    struct tl_fault *fault);

/* Where the entries of several sources are shown or counted together: report
 * entries that two of the sources have. */
void tl_selection_copies(const struct tl_sources *sources, tl_warn *warn);

#endif
