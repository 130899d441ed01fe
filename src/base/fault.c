/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - fill in a fault. */
#include "base/fault.h"

#include "base/terminal.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
tl_fault(struct tl_fault *fault, int rc, uint64_t at, const char *format, ...)
{
	va_list args;

	if (!fault || fault->rc != 0)
		return rc;
	fault->rc = rc;
	fault->at = at;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return rc;
}

void
tl_put_fault(struct tl_text *text, const char *program, const char *name,
    const struct tl_fault *fault)
{
	tl_put_string(text, program);
	tl_put_string(text, ": ");
	if (name) {
		tl_put_plain(text, tl_bytes_of(name));
		tl_put_string(text, ": ");
	}
	if (fault->rc < 0 && fault->at != TL_FAULT_NOWHERE) {
		tl_put_string(text, "byte ");
		tl_put_unsigned(text, fault->at);
		tl_put_string(text, ": ");
	}
	tl_put_lines(text,
	    tl_bytes_of(fault->text[0] ? fault->text : strerror(-fault->rc)));
	tl_put_char(text, '\n');
}

void
tl_fault_print(const char *program, const char *name,
    const struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	char line[sizeof(fault->text) + 64];
	int size;

	tl_put_fault(&text, program, name, fault);
	if (text.rc == 0) {
		(void)tl_write_all(STDERR_FILENO, text.data, text.size);
	} else {
		size = snprintf(line, sizeof(line), "%s: %s\n", program,
		    strerror(fault->rc < 0 ? -fault->rc : -text.rc));
		(void)tl_write_all(STDERR_FILENO, line, (size_t)size);
	}
	tl_text_free(&text);
}
