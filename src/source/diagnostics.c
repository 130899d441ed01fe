/* SPDX-License-Identifier: Apache-2.0 */
/* complain.c - what is wrong with the inputs. */
#include "source/diagnostics.h"

void
tl_complain_more(tl_complain *complain, const char *name, size_t count)
{
	struct tl_fault more = { 0 };

	tl_fault(&more, 0, TL_FAULT_NOWHERE, "and %zu more", count);
	complain(name, &more);
}

static void
complain_input(tl_complain *complain, const struct tl_input *input, bool quiet)
{
	const size_t count = tl_input_fault_count(input);
	const size_t kept = tl_input_faults_kept(input);

	for (size_t k = 0; k < kept; k++) {
		const struct tl_fault *fault = tl_input_fault(input, k);

		if (fault->text[0] && !(quiet && fault->rc == 0))
			complain(input->name, fault);
	}
	if (count > kept)
		tl_complain_more(complain, input->name, count - kept);
}

void
tl_complain_inputs(tl_complain *complain, const struct tl_inputs *inputs,
    bool quiet)
{
	for (size_t i = 0; i < inputs->count; i++)
		complain_input(complain, &inputs->items[i], quiet);
}
