/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.c - names change hands in one step, and nothing is removed that a
 * writer of ours did not make.
 */
#include "convert/replace.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_SIZE = 4096 };

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A file as a writer of traces makes it? */
static bool
is_of_trace(int folder, const char *name)
{
	static const char stream[] = "stream_";
	struct stat status;

	if (strcmp(name, "metadata") != 0 &&
	    strncmp(name, stream, sizeof(stream) - 1) != 0)
		return false;
	return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode);
}

/* Is it a folder that has a trace or is empty?  0, -ENOTDIR, -ENOTEMPTY, or
 * -errno. */
static int
check_trace(const char *path)
{
	const int fd =
	    open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *entry;
	bool other = false, named = false, any = false;
	DIR *folder;

	if (fd < 0)
		return errno == ELOOP ? -ENOTDIR : -errno;
	folder = fdopendir(fd);
	if (!folder) {
		close(fd);
		return -ENOMEM;
	}
	while (!other && (entry = readdir(folder)) != NULL) {
		if (is_dots(entry->d_name))
			continue;
		any = true;
		other = !is_of_trace(fd, entry->d_name);
		named |= strcmp(entry->d_name, "metadata") == 0;
	}
	closedir(folder);
	return other || (any && !named) ? -ENOTEMPTY : 0;
}

int
tl_replace_check(const char *path, bool force, bool folder)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!force)
		return -EEXIST;
	if (folder)
		return check_trace(path);
	return S_ISDIR(status.st_mode) ? -EISDIR : 0;
}

/* Did renameat2 fail for want of the flag? */
static bool
is_unknown(int error)
{
	return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

int
tl_rename_new(const char *from, const char *to)
{
	struct stat status;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (!is_unknown(errno))
		return -errno;
	/* The file system cannot rename without replacing. */
	if (link(from, to) == 0)
		return unlink(from) < 0 ? -errno : 0;
	/* No links, either, or it is a folder: a moment is left open. */
	if (errno == EEXIST || lstat(to, &status) == 0)
		return -EEXIST;
	return rename(from, to) < 0 ? -errno : 0;
}

int
tl_rename_over(const char *from, const char *to)
{
	return rename(from, to) < 0 ? -errno : 0;
}

/* Both change names; where the file system cannot do that at once, by way of
 * a third name beside from. */
static int
exchange(const char *from, const char *to)
{
	char third[TL_PATH_MAX];
	int rc;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
		return 0;
	if (!is_unknown(errno))
		return -errno;
	if ((size_t)snprintf(third, sizeof(third), "%s.old", from) >=
	    sizeof(third))
		return -ENAMETOOLONG;
	if (rename(to, third) < 0)
		return -errno;
	if ((rc = tl_rename_new(from, to)) < 0) {
		(void)rename(third, to);
		return rc;
	}
	return tl_rename_over(third, from);
}

int
tl_rename_trace(const char *from, const char *to)
{
	int rc = exchange(from, to);

	if (rc == -ENOENT) /* there was none to replace */
		return tl_rename_new(from, to);
	if (rc < 0)
		return rc;
	rc = check_trace(from);
	/* Has another process put a file there meanwhile? */
	if (rc < 0 && exchange(from, to) < 0)
		return -ESTALE;
	return rc;
}

/* Remove what one reading of the folder shows: was there anything? */
static bool
remove_some(int folder)
{
	_Alignas(struct dirent64) char entries[ENTRIES_SIZE];
	ssize_t size;
	bool any = false;

	if (lseek(folder, 0, SEEK_SET) < 0)
		return false;
	while ((size = getdents64(folder, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry =
			    (const void *)(entries + at);

			at += entry->d_reclen;
			any |= !is_dots(entry->d_name) &&
			       unlinkat(folder, entry->d_name, 0) == 0;
		}
	}
	return any;
}

void
tl_remove_flat(const char *path)
{
	const int fd =
	    open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		unlink(path);
		return;
	}
	/* Some file systems skip entries where others are removed. */
	while (remove_some(fd))
		continue;
	close(fd);
	rmdir(path);
}
