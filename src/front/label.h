/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - a span for whatever name a program has for a thing.
 */
#ifndef TL_FRONT_LABEL_H
#define TL_FRONT_LABEL_H

#include <stdint.h>
#include <timeline.h>

struct tl_front_label {
	struct timeline_event *span;
	uint64_t argument; /* of its events; 0: they have none */
};

/*
 * The span whose first line is the name and a suffix, its second line which.
 * A name with a $ or a line break in it becomes the argument of "$label%s".
 * Errors as timeline_define_span; the span is closed then.
 */
int tl_front_label(struct timeline *tl, const char *category, const char *name,
    const char *suffix, const char *which, int scope,
    struct tl_front_label *label);

/* Log its begin or its end. */
static inline void
tl_front_label_log(const struct tl_front_label *label, int is_end)
{
	struct timeline_event *event = label->span + (!is_end              ? 0
							 : label->argument ? 1
									   : 2);

	if (__builtin_expect(timeline_enabled(event), 1))
		timeline_append(event, label->argument, 0, 0, 0);
}

#endif
