/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_rtl.h - the macros of RTL_LOGFILE, which write the log file of
 * RTL_LOGFILE and log into a timeline beside the log file.
 *
 *	RTL_LOGFILE_CONTEXT_AUTHOR(load, "sfx2", "ab123456", "::Sfx::load");
 *	RTL_LOGFILE_CONTEXT_TRACE1(load, "%d pages", pages);
 *
 * The macros do nothing, unless the program is compiled with TIMELOG (macros
 * with PRODUCT in their name do not need TIMELOG) and runs with RTL_LOGFILE in
 * the environment:
 *
 *	RTL_LOGFILE=/tmp/soffice ./soffice
 *	timeline-dump /tmp/soffice_4711.log
 *
 * The macros and functions are safe in threads, and not in signal handlers
 * unless a function says so.  See timeline_rtl(3).
 */
#ifndef TIMELINE_RTL_H
#define TIMELINE_RTL_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The place of a macro: the library fills the members on the first call. */
struct timeline_rtl_site {
	struct timeline_event *event;
	const void *key[3];
	uint64_t label;
	uint8_t conversions[3];
	uint8_t flags;
};

/* A scope that was entered; span is NULL when nothing is logged. */
struct timeline_rtl_context {
	const char *project;
	const char *author;
	const char *name;
	struct timeline_event *span;
	uint64_t label;
	uint64_t begun; /* twice the stamp of the begin, 1 more with a label */
};

/* 1 when the library knows that nothing is logged. */
extern int timeline_rtl_off;

/*
 * Log to tl, not to a timeline beside the log file.  Call the function before
 * the first macro; tl must stay open as long as macros run.  -EBUSY a macro has
 * run, -EINVAL tl is NULL.
 */
int timeline_rtl_use(struct timeline *tl);

/* The file of the timeline beside the log file; NULL when there is none.  The
 * text stays valid. */
const char *timeline_rtl_path(void);

/* The log file; NULL when there is none.  The text stays valid, except in a
 * forked process, where the first line opens another file. */
const char *timeline_rtl_log_path(void);

/* The number of lost lines and texts: lines for which the log file had no room,
 * and texts for which the timeline had none.  Safe in any thread and any signal
 * handler. */
uint64_t timeline_rtl_lost(void);

/* Is a log file being written?  The first call opens the log file. */
int timeline_rtl_has_log_file(void);

/* The functions behind the macros.  constant: the text of the place never
 * changes. */
void timeline_rtl_enter(struct timeline_rtl_context *context,
    struct timeline_rtl_site *site, int constant);
void timeline_rtl_leave(const struct timeline_rtl_context *context);
void timeline_rtl_trace(struct timeline_rtl_site *site,
    const struct timeline_rtl_context *context, int constant,
    const char *format, unsigned argc, uint64_t a0, uint64_t a1, uint64_t a2);

#pragma GCC visibility pop

static inline int
timeline_rtl_maybe_on_(void)
{
	return !__atomic_load_n(&timeline_rtl_off, __ATOMIC_RELAXED);
}

static inline struct timeline_rtl_context
timeline_rtl_context_(
    const char *project, const char *author, const char *name)
{
	struct timeline_rtl_context context;

	context.project = project;
	context.author = author;
	context.name = name;
	context.span = 0;
	context.label = 0;
	context.begun = 0;
	return context;
}

static inline struct timeline_rtl_context
timeline_rtl_enter_(struct timeline_rtl_site *site, int constant,
    const char *project, const char *author, const char *name)
{
	struct timeline_rtl_context context =
	    timeline_rtl_context_(project, author, name);

	if (timeline_rtl_maybe_on_())
		timeline_rtl_enter(&context, site, constant);
	return context;
}

static inline void
timeline_rtl_leave_(struct timeline_rtl_context *context)
{
	if (context->span)
		timeline_rtl_leave(context);
}

/* 64 bits of an argument, which may be a pointer: %s, %p. */
#ifdef __cplusplus
}

template <class T>
static inline uint64_t
timeline_rtl_bits_(T value)
{
	return timeline_bits_(value);
}
template <class T>
static inline uint64_t
timeline_rtl_bits_(T *pointer)
{
	return reinterpret_cast<uintptr_t>(pointer);
}
static inline uint64_t
timeline_rtl_bits_(decltype(nullptr))
{
	return 0;
}
#define TIMELINE_RTL_BITS_(x) timeline_rtl_bits_(x)
#else
#define TIMELINE_RTL_BITS_(x) TIMELINE_BITS_(x)
#endif

#define TIMELINE_RTL_CONTEXT_(instance, project, author, name) \
	static struct timeline_rtl_site timeline_rtl_site_##instance; \
	__attribute__((cleanup(timeline_rtl_leave_), unused)) \
	struct timeline_rtl_context instance = timeline_rtl_enter_( \
	    &timeline_rtl_site_##instance, \
	    __builtin_constant_p(project) && __builtin_constant_p(author) && \
		__builtin_constant_p(name), \
	    project, author, name)

#define TIMELINE_RTL_TRACE_(context, project, author, format, n, a, b, c) \
	do { \
		static struct timeline_rtl_site timeline_rtl_site_; \
		struct timeline_rtl_context timeline_rtl_of_; \
		if (timeline_rtl_maybe_on_()) { \
			timeline_rtl_of_ = context; \
			timeline_rtl_trace(&timeline_rtl_site_, \
			    &timeline_rtl_of_, \
			    __builtin_constant_p(project) && \
				__builtin_constant_p(author) && \
				__builtin_constant_p(format), \
			    format, n, TIMELINE_RTL_BITS_(a), \
			    TIMELINE_RTL_BITS_(b), TIMELINE_RTL_BITS_(c)); \
		} \
	} while (0)
#define TIMELINE_RTL_IN_(instance, format, n, a, b, c) \
	TIMELINE_RTL_TRACE_(instance, 0, 0, format, n, a, b, c)
#define TIMELINE_RTL_BY_(project, author, format, n, a, b, c) \
	TIMELINE_RTL_TRACE_(timeline_rtl_context_(project, author, 0), \
	    project, author, format, n, a, b, c)

/* Present in every build. */
#define RTL_LOGFILE_PRODUCT_TRACE(string) \
	TIMELINE_RTL_BY_(0, 0, string, 0, 0, 0, 0)
#define RTL_LOGFILE_PRODUCT_TRACE1(format, a) \
	TIMELINE_RTL_BY_(0, 0, format, 1, a, 0, 0)
#define RTL_LOGFILE_PRODUCT_CONTEXT(instance, name) \
	TIMELINE_RTL_CONTEXT_(instance, 0, 0, name)
#define RTL_LOGFILE_PRODUCT_CONTEXT_TRACE1(instance, format, a) \
	TIMELINE_RTL_IN_(instance, format, 1, a, 0, 0)

#ifdef TIMELOG
#define RTL_LOGFILE_CONTEXT(instance, name) \
	TIMELINE_RTL_CONTEXT_(instance, 0, 0, name)
#define RTL_LOGFILE_CONTEXT_AUTHOR(instance, project, author, name) \
	TIMELINE_RTL_CONTEXT_(instance, project, author, name)
#define RTL_LOGFILE_CONTEXT_TRACE(instance, message) \
	TIMELINE_RTL_IN_(instance, message, 0, 0, 0, 0)
#define RTL_LOGFILE_CONTEXT_TRACE1(instance, format, a) \
	TIMELINE_RTL_IN_(instance, format, 1, a, 0, 0)
#define RTL_LOGFILE_CONTEXT_TRACE2(instance, format, a, b) \
	TIMELINE_RTL_IN_(instance, format, 2, a, b, 0)
#define RTL_LOGFILE_CONTEXT_TRACE3(instance, format, a, b, c) \
	TIMELINE_RTL_IN_(instance, format, 3, a, b, c)
#define RTL_LOGFILE_TRACE(string) TIMELINE_RTL_BY_(0, 0, string, 0, 0, 0, 0)
#define RTL_LOGFILE_TRACE1(format, a) \
	TIMELINE_RTL_BY_(0, 0, format, 1, a, 0, 0)
#define RTL_LOGFILE_TRACE2(format, a, b) \
	TIMELINE_RTL_BY_(0, 0, format, 2, a, b, 0)
#define RTL_LOGFILE_TRACE3(format, a, b, c) \
	TIMELINE_RTL_BY_(0, 0, format, 3, a, b, c)
#define RTL_LOGFILE_TRACE_AUTHOR(project, author, string) \
	TIMELINE_RTL_BY_(project, author, string, 0, 0, 0, 0)
#define RTL_LOGFILE_TRACE_AUTHOR1(project, author, format, a) \
	TIMELINE_RTL_BY_(project, author, format, 1, a, 0, 0)
#define RTL_LOGFILE_TRACE_AUTHOR2(project, author, format, a, b) \
	TIMELINE_RTL_BY_(project, author, format, 2, a, b, 0)
#define RTL_LOGFILE_TRACE_AUTHOR3(project, author, format, a, b, c) \
	TIMELINE_RTL_BY_(project, author, format, 3, a, b, c)
#define RTL_LOGFILE_HASLOGFILE() timeline_rtl_has_log_file()
#else
#define RTL_LOGFILE_CONTEXT(instance, name)                              ((void)0)
#define RTL_LOGFILE_CONTEXT_AUTHOR(instance, project, author, name)      ((void)0)
#define RTL_LOGFILE_CONTEXT_TRACE(instance, message)                     ((void)0)
#define RTL_LOGFILE_CONTEXT_TRACE1(instance, format, a)                  ((void)0)
#define RTL_LOGFILE_CONTEXT_TRACE2(instance, format, a, b)               ((void)0)
#define RTL_LOGFILE_CONTEXT_TRACE3(instance, format, a, b, c)            ((void)0)
#define RTL_LOGFILE_TRACE(string)                                        ((void)0)
#define RTL_LOGFILE_TRACE1(format, a)                                    ((void)0)
#define RTL_LOGFILE_TRACE2(format, a, b)                                 ((void)0)
#define RTL_LOGFILE_TRACE3(format, a, b, c)                              ((void)0)
#define RTL_LOGFILE_TRACE_AUTHOR(project, author, string)                ((void)0)
#define RTL_LOGFILE_TRACE_AUTHOR1(project, author, format, a)            ((void)0)
#define RTL_LOGFILE_TRACE_AUTHOR2(project, author, format, a, b)         ((void)0)
#define RTL_LOGFILE_TRACE_AUTHOR3(project, author, format, a, b, c)      ((void)0)
#define RTL_LOGFILE_HASLOGFILE()                                         0
#endif

#endif
