/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - write the output.
 */
#include "dump/output.h"
#include "base/process.h"
#include "base/word.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* == a pager, which is a child that reads a pipe == */

static const char usual[] = "less";

/* The command of the pager: TIMELINE_PAGER, else PAGER, else less.  NULL for ""
 * and "cat", and for a terminal that cannot place text (TERM unset, dumb). */
static const char *
pager_command(void)
{
	static const char *const names[] = { "TIMELINE_PAGER", "PAGER" };
	const char *terminal = getenv("TERM");
	const char *command = usual;

	if (!terminal || !terminal[0] || strcmp(terminal, "dumb") == 0)
		return NULL;
	for (size_t i = 2; i-- > 0;) {
		const char *value = getenv(names[i]);

		if (value)
			command = value;
	}
	return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL
								 : command;
}

/* Run the pager in the child.  Without less, more or cat takes its place. */
static _Noreturn void
become(const char *command)
{
	/* exit if all fits, keep colours, do not clear the screen */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	if (command == usual) {
		execlp("less", "less", (char *)NULL);
		execlp("more", "more", (char *)NULL);
		execlp("cat", "cat", (char *)NULL);
	} else {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	}
	_exit(127);
}

/* Start the pager, which alone receives SIGINT and SIGQUIT.  On failure the
 * text goes to the terminal. */
static void
start_pager(struct tl_output *output)
{
	const char *command = output->pager_command;
	int ends[2];
	pid_t pager;

	output->pager_command = NULL;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	pager = fork();
	if (pager == 0) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		if (dup2(ends[0], STDIN_FILENO) >= 0)
			become(command);
		_exit(127);
	}
	close(ends[0]);
	if (pager < 0) {
		close(ends[1]);
		return;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	output->fd = ends[1];
	output->pager = pager;
}

/* == a thread that writes a text, while the caller makes the next == */

enum { POLL_NS = 1000000 };

struct tl_behind {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct tl_text text; /* owned by the thread while busy */
	int fd;
	int rc; /* of the first write that failed; later writes are skipped */
	uint32_t busy; /* tl_output_abandon() reads busy without the lock */
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

/* Start the thread that writes to fd.  The thread takes no signals.  NULL: no
 * memory or no thread. */
static struct tl_behind *
behind_new(int fd)
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

/* Pass a text to the thread as soon as the text before is written, and get an
 * empty text in its place.  0, or -errno of an earlier write. */
static int
behind_put(struct tl_behind *b, struct tl_text *text)
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

/* Wait until all text is written, and end the thread.  0, or -errno of a
 * write. */
static int
behind_free(struct tl_behind *b)
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

/* == output == */

int
tl_output_open(struct tl_output *output, const struct tl_options *options)
{
	const char *given = getenv("COLUMNS");
	uint64_t columns;
	struct stat st;
	int rc;

	*output = (struct tl_output){ .fd = STDOUT_FILENO,
		.columns = TL_COLUMNS_DEFAULT };
	if (options->output && tl_file_is_special(options->output)) {
		output->fd = tl_file_open_special(options->output);
		if (output->fd < 0)
			return output->fd;
	} else if (options->output) {
		rc = tl_file_new_begin(&output->file, options->output);
		if (rc < 0)
			return rc;
		output->fd = output->file.fd;
		output->to_file = true;
	}
	output->terminal = isatty(output->fd) == 1;
	output->may_be_behind = fstat(output->fd, &st) == 0 &&
				S_ISREG(st.st_mode) && !options->follow &&
				options->mode == TL_MODE_ENTRIES;
	if (given && tl_parse_unsigned(given, &columns) == 0 &&
	    columns >= TL_COLUMNS_DEFAULT / 4 && columns <= UINT16_MAX)
		output->columns = (unsigned)columns;
	/* --color overrides the capability of the terminal */
	output->color = options->color == TL_COLOR_AUTO
			    ? tl_terminal_wants_color(output->fd)
			    : options->color == TL_COLOR_ALWAYS;
	if (output->terminal) {
		tl_terminal_size(output->fd, &output->columns, &output->rows);
		if (!options->no_pager && !options->follow)
			output->pager_command = pager_command();
	}
	return 0;
}

/* Does the text fit on the terminal?  A wrapped line counts as one line here;
 * less -F counts such lines correctly. */
static bool
fits(const struct tl_output *output)
{
	const char *at = output->text.data;
	const char *end = at + output->text.size;
	unsigned lines = 0;

	while (lines < output->rows && at < end &&
	       (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		lines++;
	}
	return lines < output->rows;
}

/* Write the text, or pass the text to the thread.  The thread is started after
 * the first full chunk. */
static int
write_text(struct tl_output *output)
{
	int rc;

	if (output->behind)
		return behind_put(output->behind, &output->text);
	rc = tl_write_all(output->fd, output->text.data, output->text.size);
	if (rc == 0 && output->may_be_behind &&
	    output->text.size >= TL_OUTPUT_CHUNK)
		output->behind = behind_new(output->fd);
	return rc;
}

int
tl_output_flush(struct tl_output *output)
{
	int rc = output->text.rc;

	if (output->pager_command && rc == 0 && !fits(output))
		start_pager(output);
	/* some text has been written to the terminal, so no pager may follow */
	if (output->text.size > 0)
		output->pager_command = NULL;
	if (rc == 0)
		rc = write_text(output);
	tl_text_clear(&output->text);
	if (rc < 0)
		output->rc = rc;
	return rc;
}

int
tl_output_write(void *context, const char *data, size_t size)
{
	struct tl_output *output = context;

	tl_put_bytes(&output->text, tl_bytes(data, size));
	return tl_output_more(output);
}

int
tl_output_close(struct tl_output *output, bool whole)
{
	int rc = tl_output_flush(output);
	int behind_rc = 0;

	if (output->behind)
		behind_rc = behind_free(output->behind);
	output->behind = NULL;
	if (behind_rc < 0)
		rc = output->rc = behind_rc;
	if (output->to_file && whole && rc == 0)
		rc = tl_file_new_commit(&output->file);
	else if (output->to_file)
		tl_file_new_abort(&output->file);
	tl_text_free(&output->text);
	if (output->pager > 0) {
		close(output->fd);
		while (waitpid(output->pager, NULL, 0) < 0 && errno == EINTR)
			;
	}
	output->pager = 0;
	return rc;
}

void
tl_output_abandon(struct tl_output *output)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	if (output->to_file) {
		tl_file_new_abort(&output->file);
		return;
	}
	while (output->behind && tl_load_acquire_32(&output->behind->busy))
		nanosleep(&pause, NULL);
	if (write(output->fd, output->text.data, output->text.size) < 0)
		return;
}
