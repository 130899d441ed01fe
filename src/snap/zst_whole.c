/* SPDX-License-Identifier: Apache-2.0 */
/* zst_whole.c - decode a file that nobody can seek in, as zstd makes it. */
#include "base/file.h"
#include "base/terminal.h"
#include "snap/zst_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* More is a file that was made to fill the disk. */
static const uint64_t decoded_max = UINT64_C(64) << 30;

struct whole {
	ZSTD_DStream *stream;
	uint8_t *from;
	uint8_t *to;
	int out;
	uint64_t at; /* of the next piece in the file */
	uint64_t decoded;
	size_t more; /* what zstd wants; 0: a frame is at its end */
};

static int
damaged(const struct whole *w, const char *what, struct tl_fault *fault)
{
	return tl_fault(fault, -EBADMSG, w->at, "%s", what);
}

static int
decode_piece(struct whole *w, size_t size, struct tl_fault *fault)
{
	ZSTD_inBuffer in = { w->from, size, 0 };
	int rc;

	while (in.pos < in.size) {
		ZSTD_outBuffer out = { w->to, ZSTD_DStreamOutSize(), 0 };

		w->more = ZSTD_decompressStream(w->stream, &out, &in);
		if (ZSTD_isError(w->more))
			return damaged(w, ZSTD_getErrorName(w->more), fault);
		w->decoded += out.pos;
		if (w->decoded > decoded_max)
			return damaged(w, "it decodes to too much", fault);
		rc = tl_write_all(w->out, w->to, out.pos);
		if (rc < 0)
			return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s",
			    strerror(-rc));
	}
	w->at += size;
	return 0;
}

static int
decode_all(struct whole *w, int fd, struct tl_fault *fault)
{
	int64_t n = 1;
	int rc;

	while (n > 0) {
		n = tl_read_at(fd, w->from, ZSTD_DStreamInSize(), w->at);
		if (n > 0 && (rc = decode_piece(w, (size_t)n, fault)) < 0)
			return rc;
	}
	if (n < 0)
		return tl_fault(fault, (int)n, TL_FAULT_NOWHERE, "%s",
		    strerror((int)-n));
	return w->more == 0
		   ? 0
		   : damaged(w, "the file ends inside a compressed frame",
			 fault);
}

int
tl_zst_decode(int fd, struct tl_fault *fault)
{
	struct whole w = { .stream = ZSTD_createDStream(),
		.from = malloc(ZSTD_DStreamInSize()),
		.to = malloc(ZSTD_DStreamOutSize()),
		.out = tl_file_unnamed() };
	int rc = w.out < 0 ? w.out : 0;

	if (!w.stream || !w.from || !w.to)
		rc = -ENOMEM;
	rc = rc < 0 ? tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s", strerror(-rc))
		    : decode_all(&w, fd, fault);
	ZSTD_freeDStream(w.stream);
	free(w.from);
	free(w.to);
	if (rc == 0)
		return w.out;
	if (w.out >= 0)
		close(w.out);
	return rc;
}
