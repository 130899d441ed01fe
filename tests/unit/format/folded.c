/* SPDX-License-Identifier: Apache-2.0 */
/* folded.c - folded stacks: time by path, whatever spans there are. */
#include "format/stacks/folded.h"
#include "lib/random.h"
#include "lib/spans_written.h"
#include "lib/test.h"

static void
setup(void)
{
	start_writer(tl_folded_write_new);
}

TEST_FILE(.setup = setup, .timeout = 60);

TEST(a_line_has_the_time_that_was_spent_in_no_inner_span)
{
	begin(&a, 1000, 1);
	begin(&b, 1010, 1);
	end(&b, 1030, 1);
	begin(&b, 1040, 1);
	begin(&a, 1041, 1);
	end(&a, 1042, 1);
	end(&b, 1050, 1);
	end(&a, 1100, 1);
	check_written("41/1;net: a 70\n41/1;net: a;net: b x and y 29\n"
		      "41/1;net: a;net: b x and y;net: a 1\n",
	    "-95 - the arguments of a message are left out\n");
}

TEST(threads_and_sources_have_their_own_stacks)
{
	begin(&a, 10, 1);
	begin(&a, 11, 2);
	begin(&lock, 12, 2);
	end(&a, 15, 1);
	end(&lock, 17, 1);
	end(&a, 18, 2);
	begin(&c, 20, 0);
	end(&c, 21, 0);
	check_written("41/1;net: a 5\n41/2;net: a 7\nnet: lock 5\nnet: c 1\n",
	    "");
}

TEST(spans_that_do_not_nest_are_cut_and_said)
{
	begin(&a, 10, 1);
	begin(&c, 12, 1);
	end(&a, 20, 1); /* ends c, too */
	end(&c, 25, 1);
	begin(&c, 30, 1);
	begin(&a, 40, 1);
	end(&a, 35, 1);
	check_written("41/1;net: a 2\n41/1;net: a;net: c 8\n41/1;net: c 10\n",
	    "-95 - a begin without an end ends last\n"
	    "-95 - a span that outlives the one around it ends with it\n"
	    "-95 - a time that goes back stands still\n");
}

/* The second end belongs to the inner span c, which is closed already. */
TEST(an_end_of_a_span_that_is_cut_ends_no_other)
{
	begin(&c, 10, 1);
	begin(&a, 12, 1);
	begin(&c, 14, 1);
	end(&a, 20, 1);
	end(&c, 22, 1);
	end(&c, 30, 1);
	check_written("41/1;net: c 12\n41/1;net: c;net: a 2\n"
		      "41/1;net: c;net: a;net: c 6\n",
	    "-95 - a span that outlives the one around it ends with it\n");
}

TEST(what_has_no_place_is_said)
{
	const struct tl_event lost = { .kind = TL_LOST, .lost = 3 };

	put_event(TL_INSTANT, &a, 1, 1);
	put_event(TL_COUNTER, &a, 1, 1);
	put_event(TL_COUNTER, &a, 1, 1);
	ck_assert_int_eq(f.writer->sink.put(&f.writer->sink, &lost), 0);
	check_written("", "-95 - an instant is left out\n"
			  "-95 - a value of a counter is left out (2 times)\n"
			  "-95 - lost entries are left out\n");
}

static void
put_observed(uint64_t observed, unsigned kind, const struct tl_message *message,
    int64_t ns)
{
	const struct tl_event event = { .message = message,
		.kind = (uint8_t)kind,
		.ns = ns,
		.pid = 41,
		.tid = 1,
		.observed = observed };

	ck_assert_int_eq(f.writer->sink.put(&f.writer->sink, &event), 0);
}

/* The spans lie in two bursts; for c no time is observed at all. */
TEST(a_span_ends_with_the_last_event_of_its_observed_interval)
{
	put_observed(1, TL_BEGIN, &c, 5);
	put_observed(5, TL_BEGIN, &a, 10);
	put_observed(5, TL_BEGIN, &a, 12);
	put_observed(5, TL_END, &a, 17);
	put_observed(6, TL_END, &a, 900);
	put_observed(1, TL_END, &c, 1000);
	put_observed(TL_UNOBSERVED, TL_BEGIN, &a, 1010);
	put_observed(TL_UNOBSERVED, TL_END, &a, 1900);
	put_observed(TL_UNOBSERVED, TL_BEGIN, &a, 2000);
	put_observed(1, TL_INSTANT, &c, 3000);
	check_written("41/1;net: c 988\n41/1;net: c;net: a 2\n"
		      "41/1;net: c;net: a;net: a 5\n",
	    "-95 - an instant is left out\n"
	    "-95 - an end without a begin is left out\n"
	    "-95 - a span of which entries may be missing ends before them "
	    "(3 times)\n");
}

TEST(a_loss_ends_what_was_open_with_the_last_event)
{
	const struct tl_event lost = { .kind = TL_LOST, .lost = 3 };

	begin(&a, 10, 1);
	begin(&c, 12, 1);
	ck_assert_int_eq(f.writer->sink.put(&f.writer->sink, &lost), 0);
	end(&a, 900, 1);
	check_written("41/1;net: a 2\n",
	    "-95 - lost entries are left out\n"
	    "-95 - a span of which entries may be missing ends before them "
	    "(2 times)\n");
}

TEST(names_cannot_forge_frames_or_lines)
{
	a.category = tl_bytes_of("x;y\n41/1;z 5\n\033[2J");
	begin(&a, 1, 1);
	end(&a, 3, 1);
	check_written("41/1;x,y\\n41/1,z 5\\n\\x1b[2J: a 2\n", "");
}

TEST(what_is_too_deep_counts_for_what_is_around_it)
{
	const unsigned deep = TL_FOLDED_DEPTH_MAX + 10;

	for (unsigned i = 0; i < deep; i++)
		begin(&a, i, 1);
	for (unsigned i = 0; i < deep; i++)
		end(&a, deep + i, 1);
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - a span is too deep: left out (10 times)\n");
	ck_assert_ptr_nonnull(strstr(tl_text_string(&f.out), " 21\n"));
	foreign_free(&f);
}

/* The lines add up to the time in which any span was open. */
TEST(no_time_is_lost_or_counted_twice, .to = 8)
{
	const struct tl_message *const messages[] = { &a, &b, &c };
	uint64_t state = (uint64_t)_i + 1, sum = 0;
	int64_t ns = 0, busy_ns = 0, step;
	unsigned depth = 0;
	uint8_t open[64];

	while (ns < 100000 || depth > 0) {
		const bool opens = ns < 100000 && depth < sizeof(open) &&
				   (depth == 0 || random_below(&state, 2) == 0);

		step = (int64_t)random_below(&state, 100);
		ns += step;
		busy_ns += depth > 0 ? step : 0;
		if (opens)
			open[depth++] = (uint8_t)random_below(&state, 3);
		if (opens)
			begin(messages[open[depth - 1]], ns, 7);
		else
			end(messages[open[--depth]], ns, 7);
	}
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	for (const char *line = tl_text_string(&f.out); *line;
	     line = strchr(line, '\n') + 1) {
		const char *last = strchr(line, '\n');

		while (last[-1] != ' ')
			last--;
		sum += strtoull(last, NULL, 10);
	}
	ck_assert_uint_eq(sum, (uint64_t)busy_ns);
	foreign_free(&f);
}
