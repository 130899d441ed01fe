/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c - read a secret, erase it */
#include "ship/secret.h"

#include "base/file.h"

#include <errno.h>

int
tl_secret_read(struct tl_text *text, const char *path, struct tl_fault *fault)
{
	const int rc = tl_read_file(path, TL_SECRET_MAX, text);

	if (rc < 0)
		return tl_fail(fault, rc, "%s: %s", path, strerror(-rc));
	if (strcspn(tl_text_string(text), "\r\n") == 0)
		return tl_fail(fault, -EINVAL, "%s: the first line is empty",
		    path);
	text->data[strcspn(text->data, "\r\n")] = '\0';
	return 0;
}

void
tl_secret_forget(struct tl_text *text)
{
	if (text->data)
		explicit_bzero(text->data, text->capacity);
	tl_text_free(text);
}
