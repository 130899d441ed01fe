/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_hosts.h - what a command line says of the clocks of hosts, done to
 * the inputs of a program.
 */
#ifndef TL_SOURCE_SELECT_HOSTS_H
#define TL_SOURCE_SELECT_HOSTS_H

#include "source/diagnostics.h"
#include "source/selection.h"

/*
 * --offset and --pair, before the first entry is read; what came of them is
 * said by complain, and so is, where entries of hosts are put in one order,
 * whose place is not known.  0; -EINVAL and a fault: the command line names no
 * host of these; -ENOMEM.
 */
int
tl_select_hosts(struct tl_inputs *inputs, const struct tl_selection *selection,
    tl_complain *complain, bool in_order, struct tl_fault *fault);

#endif
