/* SPDX-License-Identifier: Apache-2.0 */
/* hpp.cc - timeline.hpp: each macro, each kind of argument. */
#include <timeline.hpp>

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

enum colour { RED = 2 };
enum class shape : unsigned char { ROUND = 3 };

static struct timeline *tl;

static int
fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, timeline_error());
	return 1;
}

static void
log_events()
{
	const char buffer[8] = "buffer";
	const char *none = nullptr;
	const std::string of_300(300, 'x');
	struct {
		unsigned bits : 3;
	} field = { 5 };

	TIMELINE_EVENT(tl, "event", "info", "none")();
	TIMELINE_EVENT(tl, "event", "info", "integers $a $b%d $c%u $d%x")
	(-1, short(-2), 1ULL << 40, 255);
	TIMELINE_EVENT(tl, "event", "info", "others $a $b $c $d")
	(true, RED, shape::ROUND, field.bits);
	TIMELINE_EVENT(tl, "event", "info", "floating $a%f $b%f $c%f")
	(1.5, 2.5f, 3);
	TIMELINE_EVENT(tl, "event", "info", "durations $a%t $b%t $c%t")
	(1500us, std::chrono::duration<double>(0.25), 7);
	TIMELINE_EVENT(tl, "event", "info", "strings $a%s $b%s $c%s $d%s")
	("literal", std::string_view("viewed").substr(0, 4), buffer,
	    std::string("whole"));
	TIMELINE_EVENT(tl, "event", "info", "string $a%s")(of_300);
	TIMELINE_EVENT(tl, "event", "info", "no string $a%s $b%s")(none, nullptr);
	TIMELINE_EVENT(tl, "event", "info", "short $a%8s $b%8s $c%8s $d%8s")
	("literal", std::string_view("viewed").substr(0, 4), of_300,
	    timeline_text8("number", 6));
	TIMELINE_EVENT(tl, "event", "info", "no short $a%8s $b%8s")
	(none, std::string_view());
	TIMELINE_EVENT(tl, "event", "info", "long $a%t $b%t")
	(std::chrono::hours::max(), std::chrono::hours::min());
	TIMELINE_EVENT(tl, "event", "info",
	    "100% of $a%done, $ and $b_2%f.\n$not an argument")
	(1, 2.5);
	TIMELINE_EVENT_COUNTER(tl, "event", "info", "queue $n")(5);

	uint64_t number;
	(void)timeline_string(tl, "numbered", &number);
	TIMELINE_EVENT(tl, "event", "info", "number $a%s")(number);
}

static void
log_spans()
{
	auto outer = TIMELINE_EVENT_SCOPE(tl, "span", "info", "outer")();
	const auto parse =
	    TIMELINE_EVENT_SCOPE(tl, "span", "info", "parse $size $kind%s");

	try {
		auto inner = parse(10, "head");
		throw 1;
	} catch (int) {
		auto inner = parse(20, "body");
		inner.end(21, "cut");
	}
	if (parse.enabled())
		outer.end();
	auto timed = TIMELINE_EVENT_TIMER(tl, "timer", "info", "query $rows")(1);
	auto other = TIMELINE_EVENT_TIMER(tl, "timer", "info", "other $rows")(2);
	other.end(3);
}

/* A span of its message ends in another thread. */
static void
log_source()
{
	const auto order =
	    TIMELINE_EVENT_SOURCE(tl, "source", "info", "order $id");
	using span = decltype(order(1));
	std::unique_ptr<span> whole(new span(order(7)));

	std::thread([&] { whole.reset(); }).join();
}

/*
 * One place in the source, two timelines, several threads: each timeline gets
 * its own definition.
 */
static void
log_places(struct timeline *other)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([=] {
			for (int k = 0; k < 1000; k++)
				TIMELINE_EVENT(k % 2 ? tl : other, "place",
				    "debug", "both $i")
				(k);
		});
	for (std::thread &thread : threads)
		thread.join();
	TIMELINE_EVENT(nullptr, "place", "info", "never $a")(1);
}

/*
 * Closed events log nothing and store nothing in the head of the thread, which
 * ends afterwards.
 */
static void
call_closed(bool *same)
{
	timeline_event *failed, *const none = timeline_cpp::closed_event();
	const std::string before(
	    static_cast<const char *>(__builtin_thread_pointer()), 64);

	TIMELINE_EVENT(nullptr, "closed", "info", "never $a%s")("text");
	TIMELINE_EVENT_COUNTER(nullptr, "closed", "info", "never $a")(1);
	auto scope = TIMELINE_EVENT_SCOPE(nullptr, "closed", "info", "n $a")(1);
	auto source = TIMELINE_EVENT_SOURCE(nullptr, "closed", "info", "n")();
	auto timer = TIMELINE_EVENT_TIMER(nullptr, "closed", "info", "n $a")(1);
	scope.end(2);
	source.end();
	timer.end(2);
	(void)timeline_define(tl, "closed", "no such", "never", &failed);
	*same = failed == none;
	for (int i = 0; i < TIMELINE_PART_COUNT; i++) {
		timeline_append(none + i, 1, 2, 3, 4);
		timeline_append_at(none + i, 1, 1, 2, 3, 4);
		timeline_timer_append(none + i, 1, 1, 2, 3, 4);
		if (timeline_span_append(none + i, 1, 2, 3, 4) != 0)
			*same = false;
	}
	{
		timeline_scope(none, 1);
		timeline_timed(none, 1);
		timeline_log_at(none, timeline_stamp(none), 1);
		timeline_end_of(none, 1);
		timeline_end_of(none, 1, 2);
		timeline_end_of(none, 1, 2, 3, 4, 5);
		timeline_next(none, 1);
		timeline_end(none);
		timeline_timer_end(none, 1, 2);
	}
	*same = *same &&
	    before.compare(0, 64,
		static_cast<const char *>(__builtin_thread_pointer()), 64) == 0;
}

static int
log_closed()
{
	bool same = false;

	for (int i = 0; i < 4; i++) {
		std::thread(call_closed, &same).join();
		if (!same) {
			fprintf(stderr, "a closed event is not closed\n");
			return 1;
		}
	}
	return 0;
}

/*
 * A place defined in a timeline that is now closed is defined again for the
 * next timeline.
 */
static int
log_again(const char *path, int i)
{
	struct timeline *again;

	if (timeline_new(&again, path, nullptr) != 0)
		return fail("again");
	TIMELINE_EVENT(again, "place", "info", "again $i")(i);
	timeline_close(again);
	return 0;
}

/* The header and the library read a text alike. */
static int
compare_texts()
{
	static const char letters[] = "$$$ab%%%duxofts88lp1_ .\n";
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		timeline_event *made;
		char text[24] = {};
		const unsigned size = (seed = seed * 1103515245 + 12345) >> 16;

		for (unsigned k = 0; k < size % (sizeof(text) - 1); k++)
			text[k] = letters[((seed = seed * 1103515245 + 12345) >>
					      16) %
			    (sizeof(letters) - 1)];
		const timeline_cpp::arguments a = timeline_cpp::parse(text);
		if ((timeline_define(tl, "text", "info", text, &made) == 0) !=
		    (a.count <= 4 && !a.repeated && !a.odd &&
			text[0] != '\0')) {
			fprintf(stderr, "text: \"%s\"\n", text);
			return 1;
		}
	}
	return 0;
}

namespace app {
/* A class may have the name of the library's struct. */
class timeline
{
	struct ::timeline *tl_;

    public:
	explicit timeline(struct ::timeline *opened) : tl_(opened)
	{
	}
	void log(int n)
	{
		TIMELINE_EVENT(tl_, "event", "info", "wrapped $n")(n);
	}
};
}

int
main(int argc, char **argv)
{
	struct timeline *other;
	const timeline_options small = { 0, 16 << 20, 0, 0, 0, 0, 0, 0 };

	if (argc < 3 || timeline_new(&tl, argv[1], &small) != 0 ||
	    timeline_new(&other, argv[2], nullptr) != 0)
		return fail("new");
	log_events();
	log_spans();
	log_source();
	app::timeline(tl).log(8);
	log_places(other);
	timeline_close(other);
	if (log_closed() != 0)
		return 1;
	if (log_again(argv[2], 1) != 0 || log_again(argv[2], 2) != 0)
		return 1;
	if (compare_texts() != 0)
		return 1;
	timeline_priority(tl, "off");
	TIMELINE_EVENT(tl, "event", "fatal", "closed $a")(1);
	auto closed = TIMELINE_EVENT_SCOPE(tl, "span", "fatal", "closed")();
	timeline_priority(tl, "trace");
	return 0;
}
