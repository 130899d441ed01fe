/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out.h - what a writer has ready, handed on in large pieces.
 */
#ifndef TL_EVENT_OUT_H
#define TL_EVENT_OUT_H

#include "base/text.h"

enum { TL_OUT_SIZE_MAX = 64 << 10 };

/* Take size bytes: 0, or -errno to stop. */
typedef int tl_write(void *context, const char *data, size_t size);

struct tl_out {
	struct tl_text text;
	tl_write *write;
	void *context;
};

/* Hand on all there is.  0, -ENOMEM when text went missing, or what write
 * said. */
static inline int
tl_out_flush(struct tl_out *out)
{
	int rc = out->text.rc;

	if (rc == 0 && out->text.size > 0)
		rc = out->write(out->context, out->text.data, out->text.size);
	tl_text_clear(&out->text);
	return rc;
}

/* Hand it on if it is worth it. */
static inline int
tl_out_settle(struct tl_out *out)
{
	if (out->text.size < TL_OUT_SIZE_MAX && out->text.rc == 0)
		return 0;
	return tl_out_flush(out);
}

#endif
