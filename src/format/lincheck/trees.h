/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trees.h - the trees of a Lincheck trace, read in place through its index.
 *
 *	index --open--> definitions, blocks, threads
 *	node --load--> walk along its content --+-- leaf: parsed
 *	                                        +-- container: its header, a
 *	                                            jump to its footer
 *
 * The nodes are those that a recorded trace made of all events of the file has.
 * The format counts no children, so to load a container is to walk along its
 * children once, and to load a child is to walk along those before it.
 * Calls inside a child are not read, except to find its last point, whose
 * number is the step at which the child ends; untimed trees have no such steps.
 *
 * The cell of a container is used only if the data have that container's header
 * before its content, and a footer at its end, inside the container around it.
 * Otherwise the cell is reported, and the content is read once up to the
 * footer.
 *
 * Refused, so that the file is read whole: a file that is damaged or not whole,
 * as far as the index shows, an outermost call without a footer, and version
 * 18, whose first breakpoint decides how breakpoints are read.
 */
#ifndef TL_FORMAT_LINCHECK_TREES_H
#define TL_FORMAT_LINCHECK_TREES_H

#include "format/lincheck/index.h"
#include "trace/read.h"

struct tl_lincheck_trees;

/*
 * Make the trees.  Definitions go into messages; messages, storages and report
 * must outlive the trees.  0; -EBADMSG: the index does not fit the data;
 * -errno.
 */
int tl_lincheck_trees_new(struct tl_lincheck_trees **trees,
    struct tl_lincheck_messages *messages, struct tl_storage *data,
    struct tl_storage *index, const struct tl_report *report);
void tl_lincheck_trees_free(struct tl_lincheck_trees *trees);
struct tl_trees *tl_lincheck_trees_base(struct tl_lincheck_trees *trees);

/* Thread number i in the order of the file, also one without points, which has
 * no tree.  NULL: no such thread. */
const struct tl_lincheck_lane *
tl_lincheck_trees_lane(const struct tl_lincheck_trees *trees, size_t i);

#endif
