/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same.cc - calls of timeline.h and of timeline.hpp, to be compared as machine
 * code: NAME_c and NAME_cpp.
 */
#include <timeline.hpp>

struct none {
	static constexpr const char *get()
	{
		return "none";
	}
};
struct request {
	static constexpr const char *get()
	{
		return "request $id%u took $us%f by $who";
	}
};

extern "C" {
void none_c(timeline_event *e);
void none_cpp(timeline_cpp::event<none> e);
void log_c(timeline_event *e, unsigned id, double us, short who);
void log_cpp(timeline_cpp::event<request> e, unsigned id, double us, short who);
void find_c(timeline_event **e, const long *p);
void find_cpp(timeline_cpp::event<request> *e, const long *p);

void
none_c(timeline_event *e)
{
	timeline_log(e);
}
void
none_cpp(timeline_cpp::event<none> e)
{
	e();
}
void
log_c(timeline_event *e, unsigned id, double us, short who)
{
	timeline_log(e, id, us, who);
}
void
log_cpp(timeline_cpp::event<request> e, unsigned id, double us, short who)
{
	e(id, us, who);
}
void
find_c(timeline_event **e, const long *p)
{
	timeline_log(*e, *p, 2.5, 'x');
}
void
find_cpp(timeline_cpp::event<request> *e, const long *p)
{
	(*e)(*p, 2.5, 'x');
}
}
