/* SPDX-License-Identifier: Apache-2.0 */
/* rtl.cc - timeline_rtl.h: each macro, with text, pointers and numbers. */
#include <timeline_rtl.h>

#include <cstdio>

/* The text lives as long as the expression that contains it. */
struct name {
	char text[16];

	explicit name(const char *file)
	{
		snprintf(text, sizeof(text), "%s.odt", file);
	}
	~name()
	{
		text[0] = '?';
	}
	const char *
	c_str() const
	{
		return text;
	}
};

static void
log_product(const char *file)
{
	RTL_LOGFILE_PRODUCT_CONTEXT(product, "Product::start");
	RTL_LOGFILE_PRODUCT_TRACE("product");
	RTL_LOGFILE_PRODUCT_TRACE1("product %s", "literal");
	RTL_LOGFILE_PRODUCT_CONTEXT_TRACE1(product, "loads %s",
	    name(file).c_str());
	(void)file;
}

static void
log_contexts(const char *file, char *changing)
{
	RTL_LOGFILE_CONTEXT(load, "Sfx::load");
	RTL_LOGFILE_CONTEXT_AUTHOR(save, "sfx2", "ab123456", "Sfx::save");
	RTL_LOGFILE_CONTEXT_TRACE(load, "no argument");
	RTL_LOGFILE_CONTEXT_TRACE1(load, "file %s", file);
	RTL_LOGFILE_CONTEXT_TRACE2(save, "file %s page %d", changing, 2);
	RTL_LOGFILE_CONTEXT_TRACE3(save, "%s %s %lu", file, "b", 3UL);
	(void)file;
	(void)changing;
}

static void
log_traces(const char *file)
{
	RTL_LOGFILE_TRACE("no argument");
	RTL_LOGFILE_TRACE1("Timing for loading file: %s", file);
	RTL_LOGFILE_TRACE1("no file: %s", static_cast<const char *>(nullptr));
	RTL_LOGFILE_TRACE1("nothing: %s", nullptr);
	RTL_LOGFILE_TRACE2("%f and %d", 0.5, -1);
	RTL_LOGFILE_TRACE3("%p %c %s", reinterpret_cast<void *>(16), 'c',
	    name(file).c_str());
	RTL_LOGFILE_TRACE_AUTHOR("sfx2", "ab123456", "author");
	RTL_LOGFILE_TRACE_AUTHOR1("sfx2", "ab123456", "%s", file);
	RTL_LOGFILE_TRACE_AUTHOR2("sfx2", "ab123456", "%s %u", file, 2u);
	RTL_LOGFILE_TRACE_AUTHOR3("sfx2", "ab123456", "%s %d %d", file, 2, 3);
	(void)file;
}

int
main()
{
	static const char file[] = "a";
	char changing[] = "b.odt";

	log_product(file);
	log_contexts(file, changing);
	log_traces(file);
	printf("%d %d\n", RTL_LOGFILE_HASLOGFILE() ? 1 : 0,
	    timeline_rtl_path() != NULL);
	return 0;
}
