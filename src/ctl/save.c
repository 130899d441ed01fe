/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save.c - save a snapshot: the file appears whole or not at all
 *
 * Read permission is enough: the timeline is neither mapped nor written to.
 * Where it has a file NAME.sched of kernel events, FILE.sched is saved with
 * it, where timeline-dump finds it.
 */
#include "base/file.h"
#include "base/process.h"
#include "ctl/ctl.h"
#include "kernel/kernel.h"
#include "snap/compressed.h"
#include "snap/inspect.h"
#include "snap/take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The geometry of a live timeline. */
static int
check(struct tl_call *call, const struct tl_name *name, int fd,
    struct timeline_header *geometry)
{
	struct tl_fault fault = { 0 };
	struct tl_inspection inspection;
	struct stat status;
	int rc = tl_inspect_fd(&inspection, fd, false, &fault);

	if (rc != 0)
		return tl_call_fault(call, name->shown, rc, &fault);
	*geometry = inspection.header;
	tl_inspection_free(&inspection);
	if (geometry->state != TIMELINE_LIVE)
		return tl_call_fail(call, name->shown, -EINVAL,
		    "not live: it is a snapshot already");
	if (fstat(fd, &status) != 0 ||
	    (uint64_t)status.st_size < geometry->total_size)
		return tl_call_fail(call, name->shown, -ENODATA, "truncated");
	return 0;
}

/* A snapshot. */
struct saved {
	struct timeline_header geometry;
	struct tl_take take;
	uint64_t size; /* of the file, in bytes */
	uint64_t used; /* without its holes */
};

/* Copy to out, packed or not.  Copy first, compress later: writers overwrite
 * entries while it compresses. */
static int
copy(int live, struct saved *saved, int out, bool packed,
    struct tl_faults *faults)
{
	const int plain = packed ? memfd_create("timeline", MFD_CLOEXEC) : out;
	int rc = plain < 0 ? -errno : 0;

	saved->take.close_clock = true;
	if (rc == 0)
		rc = tl_take(&saved->take, live, &saved->geometry, plain,
		    faults);
	if (rc == 0 && packed)
		rc = tl_zst_write_fd(out, plain, TL_ZST_LEVEL);
	if (packed && plain >= 0)
		close(plain);
	return rc;
}

/* older is removed when the copy is whole, before path is replaced: whenever
 * this process is killed, no file of kernel events lies beside a snapshot that
 * it does not belong to, and a copy that fails leaves both as they were. */
static int
take(struct tl_call *call, const char *path, const char *older, int fd,
    struct saved *saved)
{
	const bool packed =
	    tl_call_has(call, TL_CTL_COMPRESS) ||
	    (path[0] && tl_bytes_end_with(tl_bytes_of(path + 1), ".zst"));
	struct tl_faults *faults = calloc(1, sizeof(*faults));
	struct tl_file_new file;
	struct stat status;
	int rc = faults ? tl_file_new_begin(&file, path) : -ENOMEM;

	if (rc == 0) {
		rc = copy(fd, saved, file.fd, packed, faults);
		if (rc == 0 && fstat(file.fd, &status) == 0) {
			saved->size = (uint64_t)status.st_size;
			saved->used = tl_file_used(&status);
		}
		if (rc == 0 && older && lstat(older, &status) == 0 &&
		    unlink(older) != 0)
			rc = tl_call_fail(call, older, -errno,
			    "cannot remove: %s", strerror(errno));
		if (rc == 0)
			rc = tl_file_new_commit(&file);
		else
			tl_file_new_abort(&file);
	}
	free(faults);
	if (rc != 0)
		tl_call_fail(call, path, rc, "%s", tl_file_error(rc));
	return rc;
}

/* Copy first, write later: writers overwrite entries while a pipe waits. */
static int
take_to_output(struct tl_call *call, int live, struct saved *saved)
{
	const int fd = memfd_create("timeline", MFD_CLOEXEC);
	struct tl_faults *faults = calloc(1, sizeof(*faults));
	int rc = fd < 0 ? -errno : faults ? 0 : -ENOMEM;
	char piece[64 << 10];
	uint64_t at = 0;
	int64_t n;

	if (rc == 0)
		rc = copy(live, saved, fd, tl_call_has(call, TL_CTL_COMPRESS),
		    faults);
	while (rc == 0 && (n = tl_read_at(fd, piece, sizeof(piece), at)) != 0) {
		rc = n < 0 ? (int)n
			   : tl_write_all(STDOUT_FILENO, piece, (size_t)n);
		at += sizeof(piece);
	}
	if (fd >= 0)
		close(fd);
	free(faults);
	if (rc != 0 && rc != -EPIPE)
		tl_call_fail(call, "standard output", rc, "%s",
		    tl_file_error(rc));
	return rc;
}

/* Is a lane not in the snapshot as a whole? */
static bool
is_part(const struct timeline_head *head)
{
	return head->first > head->wanted;
}

static void
put_saved(struct tl_call *call, const struct tl_name *name, const char *path,
    const struct saved *saved, const char *kernel_path)
{
	const struct timeline_header *g = &saved->geometry;
	struct tl_fields f = tl_call_json(call);

	if (!tl_call_has(call, TL_CTL_JSON))
		return;
	tl_fields_object(&f, NULL);
	tl_fields_string(&f, "name", name->shown);
	tl_fields_string(&f, "file", path);
	tl_fields_unsigned(&f, "size", saved->size);
	tl_fields_unsigned(&f, "used", saved->used);
	tl_fields_array(&f, "left_out");
	for (uint32_t i = 0; i < timeline_lane_count(g); i++) {
		const struct timeline_head *head = &saved->take.heads[i];

		if (!is_part(head))
			continue;
		tl_fields_object(&f, NULL);
		if (timeline_lane_is_fallback(g, i))
			tl_fields_null(&f, "cpu");
		else
			tl_fields_unsigned(&f, "cpu", i / g->tiers);
		tl_fields_unsigned(&f, "tier", timeline_lane_tier(g, i));
		tl_fields_unsigned(&f, "kept", head->end - head->first);
		tl_fields_unsigned(&f, "wanted", head->end - head->wanted);
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	if (kernel_path)
		tl_fields_string(&f, "kernel_file", kernel_path);
	tl_fields_object_end(&f);
}

static int
refuse_existing(struct tl_call *call, const char *path)
{
	struct stat status;

	if (tl_file_is_special(path))
		return tl_call_fail(call, path, -EEXIST,
		    "not a regular file; name a file to save to");
	/* a directory has an error of its own */
	if (tl_call_has(call, TL_CTL_FORCE) || lstat(path, &status) != 0 ||
	    S_ISDIR(status.st_mode))
		return 0;
	return tl_call_fail(call, path, -EEXIST,
	    "exists already; --force replaces it");
}

/* Save to a file, or to standard output if path is NULL. */
static int
save(struct tl_call *call, const struct tl_name *name, const char *path,
    const char *older, struct saved *saved)
{
	const struct timeline_header *g = &saved->geometry;
	int fd, rc;

	if ((fd = tl_call_open(call, name)) < 0)
		return fd;
	rc = check(call, name, fd, &saved->geometry);
	if (rc == 0)
		rc = path ? take(call, path, older, fd, saved)
			  : take_to_output(call, fd, saved);

	/* Report the lanes of which writers overwrote entries meanwhile. */
	for (uint32_t i = 0; rc == 0 && i < timeline_lane_count(g); i++) {
		const struct timeline_head *head = &saved->take.heads[i];
		struct tl_text text = { 0 };

		if (!is_part(head))
			continue;
		tl_put_format(&text,
		    "timelinectl: %s: ", path ? path : "standard output");
		tl_snap_put_left_out(&text,
		    timeline_lane_is_fallback(g, i) ? TL_CPU_UNKNOWN
						    : i / g->tiers,
		    timeline_lane_tier(g, i), head->end - head->first,
		    head->first - head->wanted);
		tl_put_char(&text, '\n');
		fputs(tl_text_string(&text), stderr);
		tl_text_free(&text);
	}
	close(fd);
	return rc;
}

static int
save_to_output(struct tl_call *call, const struct tl_name *name)
{
	const struct tl_name sched = tl_ctl_sched_name(name);
	struct saved saved = { 0 };
	int rc;

	if (tl_call_has(call, TL_CTL_JSON))
		return tl_call_usage(call, "--json: the snapshot goes to "
					   "standard output; name a file");
	if (isatty(STDOUT_FILENO) == 1)
		return tl_call_usage(call, "not for a terminal; name a file, "
					   "or use a pipe");
	rc = save(call, name, NULL, NULL, &saved);
	free(saved.take.heads);
	if (rc == 0 && access(sched.path, F_OK) == 0)
		fprintf(stderr,
		    "timelinectl: %s: kernel events are not saved to standard "
		    "output; name a file\n",
		    sched.shown);
	return rc;
}

int
tl_verb_save(struct tl_call *call)
{
	const char *path = call->operands[1];
	char kernel_path[TL_PATH_MAX];
	struct tl_name name, sched;
	struct saved saved = { 0 }, kernel = { 0 };
	bool has_kernel;
	int rc = tl_call_name(call, 0, &name);

	if (rc != 0)
		return rc;
	if (path[0] == '\0')
		return tl_call_usage(call, "empty name of a file");
	if (strcmp(path, "-") == 0)
		return save_to_output(call, &name);
	if ((rc = tl_sched_path(kernel_path, path)) != 0)
		return tl_call_fail(call, path, rc, "%s", strerror(-rc));
	sched = tl_ctl_sched_name(&name);
	has_kernel = access(sched.path, F_OK) == 0;
	if ((rc = refuse_existing(call, path)) != 0 ||
	    (rc = refuse_existing(call, kernel_path)) != 0 ||
	    (rc = save(call, &name, path, kernel_path, &saved)) != 0)
		goto out;
	if (has_kernel)
		rc = save(call, &sched, kernel_path, NULL, &kernel);
	put_saved(call, &name, path, &saved,
	    has_kernel && rc == 0 ? kernel_path : NULL);
out:
	free(saved.take.heads);
	free(kernel.take.heads);
	return rc;
}
