/* SPDX-License-Identifier: Apache-2.0 */
/* front.c - spans for names, new timelines, and files of whole lines. */
#include "front/front.h"

#include "base/file.h"
#include "base/text.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int
tl_front_label(struct timeline *tl, const char *category, const char *name,
    const char *suffix, const char *which, int scope,
    struct tl_front_label *label)
{
	const bool plain = name[0] && !strpbrk(name, "$\n");
	struct timeline_definition definition = { .category = category,
		.priority = "info",
		.kind = TIMELINE_SPAN,
		.scope = scope };
	struct tl_text text = { 0 };
	int rc = 0, defined;

	*label = (struct tl_front_label){ 0 };
	if (!plain)
		rc = timeline_string(tl, name, &label->argument);
	tl_put_string(&text, plain ? name : "$label%s");
	tl_put_string(&text, suffix);
	tl_put_char(&text, '\n');
	tl_put_string(&text, which);
	definition.message = tl_text_string(&text);
	if (rc == 0 && text.rc < 0)
		rc = text.rc;
	/* Without a timeline the span is the closed span, which logs
	 * nothing. */
	defined = timeline_define_event(rc == 0 ? tl : NULL, &definition,
	    &label->span);
	tl_text_free(&text);
	return rc < 0 ? rc : defined;
}

/* == a new timeline: one of the same user is replaced, no other file == */

int
tl_front_fresh(struct timeline **tl, const char *path,
    const struct timeline_options *options)
{
	char file[TL_PATH_MAX], resolved[TL_PATH_MAX];
	struct stat st;
	int rc;

	if (snprintf(file, sizeof(file), "%s%s", strchr(path, '/') ? "" : "./",
		path) >= (int)sizeof(file) ||
	    (rc = tl_name_path(file, resolved)) != 0)
		return tl_error(-EINVAL, "bad path \"%s\"", path);
	if (lstat(resolved, &st) == 0) {
		if (S_ISREG(st.st_mode) && st.st_uid != geteuid())
			return tl_error(-EPERM, "%s belongs to user %u",
			    resolved, (unsigned)st.st_uid);
		if ((rc = timeline_remove(resolved)) != 0 && rc != -ENOENT)
			return rc;
	}
	return timeline_new(tl, resolved, options);
}

/* == a text file == */

enum { START_SIZE = 64, MODE = 0666 };

/* Check that the file may be emptied, and empty it. */
static int
check(int fd, const char *path, bool (*is_ours)(const char *start))
{
	char start[START_SIZE + 1];
	struct stat st;
	ssize_t size;

	if (fstat(fd, &st) != 0)
		return tl_error(-errno, "%s: %s", path, strerror(errno));
	if (S_ISCHR(st.st_mode))
		return 0;
	if (!S_ISREG(st.st_mode))
		return tl_error(-EINVAL, "%s is no regular file", path);
	if (st.st_uid != geteuid())
		return tl_error(-EPERM, "%s belongs to user %u", path,
		    (unsigned)st.st_uid);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return tl_error(-EBUSY, "%s: another process writes it", path);
	size = pread(fd, start, START_SIZE, 0);
	if (size < 0)
		return tl_error(-errno, "%s: %s", path, strerror(errno));
	start[size] = '\0';
	if (size > 0 && !is_ours(start))
		return tl_error(-EEXIST,
		    "%s is another file: remove it, or choose another name",
		    path);
	if (ftruncate(fd, 0) != 0)
		return tl_error(-errno, "%s: %s", path, strerror(errno));
	return 0;
}

int
tl_log_file_open(struct tl_log_file *file, const char *path,
    bool (*is_ours)(const char *start))
{
	const int flags = O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_RDWR;
	/* A pipe without a reader must not stop the program. */
	const int fd = open(path, flags | O_NONBLOCK, MODE);
	int rc;

	*file = (struct tl_log_file){ .fd = -1 };
	if (fd < 0)
		return tl_error(-errno, "%s: %s", path, strerror(errno));
	if ((rc = check(fd, path, is_ours)) != 0) {
		close(fd);
		return rc;
	}
	file->fd = fd;
	return 0;
}

/* Write all parts.  Lines are short, and a regular file takes a line at once
 * unless the file system is full. */
static int
write_all(int fd, struct iovec *parts, int count)
{
	size_t left = parts[0].iov_len + parts[1].iov_len;
	ssize_t n;

	while (left > 0) {
		n = writev(fd, parts, count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		left -= (size_t)n;
		for (int i = 0; i < count; i++) {
			const size_t took = (size_t)n < parts[i].iov_len
						? (size_t)n
						: parts[i].iov_len;

			parts[i].iov_base = (char *)parts[i].iov_base + took;
			parts[i].iov_len -= took;
			n -= (ssize_t)took;
		}
	}
	return 0;
}

bool
tl_log_file_write(struct tl_log_file *file, const char *line, size_t size)
{
	static char broken[] = "...\n";
	const int fd = tl_load_int(&file->fd);
	const int kept_errno = errno;
	const uint32_t was_broken =
	    tl_load_32(&file->is_broken) ? tl_swap_32(&file->is_broken, 0) : 0;
	struct iovec parts[2] = { { broken,
				      was_broken ? sizeof(broken) - 1 : 0 },
		{ (char *)(uintptr_t)line, size } };
	struct tl_file_limit limit;
	bool is_whole;
	int state;

	if (fd < 0)
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	tl_file_limit_hold(&limit);
	is_whole = tl_file_limit_release(&limit, write_all(fd, parts, 2)) == 0;
	if (!is_whole) {
		tl_fetch_add_64(&file->lost, 1);
		if (was_broken || parts[1].iov_len < size)
			tl_store_32(&file->is_broken, 1);
	}
	pthread_setcancelstate(state, NULL);
	errno = kept_errno;
	return is_whole;
}

void
tl_log_file_close(struct tl_log_file *file)
{
	const int fd = tl_swap_int(&file->fd, -1);

	if (fd >= 0)
		close(fd);
}
