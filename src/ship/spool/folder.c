/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.c - the files of a spool: names, atomic writes, the scan at the start
 *
 * The folder may hold what a killed shipper left, and what other users put
 * there.  The names of the files give the numbers of the blocks.  A placeholder
 * replaces all blocks in its range, so older files in that range are removed.
 * The newest block or the state, whichever has the higher number, has the place
 * where the chain continues.  Other blocks are checked when they are sent or
 * dropped.
 */
#include "base/file.h"
#include "base/ns.h"
#include "ship/block.h"
#include "ship/files.h"
#include "ship/spool/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* == files == */

void
tl_spool_file_name(char name[TL_SPOOL_FILE_MAX], const struct tl_spooled *b)
{
	if (b->dropped)
		snprintf(name, TL_SPOOL_FILE_MAX, "%lu-%lu.lost", b->first,
		    b->last);
	else
		snprintf(name, TL_SPOOL_FILE_MAX, "%lu.trace", b->first);
}

/* Accept only names that tl_spool_file_name would produce. */
static bool
parse_name(const char *name, struct tl_spooled *b)
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

/* Write a file that appears whole or not at all. */
static int
write_file(int folder, const char *name, mode_t mode, struct tl_bytes data)
{
	char hidden[TL_SPOOL_FILE_MAX + sizeof(".new")];

	snprintf(hidden, sizeof(hidden), "%s.new", name);
	return tl_folder_write(folder, name, hidden, mode, data);
}

int
tl_spool_block_write(struct tl_spool_chain *c, const struct tl_spooled *b,
    struct tl_bytes data)
{
	char name[TL_SPOOL_FILE_MAX];

	tl_spool_file_name(name, b);
	return write_file(c->folder, name, 0666 & ~b->withheld, data);
}

int
tl_spool_file_read(int folder, const char *name, struct tl_text *text)
{
	const int fd = openat(folder, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	if (fd < 0)
		return -errno;
	rc = tl_read_whole(fd, TL_SPOOL_BLOCK_MAX, text);
	close(fd);
	return rc;
}

void
tl_spool_file_aside(struct tl_spool_chain *c, const char *name, const char *why)
{
	char aside[TL_SPOOL_FILE_MAX + sizeof(".bad")];
	struct tl_text folder = { 0 };

	snprintf(aside, sizeof(aside), "%.*s.bad", TL_SPOOL_FILE_MAX - 1, name);
	if (renameat(c->folder, name, c->folder, aside) != 0 &&
	    unlinkat(c->folder, name, 0) != 0)
		why = "and renaming it to NAME.bad failed";
	tl_spool_folder_name(&folder, c->host, c->timeline);
	tl_report_write(c->spool->options.report, -EBADMSG, TL_FAULT_NOWHERE,
	    "%s: block %s was moved aside, to %s/%s/%s: %s", c->timeline, name,
	    c->spool->options.path, tl_text_string(&folder), aside, why);
	tl_text_free(&folder);
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
	struct tl_block_facts facts = tl_spool_facts_of(c);
	struct tl_text text = { 0 };
	int rc;

	if (c->folder < 0)
		return 0;
	facts.block.number = c->next;
	facts.sent = c->sent;
	facts.positions = c->positions;
	rc = tl_block_make(&text, &facts);
	if (rc == 0)
		rc = write_file(c->folder, "state", 0600,
		    tl_bytes(text.data, text.size));
	tl_text_free(&text);
	return rc;
}

/* == the scan at the start: files of a chain == */

static int64_t
ns_of(const struct timespec *time)
{
	return (int64_t)time->tv_sec * TL_NS_PER_S + time->tv_nsec;
}

/* Take the file of a block, remove an unfinished one, report any other. */
static int
take_name(void *context, const char *name)
{
	struct tl_spool_chain *c = context;
	struct tl_spooled b;
	struct stat st;
	int rc;

	if (strcmp(name, "state") == 0 ||
	    tl_bytes_end_with(tl_bytes_of(name), ".bad"))
		return 0;
	if (tl_bytes_end_with(tl_bytes_of(name), ".new")) {
		unlinkat(c->folder, name, 0);
		return 0;
	}
	if (!parse_name(name, &b)) {
		tl_report_write(c->spool->options.report, -EBADMSG,
		    TL_FAULT_NOWHERE, "%s: %s: unknown file, ignored",
		    c->timeline, name);
		return 0;
	}
	if ((rc = tl_spool_list_room(c)) < 0)
		return rc;
	if (fstatat(c->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (!S_ISREG(st.st_mode) || st.st_size == 0 ||
	    st.st_size > TL_SPOOL_BLOCK_MAX) {
		tl_spool_file_aside(c, name,
		    "not a regular file of valid size");
		return 0;
	}
	b.size = (uint32_t)st.st_size;
	b.withheld = tl_file_withheld(&st);
	b.put_ns = ns_of(&st.st_mtim);
	tl_spool_list_add(c, &b);
	return 0;
}

/* By number; a placeholder before the blocks it replaces. */
static int
compare(const void *x, const void *y)
{
	const struct tl_spooled *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return b->dropped - a->dropped;
}

/* == where a chain continues == */

/* Take name, identity and positions of the chain from a block. */
static int
take_facts(struct tl_spool_chain *c, struct tl_block_facts *facts,
    uint64_t next)
{
	c->next = next;
	memcpy(c->name, facts->block.chain, sizeof(c->name));
	memcpy(c->host, facts->block.host, sizeof(c->host));
	memcpy(c->timeline, facts->block.timeline, sizeof(c->timeline));
	memcpy(c->identity, facts->identity, sizeof(c->identity));
	memcpy(c->boot, facts->boot, sizeof(c->boot));
	tl_text_free(&c->positions);
	c->positions = facts->positions;
	facts->positions = (struct tl_text){ 0 };
	(void)tl_text_string(&c->positions); /* its NUL */
	return c->positions.rc;
}

/* Is this the folder of the host and timeline of the block? */
static bool
is_folder_of(const char *folder, const struct tl_block_facts *facts)
{
	struct tl_text name = { 0 };
	bool same;

	tl_spool_folder_name(&name, facts->block.host, facts->block.timeline);
	same = name.rc == 0 && strcmp(tl_text_string(&name), folder) == 0;
	tl_text_free(&name);
	return same;
}

static void
read_state(struct tl_spool_chain *c, const char *folder)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	int rc = tl_spool_file_read(c->folder, "state", &text);

	if (rc == 0)
		rc = tl_block_describe(&facts, tl_bytes(text.data, text.size),
		    &fault);
	if (rc == 0 && (facts.dropped || !is_folder_of(folder, &facts)))
		rc = tl_fail(&fault, -EBADMSG, "it belongs to another chain");
	if (rc == 0) {
		c->sent = facts.sent;
		(void)take_facts(c, &facts, facts.block.number);
	} else if (rc != -ENOENT) {
		tl_spool_file_aside(c, "state",
		    fault.text[0] ? fault.text : strerror(-rc));
	}
	tl_block_facts_free(&facts);
	tl_text_free(&text);
}

/* Take the facts of the newest block, unless the state is newer. */
static int
read_newest(struct tl_spool_chain *c, const char *folder)
{
	const struct tl_spooled *b = tl_spooled_at(c, c->count - 1);
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	char name[TL_SPOOL_FILE_MAX];
	const uint64_t next = b->last + 1;
	struct tl_bytes data;
	int rc = tl_spooled_load(c, b, &c->spool->data, &data);

	if (rc == 0)
		rc = tl_block_describe(&facts, data, &fault);
	if (rc == 0 &&
	    (!is_folder_of(folder, &facts) || facts.block.number != b->first ||
		facts.last != b->last || facts.dropped != b->dropped ||
		(c->name[0] && strcmp(c->name, facts.block.chain) != 0)))
		rc = tl_fail(&fault, -EBADMSG,
		    "it belongs to another chain than its name");
	if (rc == 0 && (c->name[0] == '\0' || next >= c->next))
		(void)take_facts(c, &facts, next > c->next ? next : c->next);
	tl_block_facts_free(&facts);
	if (rc == 0)
		return 0;
	tl_spool_file_name(name, b);
	tl_spool_file_aside(c, name,
	    fault.text[0] ? fault.text : strerror(-rc));
	tl_spool_list_remove(c, c->count - 1);
	return rc;
}

/* Scan the folder of the chain added last; remove it from the table if neither
 * a state nor a block is valid. */
static int
scan_chain(struct tl_spool *s, struct tl_spool_chain *c, const char *name)
{
	const int rc = tl_folder_each(c->folder, take_name, c);
	uint64_t seen = 0;

	if (rc == 0) {
		if (c->count > 0)
			qsort(tl_spooled_at(c, 0), c->count,
			    sizeof(struct tl_spooled), compare);

		/* Remove blocks that a placeholder replaces. */
		for (size_t i = 1; i < c->count;) {
			const struct tl_spooled *before =
			    tl_spooled_at(c, i - 1);
			const struct tl_spooled *b = tl_spooled_at(c, i);

			if (b->first > before->last) {
				i++;
				continue;
			}
			tl_spool_file_remove(c, b);
			tl_spool_list_remove(c, i);
		}

		/* The number of a file is never used again, even if the file
		 * is damaged. */
		read_state(c, name);
		if (c->count > 0)
			seen = tl_spooled_at(c, c->count - 1)->last + 1;
		while (c->count > 0 && read_newest(c, name) != 0)
			continue;
		if (c->next < seen)
			c->next = seen;
		for (size_t i = 0; i < c->count; i++)
			tl_spooled_at(c, i)->tried =
			    tl_spooled_at(c, i)->first < c->sent;
	}
	if (rc == 0 && c->name[0] != '\0')
		return 0;
	s->chain_count--;
	tl_spool_chain_free(c);
	return rc;
}

/* == all chains == */

static int
take_folder(void *context, const char *name)
{
	struct tl_spool *s = context;
	struct tl_spool_chain *c;
	struct stat st;
	int folder, rc;

	if (!strchr(name, '='))
		return 0;
	folder = openat(s->folder, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = folder < 0 ? -errno : tl_spool_add(s, &c);
	if (rc == 0) {
		c->folder = folder;
		if (fstatat(folder, "state", &st, AT_SYMLINK_NOFOLLOW) == 0)
			c->used_ns = ns_of(&st.st_mtim);
		return scan_chain(s, c, name);
	}
	if (folder >= 0)
		close(folder);
	tl_report_write(s->options.report, rc, TL_FAULT_NOWHERE,
	    "%s: ignored: %s", name, strerror(-rc));
	return 0;
}

int
tl_spool_scan(struct tl_spool *s, struct tl_fault *fault)
{
	const int rc = tl_folder_each(s->folder, take_folder, s);

	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", strerror(-rc));
}
