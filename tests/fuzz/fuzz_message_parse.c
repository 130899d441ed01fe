/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_message_parse.c - the pieces of a message make up its text, and
 * rendering with and without the cache gives the same line.
 */
#include "base/array.h"
#include "base/utf8.h"
#include "event/render.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Put the text between an argument's name and the text after it: nothing, or a
 * suffix.
 */
static void
put_suffix(struct tl_text *text, const struct tl_arg *arg, const char *next)
{
	static const char *const suffixes[] = { [TIMELINE_ARG_UNSIGNED] = "%u",
		[TIMELINE_ARG_SIGNED] = "%d",
		[TIMELINE_ARG_HEX] = "%x",
		[TIMELINE_ARG_OCTAL] = "%o",
		[TIMELINE_ARG_DOUBLE] = "%f",
		[TIMELINE_ARG_DURATION] = "%t",
		[TIMELINE_ARG_STRING] = "%s",
		[TIMELINE_ARG_TEXT8] = "%8s" };
	const char *end = arg->name.data + arg->name.size;
	struct tl_bytes suffix;

	assert(arg->format < TL_COUNT(suffixes));
	if (next == end) {
		assert(arg->format == TIMELINE_ARG_SIGNED);
		return;
	}
	suffix = tl_bytes_of(suffixes[arg->format]);
	assert(next == end + suffix.size &&
	       memcmp(end, suffix.data, suffix.size) == 0);
	tl_put_bytes(text, suffix);
}

/* Assemble the text from its pieces. */
static void
check_pieces(const struct tl_message *message)
{
	struct tl_text text = { 0 };

	for (unsigned i = 0; i < message->argc; i++) {
		const struct tl_arg *arg = &message->args[i];

		assert(arg->name.size > 0);
		for (unsigned j = 0; j < i; j++)
			assert(
			    !tl_bytes_equal(arg->name, message->args[j].name));
		tl_put_bytes(&text, arg->before);
		tl_put_char(&text, '$');
		tl_put_bytes(&text, arg->name);
		put_suffix(&text, arg,
		    i + 1 < message->argc ? arg[1].before.data
					  : message->after.data);
	}
	tl_put_bytes(&text, message->after);
	assert(tl_bytes_equal(tl_bytes(text.data, text.size), message->line1));
	if (message->text.size > message->line1.size) {
		tl_put_char(&text, '\n');
		tl_put_bytes(&text, message->explain);
	}
	assert(tl_bytes_equal(tl_bytes(text.data, text.size), message->text));
	tl_text_free(&text);
}

static void
check_harmless(struct tl_bytes bytes)
{
	uint32_t code = 0;
	size_t size;

	for (size_t at = 0; at < bytes.size; at += size) {
		size = tl_utf8_decode(bytes, at, &code);
		assert(size > 0 && !tl_utf8_steers(code));
	}
}

static void
check_lines(const struct tl_event *event)
{
	struct tl_text plain = { 0 }, kept = { 0 };
	struct tl_render *render;
	int rc = tl_render_new(&render);

	assert(rc == 0);
	tl_render_line(&plain, event);
	check_harmless(tl_bytes(plain.data, plain.size));
	for (unsigned i = 0; i < 2; i++) {
		tl_text_clear(&kept);
		tl_render_cached(render, &kept, event);
		assert(tl_bytes_equal(tl_bytes(plain.data, plain.size),
		    tl_bytes(kept.data, kept.size)));
	}
	tl_text_clear(&kept);
	tl_render_category(render, &kept, event);
	check_harmless(tl_bytes(kept.data, kept.size));
	tl_render_free(render);
	tl_text_free(&plain);
	tl_text_free(&kept);
}

/* The first bytes are the arguments, the others are the text. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_message message = { 0 };
	struct tl_event event = { .message = &message };
	const size_t taken =
	    size < sizeof(event.args) ? size : sizeof(event.args);
	int rc;

	if (taken > 0)
		memcpy(event.args, data, taken);
	message.category = tl_bytes(data, taken);
	event.kind = (uint8_t)(event.args[0] % 6);
	rc = tl_message_parse(&message, tl_bytes(data + taken, size - taken));
	assert(rc == 0 || (rc == -EINVAL && message.argc == 0));
	assert(message.argc <= TL_ARGS_MAX);
	check_pieces(&message);
	check_lines(&event);
	return 0;
}
