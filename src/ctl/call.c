/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - what every verb needs of its call. */
#include "ctl/call.h"
#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

/* The first fault stays. */
static int
fail(struct tl_call *call, const char *subject, int rc, const char *format,
    va_list args)
{
	if (call->fault.rc != 0)
		return rc;
	call->fault.rc = rc;
	call->fault.at = TL_FAULT_NOWHERE;
	vsnprintf(call->fault.text, sizeof(call->fault.text), format, args);
	snprintf(call->subject, sizeof(call->subject), "%s",
	    subject ? subject : "");
	return rc;
}

int
tl_call_usage(struct tl_call *call, const char *format, ...)
{
	va_list args;

	call->usage = true;
	va_start(args, format);
	fail(call, NULL, -EINVAL, format, args);
	va_end(args);
	return -EINVAL;
}

int
tl_call_fail(struct tl_call *call, const char *subject, int rc,
    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(call, subject, rc, format, args);
	va_end(args);
	return rc;
}

int
tl_call_fault(struct tl_call *call, const char *subject, int rc,
    const struct tl_fault *fault)
{
	const bool first = call->fault.rc == 0;

	tl_call_fail(call, subject, rc, "%s",
	    fault->text[0] ? fault->text : strerror(-rc));
	if (first && fault->text[0])
		call->fault.at = fault->at;
	return rc;
}

/* Its words may begin with the path, which our own name stands for. */
int
tl_call_library(struct tl_call *call, const struct tl_name *name, int rc)
{
	const char *words = timeline_error();
	const size_t size = strlen(name->path);

	if (strncmp(words, name->path, size) == 0 && words[size] == ':')
		words += size + 1;
	else if (strncmp(words, name->path, size) == 0 && words[size] == ' ')
		words += size;
	words += strspn(words, " ");
	return tl_call_fail(call, name->shown, rc, "%s", words);
}

int
tl_call_number(struct tl_call *call, enum tl_ctl_option option, uint64_t least,
    uint64_t most, uint64_t *n)
{
	const char *word = call->given[option];
	uint64_t value;

	if (!word)
		return 0;
	if (tl_parse_unsigned(word, &value) < 0 || value < least ||
	    value > most)
		return tl_call_usage(call, "%s: not a number from %llu to %llu",
		    word, (unsigned long long)least, (unsigned long long)most);
	*n = value;
	return 0;
}

int
tl_call_resolve(struct tl_call *call, const char *word, struct tl_name *name)
{
	const char *slash = strchr(word, '/') ? "" : "/";

	if (word[0] == '\0')
		return tl_call_usage(call, "a timeline has a name");
	if (strcmp(word, "/") == 0 || strcmp(word, ".") == 0 ||
	    strcmp(word, "..") == 0)
		return tl_call_usage(call, "%s: not the name of a timeline",
		    word);
	if (snprintf(name->shown, sizeof(name->shown), "%s%s", slash, word) >=
		(int)sizeof(name->shown) ||
	    tl_path_resolve(name->shown, name->path) != 0)
		return tl_call_usage(call,
		    "the name of a timeline is too long");
	return 0;
}

int
tl_call_name(struct tl_call *call, size_t i, struct tl_name *name)
{
	const char *word =
	    i < call->operand_count ? call->operands[i] : getenv("TIMELINE");

	if (!word || (i >= call->operand_count && word[0] == '\0'))
		return tl_call_usage(call,
		    "no timeline given, and TIMELINE is not set");
	return tl_call_resolve(call, word, name);
}

int
tl_call_open(struct tl_call *call, const struct tl_name *name)
{
	/* a FIFO or a terminal must not hold us up */
	const int fd =
	    open(name->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return tl_call_fail(call, name->shown, -errno, "%s",
		    strerror(errno));
	return fd;
}

int
tl_call_flush(struct tl_call *call)
{
	int rc = call->out.rc;

	if (rc == 0 && call->out.size > 0)
		rc =
		    tl_write_all(STDOUT_FILENO, call->out.data, call->out.size);
	tl_text_clear(&call->out);
	return rc;
}

int
tl_call_removed(struct tl_call *call, const struct tl_name *name)
{
	tl_call_fail(call, name->shown, -ENOENT, "removed");
	return tl_call_has(call, TL_CTL_COUNT) ? -ENOENT : 0;
}
