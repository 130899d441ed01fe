/* SPDX-License-Identifier: Apache-2.0 */
/* profiler.cc - timeline_profiler.h, which has no macro. */
#include <timeline_profiler.h>

#include <cstdio>

int
main(int argc, char **argv)
{
	struct timeline *tl;
	struct timeline_profiler *profiler;

	if (argc < 2 || timeline_new(&tl, argv[1], NULL) != 0 ||
	    timeline_profiler_new(&profiler, tl) != 0)
		return 1;
	timeline_profiler_mark_begin(profiler, "camera.read");
	timeline_profiler_mark_end(profiler, "camera.read");
	printf("%d\n", static_cast<int>(timeline_profiler_lost(profiler)));
	timeline_profiler_close(profiler);
	timeline_close(tl);
	return 0;
}
