/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_host.c - change a saved timeline as if another host had saved it.
 *
 *	make_host IN.tl OUT.tl [word ...]
 *
 *	host=NAME	the name of the machine
 *	boot=N		1 to 255: the boot ID, N in every byte
 *	shift=DURATION	how far the clock is ahead (-: behind)
 *	sync=DURATION	the error bound that the clock reports; none: no bound
 */
#include "../lib/disguise.h"
#include "base/text.h"

#include <stdlib.h>

static uint8_t *bytes;
static size_t size;

static void
fail(const char *what)
{
	fprintf(stderr, "make_host: %s\n", what);
	exit(1);
}

static void
read_all(const char *path)
{
	FILE *file = fopen(path, "rb");
	long end = -1;

	if (!file || fseek(file, 0, SEEK_END) < 0 || (end = ftell(file)) < 0)
		fail(path);
	rewind(file);
	size = (size_t)end;
	bytes = malloc(size + 1);
	if (!bytes || fread(bytes, 1, size, file) != size)
		fail(path);
	fclose(file);
}

static void
write_all(const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		fail(path);
}

static int64_t
duration(const char *text)
{
	int64_t ns;

	if (tl_parse_duration(text, &ns) < 0)
		fail(text);
	return ns;
}

static void
take(struct disguise *d, const char *word)
{
	const char *value = strchr(word, '=');
	const size_t name = value ? (size_t)(value++ - word) : 0;

	if (name == 4 && strncmp(word, "host", name) == 0) {
		d->host = value;
	} else if (name == 4 && strncmp(word, "boot", name) == 0) {
		d->boot = (uint8_t)atoi(value);
	} else if (name == 5 && strncmp(word, "shift", name) == 0) {
		d->shift_ns = duration(value);
	} else if (name == 4 && strncmp(word, "sync", name) == 0) {
		d->sync_given = true;
		d->sync_us = strcmp(value, "none") == 0
				 ? UINT32_MAX
				 : (uint32_t)(duration(value) / 1000);
	} else {
		fail(word);
	}
}

int
main(int argc, char **argv)
{
	struct disguise d = { 0 };

	if (argc < 3)
		fail("IN.tl OUT.tl [word ...]");
	for (int i = 3; i < argc; i++)
		take(&d, argv[i]);
	read_all(argv[1]);
	if (!disguise(&d, bytes, size))
		fail("no saved timeline, or compressed");
	write_all(argv[2]);
	free(bytes);
	return 0;
}
