/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_members.c - Chrome's trace events of every phase, with and without
 * each member, in two orders, alone and in pairs.
 *
 * Each event is read with its members in one order and in the reverse order, so
 * that of any two members each comes first once.  Both orders mean the same.
 */
#include "format/chrome/chrome.h"
#include "lib/foreign.h"
#include "lib/sample.h"
#include "lib/test.h"

/* The phases of the format, and some unknown ones. */
static const char phases[] = "BEXiIRPCbeSFnTpstfNODMcvVaxZ(";

static char name[32] = "\"name\":\"a\"";

/* Only viewers use the members of the third and the fourth string. */
static const char *const members[] = { name, "\"cat\":\"c\"",
	"\"s\":\"g\",\"bp\":\"e\",\"sf\":7,\"esf\":8",
	"\"tts\":3,\"tdur\":1,\"cname\":\"good\",\"stack\":[]", "\"ts\":1.5",
	"\"dur\":2", "\"pid\":1", "\"tid\":\"main\"", "\"id\":\"0x1\"",
	"\"id2\":{\"local\":\"0x2\"}", "\"scope\":\"s\"" };

static const char *const arguments[] = { "", "\"args\":{}",
	"\"args\":{\"data\":{}}", "\"args\":{\"name\":\"n\"}",
	"\"args\":{\"v\":1,\"w\":2.5}",
	"\"args\":{\"a\":1,\"b\":[],\"c\":\"x\",\"d\":null,\"e\":true}",
	"\"args\":\"__stripped__\"", "\"args\":[1]" };

/* Names of metadata, and of events that our writer makes. */
static const char *const names[] = { "thread_sort_index", "thread_name",
	"process_name", "entries lost", "a$b", "" };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { MEMBERS = COUNT(members), ALL = (1 << MEMBERS) - 1 };

static struct tl_text file;

static void
put_member(const char *member, const char **lead)
{
	if (member[0] == '\0')
		return;
	tl_put_string(&file, *lead);
	tl_put_string(&file, member);
	*lead = ",";
}

/*
 * Put an event of a phase with arguments and with the members of a set, a bit
 * each.
 */
static void
put_event(char phase, unsigned set, const char *args, bool reversed)
{
	char ph[] = "\"ph\":\"?\"";
	const char *lead = "";

	ph[sizeof(ph) - 3] = phase;
	tl_put_char(&file, '{');
	put_member(reversed ? args : ph, &lead);
	for (unsigned i = 0; i < MEMBERS; i++) {
		const unsigned m = reversed ? MEMBERS - 1 - i : i;

		if (set >> m & 1)
			put_member(members[m], &lead);
	}
	put_member(reversed ? ph : args, &lead);
	tl_put_char(&file, '}');
}

static void
begin_file(bool ours)
{
	tl_text_clear(&file);
	tl_put_string(&file,
	    ours ? "{\"otherData\":{\"base_ns\":\"5\"},\"traceEvents\":["
		 : "{\"traceEvents\":[");
}

/* Read the events that were put, and write them again. */
static void
read_file(struct foreign *f)
{
	tl_put_string(&file, "]}");
	foreign_run(f, tl_chrome_read_new, tl_chrome_write_new,
	    tl_bytes(file.data, file.size), 0);
	ck_assert_int_eq(f->rc, 0);
	ck_assert_ptr_null(strstr(tl_text_string(&f->said.text), "damaged"));
}

/* The events must be the same in both orders of members. */
static void
check_same(struct foreign f[2])
{
	const char *a = tl_text_string(&f[0].sink.text);
	const char *b = tl_text_string(&f[1].sink.text);
	size_t at = 0;

	while (a[at] != '\0' && a[at] == b[at])
		at++;
	if (a[at] != b[at])
		ck_abort_msg("in one order: %.100s\nin the other: %.100s",
		    a + at, b + at);
	foreign_free(&f[0]);
	foreign_free(&f[1]);
}

static void
teardown(void)
{
	tl_text_free(&file);
}

TEST_FILE(.teardown = teardown, .timeout = 300);

TEST(an_event_is_read_with_and_without_each_member)
{
	struct foreign f[2];

	for (size_t p = sample_first(0); p < strlen(phases);
	     p += sample_step()) {
		for (size_t a = 0; a < COUNT(arguments); a++) {
			for (unsigned order = 0; order < 2; order++) {
				begin_file(false);
				for (unsigned set = 0; set <= ALL; set++) {
					tl_put_string(&file, set ? "," : "");
					put_event(phases[p], set, arguments[a],
					    order == 1);
				}
				read_file(&f[order]);
			}
			check_same(f);
		}
	}
}

/* The sets: all members, none, all but one, and one alone. */
static unsigned
set_of(unsigned number)
{
	if (number < 2)
		return number == 0 ? ALL : 0;
	number -= 2;
	return number < MEMBERS ? ALL & ~(1u << number)
				: 1u << (number - MEMBERS);
}

enum { SETS = 2 + 2 * MEMBERS };

TEST(the_first_event_of_a_file_is_read_without_each_member)
{
	struct foreign f[2];

	for (const char *phase = phases; *phase != '\0'; phase++) {
		for (size_t a = 0; a < COUNT(arguments); a++) {
			for (unsigned n = 0; n < SETS; n++) {
				for (unsigned order = 0; order < 2; order++) {
					begin_file(false);
					put_event(*phase, set_of(n),
					    arguments[a], order == 1);
					read_file(&f[order]);
				}
				check_same(f);
			}
		}
	}
}

/* The pairs include ends before begins. */
TEST(events_of_any_two_phases_are_read_behind_each_other)
{
	struct foreign f[2];
	unsigned a = 0;

	for (const char *first = phases; *first != '\0'; first++) {
		for (const char *second = phases; *second != '\0'; second++) {
			for (unsigned order = 0; order < 2; order++) {
				begin_file(false);
				for (unsigned n = 0; n < 2 * SETS; n++) {
					tl_put_string(&file, n ? "," : "");
					put_event(*first, n % 2 ? ALL : 0,
					    arguments[(a + n) %
						      COUNT(arguments)],
					    order == 1);
					tl_put_char(&file, ',');
					put_event(*second, set_of(n / 2),
					    arguments[(a + n / 2) %
						      COUNT(arguments)],
					    order == 1);
				}
				read_file(&f[order]);
			}
			check_same(f);
			a++;
		}
	}
}

/*
 * The order of members counts here: a name must precede the members whose
 * meaning it changes.
 */
TEST(names_that_mean_something_are_read_with_and_without_each_member)
{
	enum { EVENTS = SETS * COUNT(arguments) };
	struct foreign f;

	for (size_t i = 0; i < 4 * COUNT(names); i++) {
		snprintf(name, sizeof(name), "\"name\":\"%s\"", names[i / 4]);
		for (const char *phase = phases; *phase != '\0'; phase++) {
			begin_file(i & 1);
			for (unsigned n = 0; n < EVENTS; n++) {
				tl_put_string(&file, n ? "," : "");
				put_event(*phase, set_of(n % SETS),
				    arguments[n / SETS], i & 2);
			}
			read_file(&f);
			foreign_free(&f);
		}
	}
}
