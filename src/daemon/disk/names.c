/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - make and parse names of files; names.h draws the names. */
#include "daemon/disk/names.h"

#include "base/bytes.h"
#include "base/ns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PLAIN      ".tl"
#define COMPRESSED ".tl.zst"
#define RECORDED   ".trace"

enum {
	STAMP_SIZE = TL_SNAPSHOT_STAMP_SIZE,
	STAMP_DOT = 15 /* offset of the dot in a stamp */
};

static const char reason_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "abcdefghijklmnopqrstuvwxyz0123456789_-";

static int
put_stamp(char stamp[STAMP_SIZE + 1], int64_t ns)
{
	const time_t s = (time_t)(ns / TL_NS_PER_S);
	char seconds[STAMP_DOT + 1];
	struct tm tm;

	if (ns < 0 || !gmtime_r(&s, &tm) ||
	    strftime(seconds, sizeof(seconds), "%Y%m%dT%H%M%S", &tm) !=
		STAMP_DOT)
		return -EINVAL;
	snprintf(stamp, STAMP_SIZE + 1, "%s.%06dZ", seconds,
	    (int)(ns % TL_NS_PER_S / 1000));
	return 0;
}

void
tl_snapshot_reason_make(char reason[TL_REASON_MAX + 1], const char *name)
{
	size_t size = 0;

	for (; *name && size < TL_REASON_MAX - 1; name++) {
		if (*name != '-' && strchr(reason_characters, *name))
			reason[size++] = *name;
		else if (size > 0 && reason[size - 1] != '-')
			reason[size++] = '-';
	}
	while (size > 0 && reason[size - 1] == '-')
		size--;
	reason[size] = '\0';
	if (size == 0)
		strcpy(reason, "trigger");
}

static int
check_timeline(const char *timeline, size_t size_max)
{
	if (timeline[0] == '\0' || strchr(timeline, '/'))
		return -EINVAL;
	return strlen(timeline) > size_max ? -ENAMETOOLONG : 0;
}

int
tl_snapshot_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns, const char *reason, bool compressed)
{
	const char *suffix = compressed ? COMPRESSED : PLAIN;
	const size_t others =
	    strlen(timeline) + 1 + STAMP_SIZE + 1 + strlen(suffix) + 1;
	char stamp[STAMP_SIZE + 1];
	char clean[TL_REASON_MAX + 1];
	size_t n = 0;
	int rc = check_timeline(timeline, TL_SNAPSHOT_TIMELINE_MAX);

	if (rc != 0 || (rc = put_stamp(stamp, ns)) != 0)
		return rc;
	for (; n < TL_REASON_MAX && reason[n]; n++)
		clean[n] =
		    strchr(reason_characters, reason[n]) ? reason[n] : '_';
	if (n == 0)
		clean[n++] = '_';
	clean[n] = '\0';
	if (strlen(clean) > TL_FILE_NAME_MAX - others)
		clean[TL_FILE_NAME_MAX - others] = '\0';
	snprintf(name, TL_FILE_NAME_MAX, "%s-%s-%s%s", timeline, stamp, clean,
	    suffix);
	return 0;
}

/* Parse the time of a stamp that is written exactly as put_stamp writes it. */
static bool
parse_stamp(const char *stamp, int64_t *ns)
{
	char again[STAMP_SIZE + 1];
	struct tm tm = { 0 };
	int us;

	if (sscanf(stamp, "%4d%2d%2dT%2d%2d%2d.%6dZ", &tm.tm_year, &tm.tm_mon,
		&tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us) != 7)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (__builtin_mul_overflow(timegm(&tm), TL_NS_PER_S, ns) ||
	    __builtin_add_overflow(*ns, (int64_t)us * 1000, ns))
		return false;
	return put_stamp(again, *ns) == 0 &&
	       memcmp(again, stamp, STAMP_SIZE) == 0;
}

/* Parse a name that begins with NAME, a dash and a stamp, up to size. */
static bool
parse_front(struct tl_snapshot_name *parts, const char *name, size_t size)
{
	const char *dot = size ? memrchr(name, '.', size) : NULL;

	/* room for NAME and a dash before the stamp */
	if (!dot || dot - name < STAMP_DOT + 2 ||
	    size < (size_t)(dot - name) + STAMP_SIZE - STAMP_DOT)
		return false;
	parts->stamp = dot - STAMP_DOT;
	parts->timeline_size = (size_t)(parts->stamp - name) - 1;
	return name[parts->timeline_size] == '-' &&
	       parse_stamp(parts->stamp, &parts->ns);
}

bool
tl_snapshot_name_parse(struct tl_snapshot_name *parts, const char *name)
{
	const struct tl_bytes all = tl_bytes_of(name);
	size_t size = all.size, reason;

	if (tl_bytes_end_with(all, PLAIN))
		size -= strlen(PLAIN);
	else if (tl_bytes_end_with(all, COMPRESSED))
		size -= strlen(COMPRESSED);
	else
		return false;
	if (!parse_front(parts, name, size))
		return false;
	/* room for a dash and a reason after the stamp */
	if (size < (size_t)(parts->stamp - name) + STAMP_SIZE + 2 ||
	    parts->stamp[STAMP_SIZE] != '-')
		return false;
	reason = size - (size_t)(parts->stamp - name) - STAMP_SIZE - 1;
	parts->reason = parts->stamp + STAMP_SIZE + 1;
	parts->reason_size = reason;
	return reason <= TL_REASON_MAX &&
	       strspn(parts->reason, reason_characters) == reason;
}

int
tl_record_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns)
{
	char stamp[STAMP_SIZE + 1];
	int rc = check_timeline(timeline, TL_RECORD_TIMELINE_MAX);

	if (rc != 0 || (rc = put_stamp(stamp, ns)) != 0)
		return rc;
	snprintf(name, TL_FILE_NAME_MAX, "%s-%s" RECORDED, timeline, stamp);
	return 0;
}

bool
tl_record_name_parse(struct tl_snapshot_name *parts, const char *name)
{
	const size_t size = strlen(name);
	const size_t suffix = strlen(RECORDED);

	parts->reason = "";
	parts->reason_size = 0;
	return size > suffix && strcmp(name + size - suffix, RECORDED) == 0 &&
	       parse_front(parts, name, size - suffix) &&
	       parts->stamp + STAMP_SIZE == name + size - suffix;
}
