/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - a saved snapshot through analysis/why.h. */
#include "daemon/disk/explain.h"

#include "analysis/why.h"
#include "base/process.h"
#include "base/text.h"
#include "daemon/disk/names.h"
#include "source/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
explain(struct tl_text *text, const char *path,
    const struct tl_snapshot_why *how)
{
	const struct tl_source_plan plan = { .kernel = true };
	struct tl_sources sources = { 0 };
	const struct tl_why_plan spans = { .glob = how->glob,
		.slower_ns = how->slower_ns,
		.sources = &sources };
	struct tl_cursor *cursor = NULL;
	struct tl_why *why = NULL;
	int rc = tl_sources_open(&sources, &path, 1, &plan);

	if (rc == 0)
		rc = tl_sources_cursor(&sources, TL_OLDEST_FIRST, &cursor);
	if (rc == 0)
		rc = tl_why_new(&why, &spans);
	if (rc == 0)
		rc = tl_why_read(why, cursor);
	if (rc == 0)
		rc = tl_why_put_text(why, text);
	if (rc == 0)
		tl_why_left_out(why, "", text);
	tl_why_free(why);
	tl_cursor_close(cursor);
	tl_sources_free(&sources);
	return rc < 0 ? rc : text->rc;
}

static int
save(struct tl_snapshot_folder *folder, const char *name, mode_t mode,
    const struct tl_text *text)
{
	struct tl_snapshot_file file = { .fd = -1 };
	int rc = tl_snapshot_file_open(&file, folder, mode);

	if (rc == 0)
		rc = tl_write_all(file.fd, text->data, text->size);
	if (rc == 0)
		rc = tl_snapshot_file_commit(&file, folder, name);
	tl_snapshot_file_close(&file, folder);
	return rc;
}

int
tl_snapshot_explain(struct tl_snapshot_folder *folder, const char *path,
    const struct tl_snapshot_why *why, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char name[TL_FILE_NAME_MAX + sizeof(TL_EXPLANATION_SUFFIX)];
	struct tl_text text = { 0 };
	int rc = explain(&text, path, why);

	snprintf(name, sizeof(name), "%s" TL_EXPLANATION_SUFFIX,
	    slash ? slash + 1 : path);
	if (rc == 0)
		rc = save(folder, name, mode, &text);
	tl_text_free(&text);
	return rc;
}
