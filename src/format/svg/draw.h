/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw.h - the shapes and texts of SVG charts.
 *
 * The class of an element sets its look (style.c), so that light and dark
 * themes have the same shapes.  tl_svg_plain makes foreign text plain once; it
 * is drawn in a monospaced font, whose width is known.
 */
#ifndef TL_FORMAT_SVG_DRAW_H
#define TL_FORMAT_SVG_DRAW_H

#include "base/text.h"

enum {
	SVG_WIDTH = 1200,
	SVG_MARGIN = 24,
	SVG_NAME_COLUMNS = 96, /* of a name that is kept */
	SVG_NAME_SIZE = 400    /* its bytes, all marks included */
};

/* The width of a column of class name (12 px) and of class tiny (10 px):
 * the widest font that may be used, so that nothing overlaps. */
#define SVG_NAME_EM 7.25
#define SVG_TINY_EM 6.05
/* The same for other texts, which are 11 px, plain and strong. */
#define SVG_TEXT_EM   6.7
#define SVG_STRONG_EM 7.8

extern const char tl_svg_style[];

struct svg_point {
	double x;
	double y;
};

struct svg_box {
	double x;
	double y;
	double width;
	double height;
};

/* To a hundredth of a pixel. */
void tl_svg_number(struct tl_text *text, double number);
/* 1,234,567 */
void tl_svg_count(struct tl_text *text, uint64_t count);
/* 1,234,567 words; without the plural's s where there is one. */
void tl_svg_counted(struct tl_text *text, uint64_t count, const char *word);

/* Foreign bytes as plain text of at most this many columns and SVG_NAME_SIZE
 * bytes, the last of them "…" where it was cut. */
void
tl_svg_plain(struct tl_text *text, struct tl_bytes bytes, unsigned columns);
/* Cut what is plain to fewer columns. */
void tl_svg_cut(struct tl_text *text, struct tl_bytes plain, unsigned columns);

void tl_svg_text(struct tl_text *text, const char *class, struct svg_point at,
    struct tl_bytes plain);
/* The same of a text that was built for it, which is given back. */
void tl_svg_words(struct tl_text *text, const char *class, struct svg_point at,
    struct tl_text *words);
void tl_svg_word(struct tl_text *text, const char *class, struct svg_point at,
    const char *word);
void tl_svg_line(struct tl_text *text, const char *class, struct svg_point from,
    struct svg_point to);
void tl_svg_rect(struct tl_text *text, const char *class, struct svg_box box);
/* The same, to be closed by the caller: "</rect>" after its children. */
void
tl_svg_rect_open(struct tl_text *text, const char *class, struct svg_box box);

#endif
