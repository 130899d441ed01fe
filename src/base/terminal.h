/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h - where a program's text goes: a terminal with its size and its
 * colours, or not.
 */
#ifndef TL_BASE_TERMINAL_H
#define TL_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TL_COLUMNS_DEFAULT = 80, /* where there is no terminal to ask */
	TL_ROWS_DEFAULT = 24
};

/* Colours are for terminals whose user did not refuse them. */
bool tl_terminal_wants_color(int fd);
/* Its size, never absurd; either may be NULL. */
void tl_terminal_size(int fd, unsigned *columns, unsigned *rows);

/* Write all of it wherever it goes: 0 or -errno. */
int tl_write_all(int fd, const void *data, size_t size);

/* A file that is opened must not become standard output because that was
 * closed: fill 0 to 2. */
void tl_fill_standard_fds(void);

#endif
