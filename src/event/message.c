/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - find the arguments in the first line of a message. */
#include "event/message.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>
#include <timeline.h>

static const struct {
	struct tl_bytes text;
	uint8_t format;
} suffixes[] = {
	{ { "%d", 2 }, TIMELINE_ARG_SIGNED },
	{ { "%u", 2 }, TIMELINE_ARG_UNSIGNED },
	{ { "%x", 2 }, TIMELINE_ARG_HEX },
	{ { "%o", 2 }, TIMELINE_ARG_OCTAL },
	{ { "%f", 2 }, TIMELINE_ARG_DOUBLE },
	{ { "%t", 2 }, TIMELINE_ARG_DURATION },
	{ { "%s", 2 }, TIMELINE_ARG_STRING },
	{ { "%8s", 3 }, TIMELINE_ARG_TEXT8 },
};

/* Not isalnum(3): a file means the same in every locale. */
static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static size_t
name_size(struct tl_bytes line, size_t at)
{
	size_t end = at;

	while (end < line.size && is_name(line.data[end]))
		end++;
	return end - at;
}

/* The size of the suffix at byte at, 0 if there is none.  Sets the suffix's
 * format. */
static size_t
read_suffix(struct tl_bytes line, size_t at, uint8_t *format)
{
	*format = TIMELINE_ARG_SIGNED;
	for (size_t i = 0; i < TL_COUNT(suffixes); i++) {
		const struct tl_bytes text = suffixes[i].text;

		if (line.size - at < text.size ||
		    memcmp(line.data + at, text.data, text.size) != 0)
			continue;
		if (line.size - at > text.size &&
		    is_name(line.data[at + text.size]))
			return 0; /* "$x%done" is $x and the text "%done" */
		*format = suffixes[i].format;
		return text.size;
	}
	return 0;
}

static bool
is_known(const struct tl_message *message, struct tl_bytes name)
{
	for (unsigned i = 0; i < message->argc; i++) {
		if (tl_bytes_equal(message->args[i].name, name))
			return true;
	}
	return false;
}

/* Add the argument whose $ stands at byte dollar; the bytes from start on are
 * the text before the $.  Sets *end to the byte after the argument. */
static int
add_arg(struct tl_message *message, size_t start, size_t dollar, size_t *end)
{
	const struct tl_bytes line = message->line1;
	const size_t size = name_size(line, dollar + 1);
	const struct tl_bytes name = tl_bytes(line.data + dollar + 1, size);
	struct tl_arg *arg;

	if (message->argc == TL_ARGS_MAX || is_known(message, name))
		return -EINVAL;
	arg = &message->args[message->argc++];
	arg->name = name;
	arg->before = tl_bytes(line.data + start, dollar - start);
	*end = dollar + 1 + size;
	*end += read_suffix(line, *end, &arg->format);
	return 0;
}

static int
find_args(struct tl_message *message)
{
	const struct tl_bytes line = message->line1;
	size_t start = 0, at = 0;
	int rc;

	while (at < line.size) {
		if (line.data[at] != '$' || name_size(line, at + 1) == 0) {
			at++;
			continue;
		}
		rc = add_arg(message, start, at, &at);
		if (rc < 0)
			return rc;
		start = at;
	}
	message->after = tl_bytes(line.data + start, line.size - start);
	return 0;
}

static void
split_lines(struct tl_message *message)
{
	const struct tl_bytes text = message->text;
	const char *end =
	    text.size > 0 ? memchr(text.data, '\n', text.size) : NULL;

	message->line1 = text;
	message->explain = tl_bytes(NULL, 0);
	if (!end)
		return;
	message->line1.size = (size_t)(end - text.data);
	message->explain =
	    tl_bytes(end + 1, text.size - message->line1.size - 1);
}

int
tl_message_parse(struct tl_message *message, struct tl_bytes text)
{
	int rc;

	message->text = text.data ? text : tl_bytes_of("");
	message->argc = 0;
	memset(message->args, 0, sizeof(message->args));
	split_lines(message);
	rc = find_args(message);
	if (rc < 0) { /* show the whole line as text */
		message->argc = 0;
		message->after = message->line1;
	}
	return rc;
}

/* Skip the characters of a set. */
static size_t
skip(struct tl_bytes text, size_t at, const char *set)
{
	while (at < text.size && text.data[at] && strchr(set, text.data[at]))
		at++;
	return at;
}

/*
 * The conversion of printf(3) at the start of a text, or empty.  The flag ' '
 * is not accepted: "$x% done" is text.  Behind a name, a % at the end of the
 * line and %% count, too: "$x%" may lack its letter.
 */
static struct tl_bytes
printf_conversion(struct tl_bytes text, bool behind_name)
{
	size_t at;

	if (text.size == 0 || text.data[0] != '%')
		return tl_bytes(NULL, 0);
	at = skip(text, 1, "-+#0");
	at = skip(text, at, "123456789*0");
	if (at < text.size && text.data[at] == '.')
		at = skip(text, at + 1, "0123456789*");
	at = skip(text, at, "hljztLq");
	if (at == 1 && at == text.size && behind_name)
		return text;
	if (at == text.size || !text.data[at] ||
	    !(strchr("diouxXeEfFgGaAcCsSpnm", text.data[at]) ||
		(behind_name && text.data[at] == '%')))
		return tl_bytes(NULL, 0);
	if (++at < text.size && is_name(text.data[at]))
		return tl_bytes(NULL, 0);
	return tl_bytes(text.data, at);
}

struct tl_bytes
tl_message_odd_suffix(const struct tl_message *message)
{
	for (unsigned i = 0; i < message->argc; i++) {
		const struct tl_arg *arg = &message->args[i];
		const char *after = arg->name.data + arg->name.size;
		const char *end = message->line1.data + message->line1.size;
		const struct tl_bytes rest =
		    tl_bytes(after, (size_t)(end - after));
		uint8_t format;
		const size_t suffix = read_suffix(rest, 0, &format);
		const struct tl_bytes odd =
		    printf_conversion(tl_bytes(after + suffix,
					  rest.size - suffix),
			suffix == 0);

		if (odd.size > 0)
			return tl_bytes(after, suffix + odd.size);
	}
	return tl_bytes(NULL, 0);
}

bool
tl_message_is_of_process(const struct tl_message *message)
{
	static const char which[] = "source ";
	const struct tl_bytes e = message->explain;

	return message->scope == TIMELINE_SOURCE &&
	       tl_bytes_equal(message->category, tl_bytes_of("source")) &&
	       e.size >= sizeof(which) &&
	       memcmp(e.data, which, sizeof(which) - 1) == 0;
}
