/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_record.c - what is recorded, for the page: only that, and with the
 * words that a number cannot say.
 *
 *	{"recordings":[{"timeline":"a","entries":17,"lost":0,"files":1,
 *	  "bytes":4096,"queued":0,"faults":0,"path":"/...","error":null},...]}
 */
#include "base/fields.h"
#include "daemon/metrics.h"
#include "daemon/metrics_view.h"

#include <string.h>

/* "" is null. */
static void
put_words(struct tl_fields *f, const char *name, const char *words)
{
	if (words[0])
		tl_fields_string(f, name, words);
	else
		tl_fields_null(f, name);
}

static void
put_recording(struct tl_fields *f, const struct tl_target *target)
{
	struct tl_record_status status;
	const struct tl_recorder_status *r = &status.recorder;

	tl_target_record_status(target, &status);
	tl_fields_object(f, NULL);
	tl_fields_string(f, "timeline", target->name);
	tl_fields_unsigned(f, "entries", r->events);
	tl_fields_unsigned(f, "lost", r->lost);
	tl_fields_unsigned(f, "files", r->files);
	tl_fields_unsigned(f, "bytes", r->bytes);
	tl_fields_unsigned(f, "queued", r->queued);
	tl_fields_unsigned(f, "faults", r->faults);
	put_words(f, "path", r->path);
	put_words(f, "error", status.rc < 0 ? strerror(-status.rc) : "");
	tl_fields_object_end(f);
}

void
tl_metrics_record(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_array(&f, "recordings");
	for (size_t i = 0; i < daemon->target_count; i++)
		if (tl_target_is_recorded(daemon->targets[i]))
			put_recording(&f, daemon->targets[i]);
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}
