/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - start the program of a trigger, with its environment. */
#include "daemon/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	INHERITED_MAX = 1024, /* variables of our own environment */
	OWN = 4
};

struct environment {
	char *own[OWN];
	char *all[INHERITED_MAX + OWN + 1];
};

/* What is ours to say, or between systemd and the daemon only. */
static bool
is_inherited(const char *variable)
{
	static const char *const not [] = { "TIMELINE=", "TIMELINE_TRIGGER=",
		"TIMELINE_TEXT=", "TIMELINE_NS=", "NOTIFY_SOCKET=",
		"WATCHDOG_USEC=", "WATCHDOG_PID=", NULL };

	for (size_t i = 0; not [i]; i++) {
		if (strncmp(variable, not [i], strlen(not [i])) == 0)
			return false;
	}
	return true;
}

static void
environment_free(struct environment *e)
{
	for (size_t i = 0; i < OWN; i++)
		free(e->own[i]);
}

static int
environment_make(struct environment *e, const char *timeline,
    const struct tl_firing *firing)
{
	size_t count = 0;

	*e = (struct environment){ 0 };
	if (asprintf(&e->own[0], "TIMELINE=%s", timeline) < 0 ||
	    asprintf(&e->own[1], "TIMELINE_TRIGGER=%s", firing->rule->name) <
		0 ||
	    asprintf(&e->own[2], "TIMELINE_TEXT=%s", firing->text) < 0 ||
	    asprintf(&e->own[3], "TIMELINE_NS=%" PRId64, firing->ns) < 0)
		return -ENOMEM;
	for (size_t i = 0; environ[i] && count < INHERITED_MAX; i++) {
		if (is_inherited(environ[i]))
			e->all[count++] = environ[i];
	}
	for (size_t i = 0; i < OWN; i++)
		e->all[count++] = e->own[i];
	return 0;
}

static int
set_files(posix_spawn_file_actions_t *files)
{
	int rc = posix_spawn_file_actions_addopen(files, STDIN_FILENO,
	    "/dev/null", O_RDONLY, 0);

	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(files, STDERR_FILENO,
		    STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_addclosefrom_np(files,
		    STDERR_FILENO + 1);
	return -rc;
}

static int
set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	rc = posix_spawnattr_setsigmask(attributes, &none);
	if (rc == 0)
		rc = posix_spawnattr_setsigdefault(attributes, &all);
	if (rc == 0)
		rc = posix_spawnattr_setpgroup(attributes, 0);
	if (rc == 0)
		rc = posix_spawnattr_setflags(attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
			POSIX_SPAWN_SETPGROUP);
	return -rc;
}

static int
spawn(pid_t *pid, char *const *argv, char *const *environment)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int rc = -posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return rc;
	rc = -posix_spawnattr_init(&attributes);
	if (rc != 0)
		goto destroy_files;
	rc = set_files(&files);
	if (rc == 0)
		rc = set_attributes(&attributes);
	if (rc == 0)
		rc = -posix_spawnp(pid, argv[0], &files, &attributes, argv,
		    environment);
	posix_spawnattr_destroy(&attributes);
destroy_files:
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

int
tl_run(pid_t *pid, const char *const *argv, const char *timeline,
    const struct tl_firing *firing)
{
	char *words[TL_CONFIG_WORDS_MAX + 1] = { 0 };
	struct environment environment;
	int rc;

	/* The program gets copies: exec takes them as if it might write. */
	for (size_t i = 0; i < TL_CONFIG_WORDS_MAX && argv[i]; i++)
		memcpy(&words[i], &argv[i], sizeof(words[i]));
	rc = environment_make(&environment, timeline, firing);
	if (rc == 0)
		rc = spawn(pid, words, environment.all);
	environment_free(&environment);
	return rc;
}
