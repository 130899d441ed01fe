/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - kernel events among the inputs, from FILE.sched, which is opened
 * with FILE; and the states of threads that they show.
 *
 *	inputs --> tl_kernel_states_new --> fed with merged events, oldest first
 *	  |
 *	  +--> tl_kernel_is_beside: its events are not shown themselves
 */
#ifndef TL_DUMP_KERNEL_H
#define TL_DUMP_KERNEL_H

#include "analysis/states.h"
#include "dump/options.h"
#include "source/sources.h"

/* Is the input a file of kernel events that the command line does not name? */
bool tl_kernel_is_beside(const struct tl_source *input,
    const struct tl_options *options);

/* States of threads for the events of all inputs.  *states is NULL if no input
 * has kernel events.  0 or -errno. */
int tl_kernel_states_new(struct tl_states **states,
    const struct tl_sources *inputs);

#endif
