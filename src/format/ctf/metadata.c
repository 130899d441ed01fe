/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata.c - the layout of a trace as TSDL text.
 *
 * Texts of messages are untrusted: they appear only in strings and comments,
 * with escapes, so that no text ends its string or comment.  Names of arguments
 * are letters, digits and _.  A _ in front, which readers drop, keeps a name
 * from being a keyword.
 */
#include "format/ctf/ctf.h"

static const char layout[] =
    "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := s64;\n"
    "typealias integer { size = 64; align = 8; signed = false; base = 16; } "
    ":= x64;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; "
    "byte_order = le; } := f64;\n"
    "typealias integer { size = 64; align = 8; signed = false; "
    "map = clock.unix.value; } := time;\n"
    "\n"
    "trace {\n"
    "\tmajor = 1;\n"
    "\tminor = 8;\n"
    "\tbyte_order = le;\n"
    "\tpacket.header := struct { u32 magic; u32 stream_id; };\n"
    "};\n\n";

static const char stream[] =
    "stream {\n"
    "\tid = 0;\n"
    "\tpacket.context := struct {\n"
    "\t\ttime timestamp_begin;\n"
    "\t\ttime timestamp_end;\n"
    "\t\tu64 content_size;\n"
    "\t\tu64 packet_size;\n"
    "\t\tu64 events_discarded;\n"
    "\t\tu64 packet_seq_num;\n"
    "\t\tu32 cpu_id;\n"
    "\t\tu32 lane;\n"
    "\t\tu32 source;\n"
    "\t};\n"
    "\tevent.header := struct { u32 id; time timestamp; };\n"
    "\tevent.context := struct {\n"
    "\t\tu32 pid;\n"
    "\t\tu32 tid;\n"
    "\t\tu64 tsc;\n"
    "\t\tu64 number;\n"
    "\t\tu32 epoch;\n"
    "\t\tu32 error_ns;\n"
    "\t\tstring thread;\n"
    "\t\tstring process;\n"
    "\t};\n"
    "};\n\n";

/*
 * Append bytes to a string; escape bytes that end a string or begin an escape.
 */
static void
put_quoted(struct tl_text *text, struct tl_bytes bytes)
{
	struct tl_text plain = { 0 };

	tl_put_plain(&plain, bytes);
	for (size_t i = 0; i < plain.size; i++) {
		if (plain.data[i] == '"' || plain.data[i] == '\\')
			tl_put_char(text, '\\');
		tl_put_char(text, plain.data[i]);
	}
	if (plain.rc < 0 && text->rc == 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
}

/*
 * Append bytes to a comment, which may have several lines; no byte sequence
 * ends the comment or begins another.
 */
static void
put_comment(struct tl_text *text, struct tl_bytes bytes)
{
	struct tl_text lines = { 0 };
	char before = '\0';

	tl_put_lines(&lines, bytes);
	for (size_t i = 0; i < lines.size; i++) {
		const char c = lines.data[i];

		if ((before == '*' && c == '/') || (before == '/' && c == '*'))
			tl_put_char(text, ' ');
		tl_put_char(text, c);
		before = c;
	}
	if (lines.rc < 0 && text->rc == 0)
		text->rc = lines.rc;
	tl_text_free(&lines);
}

void
tl_ctf_put_trace(struct tl_text *text, const struct tl_origin *origin,
    int64_t base_s)
{
	tl_put_string(text, "/* CTF 1.8 */\n\n");
	tl_put_string(text, "clock {\n\tname = \"unix\";\n"
			    "\tdescription = \"Unix time\";\n"
			    "\tfreq = 1000000000;\n"
			    "\toffset_s = ");
	tl_put_signed(text, base_s);
	tl_put_string(text, ";\n\toffset = 0;\n\tabsolute = true;\n};\n\n");
	/* types below are mapped to the clock */
	tl_put_string(text, layout);
	tl_put_string(text, "env {\n\ttracer_name = \"timeline\";\n");
	if (origin->machine[0] != '\0') {
		tl_put_string(text, "\thostname = \"");
		put_quoted(text, tl_bytes_of(origin->machine));
		tl_put_string(text, "\";\n");
	}
	if (origin->command[0] != '\0') {
		tl_put_string(text, "\tprocname = \"");
		put_quoted(text, tl_bytes_of(origin->command));
		tl_put_string(text, "\";\n");
	}
	if (origin->pid != 0) {
		tl_put_string(text, "\tvpid = ");
		tl_put_unsigned(text, origin->pid);
		tl_put_string(text, ";\n");
	}
	tl_put_string(text, "};\n\n");
	tl_put_string(text, stream);
}

/*
 * The log level in the numbers of other tracers: from 0 for an emergency to 14
 * for the finest.
 */
static unsigned
loglevel(unsigned level)
{
	static const uint8_t of[TIMELINE_LEVEL_MAX + 1] = { 14, 14, 14, 14, 14,
		14, 6, 4, 3, 2 };

	return level <= TIMELINE_LEVEL_MAX ? of[level] : 14;
}

static void
put_name(struct tl_text *text, const struct ctf_class *c)
{
	const struct tl_message *message = c->message;

	put_quoted(text, message->category);
	if (message->category.size > 0)
		tl_put_char(text, ':');
	for (unsigned i = 0; i < message->argc; i++) {
		put_quoted(text, message->args[i].before);
		tl_put_bytes(text, message->args[i].name);
	}
	put_quoted(text, message->after);
	if (c->kind == TL_BEGIN)
		tl_put_string(text, "_entry");
	else if (c->kind == TL_END)
		tl_put_string(text, "_exit");
}

/* Append a constant, as an enumeration with one name. */
static void
put_constant(struct tl_text *text, struct tl_bytes label, unsigned value,
    const char *name)
{
	tl_put_string(text, "\t\tenum : u8 { \"");
	put_quoted(text, label);
	tl_put_string(text, "\" = ");
	tl_put_unsigned(text, value);
	tl_put_string(text, " } ");
	tl_put_string(text, name);
	tl_put_string(text, ";\n");
}

/* The type of a format; an invalid format is shown as a plain number. */
static const char *
type_of(unsigned format)
{
	static const char *const types[] = {
		[TIMELINE_ARG_UNSIGNED] = "u64",
		[TIMELINE_ARG_SIGNED] = "s64",
		[TIMELINE_ARG_HEX] = "x64",
		[TIMELINE_ARG_DOUBLE] = "f64",
		[TIMELINE_ARG_DURATION] = "s64",
		[TIMELINE_ARG_STRING] = "string",
		[TIMELINE_ARG_TEXT8] = "string",
	};

	return types[format <= TIMELINE_ARG_TEXT8 ? format : 0];
}

void
tl_ctf_put_class(struct tl_text *text, const struct ctf_class *c)
{
	const struct tl_message *message = c->message;

	if (message->file.size != 0 || message->explain.size != 0) {
		tl_put_string(text, "/* ");
		if (message->file.size > 0) {
			put_comment(text, message->file);
			tl_put_char(text, ':');
			tl_put_unsigned(text, message->line);
		}
		if (message->explain.size > 0) {
			tl_put_char(text, '\n');
			put_comment(text, message->explain);
		}
		tl_put_string(text, " */\n");
	}
	tl_put_string(text, "event {\n\tid = ");
	tl_put_unsigned(text, c->id);
	tl_put_string(text, ";\n\tstream_id = 0;\n\tname = \"");
	put_name(text, c);
	tl_put_string(text, "\";\n\tloglevel = ");
	tl_put_unsigned(text, loglevel(message->level));
	tl_put_string(text, ";\n\tcontext := struct {\n");
	put_constant(text, message->category, 0, "category");
	put_constant(text, tl_bytes_of(tl_level_name(message->level)),
	    message->level, "level");
	put_constant(text, tl_bytes_of(tl_kind_name(c->kind)), c->kind, "kind");
	if (c->kind == TL_END)
		tl_put_string(text,
		    "\t\tenum : u8 { \"unknown\", \"sure\", \"unsure\", "
		    "\"none\" } begun;\n\t\ts64 duration_ns;\n");
	tl_put_string(text, "\t};\n\tfields := struct {\n");
	for (unsigned i = 0; c->has_args && i < message->argc; i++) {
		const struct tl_arg *arg = &message->args[i];

		tl_put_string(text, "\t\t");
		tl_put_string(text, type_of(arg->format));
		tl_put_string(text, " _");
		tl_put_bytes(text, arg->name);
		tl_put_string(text, ";\n");
	}
	tl_put_string(text, "\t};\n};\n\n");
}
