/* SPDX-License-Identifier: Apache-2.0 */
/* svg.c - the frame of pictures, and any content within them. */
#include "lib/test.h"
#include "lib/viewers.h"
#include "svg_fixture.h"

#include <errno.h>
#include <time.h>

static char all_bytes[256 + 8];

/* Every byte, and two characters that are valid in UTF-8 but not in XML. */
static void
make_bytes(void)
{
	for (unsigned i = 0; i < 256; i++)
		all_bytes[i] = (char)(i * 37);
	memcpy(all_bytes + 256, "\xef\xbf\xbe\xef\xbf\xbf]]", 8);
}

TEST_FILE(.once = make_bytes, .timeout = 120);

TEST(charts_have_words)
{
	enum tl_svg_chart chart;

	for (unsigned i = 0; i < TL_SVG_CHARTS; i++) {
		ck_assert_int_eq(tl_svg_chart_parse(tl_svg_chart_name(i),
				     &chart),
		    0);
		ck_assert_uint_eq(chart, i);
		ck_assert_ptr_nonnull(tl_svg_chart_help(i));
	}
	ck_assert_ptr_null(tl_svg_chart_name(TL_SVG_CHARTS));
	ck_assert_ptr_null(tl_svg_chart_help(TL_SVG_CHARTS));
	ck_assert_int_eq(tl_svg_chart_parse("pie", &chart), -EINVAL);
	ck_assert_int_eq(tl_svg_chart_parse("", &chart), -EINVAL);
}

TEST(without_entries_it_says_so, .to = TL_SVG_CHARTS)
{
	svg_start(_i);
	svg_finish();
	svg_has("no entries");
	svg_has("in these entries");
	svg_has(">timeline</text>");
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_free(&f);
}

TEST(losses_alone_are_a_picture, .to = TL_SVG_CHARTS)
{
	svg_start(_i);
	svg_lose(5, 0);
	svg_finish();
	svg_has("5 entries lost, in 1 place<");
	foreign_free(&f);
}

TEST(one_entry_is_a_picture, .to = TL_SVG_CHARTS)
{
	static const int64_t times[] = { INT64_MIN, -1, 0, 1, SVG_NS,
		INT64_MAX };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		svg_start(_i);
		svg_event(TL_INSTANT, &waited, times[i], 7, 1500);
		svg_finish();
		svg_has("1 entry, none lost");
		foreign_free(&f);
	}
}

TEST(the_head_tells_what_it_is_of, .to = TL_SVG_CHARTS)
{
	const struct tl_origin origin = { .machine = "box<1>",
		.command = "a&b",
		.pid = 41 };

	svg_start(_i);
	tl_writer_set_title(f.writer, "slow \"start\" & <stop>");
	tl_writer_set_origin(f.writer, &origin);
	svg_span(&work, SVG_NS, SVG_NS + 1500000, 7);
	svg_lose(1234567, SVG_NS);
	svg_lose(1, SVG_NS);
	svg_event(TL_INSTANT, &note, SVG_NS + 2000000, 7, 0);
	svg_finish();
	svg_has("<title>slow &quot;start&quot; &amp; &lt;stop&gt;</title>");
	svg_has(">2026-11-20 19:24:18.123456789 to "
		"2026-11-20 19:24:18.125456789 UTC  (2ms)<");
	svg_has("machine box&lt;1&gt; \xc2\xb7 a&amp;b \xc2\xb7 process 41<");
	svg_has(">3 entries<");
	svg_has(">1,234,568 entries lost, in 2 places<");
	foreign_free(&f);
}

TEST(more_losses_than_a_number_holds_are_at_least_so_many, .to = TL_SVG_CHARTS)
{
	svg_start(_i);
	svg_lose(UINT64_MAX - 1, 0);
	svg_lose(2, 0);
	svg_finish();
	svg_has(">at least 18,446,744,073,709,551,615 entries lost, in 2");
	foreign_free(&f);
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes(all_bytes, sizeof(all_bytes))
		      : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

TEST(no_text_becomes_an_element, .to = TL_SVG_CHARTS)
{
	static const char evil[] = "</text><script>alert(1)</script><!-- ]]> & "
				   "\xe2\x80\xae \xef\xbf\xbf";

	svg_start(_i);
	tl_writer_set_title(f.writer, evil);
	work.category = tl_bytes_of("<b>&\xef\xbf\xbe");
	ck_assert_int_eq(tl_message_parse(&work, tl_bytes_of(evil)), 0);
	ck_assert_int_eq(tl_message_parse(&lock, tl_bytes_of("$label%s")), 0);
	lock.strings = &strings;
	svg_span(&work, SVG_NS, SVG_NS + 1000, 1);
	svg_event(TL_BEGIN, &lock, SVG_NS + 2000, 1, 1);
	svg_event(TL_END, &lock, SVG_NS + 3000, 1, 1);
	svg_finish();
	svg_has_not("<script");
	svg_has_not("<b>");
	svg_has_not("\xe2\x80\xae");
	svg_has_not("\xef\xbf\xbe");
	svg_has("\\xef\\xbf\\xbe");
	svg_has("\\xef\\xbf\\xbf");
	svg_has("&lt;script&gt;");
	foreign_free(&f);
}

/* Put events of every kind with random members. */
static void
put_any(uint64_t *state, int64_t *ns)
{
	static const struct tl_message *const spans[] = { &work, &part, &lock };
	const uint64_t r = random_next(state);
	struct tl_event e = { .pid = (uint32_t)(r >> 60),
		.tid = (uint32_t)(r >> 8 & 63),
		.source = r >> 16 & 1,
		.level = (uint8_t)(r >> 20),
		.args = { random_next(state) >> (r >> 28 & 63) } };

	*ns = r % 97 == 0 ? (int64_t)random_next(state)
			  : (int64_t)((uint64_t)*ns + r % 100000);
	e.ns = *ns;
	switch (r >> 40 & 7) {
	case 0:
		e.kind = TL_LOST;
		e.lost = e.args[0];
		break;
	case 1:
		e.kind = TL_COUNTER;
		e.message = &depth;
		break;
	case 2:
	case 3:
		e.kind = TL_INSTANT;
		e.message = r & 1 ? &waited : &note;
		break;
	default:
		e.kind = r >> 40 & 1 ? TL_BEGIN : TL_END;
		e.message = spans[(r >> 32) % 3];
	}
	svg_put(&e);
}

TEST(whatever_comes_is_a_picture, .to = TL_SVG_CHARTS)
{
	uint64_t state = 4711;

	for (unsigned round = 0; round < 30; round++) {
		int64_t ns = SVG_NS;
		char name[40];

		svg_start(_i);
		for (size_t i = 0; i < sizeof(name); i++)
			name[i] = (char)random_next(&state);
		work.category = tl_bytes(name, 20);
		note.builtin = (uint8_t)(round % 4);
		tl_message_parse(&part, tl_bytes(name + 20, 20));
		for (unsigned i = 0; i < 50 * round; i++)
			put_any(&state, &ns);
		svg_finish();
		foreign_free(&f);
	}
}

TEST(what_viewers_are_shown_is_a_picture, .to = TL_SVG_CHARTS)
{
	struct tl_event event;

	for (unsigned set = VIEWERS_PLAIN; set <= VIEWERS_BACK; set++) {
		svg_start(_i);
		for (uint64_t i = 0;
		     viewers_event((enum viewers_set)set, i, &event); i++)
			svg_put(&event);
		svg_finish();
		foreign_free(&f);
	}
}

TEST(what_is_left_out_is_said)
{
	svg_start(TL_SVG_LATENCY);
	svg_event(TL_INSTANT, &waited, SVG_NS, 1, (uint64_t)-5);
	svg_event(TL_INSTANT, &waited, SVG_NS, 1, (uint64_t)-6);
	svg_event(TL_END, &work, SVG_NS, 1, 0);
	svg_event(TL_BEGIN, &work, SVG_NS, 1, 0);
	svg_lose(3, SVG_NS);
	svg_event(TL_END, &work, SVG_NS, 1, 0);
	svg_event(TL_BEGIN, &work, SVG_NS, 1, 0);
	svg_finish();
	svg_has(">2 durations below zero left out, 1 span that may miss "
		"entries left out, 1 begin without an end left out, 1 end "
		"without a "
		"begin left out<");
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - a duration below zero is left out (2 times)\n"
	    "-95 - a span during which entries may be missing is left out\n"
	    "-95 - a begin without an end is left out\n"
	    "-95 - an end without a begin is left out\n");
	foreign_free(&f);
}

/* Many messages, each with its own name. */
TEST(beyond_so_many_names_all_are_one, .to = TL_SVG_CHARTS)
{
	static struct tl_message messages[200];
	static char texts[200][16];

	svg_start(_i);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(texts[i], sizeof(texts[i]), "span %u", i);
		svg_message(&messages[i], TIMELINE_RECORD_SPAN, TIMELINE_THREAD,
		    texts[i]);
		svg_span(&messages[i], SVG_NS + 10 * i, SVG_NS + 10 * i + 5, 1);
	}
	svg_finish();
	svg_has("137 ");
	svg_has("too many messages");
	if (_i != TL_SVG_SPANS)
		svg_has("(all other messages)");
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-28 - too many messages: taken for one (137 times)\n");
	foreign_free(&f);
}

TEST(messages_of_one_name_are_one)
{
	struct tl_message other;

	svg_start(TL_SVG_LATENCY);
	svg_message(&other, TIMELINE_RECORD_SPAN, TIMELINE_THREAD, "work");
	svg_span(&work, SVG_NS, SVG_NS + 5, 1);
	svg_span(&other, SVG_NS + 10, SVG_NS + 15, 1);
	svg_finish();
	svg_has(">2 values, ");
	ck_assert_uint_eq(svg_count(">net: work<"), 1);
	foreign_free(&f);
}

static int
refuse(void *context, const char *data, size_t size)
{
	(void)context;
	(void)data;
	(void)size;
	return -ENOSPC;
}

TEST(what_write_says_is_returned, .to = TL_SVG_CHARTS)
{
	svg_start(_i);
	svg_span(&work, SVG_NS, SVG_NS + 5, 1);
	f.writer->out.write = refuse;
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), -ENOSPC);
	foreign_free(&f);
}

/* Draw so many events; returns the CPU seconds and the size of the picture. */
static double
run(enum tl_svg_chart chart, unsigned count, size_t *size)
{
	const clock_t from = clock();
	uint64_t state = 1;
	int64_t ns = SVG_NS;

	svg_start(chart);
	for (unsigned i = 0; i < count / 5; i++) {
		const uint32_t tid = 1 + i % 8;

		ns += (int64_t)random_below(&state, 3000);
		svg_event(TL_BEGIN, &work, ns, tid, 0);
		svg_span(&part, ns + 10, ns + 500, tid);
		svg_event(TL_INSTANT, &waited, ns + 600, tid,
		    random_below(&state, 1 << 20));
		ns += 700 + (int64_t)random_below(&state, 100000);
		svg_event(TL_END, &work, ns, tid, 0);
	}
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	*size = f.out.size;
	foreign_free(&f);
	return (double)(clock() - from) / CLOCKS_PER_SEC;
}

TEST(many_events_take_time_but_no_room, .to = TL_SVG_CHARTS)
{
	size_t few_size, size;
	const double few = run(_i, 100000, &few_size);
	const double many = run(_i, 1000000, &size);

	ck_assert_msg(many < 30 * few + 0.2, "%f s after %f s", many, few);
	ck_assert_msg(size < 2 << 20, "%zu bytes", size);
	ck_assert_msg(size < 2 * few_size, "%zu bytes after %zu", size,
	    few_size);
}
