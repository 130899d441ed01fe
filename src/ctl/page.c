/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c - print the address of timelined's page, and open it in a browser
 * where a person sits at a desktop.
 *
 * The address holds the token, and every user may read the arguments of every
 * process.  So the browser gets the name of a file that only its user can read
 * and that leads on to the address.
 */
#include "base/file.h"
#include "ctl/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is it an address as timelined makes it?  The socket may be anyone's, and
 * what stands here is written into a page as it is. */
static bool
is_plain_address(const char *address)
{
	static const char scheme[] = "http://";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.:[]/?=_-";

	return strncmp(address, scheme, sizeof(scheme) - 1) == 0 &&
	       address[strspn(address, letters)] == '\0';
}

/* A page that leads to the address, under a name that stays the same. */
static int
write_redirect(const char *path, const char *address)
{
	struct tl_text text = { 0 };
	struct tl_file_new file;
	int rc = tl_file_new_begin(&file, path);

	if (rc != 0)
		return rc;
	tl_put_format(&text,
	    "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n"
	    "<title>timelined</title>\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
	    "<a href=\"%s\">The page of timelined</a>\n",
	    address, address);
	rc = text.rc ? text.rc : tl_write_at(file.fd, text.data, text.size, 0);
	tl_text_free(&text);
	if (rc == 0)
		return tl_file_new_commit(&file);
	tl_file_new_abort(&file);
	return rc;
}

/* xdg-open in a session of its own, with nothing to write to. */
static int
start_browser(char *path)
{
	char program[] = "xdg-open";
	char *const argv[] = { program, path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	pid_t pid;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return -rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc != 0)
		goto destroy_files;
	for (int fd = STDIN_FILENO; rc == 0 && fd <= STDERR_FILENO; fd++)
		rc = posix_spawn_file_actions_addopen(&files, fd, "/dev/null",
		    O_RDWR, 0);
	if (rc == 0)
		rc = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	if (rc == 0)
		rc = posix_spawnp(&pid, program, &files, &attributes, argv,
		    environ);
	posix_spawnattr_destroy(&attributes);
destroy_files:
	posix_spawn_file_actions_destroy(&files);
	return -rc;
}

static bool
is_set(const char *name)
{
	const char *value = getenv(name);

	return value && value[0];
}

/* The address is printed in any case: what fails here is no failure. */
static void
open_browser(const char *address)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char path[TL_PATH_MAX];

	if (!isatty(STDOUT_FILENO) || !folder || folder[0] != '/' ||
	    (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) ||
	    !is_plain_address(address) ||
	    snprintf(path, sizeof(path), "%s/timelined-page.html", folder) >=
		(int)sizeof(path))
		return;
	if (write_redirect(path, address) == 0)
		start_browser(path);
}

int
tl_verb_page(struct tl_call *call)
{
	const size_t before = call->out.size;
	struct tl_text address = { 0 };
	const int rc = tl_daemon_ask(call);

	if (rc != 0)
		return rc;
	tl_put_bytes(&address,
	    tl_bytes(call->out.data + before, call->out.size - before));
	if (address.size > 0 && address.data[address.size - 1] == '\n')
		address.size--;
	open_browser(tl_text_string(&address));
	tl_text_free(&address);
	return 0;
}
