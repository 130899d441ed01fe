/* SPDX-License-Identifier: Apache-2.0 */
/* zip.c - a storage, or a file for writing, as a source of libzip. */
#include "trace/pack/zip.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>

struct source {
	struct tl_storage *storage; /* for reading; NULL: for writing */
	int fd;                     /* for writing */
	uint64_t at;                /* offset of the next read */
	uint64_t write_at;          /* offset of the next write */
	uint64_t written;           /* end of the bytes written */
	zip_error_t error;
};

static zip_int64_t
fail(struct source *s, int zip_error, int rc)
{
	zip_error_set(&s->error, zip_error, -rc);
	return -1;
}

static uint64_t
size_of(const struct source *s)
{
	return s->storage ? s->storage->size : s->written;
}

static zip_int64_t
source_stat(struct source *s, void *data, zip_uint64_t size)
{
	zip_stat_t *st = data;

	if (size < sizeof(*st))
		return fail(s, ZIP_ER_INVAL, -EINVAL);
	if (!s->storage && s->written == 0)
		/* the file does not exist yet */
		return fail(s, ZIP_ER_READ, -ENOENT);
	zip_stat_init(st);
	st->size = size_of(s);
	st->valid = ZIP_STAT_SIZE;
	return sizeof(*st);
}

static zip_int64_t
source_read(struct source *s, void *data, zip_uint64_t size)
{
	int64_t n = 0;

	if (s->storage && s->at < s->storage->size)
		n = tl_storage_read_at(s->storage, data, (size_t)size, s->at);
	if (n < 0)
		return fail(s, ZIP_ER_READ, (int)n);
	s->at += (uint64_t)n;
	return n;
}

static zip_int64_t
source_seek(struct source *s, uint64_t *at, void *data, zip_uint64_t size)
{
	const zip_int64_t to = zip_source_seek_compute_offset(*at, size_of(s),
	    data, size, &s->error);

	if (to < 0)
		return -1;
	*at = (uint64_t)to;
	return 0;
}

static zip_int64_t
source_write(struct source *s, const void *data, zip_uint64_t size)
{
	const int rc = tl_write_at(s->fd, data, (size_t)size, s->write_at);

	if (rc < 0)
		return fail(s, ZIP_ER_WRITE, rc);
	s->write_at += size;
	if (s->write_at > s->written)
		s->written = s->write_at;
	return (zip_int64_t)size;
}

static zip_int64_t
source_supports(const struct source *s)
{
	return s->storage ? ZIP_SOURCE_SUPPORTS_SEEKABLE
			  : ZIP_SOURCE_SUPPORTS_WRITABLE;
}

static zip_int64_t
do_command(void *context, void *data, zip_uint64_t size,
    zip_source_cmd_t command)
{
	struct source *s = context;

	switch (command) {
	case ZIP_SOURCE_OPEN:
		s->at = 0;
		return 0;
	case ZIP_SOURCE_READ:
		return source_read(s, data, size);
	case ZIP_SOURCE_STAT:
		return source_stat(s, data, size);
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&s->error, data, size);
	case ZIP_SOURCE_SEEK:
		return source_seek(s, &s->at, data, size);
	case ZIP_SOURCE_TELL:
		return (zip_int64_t)s->at;
	case ZIP_SOURCE_WRITE:
		return source_write(s, data, size);
	case ZIP_SOURCE_SEEK_WRITE:
		return source_seek(s, &s->write_at, data, size);
	case ZIP_SOURCE_TELL_WRITE:
		return (zip_int64_t)s->write_at;
	case ZIP_SOURCE_SUPPORTS:
		return source_supports(s);
	case ZIP_SOURCE_FREE:
		free(s);
		return 0;
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_BEGIN_WRITE:
	case ZIP_SOURCE_COMMIT_WRITE:
	case ZIP_SOURCE_ROLLBACK_WRITE:
	case ZIP_SOURCE_REMOVE:
		return 0; /* the caller decides whether to keep the file */
	default:
		return fail(s, ZIP_ER_OPNOTSUPP, -ENOTSUP);
	}
}

static zip_source_t *
make_source(struct tl_storage *storage, int fd, zip_error_t *error)
{
	struct source *s = calloc(1, sizeof(*s));
	zip_source_t *source;

	if (!s) {
		zip_error_set(error, ZIP_ER_MEMORY, 0);
		return NULL;
	}
	s->storage = storage;
	s->fd = fd;
	zip_error_init(&s->error);
	source = zip_source_function_create(do_command, s, error);
	if (!source)
		free(s);
	return source;
}

zip_source_t *
tl_packed_source(struct tl_storage *storage, zip_error_t *error)
{
	return make_source(storage, -1, error);
}

zip_source_t *
tl_packed_target(int fd, zip_error_t *error)
{
	return make_source(NULL, fd, error);
}

int
tl_packed_error(const zip_error_t *error)
{
	const int system = zip_error_code_system(error);

	switch (zip_error_code_zip(error)) {
	case ZIP_ER_MEMORY:
		return -ENOMEM;
	case ZIP_ER_READ:
	case ZIP_ER_WRITE:
	case ZIP_ER_SEEK:
	case ZIP_ER_TMPOPEN:
		return system > 0 ? -system : -EIO;
	case ZIP_ER_COMPNOTSUPP:
	case ZIP_ER_ENCRNOTSUPP:
	case ZIP_ER_NOPASSWD:
	case ZIP_ER_WRONGPASSWD:
		return -ENOTSUP;
	default:
		return -EBADMSG;
	}
}
