/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - a format by the name that a user typed. */
#include "format/registry.h"

#include "base/options.h"

#include <errno.h>
#include <string.h>

enum { NAME_SHOWN_MAX = 60 /* bytes of a name, beside a list */ };

static bool
is_read(const struct tl_format_row *row, const char *given)
{
	(void)given;
	return tl_format_is_read(row);
}

static bool
is_written(const struct tl_format_row *row, const char *given)
{
	(void)given;
	return tl_format_is_written(row);
}

size_t
tl_formats_put(struct tl_text *text, tl_format_listed *listed,
    const char *given)
{
	const struct tl_format_row *row;
	size_t count = 0;

	for (size_t i = 0; (row = tl_formats_at(i)) != NULL; i++) {
		if (!listed(row, given))
			continue;
		if (count++ > 0)
			tl_put_string(text, ", ");
		tl_put_string(text, row->name);
	}
	return count;
}

void
tl_formats_refuse(struct tl_fault *fault, const char *given, const char *what,
    tl_format_listed *listed)
{
	struct tl_text names = { 0 };

	tl_formats_put(&names, listed, given);
	tl_fail(fault, -EINVAL, "%.*s: %s (%s)", NAME_SHOWN_MAX, given, what,
	    tl_text_string(&names));
	tl_text_free(&names);
}

static const struct tl_format_row *
find(const char *name, tl_format_listed *listed, const char *what,
    struct tl_fault *fault)
{
	const struct tl_format_row *row = tl_formats_find(name);
	struct tl_near near = tl_near_to(name);

	if (row && listed(row, name))
		return row;
	for (size_t i = 0; (row = tl_formats_at(i)) != NULL; i++) {
		if (listed(row, name))
			tl_near_try(&near, row->name);
	}
	if (near.best[0])
		tl_usage_near(fault, &near, what);
	else
		tl_formats_refuse(fault, name, what, listed);
	return NULL;
}

const struct tl_format_row *
tl_formats_choose_read(const char *name, struct tl_fault *fault)
{
	return find(name, is_read, "not a format that is read", fault);
}

const struct tl_format_row *
tl_formats_choose_written(const char *name, struct tl_fault *fault)
{
	return find(name, is_written, "not a format that is written", fault);
}
