/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pager.h - what is longer than the terminal goes through a pager.
 */
#ifndef TL_DUMP_PAGER_H
#define TL_DUMP_PAGER_H

#include <sys/types.h>

/* Does the user want one?  TIMELINE_PAGER, else PAGER, else less; "" and "cat"
 * mean none.  Not on a terminal that cannot place text (TERM unset, dumb). */
const char *tl_pager_command(void);

/* Start it: *fd is where the text goes from now on.  SIGINT and SIGQUIT are
 * its own until it ends.  Its process, or -errno. */
pid_t tl_pager_start(const char *command, int *fd);

/* Close fd and wait until the user leaves it. */
void tl_pager_end(pid_t pager, int fd);

#endif
