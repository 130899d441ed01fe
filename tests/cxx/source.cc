/* SPDX-License-Identifier: Apache-2.0 */
/* source.cc - timeline_source.h. */
#include <timeline_source.h>

#include <cstdio>

int
main(int argc, char **argv)
{
	struct timeline *tl;
	struct timeline_source *source;

	if (argc < 2 || timeline_new(&tl, argv[1], NULL) != 0 ||
	    timeline_source_new(&source, tl, "GameThread") != 0)
		return 1;
	{
		timeline_source_scope(source);
		timeline_source_scope(source);
		printf("%d\n",
		    static_cast<int>(timeline_source_activity(source)));
	}
	try {
		timeline_source_scope(source);
		throw 1;
	} catch (int) {
	}
	printf("%d\n", static_cast<int>(timeline_source_activity(source)));
	timeline_source_free(source);
	timeline_close(tl);
	return 0;
}
