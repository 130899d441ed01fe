/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - names, and whole reads and writes of files.
 */
#include "base/file.h"

#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int
tl_name_path(const char *name, char path[TL_PATH_MAX])
{
	const char *base = name && name[0] == '/' ? name + 1 : name;
	bool is_path;

	if (!name || base[0] == '\0')
		return -EINVAL;
	is_path = strchr(base, '/') || strcmp(name, ".") == 0 ||
		  strcmp(name, "..") == 0;
	if (snprintf(path, TL_PATH_MAX, "%s%s", is_path ? "" : "/dev/shm/",
		is_path ? name : base) >= TL_PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

int
tl_name_find(const char *name, char path[TL_PATH_MAX])
{
	const int rc = tl_name_path(name, path);

	if (rc == 0 && !strchr(name, '/') && access(path, F_OK) != 0 &&
	    errno == ENOENT && access(name, F_OK) == 0)
		strcpy(path, name);
	return rc;
}

int
tl_open_read(const char *path)
{
	char resolved[TL_PATH_MAX];
	const int rc = tl_name_find(path, resolved);
	int fd;

	if (rc < 0)
		return rc;
	fd = open(resolved, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int
tl_file_unnamed(void)
{
	const char *folder = secure_getenv("TMPDIR");
	char path[TL_PATH_MAX];
	int fd;

	if (!folder || folder[0] != '/')
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/timeline.XXXXXX", folder) >=
	    TL_PATH_MAX)
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

int64_t
tl_read_waiting(int fd, void *data, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	for (;;) {
		const ssize_t n = read(fd, data, size);

		if (n >= 0)
			return n;
		if (errno == EAGAIN)
			(void)poll(&ready, 1, -1);
		else if (errno != EINTR)
			return -errno;
	}
}

int
tl_file_copy(int fd, const void *first, size_t size)
{
	enum { PIECE_SIZE = 256 << 10 };
	char *piece = malloc(PIECE_SIZE);
	const int copy = piece ? tl_file_unnamed() : -ENOMEM;
	int64_t n = 0;
	int rc = copy < 0 ? copy : tl_write_all(copy, first, size);

	while (rc == 0 && (n = tl_read_waiting(fd, piece, PIECE_SIZE)) > 0)
		rc = tl_write_all(copy, piece, (size_t)n);
	free(piece);
	if (rc == 0 && n == 0)
		return copy;
	if (copy >= 0)
		close(copy);
	return rc < 0 ? rc : (int)n;
}

int64_t
tl_read_at(int fd, void *data, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd, (char *)data + done, size - done,
		    (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

size_t
tl_read_start(char *text, size_t size, const char *format, ...)
{
	char path[TL_PATH_MAX];
	int64_t n = -1;
	va_list args;
	int fd;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = tl_read_at(fd, text, size - 1, 0);
		close(fd);
	}
	if (n < 0)
		n = 0;
	text[n] = '\0';
	return (size_t)n;
}

int
tl_read_zero_filled(int fd, void *data, size_t size, uint64_t offset)
{
	const int64_t n = tl_read_at(fd, data, size, offset);

	if (n < 0)
		return (int)n;
	memset((char *)data + n, 0, size - (size_t)n);
	return 0;
}

int
tl_read_whole(int fd, size_t size_max, struct tl_text *text)
{
	struct stat status;
	int64_t size;
	char *room;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	if ((uint64_t)status.st_size > size_max)
		return -EFBIG;
	room = tl_text_reserve(text, (size_t)status.st_size + 1);
	if (!room)
		return -ENOMEM;
	size = tl_read_at(fd, room, (size_t)status.st_size, 0);
	if (size < 0)
		return (int)size;
	text->size += (size_t)size;
	return 0;
}

int
tl_read_rest(int fd, size_t size_max, struct tl_text *text)
{
	enum { PART_SIZE = 4096 };
	int64_t n = 1;

	while (n > 0 && text->size < size_max) {
		char *to = tl_text_reserve(text, PART_SIZE);

		if (!to)
			return -ENOMEM;
		if ((n = tl_read_waiting(fd, to, PART_SIZE)) > 0)
			text->size += (size_t)n;
	}
	return n < 0 ? (int)n : 0;
}

int
tl_read_file(const char *path, size_t size_max, struct tl_text *text)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return -errno;
	rc = tl_read_whole(fd, size_max, text);
	close(fd);
	return rc;
}

/* == longer files == */

/* interruptions of an allocation by signals */
enum { INTERRUPTIONS_MAX = 1000 };

static sigset_t
only_limit(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	return set;
}

void
tl_file_limit_hold(struct tl_file_limit *limit)
{
	const sigset_t set = only_limit();
	sigset_t waiting;

	pthread_sigmask(SIG_BLOCK, &set, &limit->before);
	limit->waited = sigismember(&limit->before, SIGXFSZ) == 1 &&
			sigpending(&waiting) == 0 &&
			sigismember(&waiting, SIGXFSZ) == 1;
}

int
tl_file_limit_release(const struct tl_file_limit *limit, int rc)
{
	const struct timespec at_once = { 0 };
	const sigset_t set = only_limit();

	if (rc == -EFBIG && !limit->waited)
		while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR)
			continue;
	pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
	return rc;
}

/* Write all bytes, at an offset or, with -1, at the position of the file. */
static int
write_bytes(int fd, const char *data, size_t size, off_t offset)
{
	struct tl_file_limit limit;
	size_t done = 0;
	int rc = 0;

	tl_file_limit_hold(&limit);
	while (rc == 0 && done < size) {
		const ssize_t n = offset < 0
				      ? write(fd, data + done, size - done)
				      : pwrite(fd, data + done, size - done,
					    offset + (off_t)done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			rc = n < 0 ? -errno : -EIO;
	}
	return tl_file_limit_release(&limit, rc);
}

int
tl_write_all(int fd, const void *data, size_t size)
{
	return write_bytes(fd, data, size, -1);
}

int
tl_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
	return write_bytes(fd, data, size, (off_t)offset);
}

mode_t
tl_file_withheld(const struct stat *st)
{
	const mode_t read = S_IRGRP | S_IROTH, write = S_IWGRP | S_IWOTH;
	mode_t withheld;

	if (!S_ISREG(st->st_mode))
		return 0;
	withheld = ~st->st_mode & (read | write);
	if (st->st_gid != getegid())
		withheld |= (withheld & S_IRWXO) << 3;
	return withheld | (withheld & read) >> 2;
}

void
tl_umask_add(mode_t withheld)
{
	umask(umask(0777) | withheld);
}

int
tl_file_give_usual(int fd)
{
	const mode_t mask = umask(0777);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) < 0 ? -errno : 0;
}

int
tl_file_resize(int fd, uint64_t size)
{
	struct tl_file_limit limit;

	tl_file_limit_hold(&limit);
	return tl_file_limit_release(&limit,
	    ftruncate(fd, (off_t)size) != 0 ? -errno : 0);
}

int
tl_file_reserve(int fd, uint64_t offset, uint64_t size)
{
	struct tl_file_limit limit;
	int rc = -EINTR;

	tl_file_limit_hold(&limit);
	for (int i = 0; i < INTERRUPTIONS_MAX && rc == -EINTR; i++)
		rc = -posix_fallocate(fd, (off_t)offset, (off_t)size);
	return tl_file_limit_release(&limit, rc);
}

const char *
tl_file_error(int rc)
{
	struct rlimit limit;

	if (rc == -EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		return "File too large: raise the limit of this process, "
		       "ulimit -f";
	if (rc == -EISDIR)
		return "Is a directory: name a file in it";
	return strerror(-rc);
}

/* The descriptor that a path names.  -1: none. */
static int
named_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t fd;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++) {
		const size_t size = strlen(folders[i]);

		if (strncmp(path, folders[i], size) == 0 &&
		    tl_parse_unsigned(path + size, &fd) == 0 && fd <= INT32_MAX)
			return (int)fd;
	}
	return -1;
}

bool
tl_file_is_special(const char *path)
{
	struct stat st;

	return named_descriptor(path) >= 0 ||
	       (stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
		   !S_ISDIR(st.st_mode));
}

int
tl_file_open_special(const char *path)
{
	const int named = named_descriptor(path);
	const int fd = named < 0 ? open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
				 : fcntl(named, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? -errno : fd;
}

int
tl_file_new_begin(struct tl_file_new *file, const char *path)
{
	struct stat st;

	if (path[0] == '\0')
		return -EINVAL;
	if (tl_file_is_special(path))
		/* rename would replace the special file by a regular one */
		return -EEXIST;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return -EISDIR; /* rename would fail after all was written */
	if (snprintf(file->path, TL_PATH_MAX, "%s", path) >= TL_PATH_MAX ||
	    snprintf(file->temporary, TL_PATH_MAX, "%s.XXXXXX", path) >=
		TL_PATH_MAX)
		return -ENAMETOOLONG;
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	return file->fd < 0 ? -errno : 0;
}

int
tl_file_new_commit(struct tl_file_new *file)
{
	int rc = 0;

	if (close(file->fd) != 0)
		rc = -errno;
	if (rc == 0 && rename(file->temporary, file->path) != 0)
		rc = -errno;
	if (rc != 0)
		unlink(file->temporary);
	file->fd = -1;
	return rc;
}

void
tl_file_new_abort(struct tl_file_new *file)
{
	close(file->fd);
	file->fd = -1;
	unlink(file->temporary);
}

/* == a plain file, or memory, as storage == */

struct plain {
	struct tl_storage storage; /* first: what callers hold */
	int fd;                    /* -1: memory */
	bool keeps;                /* the caller closes fd */
	uint64_t at;               /* of the first byte in the file */
	const uint8_t *data;
};

static int64_t
plain_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	const struct plain *p = (struct plain *)storage;

	/* bytes appended since the open are not read */
	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	if (p->fd >= 0)
		return tl_read_at(p->fd, data, size, p->at + offset);
	memcpy(data, p->data + offset, size);
	return (int64_t)size;
}

static void
plain_close(struct tl_storage *storage)
{
	struct plain *p = (struct plain *)storage;

	if (p->fd >= 0 && !p->keeps)
		close(p->fd);
	free(p);
}

static int
plain_new(struct tl_storage **storage, const struct plain *plain, uint64_t size)
{
	struct plain *p = malloc(sizeof(*p));

	if (!p)
		return -ENOMEM;
	*p = *plain;
	p->storage = (struct tl_storage){ .size = size,
		.read_at = plain_read_at,
		.close = plain_close };
	*storage = &p->storage;
	return 0;
}

int
tl_storage_of_fd(struct tl_storage **storage, int fd)
{
	struct plain plain = { 0 };
	struct stat st;
	int rc;

	if (fstat(fd, &st) != 0 ||
	    (plain.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0)
		return -errno;
	rc = plain_new(storage, &plain, (uint64_t)st.st_size);
	if (rc < 0)
		close(plain.fd);
	return rc;
}

int
tl_storage_of_part(struct tl_storage **storage, int fd, uint64_t at,
    uint64_t size)
{
	const struct plain plain = { .fd = fd, .keeps = true, .at = at };

	return plain_new(storage, &plain, size);
}

int
tl_storage_of_memory(struct tl_storage **storage, const void *data, size_t size)
{
	const struct plain plain = { .fd = -1, .data = data };

	return plain_new(storage, &plain, size);
}

/* == folders == */

int
tl_folder_each(int folder, tl_folder_name *each, void *context)
{
	/* A second descriptor: readdir moves the offset of the first. */
	const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int rc = 0;

	if (!directory) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && (errno = 0, entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			rc = each(context, entry->d_name);
	if (rc == 0)
		rc = -errno;
	closedir(directory);
	return rc;
}
