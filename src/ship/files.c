/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - list a folder, write a file atomically, escape a name, read a
 * secret
 */
#include "ship/files.h"

#include "base/file.h"
#include "base/table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	for (int i = 0; rc == 0 && i < TL_FOLDER_FILES_MAX; i++) {
		if (!(entry = readdir(directory)))
			break;
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			rc = each(context, entry->d_name);
	}
	closedir(directory);
	return rc;
}

int
tl_folder_write(int folder, const char *name, const char *hidden, mode_t mode,
    struct tl_bytes data)
{
	int fd, rc;

	unlinkat(folder, hidden, 0); /* of one that was killed: its mode */
	fd = openat(folder, hidden,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	rc = tl_write_at(fd, data.data, data.size, 0);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && renameat(folder, hidden, folder, name) != 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(folder, hidden, 0);
	return rc;
}

/* == names == */

enum { HASH_DIGITS = 16, BITS_A_DIGIT = 4 };

static bool
is_plain(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' ||
	       (c == '.' && !first);
}

static void
put_digits(struct tl_text *text, uint64_t value, unsigned count)
{
	for (unsigned i = count; i-- > 0;)
		tl_put_char(text,
		    "0123456789ABCDEF"[value >> BITS_A_DIGIT * i & 15]);
}

/* The hash keeps long names with the same beginning apart. */
void
tl_put_file_part(struct tl_text *text, const char *name)
{
	const size_t start = text->size;
	const size_t most = TL_FILE_PART_MAX - HASH_DIGITS - 1;

	for (const char *at = name; *at; at++) {
		if (is_plain(*at, at == name)) {
			tl_put_char(text, *at);
		} else {
			tl_put_char(text, '%');
			put_digits(text, (unsigned char)*at, 2);
		}
		if (text->size - start <= TL_FILE_PART_MAX)
			continue;
		text->size = start + most;
		tl_put_char(text, '%');
		put_digits(text, tl_fnv(TL_FNV_BASIS, tl_bytes_of(name)),
		    HASH_DIGITS);
		return;
	}
}

/* == secrets == */

int
tl_secret_read(struct tl_text *text, const char *path, struct tl_fault *fault)
{
	const int rc = tl_read_file(path, TL_SECRET_MAX, text);

	if (rc < 0)
		return tl_fail(fault, rc, "%s: %s", path, strerror(-rc));
	if (strcspn(tl_text_string(text), "\r\n") == 0)
		return tl_fail(fault, -EINVAL, "%s: the first line is empty",
		    path);
	text->data[strcspn(text->data, "\r\n")] = '\0';
	return 0;
}

void
tl_secret_forget(struct tl_text *text)
{
	if (text->data)
		explicit_bzero(text->data, text->capacity);
	tl_text_free(text);
}
