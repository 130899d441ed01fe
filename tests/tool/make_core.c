/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_core.c - make cores to be read, and processes that leave one.
 *
 *	make_core core OUT FILE...	a core of ELF with each file as a mapping,
 *					the last cut in its middle if CUT=1
 *	make_core log TIMELINE		log until a signal ends it, with a core
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <timeline.h>

enum { PAGE = 4096, MAPPED_AT = 1 << 24 };

static _Noreturn void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static size_t
size_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		fail(path);
	return (size_t)st.st_size;
}

static void
put(FILE *out, const void *data, size_t size)
{
	if (size > 0 && fwrite(data, size, 1, out) != 1)
		fail("write");
}

static void
put_file(FILE *out, const char *path, size_t size)
{
	FILE *in = fopen(path, "rb");
	char *data = calloc(1, size);

	if (!in || !data || fread(data, 1, size, in) != size)
		fail(path);
	put(out, data, size);
	free(data);
	fclose(in);
}

static size_t
to_page(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

/* Make the note NT_FILE: each file is mapped whole. */
static size_t
make_note(char *note, char **files, size_t count)
{
	Elf64_Nhdr head = { 5, 0, NT_FILE };
	uint64_t word[3] = { count, PAGE, 0 };
	char *to = note + sizeof(head) + 8;

	memcpy(to, word, 16);
	to += 16;
	for (size_t i = 0; i < count; i++) {
		word[0] = (i + 1) * (uint64_t)MAPPED_AT * 16;
		word[1] = word[0] + to_page(size_of(files[i]));
		word[2] = 0;
		memcpy(to, word, sizeof(word));
		to += sizeof(word);
	}
	for (size_t i = 0; i < count; i++)
		to = stpcpy(to, files[i]) + 1;
	head.n_descsz = (Elf64_Word)(to - (note + sizeof(head) + 8));
	memcpy(note, &head, sizeof(head));
	memcpy(note + sizeof(head), "CORE\0\0\0", 8);
	return sizeof(head) + 8 + ((head.n_descsz + 3) & ~3u);
}

static void
make_core(const char *path, char **files, size_t count)
{
	const char *cut = getenv("CUT");
	FILE *out = fopen(path, "wb");
	char *note = calloc(1, 1 << 16);
	const size_t note_size = note ? make_note(note, files, count) : 0;
	Elf64_Ehdr h = { .e_ident = ELFMAG, .e_type = ET_CORE };
	size_t at = to_page(sizeof(h) + (count + 1) * sizeof(Elf64_Phdr)), end;
	Elf64_Phdr p = { .p_type = PT_NOTE,
		.p_offset = at,
		.p_filesz = note_size };

	if (!out || !note)
		fail(path);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_machine = EM_X86_64;
	h.e_phoff = sizeof(h);
	h.e_phentsize = sizeof(p);
	h.e_phnum = (Elf64_Half)(count + 1);
	put(out, &h, sizeof(h));
	put(out, &p, sizeof(p));
	end = at + to_page(note_size);
	for (size_t i = 0; i < count; i++) {
		p = (Elf64_Phdr){ .p_type = PT_LOAD,
			.p_vaddr = (i + 1) * (uint64_t)MAPPED_AT * 16,
			.p_offset = end,
			.p_filesz = size_of(files[i]),
			.p_memsz = to_page(size_of(files[i])) };
		if (cut && i + 1 == count)
			p.p_filesz /= 2;
		put(out, &p, sizeof(p));
		end += to_page(p.p_filesz);
	}
	if (fseek(out, (long)at, SEEK_SET) < 0)
		fail(path);
	put(out, note, note_size);
	at += to_page(note_size);
	for (size_t i = 0; i < count; i++) {
		const size_t size =
		    size_of(files[i]) / (cut && i + 1 == count ? 2 : 1);

		if (fseek(out, (long)at, SEEK_SET) < 0)
			fail(path);
		put_file(out, files[i], size);
		at += to_page(size);
	}
	free(note);
	if (fclose(out) != 0)
		fail(path);
}

static void
log_for_ever(const char *path)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	FILE *filter = fopen("/proc/self/coredump_filter", "w");
	struct timeline *tl;
	struct timeline_event *event, *span;

	(void)setrlimit(RLIMIT_CORE, &any);
	if (!filter || fputs("0x3b\n", filter) < 0 || fclose(filter) != 0)
		fail("coredump_filter");
	if (timeline_new(&tl, path, NULL) != 0 ||
	    timeline_define(tl, "core", "info", "event $n%u", &event) != 0 ||
	    timeline_define_span(tl, "core", "warning", "span $n%u",
		TIMELINE_THREAD, &span) != 0)
		fail(timeline_error());
	for (unsigned n = 0;; n++) {
		timeline_scope(span, n);
		timeline_log(event, n);
	}
}

int
main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "core") == 0)
		make_core(argv[2], argv + 3, (size_t)argc - 3);
	else if (argc == 3 && strcmp(argv[1], "log") == 0)
		log_for_ever(argv[2]);
	else
		return 2;
	return 0;
}
