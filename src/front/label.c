/* SPDX-License-Identifier: Apache-2.0 */
/* label.c - names to spans. */
#include "front/label.h"

#include "base/text.h"

#include <errno.h>

int
tl_front_label(struct timeline *tl, const char *category, const char *name,
    const char *suffix, const char *which, int scope,
    struct tl_front_label *label)
{
	const bool plain = name[0] && !strpbrk(name, "$\n");
	struct timeline_definition definition = { .category = category,
		.priority = "info",
		.kind = TIMELINE_SPAN,
		.scope = scope };
	struct tl_text text = { 0 };
	int rc = 0, defined;

	*label = (struct tl_front_label){ 0 };
	if (!plain)
		rc = timeline_string(tl, name, &label->argument);
	tl_put_string(&text, plain ? name : "$label%s");
	tl_put_string(&text, suffix);
	tl_put_char(&text, '\n');
	tl_put_string(&text, which);
	definition.message = tl_text_string(&text);
	if (rc == 0 && text.rc < 0)
		rc = text.rc;
	/* Without a timeline the span is the closed span, which logs
	 * nothing. */
	defined = timeline_define_event(rc == 0 ? tl : NULL, &definition,
	    &label->span);
	tl_text_free(&text);
	return rc < 0 ? rc : defined;
}
