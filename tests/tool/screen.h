/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - compute the content of a terminal from the bytes that were written
 * to it, as far as programs that position the cursor use VT100 and xterm.
 */
#ifndef TESTS_TOOL_SCREEN_H
#define TESTS_TOOL_SCREEN_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { ROWS_MAX = 100, COLUMNS_MAX = 300, PARAMETERS_MAX = 16 };

struct cell {
	char bytes[24]; /* a character with its marks; empty: a blank */
	bool covered;   /* by the wide character to the left */
};

static struct {
	struct cell cells[ROWS_MAX][COLUMNS_MAX + 1];
	int rows, columns;
	int row, column;
	int top, bottom; /* the rows that scroll; bottom 0: all */
	/* the state of the escape sequence */
	enum { TEXT, ESCAPE, CONTROL, STRING, SKIP } state;
	int parameters[PARAMETERS_MAX];
	int parameter_count;
	struct cell last;
} screen = { .rows = 24, .columns = 80 };

static inline int
between(int n, int low, int high)
{
	return n < low ? low : n > high ? high : n;
}

static inline void
go(int row, int column)
{
	screen.row = between(row, 0, screen.rows - 1);
	screen.column = between(column, 0, screen.columns - 1);
}

static inline void
erase(int row, int from, int to)
{
	for (int i = from; i < to && i < COLUMNS_MAX; i++)
		screen.cells[row][i] = (struct cell){ .covered = false };
}

/* The last row that scrolls. */
static inline int
bottom(void)
{
	return screen.bottom > 0 ? screen.bottom : screen.rows - 1;
}

/* Move the rows from the first one on up or down. */
static inline void
scroll(int first, bool up)
{
	const size_t size =
	    (size_t)(bottom() - first) * sizeof(screen.cells[0]);

	if (up)
		memmove(screen.cells[first], screen.cells[first + 1], size);
	else
		memmove(screen.cells[first + 1], screen.cells[first], size);
	erase(up ? bottom() : first, 0, COLUMNS_MAX);
}

static inline void
line_feed(void)
{
	if (screen.row == bottom())
		scroll(screen.top, true);
	else if (screen.row < screen.rows - 1)
		screen.row++;
}

static inline void
put_cell(struct cell cell)
{
	if (screen.column >= screen.columns) {
		screen.column = 0;
		line_feed();
	}
	if (screen.cells[screen.row][screen.column].covered)
		erase(screen.row, screen.column - 1, screen.column);
	if (screen.cells[screen.row][screen.column + 1].covered)
		erase(screen.row, screen.column + 1, screen.column + 2);
	screen.cells[screen.row][screen.column++] = cell;
	screen.last = cell;
}

static inline int
parameter(int i, int unless)
{
	return i < screen.parameter_count && screen.parameters[i] > 0
		   ? screen.parameters[i]
		   : unless;
}

static inline void
erase_display(void)
{
	const int what = parameter(0, 0);

	for (int i = 0; i < screen.rows; i++) {
		if (what == 2 || (what == 0 && i > screen.row) ||
		    (what == 1 && i < screen.row))
			erase(i, 0, COLUMNS_MAX);
	}
	if (what == 0)
		erase(screen.row, screen.column, COLUMNS_MAX);
	else if (what == 1)
		erase(screen.row, 0, screen.column + 1);
}

static inline void
erase_line(void)
{
	const int what = parameter(0, 0);

	erase(screen.row, what == 0 ? screen.column : 0,
	    what == 1 ? screen.column + 1 : COLUMNS_MAX);
}

/* Handle a control that moves the cursor; false: it is another control. */
static inline bool
move(char c, int n)
{
	switch (c) {
	case 'H':
	case 'f':
		go(n - 1, parameter(1, 1) - 1);
		return true;
	case 'A':
		go(screen.row - n, screen.column);
		return true;
	case 'B':
		go(screen.row + n, screen.column);
		return true;
	case 'C':
		go(screen.row, screen.column + n);
		return true;
	case 'D':
		go(screen.row, screen.column - n);
		return true;
	case 'G':
		go(screen.row, n - 1);
		return true;
	case 'd':
		go(n - 1, screen.column);
		return true;
	default:
		return false;
	}
}

static inline void
set_region(void)
{
	screen.top = between(parameter(0, 1) - 1, 0, screen.rows - 1);
	screen.bottom =
	    between(parameter(1, screen.rows) - 1, 0, screen.rows - 1);
	go(0, 0);
}

static inline void
control(char c)
{
	const int n = parameter(0, 1);

	switch (c) {
	case 'J':
		erase_display();
		break;
	case 'K':
		erase_line();
		break;
	case 'X':
		erase(screen.row, screen.column, screen.column + n);
		break;
	case 'b':
		for (int i = 0; i < n; i++)
			put_cell(screen.last);
		break;
	case 'r':
		set_region();
		break;
	case 'L':
	case 'M':
		for (int i = 0; i < n && screen.row <= bottom(); i++)
			scroll(screen.row, c == 'M');
		break;
	case 'S':
	case 'T':
		for (int i = 0; i < n; i++)
			scroll(screen.top, c == 'S');
		break;
	case 'm':
	case 'h':
	case 'l':
	case 't':
		break;
	default:
		if (!move(c, n))
			fprintf(stderr, "on_screen: unknown control %c\n", c);
	}
}

static inline void
take_control(char c)
{
	int *last = &screen.parameters[screen.parameter_count - 1];

	if (c >= '0' && c <= '9') {
		*last = between(*last * 10 + (c - '0'), 0, 9999);
	} else if (c == ';') {
		if (screen.parameter_count < PARAMETERS_MAX)
			screen.parameters[screen.parameter_count++] = 0;
	} else if (c >= '@' && c <= '~') {
		control(c);
		screen.state = TEXT;
	}
}

static inline void
take_escape(char c)
{
	screen.state = TEXT;
	if (c == '[') {
		screen.state = CONTROL;
		memset(screen.parameters, 0, sizeof(screen.parameters));
		screen.parameter_count = 1;
	} else if (c == ']') {
		screen.state = STRING;
	} else if (c == '(' || c == ')') {
		screen.state = SKIP;
	} else if (c == 'M' && screen.row == screen.top) {
		scroll(screen.top, false);
	} else if (c == 'M') {
		go(screen.row - 1, screen.column);
	} else if (c == 'D') {
		line_feed();
	}
}

/*
 * A character is complete: a wide one covers the next cell, and a mark belongs
 * to the character before it.
 */
static inline void
take_width(struct cell *cell, wchar_t code)
{
	const int width = wcwidth(code);
	const int before = screen.column - 2;
	struct cell *base = cell;

	if (width == 2 && screen.column < screen.columns) {
		cell[1] = (struct cell){ .covered = true };
		screen.column++;
	} else if (width == 0 && before >= 0) {
		base -= cell[-1].covered ? 2 : 1;
		if (strlen(base->bytes) + 5 < sizeof(base->bytes))
			memcpy(base->bytes + strlen(base->bytes), cell->bytes,
			    5);
		screen.column--;
		erase(screen.row, screen.column, screen.column + 1);
	}
}

/* Add a byte of a character in UTF-8 to the cell to the left. */
static inline void
take_rest(char c)
{
	struct cell *cell = &screen.cells[screen.row][screen.column - 1];
	const unsigned char first = (unsigned char)cell->bytes[0];
	const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	size_t now = strlen(cell->bytes);
	wchar_t code = first & (0xff >> (size + 1));

	if (now >= size)
		return;
	cell->bytes[now++] = c;
	for (size_t i = 1; i < now; i++)
		code = code << 6 | (cell->bytes[i] & 0x3f);
	if (now == size)
		take_width(cell, code);
}

static inline void
take_text(char c)
{
	if (c == 27) {
		screen.state = ESCAPE;
	} else if (c == '\r') {
		screen.column = 0;
	} else if (c == '\n') {
		line_feed();
	} else if (c == '\b') {
		go(screen.row, screen.column - 1);
	} else if ((c & 0xc0) == 0x80 && screen.column > 0) {
		take_rest(c);
	} else if ((unsigned char)c >= ' ') {
		put_cell((struct cell){ .bytes = { c } });
	}
}

static inline void
take(char c)
{
	switch (screen.state) {
	case ESCAPE:
		take_escape(c);
		break;
	case CONTROL:
		take_control(c);
		break;
	case STRING:
		if (c == 7 || c == '\\')
			screen.state = TEXT;
		break;
	case SKIP:
		screen.state = TEXT;
		break;
	default:
		take_text(c);
	}
}

/* Return the rows of the screen as lines. */
static inline const char *
lines(void)
{
	static char text[ROWS_MAX * (COLUMNS_MAX * 24 + 1) + 1];
	char *to = text;

	for (int row = 0; row < screen.rows; row++) {
		char *end = to;

		for (int i = 0; i < screen.columns; i++) {
			const char *cell = screen.cells[row][i].bytes;

			if (screen.cells[row][i].covered)
				continue;
			to = stpcpy(to, cell[0] ? cell : " ");
			if (cell[0] && cell[0] != ' ')
				end = to;
		}
		to = end;
		*to++ = '\n';
	}
	*to = '\0';
	return text;
}

#endif
