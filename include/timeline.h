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
 * A function that can fail returns 0 or -errno; timeline_error() then returns
 * the text of the error.  A timeline or a text that is NULL is -EINVAL, unless
 * the function gives NULL a meaning; an event and a pointer to a result must not
 * be NULL.  The library never prints, except in timeline_check, and never exits
 * or installs a signal handler.  Logging is safe in threads, in signal handlers and after fork.  The
 * other functions are safe in threads but not in signal handlers, unless the
 * function says so.  See timeline(3).
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#define TIMELINE_VERSION_MAJOR 0
#define TIMELINE_VERSION_MINOR 1
#define TIMELINE_VERSION_PATCH 0
#define TIMELINE_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* timeline.lua gives the text between the two marks to ffi.cdef, so no
 * preprocessor line may stand between the marks. */
/* ffi-begin */

struct timeline;

/*
 * An event: a message that timeline_define made ready to log.  An event belongs
 * to the library and to one process; only the functions and macros that log use
 * the members.  An append reads the first cache line; the second cache line is
 * read where the append takes a fallback lane, and by timers.
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

/* The scope of a span: an end belongs to the last open begin of the same
 * message in the same thread, or in any thread. */
enum { TIMELINE_THREAD = 0, TIMELINE_SOURCE = 1 };

/* The kind of a message. */
enum {
	TIMELINE_INSTANT = 1,
	TIMELINE_SPAN = 2,
	TIMELINE_COUNTER = 3,
	TIMELINE_TIMER = 4
};

/* The clock that stamps the entries of a new timeline. */
enum {
	TIMELINE_STAMP_AUTO = 0,    /* the TSC where it can be trusted */
	TIMELINE_STAMP_TSC = 1,	    /* the TSC */
	TIMELINE_STAMP_REALTIME = 2 /* clock_gettime(CLOCK_REALTIME) */
};

/*
 * How to create a timeline; a member that is 0 means the default, which stands
 * behind the semicolon.  An existing file keeps its geometry, mode and clock.
 */
struct timeline_options {
	uint64_t entries;	  /* of all CPU lanes; 163840 (10 MiB) */
	uint64_t stringtablesize; /* bytes; 1048576 */
	uint32_t mode;		  /* permissions; 0600 */
	uint32_t tiers;		  /* 1, or 2: warnings and up apart; 2 */
	uint32_t cpu_lanes;	  /* highest usable CPU + 1 */
	uint32_t fallback_lanes;  /* of each tier; 1 */
	uint32_t stamp;		  /* TIMELINE_STAMP_...; AUTO */
	uint32_t trusted_uid;	  /* also attach to a file of this owner */
};

/*
 * Create the timeline at path, or attach to the timeline at path.  "name" and
 * "/name" are /dev/shm/name; a string with another slash is an ordinary path
 * ("./name").  timeline_open and timeline_remove read a path in the same way.
 * When several processes call the function at once, one process creates the
 * timeline and the others attach.  A file from before the last boot is kept as
 * NAME.1 (to .3).
 *
 * *tl is NULL after an error: -EBADMSG not a timeline, -EPROTO another version,
 * -ENODATA truncated, -EROFS a snapshot, -EPERM owned by another user, -ENOSPC
 * no room, -ENOTSUP the clock of the timeline cannot be used here or the boot
 * id is not known, -EXDEV made in another PID namespace, -EBUSY from before the
 * last boot and locked, -EINVAL bad option, -EFBIG too large, -ENOMEM, or the
 * error of the system.
 */
int timeline_new(struct timeline **tl, const char *path,
    const struct timeline_options *options);

/* Attach to an existing timeline.  Returns the errors of timeline_new, -ENOENT,
 * and -ESTALE for a file from before the last boot. */
int timeline_open(struct timeline **tl, const char *path);

/* Free the timeline of this process: the mapping, and every event defined
 * through tl, which the caller must not log any more.  The file stays.  NULL
 * does nothing. */
void timeline_close(struct timeline *tl);

/* Remove the file of a timeline.  Processes that have the file open go on with
 * the removed file; see timeline_superseded.  -EBADMSG the file is not a
 * timeline, or the error of the system. */
int timeline_remove(const char *path);

/* Has the file been removed or replaced since tl was opened?  1: yes, and the
 * entries that are logged through tl are in no file with a name; close tl and
 * open the timeline again.  0: no.  -EINVAL: tl is NULL.  The function makes
 * one system call and is safe in any thread and any signal handler. */
int timeline_superseded(const struct timeline *tl);

/* The definition of a message. */
struct timeline_definition {
	const char *category;
	const char *priority; /* "fatal" ... "trace+++" */
	const char *message;
	int kind;         /* TIMELINE_INSTANT, SPAN, COUNTER or TIMER */
	int scope; /* of a span: TIMELINE_THREAD or TIMELINE_SOURCE */
	const char *file; /* source file of the caller; NULL: unknown */
	int line;         /* line of the source file */
};

/*
 * Define a message: a category, a priority and a text.  Up to four words of the
 * first line that begin with $ name the arguments: $x and $x%d signed, $x%u
 * unsigned, $x%x hexadecimal, $x%o octal, $x%f double, $x%t nanoseconds, $x%s a
 * number that timeline_string gave, $x%8s a text of timeline_text8; other
 * conversions of printf are refused.  The lines behind the first line are an
 * explanation.  The same definition gives the same message in any process, and
 * the same event in the same process.  The event of a span is an array of
 * TIMELINE_PART_COUNT: begin, end, end without arguments, end with the begin of
 * the next span, and the parts named below.
 *
 * After an error *event is a closed event, which may be logged and logs
 * nothing: -EINVAL bad priority, kind, scope or message, -ENOSPC the string
 * table is full (messages that are defined go on), -E2BIG a text over 64 KiB,
 * -ENOMEM.
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
 * Define a timer.  A timer counts each span by duration, in histograms of the
 * file (24 KiB for each CPU), and logs the spans that take at least as long as
 * timeline_slower() says; without a call of timeline_slower(), each span.  A
 * span is logged at its end, as one entry with the arguments of the end.
 * Returns the errors of timeline_define_event(); -ENOSPC also where the
 * timeline has 64 timers, or no memory for one more.
 */
int timeline_define_timer(struct timeline *tl, const char *category,
    const char *priority, const char *message, struct timeline_event **timer);

/*
 * Let the timers whose category and first line match two globs log only spans
 * of at least threshold_ns, in every process, from now on.  0: each span;
 * UINT64_MAX: no span.  The timers still count each span.  -ENOENT: no timer
 * matches.
 */
int timeline_slower(struct timeline *tl, const char *category_glob,
    const char *message_glob, uint64_t threshold_ns);

/* Find the number of a text, for a $x%s argument.  The same text has the same
 * number in every process.  -EINVAL no text, -ENOSPC, -E2BIG, -ENOMEM. */
int timeline_string(struct timeline *tl, const char *text, uint64_t *number);

/*
 * Log an event, if the priority of the event is open.  C and C++ call the macro
 * of this name, which counts the arguments and tests the gate inline; this
 * function is for other languages.  The function never waits and never fails:
 * an entry that cannot be stored is counted in the file.  Safe in any thread
 * and any signal handler, but not in a vfork child.
 */
void timeline_log(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);

/* Append the entry of timeline_log after the macro has tested the gate. */
void timeline_append(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);

/*
 * timeline_log and timeline_append that return the stamp of the entry, or 0 if
 * the priority was closed.  An entry that was dropped, because another thread
 * was a lap ahead, has a stamp.
 */
uint64_t timeline_span_log(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);
uint64_t timeline_span_append(struct timeline_event *event, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* The macros of these names as functions, for other languages; timeline_end_of
 * has three arguments here.  Safe in any thread and any signal handler. */
uint64_t timeline_begin(struct timeline_event *span, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);
void timeline_end_of(struct timeline_event *span, uint64_t begun, uint64_t a0,
    uint64_t a1, uint64_t a2);

/* The last four events of a span. */
enum {
	TIMELINE_PART_SCOPE = 4,    /* the begin of a span that proves itself */
	TIMELINE_PART_END_OF = 5,   /* an end: argument 4 is the begin's stamp */
	TIMELINE_PART_SCOPE_END = 6, /* an end: the stamp is the only argument */
	TIMELINE_PART_END_OF_4 = 7, /* an end of four arguments, no stamp */
	TIMELINE_PART_COUNT = 8
};

/*
 * The macros of these names as functions, for other languages.
 *
 * timeline_stamp reads the clock of the event's timeline.  timeline_timer_begin
 * does the same, or returns 0 if the priority of the timer is closed; the
 * caller may keep the stamp anywhere, and any thread may end the span.
 * timeline_timer_end does nothing if begin is 0.
 *
 * timeline_log_at logs at a recent stamp of timeline_stamp.  The entries of a
 * lane stay in the order of their stamps: a stamp before the last entry, or
 * after the present, is replaced by the nearest stamp that fits, and the entry
 * is marked.  The append rarely reads the clock, so a stamp up to 2^28 ticks
 * (about 0.1 s) in the future may pass.  Otherwise the function is
 * timeline_log.
 */
uint64_t timeline_stamp(const struct timeline_event *event);
uint64_t timeline_timer_begin(const struct timeline_event *timer);
void timeline_timer_end(struct timeline_event *timer, uint64_t begin,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
void timeline_log_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3);

/* Append the entries of timeline_timer_end and timeline_log_at after the macros
 * have tested begin or the gate. */
void timeline_timer_append(struct timeline_event *timer, uint64_t begin,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
void timeline_append_at(struct timeline_event *event, uint64_t stamp,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);

/* Set the least priority that is logged, in every process: the name of a
 * priority, or "off" to log nothing.  -EINVAL unknown name. */
int timeline_priority(struct timeline *tl, const char *priority);

/* Log from this priority up for duration_ns, at most an hour.  The writers end
 * the burst by the clock that they read, even if the caller dies.  A burst that
 * would log nothing more is not begun.  -EINVAL unknown name, -ERANGE too long. */
int timeline_burst(
    struct timeline *tl, const char *priority, uint64_t duration_ns);

/*
 * Set the level of the messages whose category and first line match two globs
 * of fnmatch(3), in every process.  The level is the name of a priority, "off"
 * to log the messages never, or "default" for the priority of the definition.
 * -ENOENT no message matches, -EINVAL unknown level.
 */
int timeline_level(struct timeline *tl, const char *category_glob,
    const char *message_glob, const char *level);

/* Hide the present entries of the timeline from readers; writers go on.
 * Returns 0. */
int timeline_clear(struct timeline *tl);

/*
 * Save a snapshot to an ordinary file of mode 0600.  The file is whole or
 * absent: it is written under another name and renamed.  Writers do not wait;
 * entries that are overwritten or half written during the copy are left out and
 * marked.  -ENOSPC no room, -EFBIG longer than the limit of the process (ulimit
 * -f; no SIGXFSZ), or the error of the system.
 */
int timeline_save(struct timeline *tl, const char *filename);

/* The text of the last error in this thread, valid until the next error. */
const char *timeline_error(void);

/* The version of the library in use: "0.1.0". */
const char *timeline_version(void);

/*
 * Give the calling thread a name in this timeline, at most
 * TIMELINE_THREAD_NAME_MAX bytes; the rest is cut off.  NULL: the name that
 * prctl(PR_SET_NAME) or pthread_setname_np gave the thread.  Without a call the
 * library records that name when the thread logs for the first time.  Where
 * more than about 700 threads live at once, some threads have no name.  Safe in
 * threads and signal handlers.
 */
enum { TIMELINE_THREAD_NAME_MAX = 15 };
void timeline_thread_name(struct timeline *tl, const char *name);

/*
 * The macros call this function where TIMELINE_CHECK is 1.  The function
 * reports, once for each message, that the call at file:line has another number
 * of arguments than the message, or a floating argument where the message has
 * an integer, or the reverse.  given is the number of arguments, and bit 8 + i
 * is set if argument i is floating.  Safe in any thread.
 */
void timeline_check(const struct timeline_event *event, int given,
    const char *file, int line);

/* Forget the process and thread numbers of the calling thread.  A program that
 * uses the system call clone must call the function in the child; fork(3) calls
 * the function by itself. */
void timeline_after_fork(void);

/* ffi-end */

/* noplt saves one jump on the way into the library: the call goes through the
 * GOT, not through a PLT entry.  A static link makes a direct call. */
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

/* The bits of a double for a $x%f argument.  The macros convert arguments of a
 * floating type by themselves. */
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

/*
 * The first eight bytes of a text of size bytes, or all if there are fewer, for
 * a $x%8s argument.  The text needs no table and no NUL at its end; text may be
 * NULL where size is 0.  Readers do not show NULs at the end.  Safe in any
 * thread and any signal handler.
 */
static inline uint64_t
timeline_text8(const char *text, size_t size)
{
	uint64_t bytes = 0;
	uint32_t first = 0, last = 0;
	uint16_t two = 0;
	uint8_t one = 0;

	if (size >= 8) {
		__builtin_memcpy(&bytes, text, 8);
		return bytes;
	}
	if (size >= 4) { /* two halves, which may overlap */
		__builtin_memcpy(&first, text, 4);
		__builtin_memcpy(&last, text + size - 4, 4);
		bytes = last;
		return bytes << (size - 4) * 8 | first;
	}
	if (size & 2)
		__builtin_memcpy(&two, text, 2);
	if (size & 1)
		__builtin_memcpy(&one, text + size - 1, 1);
	bytes = one;
	return bytes << (size & 2) * 8 | two;
}

/* timeline_define_event() at the place of the caller, for the macros below. */
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

/* Is the event's gate open?  The function loads each byte once, without a
 * fence.  The first append after the end of a burst closes the gates that the
 * burst opened. */
static inline int
timeline_enabled(const struct timeline_event *event)
{
	return __atomic_load_n(event->gate, __ATOMIC_RELAXED) >=
	    __atomic_load_n(event->levels, __ATOMIC_RELAXED);
}

/* Read the clock of the event's timeline. */
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

/* The errors of the compiler for arguments that cannot be logged. */
#define TIMELINE_POINTER_ \
	"an argument is a pointer: timeline_string() gives text a number that " \
	"%s shows, timeline_text8() one for %8s; cast to uintptr_t to log the address itself"
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
/* The 64 bits of an argument; a floating argument becomes a double. */
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
 * pointer or a fifth argument does not compile.  The macro tests the gate, and
 * evaluates no argument when the gate is closed.
 */
#define timeline_log(...) TIMELINE_CALL_(TIMELINE_LOG_, 0, __VA_ARGS__)
/*
 * timeline_begin(span, ...), timeline_end(span, ...): an end belongs to the
 * last open begin of the same message and thread, or of the same message in any
 * thread for TIMELINE_SOURCE.
 *
 * timeline_begin is an expression: the stamp of the begin, or 0 if the begin
 * was not logged.  timeline_end_of(span, begun, ...) ends the span that has
 * this stamp.  Where begun is 0 the macro logs nothing and evaluates no
 * argument; else the end is logged whatever the level is by then, even "off".
 * With at most three arguments the end proves the span: the end holds the stamp
 * of the begin, and the duration is known whether or not the begin is in the
 * record.  With four arguments the end is an end of timeline_end.
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
/* timeline_next(span, ...): end the span and begin the next span of the same
 * message, at one stamp and in one entry. */
#define timeline_next(...) TIMELINE_CALL_(TIMELINE_LOG_, 3, __VA_ARGS__)
/* timeline_scope(span, ...): begin a span here; the span ends where the block
 * is left, with the proof of timeline_end_of.  Where the begin is not logged
 * the end is not logged. */
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

/* Return a value that the caller may ignore without a warning. */
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
 * TIMELINE_CHECK 1: compare each call with the definition, and report the first
 * call of a message that does not fit on standard error.  0: do not.  The
 * default is 1 in builds without optimisation and without NDEBUG.
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
/* The arguments of a call, for timeline_check: their number, and which are
 * floating. */
#define TIMELINE_REAL_(x, i)	     ((__builtin_classify_type(x) == 8) << (8 + (i)))
#define TIMELINE_GIVEN1_(a)	     (1 + TIMELINE_REAL_(a, 0))
#define TIMELINE_GIVEN2_(a, b)	     (1 + TIMELINE_GIVEN1_(a) + TIMELINE_REAL_(b, 1))
#define TIMELINE_GIVEN3_(a, b, c)    (1 + TIMELINE_GIVEN2_(a, b) + TIMELINE_REAL_(c, 2))
#define TIMELINE_GIVEN4_(a, b, c, d) (1 + TIMELINE_GIVEN3_(a, b, c) + TIMELINE_REAL_(d, 3))
/*
 * TIMELINE_CALL_(what, x, y, ...): what(given, x, y, a, b, c, d), where a to d
 * are the 64 bits of 0 to 4 arguments, and 0 for an absent argument.
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
 * timeline_timer_end(timer, begin, ...): 0 to 4 arguments; where begin is 0 the
 * macro evaluates no argument.
 * timeline_log_at(event, stamp, ...): timeline_log at a given stamp.
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
 * timeline_timed(timer, ...): time the rest of the block.  The macro evaluates
 * the arguments, 0 to 4, where it stands.
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
