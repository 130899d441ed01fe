/* SPDX-License-Identifier: Apache-2.0 */
/* views.c - the texts in Lua that are part of the program. */
#include "base/array.h"
#include "base/embed.h"
#include "script/host.h"

#include <string.h>

TL_EMBED(tl_text_prelude, "src/script/prelude.lua")
#define VIEW(name, description) \
	TL_EMBED(tl_text_##name, "lua/views/" #name ".lua")
#include "script/views.def"
#undef VIEW

static const struct {
	struct tl_script_view view;
	const char *text;
	const char *end;
} views[] = {
#define VIEW(name, description) \
	{ { #name, description }, tl_text_##name, tl_text_##name##_end },
#include "script/views.def"
#undef VIEW
};

enum { COUNT = TL_COUNT(views) };

const struct tl_script_view *
tl_script_views(void)
{
	static const struct tl_script_view names[COUNT + 1] = {
#define VIEW(name, description) { #name, description },
#include "script/views.def"
#undef VIEW
	};

	return names;
}

bool
tl_view_find(const char *name, struct tl_bytes *text)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (strcmp(views[i].view.name, name) != 0)
			continue;
		*text = tl_bytes(views[i].text,
		    (size_t)(views[i].end - views[i].text));
		return true;
	}
	return false;
}

struct tl_bytes
tl_prelude(void)
{
	return tl_bytes(tl_text_prelude,
	    (size_t)(tl_text_prelude_end - tl_text_prelude));
}
