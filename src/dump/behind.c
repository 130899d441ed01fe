/* SPDX-License-Identifier: Apache-2.0 */
/* behind.c - a thread that writes text. */
#include "dump/behind.h"

#include "base/file.h"
#include "base/word.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { POLL_NS = 1000000 };

struct tl_behind {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct tl_text text; /* owned by the thread while busy */
	int fd;
	int rc; /* of the first write that failed; later writes are skipped */
	uint32_t busy; /* tl_behind_wait() reads busy without the lock */
	bool ends;
};

static void *
write_all(void *context)
{
	struct tl_behind *b = context;

	pthread_mutex_lock(&b->lock);
	for (;;) {
		int rc;

		while (!b->busy && !b->ends)
			pthread_cond_wait(&b->changed, &b->lock);
		if (!b->busy)
			break;
		pthread_mutex_unlock(&b->lock);
		rc = tl_write_all(b->fd, b->text.data, b->text.size);
		pthread_mutex_lock(&b->lock);
		tl_text_clear(&b->text);
		b->rc = rc;
		tl_store_release_32(&b->busy, 0);
		pthread_cond_signal(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct tl_behind *
tl_behind_new(int fd)
{
	struct tl_behind *b = calloc(1, sizeof(*b));
	sigset_t all, before;
	int rc;

	if (!b)
		return NULL;
	b->fd = fd;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&b->thread, NULL, write_all, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		return b;
	free(b);
	return NULL;
}

int
tl_behind_put(struct tl_behind *b, struct tl_text *text)
{
	struct tl_text empty;
	int rc;

	pthread_mutex_lock(&b->lock);
	while (b->busy)
		pthread_cond_wait(&b->changed, &b->lock);
	rc = b->rc;
	if (rc == 0) {
		empty = b->text;
		b->text = *text;
		*text = empty;
		tl_store_release_32(&b->busy, 1);
		pthread_cond_signal(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return rc;
}

int
tl_behind_free(struct tl_behind *b)
{
	int rc;

	pthread_mutex_lock(&b->lock);
	b->ends = true;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	rc = b->rc;
	tl_text_free(&b->text);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b);
	return rc;
}

void
tl_behind_wait(const struct tl_behind *b)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	while (tl_load_acquire_32(&b->busy))
		nanosleep(&pause, NULL);
}
