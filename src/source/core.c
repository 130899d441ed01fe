/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.c - find timelines in a core or in an image of memory, and open each.
 *
 * In a core, a timeline begins at the start of a segment; elf(5) has the
 * layout, and the note NT_FILE has the paths of mapped files.  In any other
 * file, which the user must declare to be a core (--from core), a timeline may
 * begin at any page.  A timeline is copied into an unnamed file, and the copy
 * is read as a file without a writer.
 */
#include "source/kinds.h"

#include "base/array.h"
#include "base/file.h"
#include "base/process.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	PIECE = 1 << 20, /* bytes read at a time */
	SEGMENTS_MAX = 1 << 16,
	NOTES_MAX = 16 << 20, /* limit of the bytes of notes read */
	FOUND_MAX = 1024
};

/* A timeline in the file. */
struct found {
	uint64_t at;
	uint64_t size; /* bytes to copy, if present */
	char *path;    /* mapped file; NULL: unknown */
	/* From the timeline's header: */
	uint64_t created_tsc;
	int64_t created_ns;
	uint32_t creator_pid;
	uint8_t boot_id[16];
};

struct tl_core {
	int fd;
	const struct tl_source_plan *plan;
	struct found *found;
	size_t count;
	size_t capacity;
	size_t opened;
	uint64_t size; /* of the file */
	bool is_cut;   /* segments lie beyond the end of the file */
};

unsigned
tl_core_recognise(struct tl_bytes first)
{
	Elf64_Ehdr h;

	if (first.size < sizeof(h))
		return 0;
	memcpy(&h, first.data, sizeof(h));
	return memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 &&
		       h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_type == ET_CORE
		   ? 100
		   : 0;
}

/* Read all size bytes.  Returns false if any are missing. */
static bool
read_at(const struct tl_core *c, void *data, size_t size, uint64_t at)
{
	return tl_read_at(c->fd, data, size, at) == (int64_t)size;
}

/* Was the timeline of this header found before?  A process may map a timeline
 * twice; the headers of both mappings have the same creation. */
static bool
is_known(const struct tl_core *c, const struct timeline_header *h)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct found *f = &c->found[i];

		if (f->created_tsc == h->created_tsc &&
		    f->created_ns == h->created_ns &&
		    f->creator_pid == h->creator_pid &&
		    memcmp(f->boot_id, h->boot_id, sizeof(f->boot_id)) == 0)
			return true;
	}
	return false;
}

/* The size of the timeline at a place of the file, at most room; 0 if there is
 * no timeline. */
static uint64_t
timeline_at(const struct tl_core *c, uint64_t at, uint64_t room)
{
	struct timeline_header h;

	if (room < sizeof(h) || !read_at(c, &h, sizeof(h), at) ||
	    h.magic != TIMELINE_MAGIC || h.total_size < sizeof(h) ||
	    is_known(c, &h))
		return 0;
	return h.total_size < room ? h.total_size : room;
}

static int
add_found(struct tl_core *c, uint64_t at, uint64_t size)
{
	struct timeline_header h;
	struct found *f;
	int rc;

	if (c->count == FOUND_MAX || !read_at(c, &h, sizeof(h), at))
		return 0;
	rc = TL_ARRAY_ROOM(c->found, c->capacity, c->count);
	if (rc < 0)
		return rc;
	f = &c->found[c->count++];
	*f = (struct found){ .at = at,
		.size = size,
		.created_tsc = h.created_tsc,
		.created_ns = h.created_ns,
		.creator_pid = h.creator_pid };
	memcpy(f->boot_id, h.boot_id, sizeof(f->boot_id));
	return 0;
}

/* == a core == */

/* The path of an address in the note NT_FILE.  The note has a count and a size
 * of pages, then for each mapping its start, its end and its place in the file,
 * then the paths in the same order. */
static char *
path_in_note(const char *note, size_t size, uint64_t address)
{
	uint64_t count, range[3];
	const char *path, *const end = note + size;

	if (size < 16)
		return NULL;
	memcpy(&count, note, sizeof(count));
	if (count > (size - 16) / sizeof(range))
		return NULL;
	path = note + 16 + count * sizeof(range);
	for (uint64_t i = 0; i < count; i++) {
		const size_t length = strnlen(path, (size_t)(end - path));

		if (path + length >= end)
			return NULL;
		memcpy(range, note + 16 + i * sizeof(range), sizeof(range));
		if (range[0] == address)
			return strdup(path);
		path += length + 1;
	}
	return NULL;
}

/* The path of the file mapped at an address, from the notes of a segment. */
static char *
find_path(const struct tl_core *c, const Elf64_Phdr *segment, uint64_t address)
{
	const size_t size =
	    segment->p_filesz < NOTES_MAX ? segment->p_filesz : NOTES_MAX;
	char *notes = malloc(size + 1), *path = NULL;
	size_t at = 0;

	if (!notes || !read_at(c, notes, size, segment->p_offset)) {
		free(notes);
		return NULL;
	}
	while (!path && size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, data;

		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		data = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > size - at || data > size - at - name)
			break;
		if (note.n_type == NT_FILE)
			path = path_in_note(notes + at + name, note.n_descsz,
			    address);
		at += name + data;
	}
	free(notes);
	return path;
}

/* The number of bytes of contiguous memory that follow each other in the file
 * from segment i on. */
static uint64_t
room_from(const Elf64_Phdr *segments, size_t count, size_t i)
{
	uint64_t room = segments[i].p_filesz;

	while (i + 1 < count && segments[i + 1].p_type == PT_LOAD &&
	       segments[i].p_filesz == segments[i].p_memsz &&
	       segments[i + 1].p_vaddr ==
		   segments[i].p_vaddr + segments[i].p_memsz &&
	       segments[i + 1].p_offset ==
		   segments[i].p_offset + segments[i].p_filesz)
		room += segments[++i].p_filesz;
	return room;
}

static int
find_in_segments(struct tl_core *c, const Elf64_Phdr *segments, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *s = &segments[i];
		uint64_t size = 0;
		int rc;

		c->is_cut |= s->p_filesz > c->size ||
			     s->p_offset > c->size - s->p_filesz;
		if (s->p_type == PT_LOAD)
			size = timeline_at(c, s->p_offset,
			    room_from(segments, count, i));
		if (size == 0)
			continue;
		if ((rc = add_found(c, s->p_offset, size)) != 0)
			return rc;
		for (size_t k = 0; k < count; k++)
			if (segments[k].p_type == PT_NOTE &&
			    !c->found[c->count - 1].path)
				c->found[c->count - 1].path =
				    find_path(c, &segments[k], s->p_vaddr);
	}
	return 0;
}

static int
find_in_core(struct tl_core *c, const Elf64_Ehdr *h)
{
	/* If the core has more segments than e_phnum can hold, the first
	 * section has their number. */
	Elf64_Shdr section = { .sh_info = h->e_phnum };
	Elf64_Phdr *segments;
	int rc;

	if (h->e_phentsize != sizeof(*segments))
		return -EBADMSG;
	if (h->e_phnum == PN_XNUM &&
	    !read_at(c, &section, sizeof(section), h->e_shoff))
		return -EBADMSG;
	if (section.sh_info > SEGMENTS_MAX)
		section.sh_info = SEGMENTS_MAX;
	segments = calloc(section.sh_info + 1, sizeof(*segments));
	if (!segments)
		return -ENOMEM;
	c->is_cut = !read_at(c, segments, section.sh_info * sizeof(*segments),
	    h->e_phoff);
	rc = c->is_cut ? 0 : find_in_segments(c, segments, section.sh_info);
	free(segments);
	return rc;
}

/* == an image of memory == */

static int
find_in_image(struct tl_core *c)
{
	const uint64_t magic = TIMELINE_MAGIC;
	char *piece = malloc(PIECE);
	uint64_t at = 0, end = 0; /* end of the last timeline */
	int64_t n;
	int rc = piece ? 0 : -ENOMEM;

	while (rc == 0 && (n = tl_read_at(c->fd, piece, PIECE, at)) > 0) {
		for (int64_t i = 0; rc == 0 && i + PAGE <= n; i += PAGE) {
			uint64_t size;

			if (at + (uint64_t)i < end ||
			    memcmp(piece + i, &magic, sizeof(magic)) != 0)
				continue;
			size = timeline_at(c, at + (uint64_t)i, INT64_MAX);
			end = at + (uint64_t)i + size;
			if (size > 0)
				rc = add_found(c, at + (uint64_t)i, size);
		}
		at += (uint64_t)n;
	}
	free(piece);
	return rc;
}

/* == opening == */

/* Copy a timeline into an unnamed file.  Bytes that the core lacks are missing
 * in the copy.  Returns a descriptor or -errno. */
static int
copy(const struct tl_core *c, const struct found *f)
{
	const int to = tl_file_unnamed();
	char *piece = malloc(PIECE);
	uint64_t done = 0;
	int rc = to < 0 ? to : piece ? 0 : -ENOMEM;

	while (rc == 0 && done < f->size) {
		const uint64_t left = f->size - done;
		const int64_t n = tl_read_at(c->fd, piece,
		    left < PIECE ? (size_t)left : PIECE, f->at + done);

		if (n <= 0) {
			rc = (int)n;
			break;
		}
		rc = tl_write_all(to, piece, (size_t)n);
		done += (uint64_t)n;
	}
	free(piece);
	if (rc == 0)
		return to;
	if (to >= 0)
		close(to);
	return rc;
}

bool
tl_core_has_more(const struct tl_core *c)
{
	return c && c->opened < c->count;
}

void
tl_core_open_next(struct tl_core *c, struct tl_source *source)
{
	const struct found *f = &c->found[c->opened++];
	const int fd = copy(c, f);
	struct tl_storage *storage;
	struct tl_snap *snap;
	int rc;

	if (fd < 0) {
		tl_fail(&source->fault, fd,
		    "the timeline cannot be copied into a temporary file "
		    "(TMPDIR): %s",
		    tl_file_error(fd));
		return;
	}
	/* not opened as a live file, which would count as read now */
	rc = tl_storage_of_fd(&storage, fd);
	close(fd);
	if (rc < 0)
		tl_source_fail(source, rc);
	else
		rc = tl_snap_open_storage(&snap, storage, c->plan->tail,
		    &source->fault);
	if (rc < 0)
		return;
	tl_source_of_snap(source, snap);
	source->format = "core";
	if (f->path &&
	    asprintf(&source->own_name, "%s: %s", source->file, f->path) >= 0)
		source->name = source->own_name;
	else if (asprintf(&source->own_name, "%s: timeline-%zu", source->file,
		     c->opened) >= 0)
		source->name = source->own_name;
	if (c->plan->check && (rc = tl_snap_check(snap)) < 0)
		tl_source_fail(source, rc);
}

void
tl_core_free(struct tl_core *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		free(c->found[i].path);
	free(c->found);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}

static int
open_core(struct tl_source *source, const struct tl_opening *o)
{
	const bool is_core =
	    tl_core_recognise(tl_bytes(o->first, o->first_size)) > 0;
	struct tl_core *c = calloc(1, sizeof(*c));
	struct stat st;
	Elf64_Ehdr h;
	int rc;

	if (!c)
		return tl_source_fail(source, -ENOMEM);
	c->plan = o->plan;
	c->fd = dup(o->fd);
	rc = c->fd < 0 || fstat(c->fd, &st) < 0 ? -errno : 0;
	c->size = rc == 0 ? (uint64_t)st.st_size : 0;
	if (rc == 0 && is_core)
		memcpy(&h, o->first, sizeof(h));
	if (rc == 0)
		rc = is_core ? find_in_core(c, &h) : find_in_image(c);
	/* Explain why there is no timeline. */
	if (rc == 0 && c->count == 0)
		rc = tl_fail(&source->fault, -ENODATA, "%s",
		    !is_core ? "there is no timeline in this image"
		    : c->is_cut
			? "the core is cut off, and what is left has no "
			  "timeline: raise "
			  "its limit (ulimit -c unlimited)"
			: "there is no timeline in this core: set bit 3 of "
			  "/proc/PID/coredump_filter, or "
			  "CoredumpFilter=default shared-file-backed of "
			  "systemd.exec(5), before "
			  "the process dies");
	else if (rc < 0)
		tl_source_fail(source, rc);
	else
		tl_core_open_next(c, source);
	if (rc < 0 || !tl_core_has_more(c)) {
		tl_core_free(c);
		return rc;
	}
	source->core = c;
	return 0;
}

int
tl_source_open_core(struct tl_source *source, struct tl_opening *o)
{
	if (o->plan->live || o->plan->follow)
		return tl_fail(&source->fault, -EINVAL, "a core does not grow");
	if (o->fd < 0)
		return tl_fail(&source->fault, -ENOTSUP,
		    "a core is not read from memory");
	return tl_source_open_copied(source, o, open_core);
}
