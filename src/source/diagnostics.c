/* SPDX-License-Identifier: Apache-2.0 */
/* diagnostics.c - report the faults of sources. */
#include "source/diagnostics.h"

void
tl_warn_more(tl_warn *warn, const char *name, size_t count)
{
	struct tl_fault more = { 0 };

	tl_fail(&more, 0, "and %zu more", count);
	warn(name, &more);
}

void
tl_warn_sources(tl_warn *warn, const struct tl_sources *sources, bool quiet)
{
	for (size_t i = 0; i < sources->count; i++) {
		const struct tl_source *source = &sources->items[i];
		const size_t kept = tl_source_faults_kept(source);
		const size_t count = tl_source_fault_count(source);

		for (size_t k = 0; k < kept; k++) {
			const struct tl_fault *fault =
			    tl_source_fault(source, k);

			if (fault->text[0] && !(quiet && fault->rc == 0))
				warn(source->name, fault);
		}
		if (count > kept)
			tl_warn_more(warn, source->name, count - kept);
	}
}
