/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - write a file atomically, escape a name, folders by host and time,
 * read a secret
 */
#include "ship/files.h"

#include "base/file.h"
#include "base/ns.h"
#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* == folders by host, date and hour == */

enum { DATE_SIZE = 10, HOUR_AT = 11, HOUR_SIZE = 2 };

int64_t
tl_partition_hour(int64_t ns)
{
	return ns / TL_NS_PER_H - (ns % TL_NS_PER_H < 0);
}

/* Open a folder in another, which is closed. */
static int
enter(int folder, const char *name)
{
	int rc, fd;

	if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST)
		rc = -errno;
	else if ((fd = openat(folder, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		rc = -errno;
	else
		rc = fd;
	close(folder);
	return rc;
}

int
tl_partition_open(struct tl_partitions *p, const char *host, int64_t hour)
{
	const char *time = TL_TIME(hour * TL_NS_PER_H);
	struct tl_text name = { 0 };
	char date[sizeof("date=") + DATE_SIZE];
	char of_day[sizeof("hour=") + HOUR_SIZE];
	int rc;

	if (p->root < 0) {
		if (mkdir(p->path, 0777) != 0 && errno != EEXIST)
			return -errno;
		p->root = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (p->root < 0)
			return -errno;
	}
	tl_put_string(&name, "host=");
	tl_put_file_part(&name, host);
	rc = name.rc;
	if (rc == 0 && (rc = fcntl(p->root, F_DUPFD_CLOEXEC, 0)) < 0)
		rc = -errno;
	if (rc >= 0) {
		snprintf(date, sizeof(date), "date=%.*s", DATE_SIZE, time);
		snprintf(of_day, sizeof(of_day), "hour=%.*s", HOUR_SIZE,
		    time + HOUR_AT);
		rc = enter(rc, tl_text_string(&name));
	}
	if (rc >= 0)
		rc = enter(rc, date);
	if (rc >= 0)
		rc = enter(rc, of_day);
	tl_text_free(&name);
	/* the root was removed: open it again */
	if (rc == -ENOENT || rc == -ESTALE)
		tl_partitions_close(p);
	return rc;
}

void
tl_partitions_close(struct tl_partitions *p)
{
	if (p->root >= 0)
		close(p->root);
	p->root = -1;
}

void
tl_partition_prefix(struct tl_text *name, const struct tl_block *block)
{
	tl_put_file_part(name, block->timeline);
	tl_put_char(name, '-');
	tl_put_string(name, block->chain);
	tl_put_char(name, '-');
}

void
tl_partition_hidden(char hidden[TL_PARTITION_NAME_MAX], const char *name)
{
	snprintf(hidden, TL_PARTITION_NAME_MAX, ".%s.new", name);
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
