/* SPDX-License-Identifier: Apache-2.0 */
/* level.c - levels and the priorities that name them. */
#include "event/message.h"

#include <errno.h>

#define PRIORITY(constant, level, name) [level] = name,
static const char *const names[] = {
	[TIMELINE_LEVEL_OFF] = "off",
#include "event/priorities.def"
};
#undef PRIORITY

#define PRIORITY(constant, level, name) \
	_Static_assert(level >= TIMELINE_LEVEL_MIN && \
			   level <= TIMELINE_LEVEL_MAX, \
	    name);
#include "event/priorities.def"
#undef PRIORITY

_Static_assert(sizeof(names) / sizeof(names[0]) == TIMELINE_LEVEL_MAX + 1, "");

const char *
tl_level_name(unsigned level)
{
	return level <= TIMELINE_LEVEL_MAX ? names[level] : "?";
}

int
tl_level_of(struct tl_bytes name)
{
	const char first = name.size > 0 ? name.data[0] : '\0';

	for (int i = TIMELINE_LEVEL_MIN; i <= TIMELINE_LEVEL_MAX; i++) {
		if (first == names[i][0] &&
		    tl_bytes_equal(name, tl_bytes_of(names[i])))
			return i;
	}
	return -EINVAL;
}

int
tl_level_parse(const char *name)
{
	return tl_level_of(tl_bytes_of(name));
}

const char *
tl_level_color(unsigned level)
{
	switch (level) {
	case 9: /* fatal */
		return "\033[1;31m";
	case 8: /* error */
		return "\033[31m";
	case 7: /* warning */
		return "\033[33m";
	case 6: /* info */
		return "";
	case 5: /* debug */
		return "\033[36m";
	default: /* the traces */
		return "\033[2m";
	}
}
