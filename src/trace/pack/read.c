/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - read a packed trace from its zip.
 */
#include "trace/pack/packed.h"

#include "base/fault.h"
#include "base/file.h"
#include "trace/pack/zip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* == entries == */

enum {
	/* no codec compresses by more, so such an entry is invalid */
	TL_PACKED_RATIO_MAX = 1 << 20,
	/* the part of the free space that unpacking may use */
	TL_PACKED_ROOM_PART = 2
};

/* An open zip.  The zip exists as long as one of its entries is open. */
struct tl_packed_zip;

enum { PIECE = 64 << 10 };

struct tl_packed_zip {
	zip_t *zip;
	struct tl_storage *file;
	unsigned refs;
};

/* A stored entry. */
struct entry {
	struct tl_storage storage; /* first: what callers hold */
	struct tl_packed_zip *zip;
	zip_uint64_t index;
	zip_file_t *file;
	uint64_t at; /* offset in the file */
};

/* == the zip == */

/* Open a zip.  Takes the file over, even on failure.  0, -EBADMSG, -ENOMEM,
 * -errno, with a fault. */
static int
packed_zip_open(struct tl_packed_zip **out, struct tl_storage *file,
    struct tl_fault *fault)
{
	struct tl_packed_zip *z = calloc(1, sizeof(*z));
	zip_source_t *source = NULL;
	zip_error_t error;
	int rc;

	zip_error_init(&error);
	if (z)
		source = tl_packed_source(file, &error);
	if (source)
		z->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
	if (z && z->zip) {
		zip_error_fini(&error);
		z->file = file;
		z->refs = 1;
		*out = z;
		return 0;
	}
	rc = source ? tl_packed_error(&error) : -ENOMEM;
	tl_fail(fault, rc, "not a whole zip: %s", zip_error_strerror(&error));
	zip_error_fini(&error);
	zip_source_free(source);
	tl_storage_close(file);
	free(z);
	return rc;
}

static void
packed_zip_release(struct tl_packed_zip *z)
{
	if (--z->refs > 0)
		return;
	zip_discard(z->zip);
	tl_storage_close(z->file);
	free(z);
}

/* == stored == */

static int64_t
entry_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	struct entry *e = (struct entry *)storage;
	size_t done = 0;

	if (offset >= storage->size)
		return 0;
	if (offset != e->at &&
	    zip_fseek(e->file, (zip_int64_t)offset, SEEK_SET) < 0)
		return tl_packed_error(zip_file_get_error(e->file));
	e->at = offset;
	while (done < size) {
		const zip_int64_t n =
		    zip_fread(e->file, (char *)data + done, size - done);

		if (n < 0)
			return tl_packed_error(zip_file_get_error(e->file));
		if (n == 0)
			break;
		done += (size_t)n;
		e->at += (uint64_t)n;
	}
	return (int64_t)done;
}

/* Read the whole entry again and check its checksum. */
static int
entry_check(struct tl_storage *storage)
{
	struct entry *e = (struct entry *)storage;
	zip_file_t *file = zip_fopen_index(e->zip->zip, e->index, 0);
	char *piece = malloc(PIECE);
	zip_int64_t n = file && piece ? 1 : -1;
	int rc = piece ? 0 : -ENOMEM;

	while (n > 0)
		n = zip_fread(file, piece, PIECE);
	if (n < 0 && rc == 0)
		rc = tl_packed_error(file ? zip_file_get_error(file)
					  : zip_get_error(e->zip->zip));
	if (rc == -EBADMSG && storage->damaged)
		storage->damaged(storage->context, 0,
		    "the checksum of the zip does not fit");
	free(piece);
	if (file)
		zip_fclose(file);
	return rc == -EBADMSG ? 0 : rc;
}

static void
entry_close(struct tl_storage *storage)
{
	struct entry *e = (struct entry *)storage;

	zip_fclose(e->file);
	packed_zip_release(e->zip);
	free(e);
}

static int
open_stored(struct tl_storage **storage, struct tl_packed_zip *z,
    const zip_stat_t *st)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	/* no check here: the reader of the entry finds damage */
	e->file = zip_fopen_index(z->zip, st->index, ZIP_FL_COMPRESSED);
	if (!e->file) {
		free(e);
		return tl_packed_error(zip_get_error(z->zip));
	}
	e->zip = z;
	z->refs++;
	e->index = st->index;
	e->storage = (struct tl_storage){ .size = st->size,
		.read_at = entry_read_at,
		.check = entry_check,
		.close = entry_close };
	*storage = &e->storage;
	return 0;
}

/* == compressed == */

/* Is there room to unpack the entry? */
static int
check_room(int fd, const zip_stat_t *st, struct tl_fault *fault)
{
	struct statvfs room;
	uint64_t bytes;

	if (st->size / TL_PACKED_RATIO_MAX > st->comp_size)
		return tl_fail(fault, -EBADMSG,
		    "%s says that it is larger than it can be", st->name);
	if (fstatvfs(fd, &room) < 0)
		return 0; /* unknown: writing will fail if there is no room */
	bytes = (uint64_t)room.f_bavail * room.f_frsize / TL_PACKED_ROOM_PART;
	if (st->size > bytes)
		return tl_fail(fault, -ENOSPC,
		    "%s is compressed and needs %" PRIu64
		    " bytes of room, more than a half of what is free; "
		    "TMPDIR says where",
		    st->name, (uint64_t)st->size);
	return 0;
}

/* Unpack as many bytes as the header declares.  A damaged entry ends early. */
static int
unpack(int fd, zip_file_t *file, uint64_t size)
{
	char *piece = malloc(PIECE);
	uint64_t at = 0;
	int rc = piece ? 0 : -ENOMEM;

	while (rc == 0 && at < size) {
		const uint64_t want = size - at < PIECE ? size - at : PIECE;
		const zip_int64_t n = zip_fread(file, piece, want);

		if (n <= 0) {
			rc = n == 0 ? -EBADMSG
				    : tl_packed_error(zip_file_get_error(file));
			break;
		}
		rc = tl_write_at(fd, piece, (size_t)n, at);
		at += (uint64_t)n;
	}
	free(piece);
	return rc == -EBADMSG && at > 0 ? 0 : rc;
}

/* == entries == */

static int
find(struct tl_packed_zip *z, const char *name, zip_stat_t *st)
{
	const zip_uint64_t wanted = ZIP_STAT_NAME | ZIP_STAT_INDEX |
				    ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
				    ZIP_STAT_COMP_METHOD |
				    ZIP_STAT_ENCRYPTION_METHOD;
	const zip_int64_t i = zip_name_locate(z->zip, name, 0);

	if (i < 0)
		return -ENOENT;
	if (zip_stat_index(z->zip, (zip_uint64_t)i, 0, st) < 0)
		return tl_packed_error(zip_get_error(z->zip));
	return (st->valid & wanted) == wanted && st->size <= INT64_MAX
		   ? 0
		   : -EBADMSG;
}

static int
open_found(struct tl_storage **storage, struct tl_packed_zip *z,
    const zip_stat_t *st, struct tl_fault *fault)
{
	if (st->encryption_method != ZIP_EM_NONE)
		return tl_fail(fault, -ENOTSUP, "%s is encrypted", st->name);
	if (st->comp_method != ZIP_CM_STORE) {
		zip_file_t *file = zip_fopen_index(z->zip, st->index, 0);
		int fd, rc;

		if (!file)
			return tl_packed_error(zip_get_error(z->zip));
		fd = tl_file_unnamed();
		rc = fd < 0 ? fd : check_room(fd, st, fault);
		if (rc == 0)
			rc = unpack(fd, file, st->size);
		if (rc == 0)
			rc = tl_storage_of_fd(storage, fd);
		if (fd >= 0)
			close(fd);
		zip_fclose(file);
		return rc;
	}
	if (st->comp_size != st->size)
		return tl_fail(fault, -EBADMSG, "%s has two sizes", st->name);
	return open_stored(storage, z, st);
}

/*
 * Open the first entry with a name.  A stored entry is read in place; a
 * compressed entry is unpacked now, up to the first damage.  0; -ENOENT: no
 * such entry; errors of tl_packed_open().
 */
static int
packed_entry_open(struct tl_storage **storage, struct tl_packed_zip *z,
    const char *name, struct tl_fault *fault)
{
	zip_stat_t st;
	int rc = find(z, name, &st);

	if (rc == 0)
		rc = open_found(storage, z, &st, fault);
	if (rc < 0 && rc != -ENOENT)
		tl_fail(fault, rc,
		    rc == -ENOTSUP
			? "%s is compressed in a way that is not known here"
			: "%s is damaged or cannot be read",
		    name);
	return rc;
}

/* == the trace == */

enum { LOCAL_HEADER = 30, NAME_SIZE_AT = 26, RECOGNISED = 100, MAYBE = 30 };

static bool
is_ours(struct tl_bytes name)
{
	return tl_bytes_equal(name, tl_bytes_of(TL_PACKED_INFO)) ||
	       tl_bytes_equal(name, tl_bytes_of(TL_PACKED_DATA)) ||
	       tl_bytes_equal(name, tl_bytes_of(TL_PACKED_DATA_BEFORE)) ||
	       tl_bytes_equal(name, tl_bytes_of(TL_PACKED_INDEX));
}

unsigned
tl_packed_recognise(struct tl_bytes first)
{
	const uint8_t *bytes = (const uint8_t *)first.data;
	size_t size;

	if (first.size < 4 || memcmp(bytes, "PK\3\4", 4) != 0)
		return 0;
	if (first.size < LOCAL_HEADER)
		return MAYBE;
	size = (size_t)bytes[NAME_SIZE_AT + 1] << 8 | bytes[NAME_SIZE_AT];
	if (size > first.size - LOCAL_HEADER ||
	    !is_ours(tl_bytes(bytes + LOCAL_HEADER, size)))
		return MAYBE;
	return RECOGNISED;
}

/* == opening == */

static int
open_entries(struct tl_packed *packed, struct tl_packed_zip *zip,
    struct tl_fault *fault)
{
	struct tl_fault ignored = { 0 };
	int rc;

	rc = packed_entry_open(&packed->data, zip, TL_PACKED_DATA, fault);
	if (rc == -ENOENT)
		rc = packed_entry_open(&packed->data, zip,
		    TL_PACKED_DATA_BEFORE, fault);
	if (rc == -ENOENT) /* also for an empty file */
		return tl_fail(fault, -EBADMSG,
		    "a zip without an entry " TL_PACKED_DATA);
	if (rc < 0)
		return rc;
	rc = packed_entry_open(&packed->index, zip, TL_PACKED_INDEX, &ignored);
	return rc == -ENOMEM ? tl_fail(fault, rc, "no memory") : 0;
}

int
tl_packed_open(struct tl_packed *packed, struct tl_storage *file,
    struct tl_fault *fault)
{
	struct tl_packed_zip *zip = NULL;
	int rc = packed_zip_open(&zip, file, fault);

	*packed = (struct tl_packed){ 0 };
	if (rc < 0)
		return rc;
	rc = open_entries(packed, zip, fault);
	packed_zip_release(zip);
	if (rc < 0)
		tl_packed_close(packed);
	return rc;
}

void
tl_packed_close(struct tl_packed *packed)
{
	tl_storage_close(packed->data);
	tl_storage_close(packed->index);
	*packed = (struct tl_packed){ 0 };
}
