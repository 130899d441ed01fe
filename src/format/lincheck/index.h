/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - is the index beside a Lincheck trace that of the data?
 *
 *	data --> objects --> cells, added up --+--> equal?
 *	index ---------------> cells, added up +
 *
 * The cells of two threads come in any order, so that sums of their hashes are
 * compared.  What a cell of a definition has as its end means nothing.
 */
#ifndef TL_FORMAT_LINCHECK_INDEX_H
#define TL_FORMAT_LINCHECK_INDEX_H

#include "base/fault.h"
#include "base/storage.h"
#include "format/lincheck/lincheck.h"

/* Starts from all zeros. */
struct tl_lincheck_cells {
	uint64_t count;
	uint64_t sum;
};

/* kind as the file has it; of a definition only the start counts. */
void tl_lincheck_cells_add(struct tl_lincheck_cells *cells, uint32_t version,
    uint8_t kind, int32_t id, uint64_t start, uint64_t end);

/* Does an index of this version end as one that was finished? */
bool tl_lincheck_index_is_finished(struct tl_storage *index, uint32_t version);

/*
 * Compare an index with the cells of a file of this version: 0, and *by_memory
 * says whether it was written from memory; -EBADMSG and a fault at a byte of
 * the index; -errno of reading.
 */
int tl_lincheck_index_check(struct tl_storage *index, uint32_t version,
    const struct tl_lincheck_cells *cells, bool *by_memory,
    struct tl_fault *fault);

#endif
