/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.c - a file of regular expressions. */
#include "script/patterns.h"

#include "base/file.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct tl_patterns {
	regex_t *list;
	size_t count;
};

static int
fail(struct tl_fault *fault, int rc, const char *path, size_t line,
    const char *why)
{
	if (line > 0)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: line %zu: %s",
		    path, line, why);
	return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s", path, why);
}

static int
add(struct tl_patterns *p, const char *pattern, const char *path, size_t line,
    struct tl_fault *fault)
{
	char why[TL_FAULT_TEXT_MAX];
	regex_t *grown;
	int rc;

	if (p->count == TL_PATTERNS_MAX)
		return fail(fault, -ENOSPC, path, line,
		    "too many regular expressions");
	grown = realloc(p->list, (p->count + 1) * sizeof(*grown));
	if (!grown)
		return fail(fault, -ENOMEM, path, line, strerror(ENOMEM));
	p->list = grown;
	rc = regcomp(&p->list[p->count], pattern, REG_EXTENDED | REG_NOSUB);
	if (rc != 0) {
		(void)regerror(rc, &p->list[p->count], why, sizeof(why));
		return fail(fault, -EINVAL, path, line, why);
	}
	p->count++;
	return 0;
}

static int
add_lines(struct tl_patterns *p, char *text, const char *path,
    struct tl_fault *fault)
{
	size_t line = 0;
	int rc = 0;

	while (text && rc == 0) {
		char *next = strchr(text, '\n');
		size_t size;

		if (next)
			*next++ = '\0';
		size = strlen(text);
		if (size > 0 && text[size - 1] == '\r')
			text[size - 1] = '\0';
		line++;
		if (text[strspn(text, " \t")] != '\0' && text[0] != '#')
			rc = add(p, text, path, line, fault);
		text = next;
	}
	return rc;
}

int
tl_patterns_read(struct tl_patterns **patterns, const char *path,
    struct tl_fault *fault)
{
	struct tl_patterns *p = calloc(1, sizeof(*p));
	struct tl_text text = { 0 };
	int rc = p ? tl_read_file(path, TL_PATTERNS_FILE_MAX, &text) : -ENOMEM;

	if (rc < 0) {
		fail(fault, rc, path, 0, strerror(-rc));
	} else {
		tl_put_char(&text, '\0');
		rc = text.rc < 0
			 ? fail(fault, text.rc, path, 0, strerror(-text.rc))
			 : add_lines(p, text.data, path, fault);
	}
	tl_text_free(&text);
	if (rc < 0)
		tl_patterns_free(p);
	else
		*patterns = p;
	return rc;
}

void
tl_patterns_free(struct tl_patterns *patterns)
{
	if (!patterns)
		return;
	while (patterns->count > 0)
		regfree(&patterns->list[--patterns->count]);
	free(patterns->list);
	free(patterns);
}

bool
tl_patterns_match(const struct tl_patterns *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->count; i++) {
		if (regexec(&patterns->list[i], text, 0, NULL, 0) == 0)
			return true;
	}
	return false;
}
