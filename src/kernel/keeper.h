/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - what the two ways to a keeper share: a client that forks its own
 * (keeper.c), and the service (service.c).
 */
#ifndef TL_KERNEL_KEEPER_H
#define TL_KERNEL_KEEPER_H

#include "kernel/kernel.h"

#define TL_KEEPER_MAGIC UINT32_C(0x6b656570)

/* The datagram that asks the service for a keeper; one end of a socketpair of
 * type SOCK_SEQPACKET comes with it. */
struct tl_keeper_request {
	uint32_t magic;
	uint32_t faults; /* 0 or 1 */
	uint64_t size;
	char name[64];
};

/* Is it one, and what does it ask for?  Nothing of it is trusted: 0 or
 * -EINVAL. */
int tl_keeper_request_check(const struct tl_keeper_request *request,
    size_t size, struct tl_kernel_plan *plan);

/* Keep an instance in this process until the socket's other end is closed.
 * instances below 0: send the fault. */
_Noreturn void tl_keeper_keep(int socket, int instances,
    const struct tl_fault *fault, const struct tl_kernel_plan *plan);
void tl_keeper_give_up_capabilities(void);
/* Begin a client: it has no files yet, and the two ends of a socketpair, the
 * second for its keeper.  0; -errno, and the fault: there is no pair. */
int tl_kernel_begin(struct tl_kernel *k, int ends[2], struct tl_fault *fault);

#endif
