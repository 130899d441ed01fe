/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - what the daemon says: lines on stderr.
 */
#include "base/text.h"
#include "daemon/daemon.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1024 };

int tl_daemon_log_least = TL_LOG_INFO;

/* Is stderr the journal's?  It says which device and inode that has. */
static bool
is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev &&
	       st.st_ino == ino;
}

void
tl_daemon_log(int priority, const char *format, ...)
{
	static int journal = -1;
	char words[LINE_MAX_BYTES];
	struct tl_text line = { 0 };
	va_list args;

	if (priority > tl_daemon_log_least)
		return;
	if (journal < 0)
		journal = is_journal();
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (journal)
		tl_put_format(&line, "<%d>", priority);
	else
		tl_put_string(&line, "timelined: ");
	tl_put_plain(&line, tl_bytes_of(words));
	tl_put_char(&line, '\n');
	/* One write: lines of several processes do not mix. */
	if (line.rc == 0 && write(STDERR_FILENO, line.data, line.size) < 0)
		priority = 0; /* nobody left to tell */
	tl_text_free(&line);
}
