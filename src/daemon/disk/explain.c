/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - explain a saved snapshot by analysis/brief.h. */
#include "daemon/disk/snapshot_file.h"

#include "analysis/brief.h"
#include "base/file.h"
#include "base/text.h"
#include "daemon/disk/names.h"
#include "source/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
open_events(void *context, struct tl_cursor **cursor)
{
	return tl_sources_cursor(context, TL_OLDEST_FIRST, cursor);
}

static int
explain(struct tl_text *text, const char *path, const char *name,
    const struct tl_snapshot_why *how)
{
	const struct tl_source_plan plan = { .kernel = true };
	struct tl_sources sources = { 0 };
	const struct tl_brief_plan brief = { .glob = how->glob,
		.slower_ns = how->slower_ns,
		.files = name,
		.sources = &sources,
		.since_ns = INT64_MIN,
		.is_to_end = true,
		.open = open_events,
		.context = &sources };
	int rc = tl_sources_open(&sources, &path, 1, &plan);

	if (rc == 0)
		rc = tl_brief_put(&brief, text);
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
	const char *file = slash ? slash + 1 : path;
	char name[TL_FILE_NAME_MAX + sizeof(TL_EXPLANATION_SUFFIX)];
	struct tl_text text = { 0 };
	int rc = explain(&text, path, file, why);

	snprintf(name, sizeof(name), "%s" TL_EXPLANATION_SUFFIX, file);
	if (rc == 0)
		rc = save(folder, name, mode, &text);
	tl_text_free(&text);
	return rc;
}
