/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c - zlib and zstd behind one function. */
#include "source/kinds.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	PACKED_SIZE = 64 << 10,
	GZIP_WINDOW = 15 + 16 /* largest window; gzip header */
};

/* The state after the bytes decoded so far. */
enum state {
	BETWEEN, /* between members or frames: the file may end */
	WITHIN,
	ENDED
};

struct tl_unpack {
	z_stream gzip;
	ZSTD_DStream *zstd; /* NULL: the file is gzip */
	int fd;
	bool owns_fd;
	enum state state;
	uint64_t before; /* offset of packed in the file */
	size_t at;       /* next byte of packed */
	size_t size;
	struct tl_fault fault;
	char packed[PACKED_SIZE];
};

static const char gzip_magic[] = { '\x1f', '\x8b' };
static const char zstd_magic[] = { '\x28', '\xb5', '\x2f', '\xfd' };

static bool
begins(struct tl_bytes first, const char *magic, size_t size)
{
	return first.size >= size && memcmp(first.data, magic, size) == 0;
}

const char *
tl_unpack_recognise(struct tl_bytes first)
{
	if (begins(first, gzip_magic, sizeof(gzip_magic)))
		return "gzip";
	return begins(first, zstd_magic, sizeof(zstd_magic)) ? "zstd" : NULL;
}

int
tl_unpack_new(struct tl_unpack **unpack, struct tl_bytes first, int fd)
{
	struct tl_unpack *u = calloc(1, sizeof(*u));
	const bool is_zstd = begins(first, zstd_magic, sizeof(zstd_magic));

	if (!u)
		return -ENOMEM;
	u->fd = fd;
	u->size = first.size;
	memcpy(u->packed, first.data, first.size);
	if (is_zstd ? !(u->zstd = ZSTD_createDStream())
		    : inflateInit2(&u->gzip, GZIP_WINDOW) != Z_OK) {
		free(u);
		return -ENOMEM;
	}
	*unpack = u;
	return 0;
}

int
tl_unpack_own(struct tl_unpack *u)
{
	const int fd = fcntl(u->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	u->fd = fd;
	u->owns_fd = true;
	return 0;
}

void
tl_unpack_free(struct tl_unpack *u)
{
	if (!u)
		return;
	if (u->zstd)
		ZSTD_freeDStream(u->zstd);
	else
		inflateEnd(&u->gzip);
	if (u->owns_fd)
		close(u->fd);
	free(u);
}

const struct tl_fault *
tl_unpack_fault(const struct tl_unpack *u)
{
	return u->fault.text[0] ? &u->fault : NULL;
}

static void
end(struct tl_unpack *u, int rc, const char *why)
{
	u->state = ENDED;
	tl_fault(&u->fault, rc, u->before + u->at, "%s", why);
}

static size_t
decode_zstd(struct tl_unpack *u, char *data, size_t size)
{
	ZSTD_outBuffer out = { data, size, 0 };
	ZSTD_inBuffer in = { u->packed, u->size, u->at };
	const size_t left = ZSTD_decompressStream(u->zstd, &out, &in);

	u->at = in.pos;
	if (!ZSTD_isError(left))
		u->state = left == 0 ? BETWEEN : WITHIN;
	else if (ZSTD_getErrorCode(left) ==
		 ZSTD_error_frameParameter_windowTooLarge)
		end(u, -EFBIG,
		    "needs more than 128 MiB to decode: decompress it with "
		    "zstd -d --long=31");
	else
		end(u, -EBADMSG,
		    "damaged in the zstd data: the rest is not read");
	return out.pos;
}

static size_t
decode_gzip(struct tl_unpack *u, char *data, size_t size)
{
	int rc;

	if (u->state == BETWEEN && u->before + u->at > 0 &&
	    u->packed[u->at] != gzip_magic[0]) {
		end(u, 0, "what follows the gzip data is not read");
		return 0;
	}
	u->state = WITHIN;
	u->gzip.next_in = (Bytef *)u->packed + u->at;
	u->gzip.avail_in = (uInt)(u->size - u->at);
	u->gzip.next_out = (Bytef *)data;
	u->gzip.avail_out = (uInt)size;
	rc = inflate(&u->gzip, Z_NO_FLUSH);
	u->at = u->size - u->gzip.avail_in;
	if (rc == Z_STREAM_END) {
		/* another member may follow, or the padding of tar */
		u->state = BETWEEN;
		if (inflateReset(&u->gzip) != Z_OK)
			end(u, -EBADMSG, "damaged in the gzip data");
	} else if (rc != Z_OK && rc != Z_BUF_ERROR)
		end(u, -EBADMSG,
		    "damaged in the gzip data: the rest is not read");
	return size - u->gzip.avail_out;
}

int64_t
tl_unpack_read(struct tl_unpack *u, char *data, size_t size)
{
	int64_t n;
	size_t got = 0;

	while (got == 0 && u->state != ENDED) {
		/* the decoder may hold bytes that need no more input */
		if (u->at < u->size || u->state == WITHIN)
			got = u->zstd ? decode_zstd(u, data, size)
				      : decode_gzip(u, data, size);
		if (got > 0 || u->state == ENDED || u->at < u->size)
			continue;
		n = tl_read_waiting(u->fd, u->packed, sizeof(u->packed));
		if (n < 0)
			return n;
		if (n > 0) {
			u->before += u->size;
			u->at = 0;
			u->size = (size_t)n;
		} else if (u->state == WITHIN)
			end(u, -EBADMSG,
			    "cut off: the end of the compressed data is "
			    "missing");
		else
			u->state = ENDED;
	}
	return (int64_t)got;
}
