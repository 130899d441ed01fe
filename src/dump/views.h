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
 * events merged by time; select (script/select.h) drops those that the options
 * leave out; tl_listing_new() gives a sink, for text that of listing.c, whose
 * put_line() appends one column after another to output->text.  Nothing is
 * allocated for an entry; text is written when 128 KiB wait.
 *
 * To add a column: a row in columns.def, a case in put_column() of listing.c;
 * the man page and the completion name it (a test compares them).
 *
 * To add a view: a row in options.def and a value of enum tl_mode, both read
 * by set_view() of options.c; a file NAME.c with tl_NAME_show(), declared
 * here; a case in run_mode() of main.c; the man page and the completion.  A
 * view that only counts or prints is better written in Lua: a script in
 * lua/views and a row in script/views.def make "--view NAME".
 *
 * A view returns 0 or -errno, -EPIPE when the reader of the output has gone.
 * It prints nothing on standard error: damage is left in the inputs, errors of
 * an expression in select->fault, others in fault; main.c reports them and
 * chooses the exit status.  All views run in the main thread.
 */
#ifndef TL_DUMP_VIEWS_H
#define TL_DUMP_VIEWS_H

#include "dump/output.h"
#include "script/select.h"

/* The default: entries, one on each line. */
int tl_entries_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);
/* How many of the newest entries of each lane are needed; 0: all. */
uint64_t tl_entries_tail(const struct tl_options *options);

/*
 * --follow: entries as they are logged, until SIGINT, SIGTERM, the output is
 * closed, or all inputs are removed.  inputs has the names; afterwards it has
 * the faults of those that could not be opened, and the fault "removed" with rc
 * 0 for those that were removed.
 */
int tl_follow_show(struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --list: the messages that pass, and the number of entries of each. */
int tl_defined_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --stats: count, rate and percentiles of each message. */
int tl_stats_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --info: the program that made a file, geometry, lanes, levels, losses,
 * clock. */
int tl_info_show(const struct tl_sources *inputs,
    const struct tl_options *options, struct tl_output *output);

/* --check: read everything and list damage, which is no error of this
 * function. */
int tl_check_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --why: what distinguishes slow spans. */
int tl_why_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --brief: one page about slow spans. */
int tl_brief_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --view states: the states of the threads of spans. */
int tl_states_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output);

/* --tree: the call tree of each thread.  -ENOENT and the fault: there is no
 * such path. */
int tl_tree_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --critical, --path-of: the waits that determined the ends of spans.  The
 * fault is set if no span matches. */
int tl_critical_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* --browse: trees on the terminal, until the user quits.  The fault is set if
 * the terminal cannot be used or there is no such path; -ENOTSUP: built without
 * ncurses. */
int tl_browse_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, const struct tl_output *output,
    struct tl_fault *fault);

/* --script, --view: run Lua.  *error is the whole error of the script, which
 * the caller frees. */
int tl_scripting_run(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_text *error, struct tl_fault *fault);
/* The output of scripts and expressions. */
struct tl_script_io tl_scripting_io(struct tl_output *output);

#endif
