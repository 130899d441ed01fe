/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.h - the views of timeline-dump: one function for each.
 *
 *	command line --options.c--> struct tl_options (mode)
 *	files -------source/------> struct tl_sources
 *	                                 |
 *	main.c: run_mode() calls one view of this header
 *	                                 |
 *	inputs --cursor--> select --cursor--> view --text--> output --> write(2)
 *
 * How an entry becomes a line (entries.c): a cursor over all inputs yields
 * events merged by time; select (script/select.h) drops the events that the
 * options leave out; the sink of tl_listing_new() makes text, and its
 * put_line() appends one column after another to output->text.  Nothing is
 * allocated for an entry; text is written when 128 KiB wait.
 *
 * To add a column: a row in columns.def, a case in put_column() of listing.c;
 * the man page and the completion (a test compares the names).
 *
 * To add a view: a row in options.def and one in reports.def, which has the
 * call; a case in take() of options.c; a file NAME.c with tl_NAME_show(),
 * declared here; the man page and the completion.  A view that only counts or
 * prints is better written in Lua: a script in lua/views and a row in
 * script/views.def make "--view NAME".
 *
 * A view returns 0 or -errno, -EPIPE when the reader of the output has gone.  A
 * view prints nothing on standard error: damage is left in the inputs, errors
 * of an expression in select->fault, other errors in fault; main.c reports all
 * of them and chooses the exit status.  All views run in the main thread.
 */
#ifndef TL_DUMP_VIEWS_H
#define TL_DUMP_VIEWS_H

#include "dump/output.h"
#include "script/select.h"

/* The default: show entries, one on each line. */
int tl_entries_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);
/* The number of newest entries of each lane that are needed.  0: all. */
uint64_t tl_entries_tail(const struct tl_options *options);

/*
 * --follow: show entries as they are logged, until SIGINT, SIGTERM, the output
 * is closed, or all inputs are removed.  inputs has the names.  Afterwards
 * inputs has the faults of the inputs that could not be opened, and the fault
 * "removed" with rc 0 for each removed input.
 */
int tl_follow_show(struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --list: show the messages that pass, and the number of entries of each. */
int tl_defined_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --stats: show count, rate and percentiles of each message. */
int tl_stats_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --info: show the program that made a file, geometry, lanes, levels, losses,
 * clock. */
int tl_info_show(const struct tl_sources *inputs,
    const struct tl_options *options, struct tl_output *output);

/* --check: read everything and list damage.  Damage is no error of this
 * function. */
int tl_check_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --why: show what distinguishes slow spans. */
int tl_why_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --brief: show one page about slow spans. */
int tl_brief_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --view states: show the states of the threads of spans. */
int tl_states_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --tree: show the call tree of each thread.  -ENOENT and a fault: no such
 * path. */
int tl_tree_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --critical, --path-of: show the waits that determined the ends of spans.  The
 * fault is set if no span matches. */
int tl_critical_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --script, --view: run Lua.  *error is the whole error of the script; the
 * caller frees the text. */
int tl_scripting_run(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_text *error, struct tl_fault *fault);
/* The output of scripts and expressions. */
struct tl_script_io tl_scripting_io(struct tl_output *output);

#endif
