/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_log.c - the log file, written by one write(2) a line.
 *
 *	opened --fork--> stale (child) --first line--> opened, its own file
 */
#include "front/rtl_log.h"

#include "base/ns.h"
#include "base/text.h"
#include "base/word.h"
#include "front/front.h"
#include "front/rtl_text.h"
#include "front/rtl_words.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	struct tl_log_file file;
	char *name; /* RTL_LOGFILE; NULL: there is no log */
	char *path;
	int64_t start_ns; /* CLOCK_MONOTONIC */
	pid_t pid;        /* of the process that opened the file */
	bool has_pid;     /* the name of the file has the pid */
	uint8_t is_stale; /* the file belongs to the parent process */
} rtl_log = { .file.fd = -1 };

static int64_t
now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * TL_NS_PER_S + now.tv_nsec;
}

/* The column of a line: milliseconds since the log was opened. */
static unsigned
column(void)
{
	return (
	    unsigned)((now_ns(CLOCK_MONOTONIC) - rtl_log.start_ns) / 1000000);
}

static uint32_t
thread_id(void)
{
	const int32_t at = tl_ids_offset(TL_IDS_OWN);
	uint64_t ids;

	while ((ids = tl_load_64(tl_ids_word(at))) == 0)
		tl_ids_fill(at);
	return (uint32_t)ids;
}

static bool
is_log(const char *start)
{
	return strncmp(start, "opening log file ", 17) == 0;
}

static bool
ends_in_nopid(const char *name)
{
	const size_t size = strlen(name);

	return size >= 6 && strcmp(name + size - 6, ".nopid") == 0;
}

static int
open_file(void)
{
	struct tl_text path = { 0 };
	struct tl_text text = { 0 };
	int64_t us;
	int rc;

	rtl_log.pid = getpid();
	tl_put_string(&path, rtl_log.name);
	if (rtl_log.has_pid)
		tl_put_format(&path, "_%u.log", (unsigned)rtl_log.pid);
	rc = path.rc < 0 ? path.rc
			 : tl_log_file_open(&rtl_log.file,
			       tl_text_string(&path), is_log);
	if (rc != 0) {
		tl_text_free(&path);
		return rc;
	}
	free(rtl_log.path);
	rtl_log.path = path.data;
	/* The first line has the time of day, from which the columns of all
	 * lines count. */
	us = now_ns(CLOCK_REALTIME) / 1000;
	rtl_log.start_ns = now_ns(CLOCK_MONOTONIC);
	tl_put_format(&text,
	    "opening log file %lld.%06lld seconds past January 1st 1970\n"
	    "corresponding to 0 ms after timer start\n"
	    "Process id is %u\n",
	    (long long)us / 1000000, (long long)us % 1000000,
	    (unsigned)rtl_log.pid);
	if (text.rc == 0)
		tl_log_file_write(&rtl_log.file, text.data, text.size);
	tl_text_free(&text);
	return 0;
}

/* In a forked process: close the parent's file.  The next line opens a file of
 * the child's own. */
static void
leave_to_parent(void)
{
	if (!rtl_log.has_pid || !tl_log_file_is_open(&rtl_log.file))
		return;
	tl_log_file_close(&rtl_log.file);
	tl_store_8(&rtl_log.is_stale, true);
}

int
tl_rtl_log_open(const char *name)
{
	int rc;

	rtl_log.has_pid = !ends_in_nopid(name);
	if (!(rtl_log.name = strdup(name)))
		return tl_error(-ENOMEM, "no memory for a log");
	rc = open_file();
	if (rc == 0)
		rc = -pthread_atfork(NULL, NULL, leave_to_parent);
	return rc;
}

bool
tl_rtl_log_is_open(void)
{
	return tl_log_file_is_open(&rtl_log.file) ||
	       tl_load_8(&rtl_log.is_stale);
}

const char *
tl_rtl_log_path(void)
{
	return tl_rtl_log_is_open() ? rtl_log.path : NULL;
}

uint64_t
tl_rtl_log_lost(void)
{
	return tl_load_64(&rtl_log.file.lost);
}

/* Put a text of the program.  Line breaks become blanks, because a newline
 * would end the line. */
static void
put_plain(struct tl_text *text, const char *string)
{
	for (; *string; string++)
		tl_put_char(text,
		    *string == '\n' || *string == '\r' ? ' ' : *string);
}

/* Put the time, the thread, the mark, the project and the author. */
static void
put_start(struct tl_text *text, char mark, const struct timeline_rtl_context *c)
{
	const char *project = c->project ? c->project : "";
	const char *author = c->author ? c->author : "";

	/* acquire: pairs with open_again() */
	if (tl_load_acquire_8(&rtl_log.is_stale)) {
		/* Open the log of a forked process.  The lock of the strings is
		 * held, because fork handles that lock. */
		tl_strings_lock();
		if (rtl_log.is_stale) {
			open_file();
			tl_store_release_8(&rtl_log.is_stale, false);
		}
		tl_strings_unlock();
	}
	tl_put_format(text, "%06u %u %c ", column(), thread_id(), mark);
	if (!project[0] && !author[0])
		return;
	put_plain(text, project[0] ? project : TL_RTL_CATEGORY);
	tl_put_string(text, " (");
	put_plain(text, author[0] ? author : "-");
	tl_put_string(text, ") ");
}

static void
write_line(struct tl_text *text)
{
	tl_rtl_words_end(text, 0);
	if (text->rc == 0)
		tl_log_file_write(&rtl_log.file, text->data, text->size);
	else
		tl_fetch_add_64(&rtl_log.file.lost, 1);
	tl_text_free(text);
}

void
tl_rtl_log_scope(char brace, const struct timeline_rtl_context *c)
{
	struct tl_text text = { 0 };

	put_start(&text, brace, c);
	put_plain(&text, c->name ? c->name : "");
	write_line(&text);
}

void
tl_rtl_log_words(const struct timeline_rtl_context *c, const char *format,
    unsigned argc, const uint64_t *values)
{
	struct tl_text text = { 0 };

	put_start(&text, '|', c);
	if (c->name && c->name[0]) {
		put_plain(&text, c->name);
		tl_put_char(&text, ' ');
	}
	if ((c->name && c->name[0]) || !tl_rtl_words_have_scope(format))
		tl_put_string(&text, ": ");
	tl_rtl_words_render(&text, format, argc, values);
	write_line(&text);
}

/* Write the last line, which shows that the program ended the log. */
__attribute__((destructor)) static void
end_log(void)
{
	struct tl_text text = { 0 };

	if (!tl_log_file_is_open(&rtl_log.file) || rtl_log.pid != getpid())
		return;
	tl_put_format(&text, "closing log file at %06u\n", column());
	if (text.rc == 0)
		tl_log_file_write(&rtl_log.file, text.data, text.size);
	tl_text_free(&text);
	tl_log_file_close(&rtl_log.file);
}
