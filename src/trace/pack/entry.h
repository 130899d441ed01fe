/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.h - what lies in a zip, each entry as a storage.
 */
#ifndef TL_TRACE_PACK_ENTRY_H
#define TL_TRACE_PACK_ENTRY_H

#include "base/fault.h"
#include "base/storage.h"
#include "base/text.h"

enum {
	/* No codec packs by more: what says it did is hostile. */
	TL_PACKED_RATIO_MAX = 1 << 20,
	/* Of the room that there is, this part may be taken to unpack. */
	TL_PACKED_ROOM_PART = 2
};

/* An open zip; stays for as long as an entry of it is open. */
struct tl_packed_zip;

/* The file is taken over, even on failure.  0, -EBADMSG, -ENOMEM, -errno, and
 * the fault says why. */
int tl_packed_zip_open(struct tl_packed_zip **zip, struct tl_storage *file,
    struct tl_fault *fault);
void tl_packed_zip_release(struct tl_packed_zip *zip);

/*
 * The first entry of a name.  One that is stored is read where it lies; one
 * that is compressed is unpacked now.  What is damaged reads up to there.  0,
 * -ENOENT there is none; errors of tl_packed_open.
 */
int tl_packed_entry_open(struct tl_storage **storage, struct tl_packed_zip *zip,
    const char *name, struct tl_fault *fault);
/* Its first bytes, size_max at most. */
int tl_packed_entry_text(struct tl_text *text, struct tl_packed_zip *zip,
    const char *name, size_t size_max);

#endif
