/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - write to a timeline: create, define, log, priority, save.
 *
 *	struct timeline *tl;
 *	struct timeline_event *processed;
 *
 *	timeline_new(&tl, "/timeline", NULL);
 *	timeline_define(tl, "example", "trace",
 *	    "processed $tcp, $udp, and $other", &processed);
 *	timeline_log(processed, 10, 20, 3);
 *
 * Every function that can fail returns 0 or -errno; timeline_error() then has
 * the words.  NULL in place of a timeline or of a text is -EINVAL, unless a
 * function gives it a meaning; an event must not be NULL.  Nothing here but
 * timeline_check prints, and nothing exits or installs a signal handler.
 * Logging is safe in threads, in signal handlers and after fork.  Everything
 * else is safe in threads but not in signal handlers.  See timeline(3).
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdint.h>

#define TIMELINE_VERSION_MAJOR 0
#define TIMELINE_VERSION_MINOR 1
#define TIMELINE_VERSION_PATCH 0
#define TIMELINE_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* timeline.lua hands the text between the two marks to ffi.cdef.
 * No preprocessor line may stand in it. */
/* ffi-begin */

struct timeline;

/*
 * A message that can be logged, made by timeline_define.  Belongs to the
 * library and to one process; only timeline_log and friends look inside.
 * The first line is what an append reads, the second what its rare turns do.
 */
struct timeline_event {
	const uint8_t *gate;	/* logged if *gate >= *levels */
	const uint8_t *levels;
	uint8_t *heads;
	uint8_t *entries;
	uint32_t message;
	int32_t ids;
	int32_t rseq;
	uint32_t unused;
	uint32_t lanes;
	uint32_t head_step;
	uint32_t lane_step;
	uint32_t mask;
	uint64_t burst_max;
	struct timeline *timeline;
	uint32_t tier;
	uint32_t kind;
	uint8_t *fallback_heads;
	uint8_t *fallback_entries;
	uint32_t fallback_lanes;
	uint32_t fallback_mask;
	uint8_t *histogram;
	const uint64_t *slower;
};

/* To whom a span belongs: ends find their begin per thread, or per message
 * whichever thread logs it. */
enum { TIMELINE_THREAD = 0, TIMELINE_SOURCE = 1 };

/* What a message is. */
enum {
	TIMELINE_INSTANT = 1,
	TIMELINE_SPAN = 2,
	TIMELINE_COUNTER = 3,
	TIMELINE_TIMER = 4
};

/* Stamps of a new timeline. */
enum {
	TIMELINE_STAMP_AUTO = 0,    /* the TSC where it can be trusted */
	TIMELINE_STAMP_TSC = 1,	    /* the TSC */
	TIMELINE_STAMP_REALTIME = 2 /* clock_gettime(CLOCK_REALTIME) */
};

/*
 * How to create a timeline; a member left 0 takes its default.  An existing
 * file keeps its own geometry, mode and clock.
 */
struct timeline_options {
	uint64_t entries;	  /* of all CPU lanes; 163840 (10 MiB) */
	uint64_t stringtablesize; /* bytes; 1048576 */
	uint32_t mode;		  /* permissions; 0600 */
	uint32_t tiers;		  /* 1, or 2: warnings and up apart; 2 */
	uint32_t cpu_lanes;	  /* highest usable CPU + 1 */
	uint32_t fallback_lanes;  /* of each tier; 1 */
	uint32_t stamp;		  /* TIMELINE_STAMP_...; AUTO */
	uint32_t trusted_uid;	  /* attach to this owner's file too */
};

/*
 * Create the timeline at path or attach to the one there.  "name" and
 * "/name" are /dev/shm/name; a string with another slash in it is an ordinary
 * path ("./name").  So it is for timeline_open and timeline_remove.  When
 * several processes call this at once one creates and the others attach.  A
 * file from before the last boot is kept as NAME.1 (to .3).  *tl is NULL after every error:
 * -EBADMSG not a timeline, -EPROTO another version, -ENODATA truncated, -EROFS
 * a saved one, -EPERM owned by another user, -ENOSPC no room, -ENOTSUP its
 * clock cannot be used here or the boot id is not known, -EXDEV of another PID
 * namespace, -EBUSY from before the last boot and locked, -EINVAL bad option,
 * -EFBIG too large, -ENOMEM, or the error of the system.
 */
int timeline_new(struct timeline **tl, const char *path,
    const struct timeline_options *options);

/* Attach to an existing timeline.  Errors as timeline_new, -ENOENT, and
 * -ESTALE for a file from before the last boot. */
int timeline_open(struct timeline **tl, const char *path);

/* Give back the mapping and every event defined through it, which must not
 * be logged any more.  The file stays.  NULL does nothing. */
void timeline_close(struct timeline *tl);

/* Remove the file of a timeline; processes that have it open keep it, see
 * timeline_superseded.  -EBADMSG when something else lies there, or what the
 * system said. */
int timeline_remove(const char *path);

/* Was the file removed, or replaced by another, since it was opened?  1: what
 * is logged is not in the file of its name any more; close it and open it
 * again.  0: not.  -EINVAL: NULL.  One system call; any thread, any signal
 * handler. */
int timeline_superseded(const struct timeline *tl);

/* The definition of a message. */
struct timeline_definition {
	const char *category;
	const char *priority; /* "fatal" ... "trace+++" */
	const char *message;
	int kind;         /* TIMELINE_INSTANT, SPAN, COUNTER or TIMER */
	int scope; /* of a span: TIMELINE_THREAD or TIMELINE_SOURCE */
	const char *file; /* of the caller; NULL unknown */
	int line;
};

/*
 * Define a message: a category, a priority and text.  Up to four words of
 * the first line that start with $ name its arguments: $x and $x%d signed,
 * $x%u unsigned, $x%x hexadecimal, $x%f double, $x%t nanoseconds, $x%s a number
 * from timeline_string; other conversions of printf are refused.  More lines
 * may follow as explanation.  The same definition gives the same message, in
 * any process; the same event, in this one.  Where kind is TIMELINE_SPAN an event is an array of eight: begin, end,
 * end without arguments, end with the begin of the next, and those of
 * timeline_scope and timeline_end_of.
 * On failure *event is a closed event: it may be logged and never is.
 * Errors: -EINVAL bad priority, kind, scope or message, -ENOSPC string table
 * full (what is defined goes on), -E2BIG text over 64 KiB, -ENOMEM.
 */
int timeline_define_event(struct timeline *tl,
    const struct timeline_definition *definition,
    struct timeline_event **event);
int timeline_define(struct timeline *tl, const char *category,
    const char *priority, const char *message, struct timeline_event **event);
int timeline_define_span(struct timeline *tl, const char *category,
    const char *priority, const char *message, int scope,
    struct timeline_event **span);
int timeline_define_counter(struct timeline *tl, const char *category,
    const char *priority, const char *message,
    struct timeline_event **counter);

/*
 * Define a timer: a span of which all are counted, by duration, and only those
 * are logged that take at least as long as timeline_slower says; at first
 * each.  The counts are in the file: one histogram for each CPU, 24 KiB.  A
 * span is logged when it ends, as one entry, with the arguments of the end.
 * -ENOSPC: the timeline has 64 timers, or no memory for one more.
 */
int timeline_define_timer(struct timeline *tl, const char *category,
    const char *priority, const char *message, struct timeline_event **timer);

/*
 * Log, of the timers whose category and first line match two globs, only spans
 * of at least threshold_ns, for every process, from now on.  0 is each of
 * them, UINT64_MAX none.  All are still counted.  -ENOENT none matched.
 */
int timeline_slower(struct timeline *tl, const char *category_glob,
    const char *message_glob, uint64_t threshold_ns);

/* The number of a text, for %s arguments.  The same text has the same number
 * in every process.  Errors: -EINVAL no text, -ENOSPC, -E2BIG, -ENOMEM.
 */
int timeline_string(struct timeline *tl, const char *text, uint64_t *number);

/*
 * Log an event, if its priority is open.  For foreign callers; from C the
 * macro of this name counts the arguments and tests the gate inline.
 * Never waits, never fails: what cannot be stored is counted in the file.
 * Any thread, any signal handler.  Not in a vfork child.
 */
void timeline_log(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);

/* As timeline_log, after the gate was tested: what the macro calls. */
void timeline_append(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);

/*
 * As timeline_log and timeline_append; they return the stamp of the entry, 0 if
 * it was not logged.  An entry that was dropped because another thread was a
 * lap ahead was logged.
 */
uint64_t timeline_span_log(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
uint64_t timeline_span_append(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* What the macros of these names do, for foreign callers; timeline_end_of with
 * three arguments.  Any thread, any signal handler. */
uint64_t timeline_begin(struct timeline_event *span, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);
void timeline_end_of(struct timeline_event *span, uint64_t begun, uint64_t a0,
    uint64_t a1, uint64_t a2);

/* The last four events of a span. */
enum {
	TIMELINE_PART_SCOPE = 4,    /* a begin whose end will prove itself */
	TIMELINE_PART_END_OF = 5,   /* its stamp is the fourth argument */
	TIMELINE_PART_SCOPE_END = 6, /* ... the first; there are no others */
	TIMELINE_PART_END_OF_4 = 7, /* no room for the stamp */
	TIMELINE_PART_COUNT = 8
};

/*
 * What the macros of these names do, for foreign callers.  timeline_stamp: the
 * clock of the event's timeline, now.  timeline_timer_begin: the same, or 0 if
 * the timer's priority is not open; it may be kept anywhere, and any thread
 * may end the span.  timeline_timer_end: nothing if begin is 0.
 * timeline_log_at: log at a stamp of timeline_stamp, which should be a recent
 * one.  Its lane stays in order: a stamp before that of the entry before, or
 * after now, is replaced by the nearest one in between and the entry marked.
 * So that the clock is rarely read, a stamp of the future may pass, by less
 * than 2^28 ticks (about 0.1 s).  As timeline_log.
 */
uint64_t timeline_stamp(const struct timeline_event *event);
uint64_t timeline_timer_begin(const struct timeline_event *timer);
void timeline_timer_end(struct timeline_event *timer, uint64_t begin,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
void timeline_log_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* As these two, after begin or the gate was tested. */
void timeline_timer_append(struct timeline_event *timer, uint64_t begin,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
void timeline_append_at(struct timeline_event *event, uint64_t stamp,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);

/* Set the least priority that is logged, for every process: a name of a
 * priority, or "off" for nothing.  -EINVAL unknown name. */
int timeline_priority(struct timeline *tl, const char *priority);

/* Log from this priority up for duration_ns (at most an hour), then fall back
 * by the writers' own clock, even if the caller dies.  -EINVAL, -ERANGE. */
int timeline_burst(
    struct timeline *tl, const char *priority, uint64_t duration_ns);

/*
 * Turn the messages whose category and first line match two globs (as in
 * fnmatch(3)) up or down: they are logged as if they had this priority, for
 * every process; "off" never, "default" as defined.  -ENOENT none matched,
 * -EINVAL unknown level.
 */
int timeline_level(struct timeline *tl, const char *category_glob,
    const char *message_glob, const char *level);

/* Hide what is in the timeline so far from readers; writers go on.  It cannot
 * fail: 0. */
int timeline_clear(struct timeline *tl);

/*
 * Save a snapshot to an ordinary file: whole or absent (made beside it and
 * renamed, mode 0600).  Writers are not held up; what was overwritten or half
 * written meanwhile is left out and marked.  -ENOSPC no room, -EFBIG longer
 * than the process may make a file (ulimit -f; no SIGXFSZ), or what the system
 * said.
 */
int timeline_save(struct timeline *tl, const char *filename);

/* The words for the last error of this thread.  Valid until the next. */
const char *timeline_error(void);

/* "0.1.0" of the library in use. */
const char *timeline_version(void);

/*
 * Give the calling thread a name in this timeline: TIMELINE_THREAD_NAME_MAX
 * bytes, more are cut; NULL: the one that it has now, as prctl(PR_SET_NAME)
 * and pthread_setname_np set it.  A thread that logs for the first time is
 * recorded by that name anyway, unless this gave it another before.  Where more
 * than about 700 threads live at once, some have no name.  Safe in threads and
 * signal handlers.
 */
enum { TIMELINE_THREAD_NAME_MAX = 15 };
void timeline_thread_name(struct timeline *tl, const char *name);

/*
 * What the macros call where TIMELINE_CHECK is 1: report once for each message
 * that a call at file:line gives it another number of arguments than it has, or
 * a floating one where it has none, or the other way round.  given: how many,
 * and bit 8 + i for argument i if that is floating.  For any thread.
 */
void timeline_check(const struct timeline_event *event, int given,
    const char *file, int line);

/* Forget the process and thread numbers of the calling thread after a raw
 * clone; fork does it. */
void timeline_after_fork(void);

/* ffi-end */

/* One jump less on the way into the library: through the GOT and not by way
 * of a PLT entry.  A static link turns it into a direct call. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
void timeline_log(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3) __attribute__((noplt));
void timeline_append(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3) __attribute__((noplt));
uint64_t timeline_span_append(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3) __attribute__((noplt));
void timeline_timer_append(struct timeline_event *timer, uint64_t begin,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3) __attribute__((noplt));
void timeline_append_at(struct timeline_event *event, uint64_t stamp,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3) __attribute__((noplt));
#pragma GCC diagnostic pop
#endif
#endif

#pragma GCC visibility pop

/* The bits of a double for a $x%f argument; timeline_log does it for
 * arguments of a floating type. */
static inline uint64_t
timeline_double(double value)
{
	union {
		double value;
		uint64_t bits;
	} u;

	u.value = value;
	return u.bits;
}

/* What the macros below call: a definition that keeps the place of its
 * caller.  As timeline_define_event. */
static inline int
timeline_define_at(struct timeline *tl, const char *category,
    const char *priority, const char *message, int kind, int scope,
    const char *file, int line, struct timeline_event **event)
{
	struct timeline_definition d;

	d.category = category;
	d.priority = priority;
	d.message = message;
	d.kind = kind;
	d.scope = scope;
	d.file = file;
	d.line = line;
	return timeline_define_event(tl, &d, event);
}

/* Would this event be logged just now?  One load of each, no fence. */
static inline int
timeline_enabled(const struct timeline_event *event)
{
	return __atomic_load_n(event->gate, __ATOMIC_RELAXED) >=
	    __atomic_load_n(event->levels, __ATOMIC_RELAXED);
}

/* The clock of the event's timeline, now. */
static inline uint64_t
timeline_stamp_(const struct timeline_event *event)
{
#ifdef __x86_64__
	if (__builtin_expect(event->lanes != 0, 1))
		return __builtin_ia32_rdtsc();
#endif
	return timeline_stamp(event);
}

static inline uint64_t
timeline_timer_begin_(const struct timeline_event *timer)
{
	if (__builtin_expect(!timeline_enabled(timer), 1) || !timer->histogram)
		return 0;
	return timeline_stamp_(timer);
}

/* The compiler's errors for calls that cannot log what they are given. */
#define TIMELINE_POINTER_ \
	"an argument is a pointer: timeline_string() gives text a number that " \
	"%s shows; cast to uintptr_t to log the address itself"
#define TIMELINE_TOO_MANY_ "an event has at most 4 arguments"

#ifdef __cplusplus
}

static inline uint64_t
timeline_bits_(double value)
{
	return timeline_double(value);
}
static inline uint64_t
timeline_bits_(float value)
{
	return timeline_double(value);
}
template <class T>
static inline uint64_t
timeline_bits_(T value)
{
	return static_cast<uint64_t>(value);
}
template <class T>
static inline uint64_t
timeline_bits_(T *)
{
	static_assert(sizeof(T *) == 0, TIMELINE_POINTER_);
	return 0;
}
#define TIMELINE_BITS_(x)    timeline_bits_(x)
#define TIMELINE_NUMBER_(x)  static_assert(true, "")
#define TIMELINE_REFUSE_(it) static_assert(sizeof(it) == 0, it)
#else
#define TIMELINE_REFUSE_(it) _Static_assert(sizeof(it) == 0, it)
/* 5: the type class of a pointer, and of an array. */
#define TIMELINE_NUMBER_(x) \
	_Static_assert(__builtin_classify_type(x) != 5, TIMELINE_POINTER_)
/* 64 bits of an argument: a floating one as the bits of a double. */
#define TIMELINE_FLOATING_(x) \
	timeline_double(_Generic((x), float : (x), double : (x), default : 0.0))
#define TIMELINE_BITS_(x) \
	_Generic((x), float \
	: TIMELINE_FLOATING_(x), double \
	: TIMELINE_FLOATING_(x), default \
	: (uint64_t)(x))
#endif

/* The definitions keep the place of their caller. */
#define timeline_define(tl, category, priority, message, event) \
	timeline_define_at((tl), (category), (priority), (message), \
	    TIMELINE_INSTANT, 0, __FILE__, __LINE__, (event))
#define timeline_define_span(tl, category, priority, message, scope, span) \
	timeline_define_at((tl), (category), (priority), (message), \
	    TIMELINE_SPAN, (scope), __FILE__, __LINE__, (span))
#define timeline_define_counter(tl, category, priority, message, counter) \
	timeline_define_at((tl), (category), (priority), (message), \
	    TIMELINE_COUNTER, 0, __FILE__, __LINE__, (counter))
#define timeline_define_timer(tl, category, priority, message, timer) \
	timeline_define_at((tl), (category), (priority), (message), \
	    TIMELINE_TIMER, 0, __FILE__, __LINE__, (timer))

/*
 * timeline_log(event, ...): 0 to 4 arguments of integer or floating type; a
 * pointer, or a fifth argument, does not compile.  The gate is tested here; no
 * argument is evaluated when it is closed.
 */
#define timeline_log(...) TIMELINE_CALL_(TIMELINE_LOG_, 0, __VA_ARGS__)
/*
 * timeline_begin(span, ...), timeline_end(span, ...): pair last-in first-out
 * per message and thread, or per message for TIMELINE_SOURCE.
 *
 * timeline_begin is an expression: the stamp of the begin, 0 if it was not
 * logged.  timeline_end_of(span, begun, ...) ends the span of that stamp.  It
 * logs nothing if begun is 0, and its arguments are not evaluated; else it is
 * logged whatever the level is by then, "off", too.  With at most three
 * arguments the end proves the span: it has the stamp of its begin, so that its
 * duration is known whether or not the begin is in the record.  With four the
 * end is one of timeline_end.
 */
#define timeline_begin(...) \
	__extension__({ \
		uint64_t timeline_begun_ = 0; \
		TIMELINE_CALL_(TIMELINE_BEGIN_, timeline_begun_, \
		    __VA_ARGS__); \
		timeline_begun_at_(timeline_begun_); \
	})
#define timeline_end(...)    TIMELINE_CALL_(TIMELINE_LOG_, 1, __VA_ARGS__)
#define timeline_end_of(...) TIMELINE_CALL_(TIMELINE_END_OF_, __VA_ARGS__)
/* timeline_next(span, ...): end the span and begin the next of the same
 * message, at the same stamp and in one entry. */
#define timeline_next(...) TIMELINE_CALL_(TIMELINE_LOG_, 3, __VA_ARGS__)
/* timeline_scope(span, ...): begin now, end where the block is left, with the
 * proof of timeline_end_of.  If the begin is not logged, the end is not. */
#define timeline_scope(...) \
	TIMELINE_SCOPE_(TIMELINE_JOIN_(timeline_scope_, __COUNTER__), \
	    __VA_ARGS__)
#define TIMELINE_SCOPE_(name, ...) \
	__attribute__((cleanup(timeline_scope_end_), unused)) \
	struct timeline_scope_ name = { TIMELINE_FIRST_(__VA_ARGS__, 0), 0 }; \
	TIMELINE_CALL_(TIMELINE_SCOPE_BEGIN_, name, __VA_ARGS__)

#define TIMELINE_BEGIN_(given, begun, span, a, b, c, d) \
	do { \
		struct timeline_event *timeline_event_ = (span); \
		TIMELINE_CHECK_CALL_(timeline_event_, given); \
		if (__builtin_expect(timeline_enabled(timeline_event_), 0)) \
			begun = timeline_span_append(timeline_event_, a, b, \
			    c, d); \
	} while (0)
#define TIMELINE_SCOPE_BEGIN_(given, name, event, a, b, c, d) \
	TIMELINE_BEGIN_(given, name.begun, name.span + TIMELINE_PART_SCOPE, a, \
	    b, c, d)
#define TIMELINE_END_OF_(given, event, stamp, a, b, c, d) \
	do { \
		struct timeline_event *timeline_ended_ = (event); \
		const uint64_t timeline_since_ = (stamp); \
		TIMELINE_CHECK_CALL_(timeline_ended_ + 1 + ((given) == 0), \
		    given); \
		if (timeline_since_ != 0) \
			timeline_end_of_(timeline_ended_, timeline_since_, \
			    (given) & 255, a, b, c, d); \
	} while (0)

struct timeline_scope_ {
	struct timeline_event *span;
	uint64_t begun;
};

static inline void
timeline_scope_end_(const struct timeline_scope_ *scope)
{
	if (scope->begun != 0)
		(void)timeline_span_append(scope->span +
			TIMELINE_PART_SCOPE_END,
		    scope->begun, 0, 0, 0);
}

/* A value that may be ignored without a warning. */
static inline uint64_t
timeline_begun_at_(uint64_t begun)
{
	return begun;
}

static inline void
timeline_end_of_(struct timeline_event *span, uint64_t begun, int count,
    uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	if (count == 0)
		(void)timeline_span_append(span + TIMELINE_PART_SCOPE_END,
		    begun, 0, 0, 0);
	else if (count == 4)
		(void)timeline_span_append(span + TIMELINE_PART_END_OF_4, a, b,
		    c, d);
	else
		(void)timeline_span_append(span + TIMELINE_PART_END_OF, a, b,
		    c, begun);
}

#define TIMELINE_JOIN_(a, b)	   TIMELINE_JOIN2_(a, b)
#define TIMELINE_JOIN2_(a, b)	   a##b
#define TIMELINE_FIRST_(first, ...) first
/*
 * TIMELINE_CHECK 1 compares each call with the definition, and reports the
 * first that does not fit on standard error; 0 does not.  The default is 1 in
 * builds without optimisation and without NDEBUG.
 */
#ifndef TIMELINE_CHECK
#if !defined(NDEBUG) && !defined(__OPTIMIZE__)
#define TIMELINE_CHECK 1
#else
#define TIMELINE_CHECK 0
#endif
#endif
#if TIMELINE_CHECK
#define TIMELINE_CHECK_CALL_(event, given) \
	timeline_check((event), (given), __FILE__, __LINE__)
#else
#define TIMELINE_CHECK_CALL_(event, given) \
	do { \
	} while (0)
#endif
/* What a call gives, for timeline_check: how many, and which are floating. */
#define TIMELINE_REAL_(x, i)	     ((__builtin_classify_type(x) == 8) << (8 + (i)))
#define TIMELINE_GIVEN1_(a)	     (1 + TIMELINE_REAL_(a, 0))
#define TIMELINE_GIVEN2_(a, b)	     (1 + TIMELINE_GIVEN1_(a) + TIMELINE_REAL_(b, 1))
#define TIMELINE_GIVEN3_(a, b, c)    (1 + TIMELINE_GIVEN2_(a, b) + TIMELINE_REAL_(c, 2))
#define TIMELINE_GIVEN4_(a, b, c, d) (1 + TIMELINE_GIVEN3_(a, b, c) + TIMELINE_REAL_(d, 3))
/*
 * TIMELINE_CALL_(what, x, y, ...): what(given, x, y, a, b, c, d) with the 64
 * bits of 0 to 4 arguments, 0 for those that are not there.
 */
#define TIMELINE_CALL_(what, ...) \
	TIMELINE_NAME_(__VA_ARGS__, TIMELINE_CALL5_, TIMELINE_CALL5_, \
	    TIMELINE_CALL5_, TIMELINE_CALL5_, TIMELINE_CALL4_, \
	    TIMELINE_CALL3_, TIMELINE_CALL2_, TIMELINE_CALL1_, \
	    TIMELINE_CALL0_, 0, 0) \
	(what, __VA_ARGS__)
#define TIMELINE_NAME_(x, y, a, b, c, d, e, f, g, h, name, ...) name
#define TIMELINE_CALL0_(what, x, y) what(0, x, y, 0, 0, 0, 0)
#define TIMELINE_CALL1_(what, x, y, a) \
	do { \
		TIMELINE_NUMBER_(a); \
		what(TIMELINE_GIVEN1_(a), x, y, TIMELINE_BITS_(a), 0, 0, 0); \
	} while (0)
#define TIMELINE_CALL2_(what, x, y, a, b) \
	do { \
		TIMELINE_NUMBER_(a); \
		TIMELINE_NUMBER_(b); \
		what(TIMELINE_GIVEN2_(a, b), x, y, TIMELINE_BITS_(a), \
		    TIMELINE_BITS_(b), 0, 0); \
	} while (0)
#define TIMELINE_CALL3_(what, x, y, a, b, c) \
	do { \
		TIMELINE_NUMBER_(a); \
		TIMELINE_NUMBER_(b); \
		TIMELINE_NUMBER_(c); \
		what(TIMELINE_GIVEN3_(a, b, c), x, y, TIMELINE_BITS_(a), \
		    TIMELINE_BITS_(b), TIMELINE_BITS_(c), 0); \
	} while (0)
#define TIMELINE_CALL4_(what, x, y, a, b, c, d) \
	do { \
		TIMELINE_NUMBER_(a); \
		TIMELINE_NUMBER_(b); \
		TIMELINE_NUMBER_(c); \
		TIMELINE_NUMBER_(d); \
		what(TIMELINE_GIVEN4_(a, b, c, d), x, y, TIMELINE_BITS_(a), \
		    TIMELINE_BITS_(b), TIMELINE_BITS_(c), TIMELINE_BITS_(d)); \
	} while (0)
#define TIMELINE_CALL5_(...) TIMELINE_REFUSE_(TIMELINE_TOO_MANY_)
#define TIMELINE_LOG_(given, which, event, a, b, c, d) \
	do { \
		struct timeline_event *timeline_event_ = (event) + (which) + \
		    ((which) == 1 && (given) == 0); \
		TIMELINE_CHECK_CALL_(timeline_event_, given); \
		if (__builtin_expect(timeline_enabled(timeline_event_), 0)) \
			timeline_append(timeline_event_, a, b, c, d); \
	} while (0)

/*
 * timeline_timer_begin(timer): the stamp, or 0 when the gate is closed.
 * timeline_timer_end(timer, begin, ...): 0 to 4 arguments, which are not
 * evaluated when begin is 0.
 * timeline_log_at(event, stamp, ...): as timeline_log.
 */
#define timeline_stamp(event)       timeline_stamp_(event)
#define timeline_timer_begin(timer) timeline_timer_begin_(timer)
#define timeline_timer_end(...) \
	TIMELINE_CALL_(TIMELINE_TIMER_END_, __VA_ARGS__)
#define timeline_log_at(...) TIMELINE_CALL_(TIMELINE_LOG_AT_, __VA_ARGS__)

#define TIMELINE_TIMER_END_(given, timer, begin, a, b, c, d) \
	do { \
		struct timeline_event *timeline_event_ = (timer); \
		const uint64_t timeline_begin_ = (begin); \
		TIMELINE_CHECK_CALL_(timeline_event_, given); \
		if (timeline_begin_ != 0) \
			timeline_timer_append(timeline_event_, \
			    timeline_begin_, a, b, c, d); \
	} while (0)
#define TIMELINE_LOG_AT_(given, event, stamp, a, b, c, d) \
	do { \
		struct timeline_event *timeline_event_ = (event); \
		TIMELINE_CHECK_CALL_(timeline_event_, given); \
		if (__builtin_expect(timeline_enabled(timeline_event_), 0)) \
			timeline_append_at(timeline_event_, (stamp), a, b, c, \
			    d); \
	} while (0)

/*
 * timeline_timed(timer, ...): a span from here to where the block is left.
 * Its arguments, 0 to 4, are evaluated here.
 */
struct timeline_timed_ {
	struct timeline_event *timer;
	uint64_t begin;
	uint64_t args[4];
};

static inline void
timeline_timed_end_(const struct timeline_timed_ *t)
{
	if (t->begin != 0)
		timeline_timer_append(t->timer, t->begin, t->args[0],
		    t->args[1], t->args[2], t->args[3]);
}

#define timeline_timed(...) \
	TIMELINE_TIMED_(TIMELINE_JOIN_(timeline_timed_, __COUNTER__), \
	    __VA_ARGS__)
#ifdef __cplusplus
/* Where an argument throws an exception, the arguments are 0. */
struct timeline_timed_scope_ : timeline_timed_ {
	explicit timeline_timed_scope_(struct timeline_event *event)
	    : timeline_timed_()
	{
		timer = event;
		begin = timeline_timer_begin_(event);
	}
	~timeline_timed_scope_()
	{
		timeline_timed_end_(this);
	}
};
#define TIMELINE_TIMED_(name, ...) \
	timeline_timed_scope_ name((TIMELINE_FIRST_(__VA_ARGS__, 0))); \
	TIMELINE_CALL_(TIMELINE_KEEP_, name, __VA_ARGS__)
#else
#ifdef __EXCEPTIONS /* C with -fexceptions: an argument may unwind the stack */
#define TIMELINE_TIMED_START_ = { 0, 0, { 0, 0, 0, 0 } }
#else
#define TIMELINE_TIMED_START_
#endif
#define TIMELINE_TIMED_(name, ...) \
	__attribute__((cleanup(timeline_timed_end_), unused)) \
	struct timeline_timed_ name TIMELINE_TIMED_START_; \
	name.timer = TIMELINE_FIRST_(__VA_ARGS__, 0); \
	name.begin = timeline_timer_begin_(name.timer); \
	TIMELINE_CALL_(TIMELINE_KEEP_, name, __VA_ARGS__)
#endif
#define TIMELINE_KEEP_(given, name, event, a, b, c, d) \
	do { \
		TIMELINE_CHECK_CALL_(name.timer, given); \
		if (name.begin != 0) { \
			name.args[0] = a; \
			name.args[1] = b; \
			name.args[2] = c; \
			name.args[3] = d; \
		} \
	} while (0)

#endif
