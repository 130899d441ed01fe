/* SPDX-License-Identifier: Apache-2.0 */
/* info_host.c - the part of --info that tells of the host of a file. */
#include "dump/info_host.h"

static const char *
state_of(const struct tl_host *host)
{
	if (host->clock.count == 0)
		return "unknown";
	return host->stated_us == TL_SYNC_UNBOUNDED ? "unsynchronised"
						    : "synchronised";
}

/* json_name: as tl_fields_duration makes it of the name. */
static void
put_bound(struct tl_fields *f, const char *name, const char *json_name,
    uint32_t sync_us)
{
	if (sync_us == TL_SYNC_UNBOUNDED)
		tl_fields_null(f, f->json ? json_name : name);
	else
		tl_fields_duration(f, name, (int64_t)sync_us * 1000);
}

void
tl_info_put_host(struct tl_fields *f, const struct tl_host *host)
{
	char boot_id[TL_ORIGIN_BOOT_SIZE];

	tl_origin_boot_text(host->origin.boot_id, boot_id);
	tl_fields_object(f, "host");
	tl_fields_string(f, "name", host->name);
	if (boot_id[0])
		tl_fields_string(f, "boot_id", boot_id);
	else
		tl_fields_null(f, "boot_id");
	tl_fields_string(f, "clock", state_of(host));
	put_bound(f, "clock_bound", "clock_bound_ns", host->stated_us);
	if (host->given_ns != 0 || host->is_fixed)
		tl_fields_duration(f, "offset", host->offset_ns);
	if (host->is_fixed) {
		tl_fields_bool(f, "reference", host->is_reference);
		put_bound(f, "bound", "bound_ns", host->sync_us);
		tl_fields_unsigned(f, "pairs", host->pairs);
	}
	tl_fields_object_end(f);
}
