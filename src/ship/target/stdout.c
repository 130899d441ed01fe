/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdout.c - blocks or their events, concatenated, to standard output
 *
 * The reader may be slow or stop.  No write blocks longer than the timeout, so
 * that the program can still be stopped.
 */
#include "ship/target/events.h"
#include "ship/target/target.h"
#include "ship/target/window.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct stdout_target {
	struct tl_target target; /* first: what callers hold */
	int fd;
	size_t piece; /* a write of this size does not block after poll */
	struct tl_events *events; /* NULL: blocks */
	struct tl_text text;
	size_t at; /* of it, written */
	struct tl_target_queue queue;
};

static int
append(void *context, const char *data, size_t size)
{
	struct stdout_target *s = context;

	tl_put_bytes(&s->text, tl_bytes(data, size));
	return s->text.rc;
}

static int
fail(struct tl_fault *fault, int rc)
{
	return tl_fail(fault, rc, "standard output: %s", strerror(-rc));
}

static int
stdout_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct stdout_target *s = (struct stdout_target *)target;
	int rc;

	if (s->at < s->text.size)
		return -EAGAIN;
	tl_text_clear(&s->text);
	s->at = 0;
	rc = s->events ? tl_events_put(s->events, block, false)
		       : append(s, block->data.data, block->data.size);
	if (rc == 0)
		rc = tl_queue_add(&s->queue, block);
	return rc == 0 ? 0 : fail(fault, rc);
}

/* Write one piece: 1; 0: not now; -errno. */
static int
write_piece(struct stdout_target *s, int timeout_ms)
{
	struct pollfd ready = { .fd = s->fd, .events = POLLOUT };
	size_t size = s->text.size - s->at;
	ssize_t n;

	if (poll(&ready, 1, timeout_ms) <= 0)
		return 0;
	if (size > s->piece)
		size = s->piece;
	n = write(s->fd, s->text.data + s->at, size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	s->at += (size_t)n;
	return 1;
}

static int
stdout_wait(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	struct stdout_target *s = (struct stdout_target *)target;
	int rc = 1;

	while (rc > 0 && s->at < s->text.size)
		rc = write_piece(s, timeout_ms);
	if (rc < 0) {
		s->queue.count = 0;
		s->at = s->text.size = 0;
		return fail(fault, rc);
	}
	if (s->at == s->text.size)
		tl_queue_ack(&s->queue, target);
	return 0;
}

static int
stdout_finish(struct tl_target *target, struct tl_fault *fault)
{
	struct stdout_target *s = (struct stdout_target *)target;
	int rc;

	if (s->events && (rc = tl_events_finish(s->events)) < 0)
		return fail(fault, rc);
	return stdout_wait(target, 0, fault);
}

static void
stdout_free(struct tl_target *target)
{
	struct stdout_target *s = (struct stdout_target *)target;

	tl_events_free(s->events);
	tl_queue_free(&s->queue);
	tl_text_free(&s->text);
	free(s);
}

int
tl_stdout_target_new(struct tl_target **target, int fd,
    const struct tl_target_options *options)
{
	struct stdout_target *s = calloc(1, sizeof(*s));
	struct stat st;
	int rc = 0;

	if (!s)
		return -ENOMEM;
	s->target = (struct tl_target){ .send = stdout_send,
		.wait = stdout_wait,
		.finish = stdout_finish,
		.free = stdout_free };
	s->fd = fd;
	s->piece =
	    fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? SSIZE_MAX : PIPE_BUF;
	if (options->format)
		rc = tl_events_new(&s->events, options, TL_TARGET_CHAINS_MAX,
		    append, s);
	if (rc < 0)
		stdout_free(&s->target);
	else
		*target = &s->target;
	return rc;
}
