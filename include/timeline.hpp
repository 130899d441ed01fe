/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.hpp - log from C++17, with calls that the compiler checks.
 *
 *	TIMELINE_EVENT(tl, "server", "info", "request $id%u took $us%f")(id, us);
 *	auto scope = TIMELINE_EVENT_SCOPE(tl, "server", "info", "parse $size")(n);
 *
 * A macro names a place in the source.  The place defines its message when the
 * program first reaches the place with a timeline, once for each timeline, and
 * keeps the event.  The category, the priority and the text are constants.  The
 * compiler compares the number and the kinds of the arguments with the text:
 *
 *	$x $x%d $x%u $x%x $x%o	integers, bool, enumerations
 *	$x%f			floating numbers and integers
 *	$x%t			std::chrono durations; integers are nanoseconds
 *	$x%s			std::string_view and types that convert to it;
 *				the text ends at its first NUL; an integer is a
 *				number of timeline_string
 *	$x%8s			the same; of a string the first eight bytes,
 *				without a table; an integer is a number of
 *				timeline_text8
 *
 * A call of the event has the machine code of timeline_log in C.  The place
 * adds three loads and two comparisons.  The program evaluates the arguments
 * also where the priority is closed, as in each function call.  A string gets
 * its number (timeline_string, which takes a lock) only where the priority is
 * open.
 *
 * Safe in threads.  Safe in signal handlers and after fork, without string
 * arguments, once the program has reached the place with the timeline.  A
 * timeline of NULL, or a definition that fails, gives an event that is never
 * logged; timeline_error() then returns the reason.  A place keeps 32 bytes for
 * each timeline with which the program has reached the place, until the program
 * ends.
 */
#ifndef TIMELINE_HPP
#define TIMELINE_HPP

#if __cplusplus < 201703L
#error "timeline.hpp needs C++17 (-std=c++17); timeline.h does not"
#endif

#include <timeline.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace timeline_cpp {

/* == the text of a message == */

/* The conversions of the arguments that a text names; timeline_define reads a
 * text in the same way. */
struct arguments {
	int count = 0;
	char conversion[4] = {};
	bool repeated = false; /* a name occurs twice */
	bool odd = false;      /* a conversion of printf is not allowed */
};

constexpr bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

constexpr std::string_view
name_at(std::string_view line, size_t at)
{
	size_t end = at;

	while (end < line.size() && is_name(line[end]))
		end++;
	return line.substr(at, end - at);
}

/* The conversion behind a name; '\0': there is none. */
constexpr char
conversion_at(std::string_view line, size_t at)
{
	if (line.size() - at < 2 || line[at] != '%' ||
	    (line.size() - at > 2 && is_name(line[at + 2])) ||
	    std::string_view("duxofts").find(line[at + 1]) ==
		std::string_view::npos)
		return line.substr(at, 3) == "%8s" &&
			(line.size() - at == 3 || !is_name(line[at + 3]))
		    ? '8'
		    : '\0';
	return line[at + 1];
}

constexpr size_t
skip(std::string_view line, size_t at, const char *set)
{
	const size_t end = line.find_first_not_of(set, at);

	return end == std::string_view::npos ? line.size() : end;
}

/* Does a conversion of printf that timeline_define refuses stand behind a name,
 * or behind the suffix of a name? */
constexpr bool
is_odd_at(std::string_view line, size_t at, bool behind_name)
{
	if (at == line.size() || line[at] != '%')
		return false;
	if (at + 1 == line.size())
		return behind_name;
	at = skip(line, at + 1, "-+#0");
	at = skip(line, at, "123456789*0");
	if (at < line.size() && line[at] == '.')
		at = skip(line, at + 1, "0123456789*");
	at = skip(line, at, "hljztLq");
	return at < line.size() &&
	    std::string_view("%diouxXeEfFgGaAcCsSpnm").find(line[at],
		   behind_name ? 0 : 1) != std::string_view::npos &&
	    (at + 1 == line.size() || !is_name(line[at + 1]));
}

constexpr arguments
parse(std::string_view text)
{
	const std::string_view line = text.substr(0, text.find('\n'));
	std::string_view names[4] = {};
	arguments a;

	for (size_t at = 0; at < line.size();) {
		const std::string_view name = line[at] == '$'
		    ? name_at(line, at + 1)
		    : std::string_view();

		at += 1 + name.size();
		if (name.empty())
			continue;
		for (int i = 0; i < a.count && i < 4; i++)
			a.repeated = a.repeated || names[i] == name;
		const char conversion = conversion_at(line, at);
		at += conversion == '8' ? 3 : conversion ? 2 : 0;
		a.odd = a.odd || is_odd_at(line, at, !conversion);
		if (a.count < 4) {
			names[a.count] = name;
			a.conversion[a.count] = conversion ? conversion : 'd';
		}
		a.count++;
	}
	return a;
}

constexpr bool
is_priority(std::string_view name)
{
	for (const char *known : { "fatal", "error", "warning", "info", "debug",
		 "trace", "trace+", "trace++", "trace+++" })
		if (name == known)
			return true;
	return false;
}

/* == values == */

template <class Value> struct is_duration : std::false_type {};
template <class Count, class Period>
struct is_duration<std::chrono::duration<Count, Period>> : std::true_type {};

template <class Value>
constexpr bool is_number = std::is_integral_v<Value> || std::is_enum_v<Value>;
template <class Value>
constexpr bool is_text = std::is_null_pointer_v<Value> ||
    std::is_convertible_v<const Value &, std::string_view>;

template <class Value>
inline std::string_view
view_of(const Value &string)
{
	if constexpr (std::is_null_pointer_v<Value>)
		return "(null)";
	else if constexpr (std::is_pointer_v<Value>)
		return string ? std::string_view(string) : "(null)";
	else
		return string;
}

/* Nanoseconds; a duration beyond 64 bits is the nearest number of 64 bits. */
template <class Count, class Period>
inline int64_t
nanoseconds(const std::chrono::duration<Count, Period> &value)
{
	const double about =
	    std::chrono::duration<double, std::nano>(value).count();

	if (about >= 9.2e18)
		return INT64_MAX;
	if (about <= -9.2e18)
		return INT64_MIN;
	return std::chrono::duration_cast<std::chrono::nanoseconds>(value)
	    .count();
}

/* The number of a string, or 0 after an error, which timeline_error() tells. */
inline uint64_t
string_number(timeline_event *event, std::string_view string)
{
	char small[256];
	uint64_t number = 0;

	if (string.size() < sizeof(small)) {
		small[string.copy(small, sizeof(small) - 1)] = '\0';
		(void)timeline_string(event->timeline, small, &number);
	} else {
		(void)timeline_string(event->timeline,
		    std::string(string).c_str(), &number);
	}
	return number;
}

/* The 64 bits of an argument. */
template <char conversion, class Value>
inline uint64_t
bits(timeline_event *event, const Value &value)
{
	(void)event;
	static_assert(!is_number<Value> || sizeof(Value) <= sizeof(uint64_t),
	    "an argument has 64 bits");
	if constexpr (conversion == 's') {
		static_assert(is_text<Value> || std::is_integral_v<Value>,
		    "the text says $name%s: the argument must be a string, or a "
		    "number of timeline_string");
		if constexpr (is_text<Value>)
			return string_number(event, view_of(value));
	} else if constexpr (conversion == '8') {
		static_assert(is_text<Value> || std::is_integral_v<Value>,
		    "the text says $name%8s: the argument must be a string, or "
		    "a number of timeline_text8");
		if constexpr (is_text<Value>)
			return timeline_text8(view_of(value).data(),
			    view_of(value).size());
	} else if constexpr (conversion == 'f') {
		static_assert(std::is_arithmetic_v<Value>,
		    "the text says $name%f: the argument must be a number");
		return timeline_double(static_cast<double>(value));
	} else if constexpr (is_duration<Value>::value) {
		static_assert(conversion == 't',
		    "the argument is a duration: the text must say $name%t");
		return static_cast<uint64_t>(nanoseconds(value));
	} else {
		static_assert(!std::is_floating_point_v<Value>,
		    "the argument is a floating number: the text must say "
		    "$name%f");
		static_assert(!is_text<Value>,
		    "the argument is a string: the text must say $name%s or "
		    "$name%8s");
		static_assert(is_number<Value> || is_text<Value> ||
			std::is_floating_point_v<Value>,
		    "the argument must be an integer, a bool or an enumeration");
	}
	if constexpr (is_number<Value>)
		return static_cast<uint64_t>(value);
	return 0;
}

/* The 64 bits of up to four arguments; 0 for an absent argument. */
struct values {
	uint64_t v[4];
};

template <class Text, size_t... Index, class... Args>
inline values
pack_each(timeline_event *event, std::index_sequence<Index...>, const Args &...args)
{
	(void)event;
	return { { bits<parse(Text::get()).conversion[Index]>(event, args)... } };
}

template <class Text, class... Args>
inline values
pack(timeline_event *event, const Args &...args)
{
	constexpr arguments a = parse(Text::get());
	constexpr int given = sizeof...(Args);

	static_assert(given >= a.count,
	    "too few arguments: the text names more of them with $");
	static_assert(given <= a.count,
	    "too many arguments: the text names fewer of them with $");
	if constexpr (given == a.count && given <= 4)
		return pack_each<Text>(event, std::index_sequence_for<Args...>(),
		    args...);
	else
		return {};
}

/* == events == */

/* The event of a place: an instant or a counter. */
template <class Text> class [[nodiscard]] event {
	timeline_event *event_;

    public:
	explicit event(timeline_event *defined) : event_(defined)
	{
	}
	/* Is the event's gate open? */
	bool enabled() const
	{
		return timeline_enabled(event_) != 0;
	}
	template <class... Args> void operator()(const Args &...args) const
	{
		if (__builtin_expect(timeline_enabled(event_), 0)) {
			const values p = pack<Text>(event_, args...);

			timeline_append(event_, p.v[0], p.v[1], p.v[2], p.v[3]);
		}
	}
};

/* An open span.  The destructor ends the span, also after an exception, and the
 * end carries the stamp of the begin (timeline_scope). */
template <class Text> class scope {
	timeline_event *span_;
	uint64_t begun_ = 0;

    public:
	template <class... Args>
	explicit scope(timeline_event *span, const Args &...args) : span_(span)
	{
		timeline_event *const begin = span + TIMELINE_PART_SCOPE;

		if (__builtin_expect(timeline_enabled(begin), 0)) {
			const values p = pack<Text>(span, args...);

			begun_ = timeline_span_append(begin, p.v[0], p.v[1],
			    p.v[2], p.v[3]);
		}
	}
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;
	~scope()
	{
		end();
	}
	/* End the span now. */
	void end()
	{
		if (begun_ != 0)
			(void)timeline_span_append(span_ +
				TIMELINE_PART_SCOPE_END,
			    begun_, 0, 0, 0);
		begun_ = 0;
	}
	/* End the span now, with arguments of the end. */
	template <class Value, class... Args> void end(const Value &first, const Args &...rest)
	{
		static_assert(sizeof...(Args) < 3,
		    "the end of a span has room for three arguments: call "
		    "end() without any");
		if (begun_ != 0) {
			const values p = pack<Text>(span_, first, rest...);

			(void)timeline_span_append(span_ + TIMELINE_PART_END_OF,
			    p.v[0], p.v[1], p.v[2], begun_);
		}
		begun_ = 0;
	}
};

/* An open span of a timer.  The destructor ends and counts the span. */
template <class Text> class timed {
	timeline_event *timer_;
	uint64_t begun_;
	values args_ = {};

    public:
	template <class... Args>
	explicit timed(timeline_event *timer, const Args &...args)
	    : timer_(timer), begun_(timeline_timer_begin(timer))
	{
		if (begun_ != 0)
			args_ = pack<Text>(timer, args...);
	}
	timed(const timed &) = delete;
	timed &operator=(const timed &) = delete;
	~timed()
	{
		end();
	}
	void end()
	{
		if (begun_ != 0)
			timeline_timer_append(timer_, begun_, args_.v[0],
			    args_.v[1], args_.v[2], args_.v[3]);
		begun_ = 0;
	}
	/* End the span now, with arguments in place of those of the begin. */
	template <class Value, class... Args> void end(const Value &first, const Args &...rest)
	{
		if (begun_ != 0)
			args_ = pack<Text>(timer_, first, rest...);
		end();
	}
};

/* The event of a place of a span or a timer; a call returns the open span. */
template <class Text, template <class> class Open> class [[nodiscard]] opener {
	timeline_event *event_;

    public:
	explicit opener(timeline_event *defined) : event_(defined)
	{
	}
	bool enabled() const
	{
		return timeline_enabled(event_) != 0;
	}
	template <class... Args>
	[[nodiscard]] Open<Text> operator()(const Args &...args) const
	{
		return Open<Text>(event_, args...);
	}
};
template <class Text> using span = opener<Text, scope>;
template <class Text> using timer = opener<Text, timed>;

/* == places == */

/* The closed event of the library, which logs nothing; null: not asked for
 * yet. */
inline std::atomic<timeline_event *> closed{ nullptr };

inline timeline_event *
closed_event()
{
	timeline_event *event = closed.load(std::memory_order_acquire);

	if (!event) {
		(void)timeline_define_event(nullptr, nullptr, &event);
		closed.store(event, std::memory_order_release);
	}
	return event;
}

/* The event of a place in one timeline.  A part never changes and is never
 * freed. */
struct part {
	uint64_t number; /* of the timeline */
	timeline_event *event;
	const part *next;
};
inline constexpr part no_part = { 0, nullptr, nullptr };

/* A place in the source: its parts, the newest first. */
struct place {
	std::atomic<const part *> first{ &no_part };
};

/* The number of a timeline, which is the first member.  A timeline that is
 * opened at the address of a closed timeline has another number. */
inline uint64_t
number_of(const struct ::timeline *tl)
{
	return *reinterpret_cast<const uint64_t *>(tl);
}

/* Find the event of a place in a timeline that is not that of the newest part.
 * Where two threads define the event at once, both get the same event. */
__attribute__((noinline, cold)) inline timeline_event *
find_event(place *where, struct ::timeline *tl,
    const ::timeline_definition *definition)
{
	const part *first, *p;
	part *made;

	if (!tl)
		return closed_event();
	first = where->first.load(std::memory_order_acquire);
	for (p = first; p != &no_part; p = p->next)
		if (p->number == number_of(tl))
			return p->event;
	if (!(made = new (std::nothrow) part))
		return closed_event();
	made->number = number_of(tl);
	(void)timeline_define_event(tl, definition, &made->event);
	do
		made->next = first;
	while (!where->first.compare_exchange_weak(first, made,
	    std::memory_order_release, std::memory_order_acquire));
	return made->event;
}

inline timeline_event *
event_of(place *where, struct ::timeline *tl,
    const ::timeline_definition *definition)
{
	const part *const p = where->first.load(std::memory_order_acquire);

	if (__builtin_expect(tl && p->number == number_of(tl), 1))
		return p->event;
	return find_event(where, tl, definition);
}

} /* namespace timeline_cpp */

#define TIMELINE_PLACE_(handle, kind, scope_, tl_, category_, priority_, \
    text_) \
	([](struct ::timeline *timeline_at_) { \
		struct timeline_text_ { \
			static constexpr const char *get() \
			{ \
				return text_; \
			} \
		}; \
		static_assert(::timeline_cpp::is_priority(priority_), \
		    "no such priority: fatal error warning info debug trace " \
		    "trace+ trace++ trace+++"); \
		static_assert( \
		    ::timeline_cpp::parse(timeline_text_::get()).count <= 4, \
		    "a text names at most four arguments with $"); \
		static_assert( \
		    !::timeline_cpp::parse(timeline_text_::get()).repeated, \
		    "a text names an argument twice"); \
		static_assert(!::timeline_cpp::parse(timeline_text_::get()).odd, \
		    "no conversion of an argument: write %d %u %x %o %f %t " \
		    "%s or %8s"); \
		static constexpr ::timeline_definition timeline_definition_ = { \
			category_, priority_, text_, kind, scope_, __FILE__, \
			__LINE__ \
		}; \
		static ::timeline_cpp::place timeline_place_; \
		return ::timeline_cpp::handle<timeline_text_>( \
		    ::timeline_cpp::event_of(&timeline_place_, timeline_at_, \
			&timeline_definition_)); \
	}(tl_))

/*
 * TIMELINE_EVENT(tl, category, priority, text)(args...): log a message.
 * TIMELINE_EVENT_COUNTER(...)(value): log the value of a counter.
 * auto s = TIMELINE_EVENT_SCOPE(...)(args...): a span that ends with the life
 *	of s; s.end(args...) ends the span before.  A span of a thread: it must
 *	end in the thread in which it began.
 * auto s = TIMELINE_EVENT_SOURCE(...)(args...): likewise, a span of its message
 *	(TIMELINE_SOURCE), which may end in any thread: that of a coroutine, or
 *	of an object that is handed to another thread.
 * auto t = TIMELINE_EVENT_TIMER(...)(args...): likewise, a span of a timer.
 * A program may keep an event without a call: auto e = TIMELINE_EVENT(...).
 * The compiler warns of an event that is neither called nor kept.
 */
#define TIMELINE_EVENT(tl, category, priority, text) \
	TIMELINE_PLACE_(event, TIMELINE_INSTANT, TIMELINE_THREAD, tl, \
	    category, priority, text)
#define TIMELINE_EVENT_COUNTER(tl, category, priority, text) \
	TIMELINE_PLACE_(event, TIMELINE_COUNTER, TIMELINE_THREAD, tl, \
	    category, priority, text)
#define TIMELINE_EVENT_SCOPE(tl, category, priority, text) \
	TIMELINE_PLACE_(span, TIMELINE_SPAN, TIMELINE_THREAD, tl, category, \
	    priority, text)
#define TIMELINE_EVENT_SOURCE(tl, category, priority, text) \
	TIMELINE_PLACE_(span, TIMELINE_SPAN, TIMELINE_SOURCE, tl, category, \
	    priority, text)
#define TIMELINE_EVENT_TIMER(tl, category, priority, text) \
	TIMELINE_PLACE_(timer, TIMELINE_TIMER, TIMELINE_THREAD, tl, category, \
	    priority, text)

#endif
