/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - a fuzzer's corpus under any compiler, without libFuzzer.
 *
 *	build/tests/fuzz/replay NAME DIRECTORY|FILE...
 *
 * Hands every file to fuzz_NAME.c.  A property that does not hold aborts, after
 * the program has written the name of the file.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The Makefile lists the fuzzers; each has an entry point with its own name. */
#define FUZZER(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzzers.def"
#undef FUZZER

static const struct {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
} fuzzers[] = {
#define FUZZER(name) { #name, fuzz_##name },
#include "fuzzers.def"
#undef FUZZER
};

enum { INPUT_SIZE_MAX = 16 << 20 };

static int (*fuzz)(const uint8_t *data, size_t size);
static const char *running; /* the current file */
static unsigned long count;

/*
 * Name the input that broke a property, with calls that a signal handler may
 * make.
 */
static void
say_input(int signal_number)
{
	if (write(STDERR_FILENO, running, strlen(running)) < 0 ||
	    write(STDERR_FILENO, ": broke it\n", 11) < 0)
		_exit(1);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/*
 * Use memory of exactly the right size, so that a sanitizer sees each access
 * beyond it.
 */
static int
run_bytes(FILE *f, size_t size)
{
	uint8_t *data = malloc(size ? size : 1);
	int rc = 0;

	if (!data)
		return -ENOMEM;
	if (fread(data, 1, size, f) == size) {
		fuzz(data, size);
		count++;
	} else {
		rc = -EIO;
	}
	free(data);
	return rc;
}

static int
run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	int rc;

	running = path;
	if (!f)
		return -errno;
	if (fstat(fileno(f), &st) < 0)
		rc = -errno;
	else if (st.st_size > INPUT_SIZE_MAX)
		rc = -EFBIG;
	else
		rc = run_bytes(f, (size_t)st.st_size);
	fclose(f);
	return rc;
}

static int
run_directory(const char *path, DIR *directory)
{
	static char name[PATH_MAX];
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(name, sizeof(name), "%s/%s", path,
			entry->d_name) >= (int)sizeof(name))
			rc = -ENAMETOOLONG;
		else
			rc = run_file(name);
	}
	return rc;
}

static int
run(const char *path)
{
	DIR *directory = opendir(path);
	int rc;

	if (!directory)
		return errno == ENOTDIR ? run_file(path) : -errno;
	rc = run_directory(path, directory);
	closedir(directory);
	return rc;
}

int
main(int argc, char **argv)
{
	running = argv[0];
	for (size_t i = 0; i < sizeof(fuzzers) / sizeof(*fuzzers); i++)
		if (argc > 1 && strcmp(argv[1], fuzzers[i].name) == 0)
			fuzz = fuzzers[i].run;
	if (!fuzz) {
		fprintf(stderr, "usage: replay NAME DIRECTORY|FILE...\n");
		return 2;
	}
	signal(SIGABRT, say_input);
	for (int i = 2; i < argc; i++) {
		const int rc = run(argv[i]);

		if (rc < 0) {
			fprintf(stderr, "replay: %s: %s: %s\n", argv[i],
			    running, strerror(-rc));
			return 1;
		}
	}
	printf("%lu inputs replayed\n", count);
	return count > 0 ? 0 : 1;
}
