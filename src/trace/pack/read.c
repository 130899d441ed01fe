/* SPDX-License-Identifier: Apache-2.0 */
/* packed_read.c - the entries of a zip as storages. */
#include "trace/pack/entry.h"
#include "trace/pack/packed.h"

#include <errno.h>

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

	rc = tl_packed_entry_open(&packed->data, zip, TL_PACKED_DATA, fault);
	if (rc == -ENOENT)
		rc = tl_packed_entry_open(&packed->data, zip,
		    TL_PACKED_DATA_BEFORE, fault);
	if (rc == -ENOENT) /* of an empty file, too */
		return tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE,
		    "a zip without an entry " TL_PACKED_DATA);
	if (rc < 0)
		return rc;
	rc = tl_packed_entry_open(&packed->index, zip, TL_PACKED_INDEX,
	    &ignored);
	if (rc == -ENOMEM)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE, "no memory");
	rc = tl_packed_entry_text(&packed->info, zip, TL_PACKED_INFO,
	    TL_PACKED_INFO_MAX);
	return rc == -ENOMEM
		   ? tl_fault(fault, rc, TL_FAULT_NOWHERE, "no memory")
		   : 0;
}

int
tl_packed_open(struct tl_packed *packed, struct tl_storage *file,
    struct tl_fault *fault)
{
	struct tl_packed_zip *zip;
	int rc = tl_packed_zip_open(&zip, file, fault);

	*packed = (struct tl_packed){ 0 };
	if (rc < 0)
		return rc;
	rc = open_entries(packed, zip, fault);
	tl_packed_zip_release(zip);
	if (rc < 0)
		tl_packed_close(packed);
	return rc;
}

void
tl_packed_close(struct tl_packed *packed)
{
	tl_storage_close(packed->data);
	tl_storage_close(packed->index);
	tl_text_free(&packed->info);
	*packed = (struct tl_packed){ 0 };
}

int
tl_packed_open_trace(struct tl_trace **trace, struct tl_text *info,
    struct tl_storage *file, const struct tl_trace_read_options *options,
    struct tl_fault *fault)
{
	struct tl_packed packed;
	int rc = tl_packed_open(&packed, file, fault);

	if (rc < 0)
		return rc;
	rc = tl_trace_open_storage(trace, packed.data, packed.index, options,
	    fault);
	packed.data = packed.index = NULL;
	if (rc == 0 && info) {
		*info = packed.info;
		packed.info = (struct tl_text){ 0 };
	}
	tl_packed_close(&packed);
	return rc;
}
