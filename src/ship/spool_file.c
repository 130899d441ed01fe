/* SPDX-License-Identifier: Apache-2.0 */
/* spool_file.c - files of a chain: by their names, whole or not at all. */
#include "ship/spool_work.h"

#include "base/file.h"
#include "ship/block_write.h"
#include "ship/folder.h"
#include "ship/name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void
tl_spool_file_name(char name[TL_SPOOL_FILE_MAX], const struct tl_spooled *b)
{
	if (b->dropped)
		snprintf(name, TL_SPOOL_FILE_MAX, "%llu-%llu.lost",
		    (unsigned long long)b->first, (unsigned long long)b->last);
	else
		snprintf(name, TL_SPOOL_FILE_MAX, "%llu.trace",
		    (unsigned long long)b->first);
}

/* Only what is written in one way. */
bool
tl_spool_file_parse(const char *name, struct tl_spooled *b)
{
	char words[TL_SPOOL_FILE_MAX], again[TL_SPOOL_FILE_MAX];
	char *end, *dash;

	if (snprintf(words, sizeof(words), "%s", name) >= (int)sizeof(words) ||
	    !(end = strchr(words, '.')))
		return false;
	*b = (struct tl_spooled){ .dropped = strcmp(end, ".lost") == 0 };
	*end = '\0';
	dash = strchr(words, '-');
	if (dash)
		*dash = '\0';
	if (tl_parse_unsigned(words, &b->first) != 0)
		return false;
	b->last = b->first;
	if (dash && tl_parse_unsigned(dash + 1, &b->last) != 0)
		return false;
	tl_spool_file_name(again, b);
	return b->first <= b->last && b->last < UINT64_MAX &&
	       strcmp(again, name) == 0;
}

int
tl_spool_file_write(int folder, const char *name, struct tl_bytes data)
{
	char hidden[TL_SPOOL_FILE_MAX + sizeof(".new")];

	snprintf(hidden, sizeof(hidden), "%s.new", name);
	return tl_folder_write(folder, name, hidden, 0600, data);
}

static int
read_open(int fd, struct tl_text *text)
{
	struct stat st;
	int64_t n;
	char *room;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > TL_SPOOL_BLOCK_MAX)
		return -EFBIG;
	room = tl_text_reserve(text, (size_t)st.st_size + 1);
	if (!room)
		return -ENOMEM;
	n = tl_read_at(fd, room, (size_t)st.st_size, 0);
	if (n < 0)
		return (int)n;
	text->size += (size_t)n;
	return 0;
}

int
tl_spool_file_read(int folder, const char *name, struct tl_text *text)
{
	const int fd = openat(folder, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	if (fd < 0)
		return -errno;
	rc = read_open(fd, text);
	close(fd);
	return rc;
}

void
tl_spool_file_aside(struct tl_spool_chain *c, const char *name, const char *why)
{
	char aside[TL_SPOOL_FILE_MAX + sizeof(".bad")];

	snprintf(aside, sizeof(aside), "%.*s.bad", TL_SPOOL_FILE_MAX - 1, name);
	if (renameat(c->folder, name, c->folder, aside) != 0 &&
	    unlinkat(c->folder, name, 0) != 0)
		why = "it cannot even be moved aside";
	tl_report_say(c->spool->options.report, -EBADMSG, TL_FAULT_NOWHERE,
	    "%s: block %s was moved aside: %s", c->timeline, name, why);
}

void
tl_spool_file_remove(struct tl_spool_chain *c, const struct tl_spooled *b)
{
	char name[TL_SPOOL_FILE_MAX];

	if (b->data || c->folder < 0)
		return;
	tl_spool_file_name(name, b);
	unlinkat(c->folder, name, 0);
}

void
tl_spool_folder_name(struct tl_text *name, const char *host,
    const char *timeline)
{
	tl_put_file_part(name, host);
	tl_put_char(name, '=');
	tl_put_file_part(name, timeline);
}

void
tl_spool_folder_remove(struct tl_spool_chain *c)
{
	struct tl_text name = { 0 };

	if (c->folder < 0)
		return;
	unlinkat(c->folder, "state", 0);
	tl_spool_folder_name(&name, c->host, c->timeline);
	if (name.rc == 0)
		unlinkat(c->spool->folder, tl_text_string(&name), AT_REMOVEDIR);
	tl_text_free(&name);
}

int
tl_spool_state_write(struct tl_spool_chain *c)
{
	struct tl_block_facts facts = { .block = { .number = c->next },
		.sent = c->sent,
		.positions = c->positions };
	struct tl_text text = { 0 };
	int rc;

	if (c->folder < 0)
		return 0;
	memcpy(facts.block.host, c->host, sizeof(c->host));
	memcpy(facts.block.timeline, c->timeline, sizeof(c->timeline));
	memcpy(facts.block.chain, c->name, sizeof(c->name));
	memcpy(facts.identity, c->identity, sizeof(c->identity));
	memcpy(facts.boot, c->boot, sizeof(c->boot));
	rc = tl_block_make(&text, &facts);
	if (rc == 0)
		rc = tl_spool_file_write(c->folder, "state",
		    tl_bytes(text.data, text.size));
	tl_text_free(&text);
	return rc;
}
