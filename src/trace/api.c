/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api.c - timeline_trace.h: record events of a program into a trace.
 */
#include "base/ns.h"
#include "base/word.h"
#include "trace/writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <timeline.h>
#include <timeline_trace.h>
#include <unistd.h>

/* == streams of the calling thread == */

enum {
	TL_OWN_TRACES = 16, /* the traces that a thread used last */
	TL_OWN_NAME_MAX = 256
};

struct tl_trace_stream;

struct tl_own {
	uint64_t number; /* 0: free */
	uint64_t used;   /* time of the last use */
	struct tl_trace_stream *stream;
	uint32_t tid;
	char name[TL_OWN_NAME_MAX];
};

struct list {
	struct tl_own own[TL_OWN_TRACES];
	uint64_t clock;
};

static _Thread_local struct list *list;
static pthread_key_t key;

/* Free the list of a thread.  Destructors that run later may record events too,
 * and then make a new list. */
static void
free_list(void *memory)
{
	list = NULL;
	free(memory);
}

static struct list *
make_list(void)
{
	struct list *made = calloc(1, sizeof(*made));

	if (made && pthread_setspecific(key, made) != 0) {
		free(made);
		made = NULL;
	}
	return list = made;
}

/* The entry of a trace in the list of this thread; a new entry is added.  NULL:
 * no memory. */
static struct tl_own *
own_find(uint64_t number)
{
	struct tl_own *oldest, *own;

	if (!list && !make_list())
		return NULL;
	oldest = list->own;
	for (own = list->own; own < list->own + TL_OWN_TRACES; own++) {
		if (own->number == number)
			break;
		if (own->used < oldest->used)
			oldest = own;
	}
	if (own == list->own + TL_OWN_TRACES) {
		own = oldest;
		*own = (struct tl_own){ .number = number };
	}
	own->used = ++list->clock;
	return own;
}

/* == traces == */

enum { FLUSH_MS = 1000 };

struct timeline_trace_message {
	struct tl_message message;
	struct timeline_trace *trace;
	struct timeline_trace_message *next;
	char text[]; /* category, then text, then file */
};

struct timeline_trace {
	struct tl_trace_writer *writer;
	uint64_t number;
	pid_t pid;
	/* number of forks of this process when it created the trace */
	uint32_t forks;
	uint32_t rc;          /* the first error; shared */
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t stop;
	bool stopping;
	bool flushing; /* a thread flushes the trace */
	pthread_t flusher;
	int64_t flush_ns;
	struct timeline_trace_message *messages;
};

static int prepared; /* 0 or -errno: the number of keys of threads is limited */
static uint64_t numbers; /* number of traces created so far; shared */
/* number of forks on the way from the first process to this process */
static uint32_t forks;

static void
count_fork(void)
{
	tl_store_32(&forks, tl_load_32(&forks) + 1);
}

static void
prepare(void)
{
	pthread_atfork(NULL, NULL, count_fork);
	/* the lists of threads */
	prepared = -pthread_key_create(&key, free_list);
}

/* Did this process create the trace?  A forked child shares only the files. */
static bool
is_ours(const struct timeline_trace *trace)
{
	return tl_load_32(&forks) == trace->forks;
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * TL_NS_PER_S + t.tv_nsec;
}

/* Keep the first error. */
static int
note_error(struct timeline_trace *trace, int rc)
{
	if (rc < 0)
		tl_cas_32(&trace->rc, 0, (uint32_t)rc);
	return rc;
}

static int
error_of(const struct timeline_trace *trace)
{
	return (int)tl_load_32(&trace->rc);
}

static void *
flush_by_timer(void *context)
{
	struct timeline_trace *trace = context;

	pthread_mutex_lock(&trace->lock);
	while (!trace->stopping) {
		struct timespec until;
		int64_t ns;

		clock_gettime(CLOCK_MONOTONIC, &until);
		ns = until.tv_nsec + trace->flush_ns;
		until.tv_sec += ns / TL_NS_PER_S;
		until.tv_nsec = ns % TL_NS_PER_S;
		pthread_cond_timedwait(&trace->stop, &trace->lock, &until);
		if (trace->stopping)
			break;
		pthread_mutex_unlock(&trace->lock);
		note_error(trace, tl_trace_writer_flush(trace->writer));
		pthread_mutex_lock(&trace->lock);
	}
	pthread_mutex_unlock(&trace->lock);
	return NULL;
}

/* Start the flushing thread.  All signals are blocked in it, because they are
 * for the threads of the program. */
static int
start_flusher(struct timeline_trace *trace)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&trace->flusher, NULL, flush_by_timer, trace);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	trace->flushing = rc == 0;
	return -rc;
}

static void
init_lock(struct timeline_trace *trace)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&trace->stop, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&trace->lock, NULL);
}

static int
make_writer(struct timeline_trace *trace, const char *path,
    const struct timeline_trace_options *options)
{
	static const enum tl_trace_strategy strategies[] = {
		[TIMELINE_TRACE_STREAM] = TL_TRACE_STREAMING,
		[TIMELINE_TRACE_COLLECT] = TL_TRACE_COLLECT,
		[TIMELINE_TRACE_DROP] = TL_TRACE_NULL
	};
	struct tl_trace_options own = { .created_ns = now_ns() };
	int rc;

	if (options) {
		if (options->strategy > TIMELINE_TRACE_DROP)
			return -EINVAL;
		own.strategy = strategies[options->strategy];
		own.block_size = (size_t)options->block_size;
	}
	rc = tl_trace_create(&trace->writer, path, &own);
	if (rc < 0)
		return rc;
	return tl_trace_write_process(trace->writer, (uint32_t)trace->pid,
	    tl_bytes_of(program_invocation_short_name));
}

static void
free_trace(struct timeline_trace *trace)
{
	tl_trace_writer_free(trace->writer);
	while (trace->messages) {
		struct timeline_trace_message *next = trace->messages->next;

		free(trace->messages);
		trace->messages = next;
	}
	pthread_mutex_destroy(&trace->lock);
	pthread_cond_destroy(&trace->stop);
	free(trace);
}

int
timeline_trace_create(struct timeline_trace **trace, const char *path,
    const struct timeline_trace_options *options)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct timeline_trace *t;
	const uint32_t flush_ms =
	    options && options->flush_ms ? options->flush_ms : FLUSH_MS;
	int rc;

	if (!path)
		return -EINVAL;
	if (!(t = calloc(1, sizeof(*t))))
		return -ENOMEM;
	pthread_once(&once, prepare);
	if (prepared < 0) {
		free(t);
		return prepared;
	}
	t->pid = getpid();
	t->forks = tl_load_32(&forks);
	t->number = tl_fetch_add_64(&numbers, 1) + 1;
	t->flush_ns = (int64_t)flush_ms * TL_NS_PER_MS;
	init_lock(t);
	rc = make_writer(t, path, options);
	if (rc == 0 && (!options || options->strategy == TIMELINE_TRACE_STREAM))
		rc = start_flusher(t);
	if (rc == 0)
		*trace = t;
	else {
		/* Remove the files of a trace whose creation failed, so that
		 * the path is free. */
		if (t->writer)
			tl_trace_remove(path);
		free_trace(t);
	}
	return rc;
}

static void
stop_flusher(struct timeline_trace *trace)
{
	pthread_mutex_lock(&trace->lock);
	trace->stopping = true;
	pthread_cond_signal(&trace->stop);
	pthread_mutex_unlock(&trace->lock);
	if (trace->flushing)
		pthread_join(trace->flusher, NULL);
}

int
timeline_trace_close(struct timeline_trace *trace)
{
	int rc;

	if (!trace || !is_ours(trace))
		return 0; /* a forked child does not change its copy */
	stop_flusher(trace);
	/* Remove the entry of a trace that is closed. */
	for (unsigned i = 0; list && i < TL_OWN_TRACES; i++)
		if (list->own[i].number == trace->number)
			list->own[i] = (struct tl_own){ 0 };
	rc = error_of(trace);
	if (rc == 0)
		rc = tl_trace_writer_finish(trace->writer);
	else
		tl_trace_writer_stop(trace->writer);
	free_trace(trace);
	return rc;
}

int
timeline_trace_flush(struct timeline_trace *trace)
{
	if (!trace)
		return -EINVAL;
	if (!is_ours(trace))
		return -EPERM;
	return note_error(trace, tl_trace_writer_flush(trace->writer));
}

/* == messages == */

/* Make a message and copy its texts after it. */
static struct timeline_trace_message *
new_message(struct tl_bytes category, struct tl_bytes text,
    struct tl_bytes file)
{
	struct timeline_trace_message *m =
	    calloc(1, sizeof(*m) + category.size + text.size + file.size);

	if (!m)
		return NULL;
	memcpy(m->text, category.data, category.size);
	memcpy(m->text + category.size, text.data, text.size);
	memcpy(m->text + category.size + text.size, file.data, file.size);
	return m;
}

int
timeline_trace_define(struct timeline_trace *trace, uint32_t kind,
    const char *category_text, const char *priority, const char *message_text,
    const char *file_name, uint32_t line,
    struct timeline_trace_message **message)
{
	struct timeline_trace_message *m;
	struct tl_bytes category, text, file;
	int level, rc;

	if (!trace || !category_text || !priority || !message_text)
		return -EINVAL;
	if (!is_ours(trace))
		return -EPERM;
	category = tl_bytes_of(category_text);
	text = tl_bytes_of(message_text);
	file = tl_bytes_of(file_name ? file_name : "");
	level = tl_level_parse(priority);
	if (level < 0 || kind < TIMELINE_RECORD_INSTANT ||
	    kind > TIMELINE_RECORD_COUNTER)
		return -EINVAL;
	if (text.size > TL_TRACE_TEXT_MAX ||
	    category.size > TL_TRACE_TEXT_MAX || file.size > TL_TRACE_TEXT_MAX)
		return -E2BIG;
	if (!(m = new_message(category, text, file)))
		return -ENOMEM;
	rc = tl_message_parse(&m->message,
	    tl_bytes(m->text + category.size, text.size));
	if (rc < 0) {
		free(m);
		return rc;
	}
	m->message.category = tl_bytes(m->text, category.size);
	m->message.file =
	    tl_bytes(m->text + category.size + text.size, file.size);
	m->message.line = line;
	m->message.level = m->message.gate = (uint8_t)level;
	m->message.kind = (uint8_t)kind;
	m->message.strings = &tl_trace_own_strings;
	m->trace = trace;
	pthread_mutex_lock(&trace->lock);
	m->next = trace->messages;
	trace->messages = m;
	pthread_mutex_unlock(&trace->lock);
	*message = m;
	return 0;
}

/* Functions for bindings, without a source location.  The macros of the same
 * names call timeline_trace_define() with one. */

int(timeline_trace_instant)(struct timeline_trace *trace, const char *category,
    const char *priority, const char *text,
    struct timeline_trace_message **message)
{
	return timeline_trace_define(trace, TIMELINE_RECORD_INSTANT, category,
	    priority, text, NULL, 0, message);
}

int(timeline_trace_span)(struct timeline_trace *trace, const char *category,
    const char *priority, const char *text,
    struct timeline_trace_message **message)
{
	return timeline_trace_define(trace, TIMELINE_RECORD_SPAN, category,
	    priority, text, NULL, 0, message);
}

int(timeline_trace_counter)(struct timeline_trace *trace, const char *category,
    const char *priority, const char *text,
    struct timeline_trace_message **message)
{
	return timeline_trace_define(trace, TIMELINE_RECORD_COUNTER, category,
	    priority, text, NULL, 0, message);
}

int
timeline_trace_string(struct timeline_trace *trace, const char *text,
    uint64_t *number)
{
	if (!trace || !text)
		return -EINVAL;
	if (!is_ours(trace))
		return -EPERM;
	return tl_trace_write_string(trace->writer, tl_bytes_of(text), number);
}

/* == events == */

int
timeline_trace_thread_name(struct timeline_trace *trace, const char *name)
{
	struct tl_own *own;

	if (!trace || !name)
		return -EINVAL;
	if (!is_ours(trace))
		return -EPERM;
	if (!(own = own_find(trace->number)))
		return -ENOMEM;
	if (own->stream)
		return -EBUSY;
	if (strlen(name) >= sizeof(own->name))
		return -ENAMETOOLONG;
	memcpy(own->name, name, strlen(name) + 1);
	return 0;
}

static int
find_stream(struct timeline_trace *trace, struct tl_own **own)
{
	struct tl_own *o = *own = own_find(trace->number);

	if (!o)
		return -ENOMEM;
	if (o->stream)
		return 0;
	o->tid = (uint32_t)gettid();
	return tl_trace_stream_new(&o->stream, trace->writer,
	    (uint32_t)trace->pid, o->tid, tl_bytes_of(o->name));
}

static int
put(struct timeline_trace_message *message, struct tl_event *event,
    unsigned argc, va_list args)
{
	struct timeline_trace *trace = message->trace;
	struct tl_own *own;
	int rc = error_of(trace);

	if (rc < 0 || !is_ours(trace))
		return rc < 0 ? rc : -EPERM;
	if (argc > TL_ARGS_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < argc; i++)
		event->args[i] = va_arg(args, uint64_t);
	rc = find_stream(trace, &own);
	if (rc == 0) {
		event->message = &message->message;
		event->level = message->message.level;
		event->ns = now_ns();
		event->cpu = TL_CPU_UNKNOWN;
		event->pid = (uint32_t)trace->pid;
		event->tid = own->tid;
		rc = tl_trace_stream_put(own->stream, event);
	}
	return note_error(trace, rc);
}

int
timeline_trace_log(struct timeline_trace_message *message, unsigned argc, ...)
{
	struct tl_event event = { .kind = TL_INSTANT };
	va_list args;
	int rc;

	if (!message || message->message.kind == TIMELINE_RECORD_SPAN)
		return -EINVAL;
	if (message->message.kind == TIMELINE_RECORD_COUNTER)
		event.kind = TL_COUNTER;
	va_start(args, argc);
	rc = put(message, &event, argc, args);
	va_end(args);
	return rc;
}

int
timeline_trace_begin(struct timeline_trace_message *span, unsigned argc, ...)
{
	struct tl_event event = { .kind = TL_BEGIN };
	va_list args;
	int rc;

	if (!span || span->message.kind != TIMELINE_RECORD_SPAN)
		return -EINVAL;
	va_start(args, argc);
	rc = put(span, &event, argc, args);
	va_end(args);
	return rc;
}

int
timeline_trace_end(struct timeline_trace_message *span, unsigned argc, ...)
{
	struct tl_event event = { .kind = TL_END, .bare = argc == 0 };
	va_list args;
	int rc;

	if (!span || span->message.kind != TIMELINE_RECORD_SPAN)
		return -EINVAL;
	va_start(args, argc);
	rc = put(span, &event, argc, args);
	va_end(args);
	return rc;
}
