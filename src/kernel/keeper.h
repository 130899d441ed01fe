/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - the parts that the two ways to a keeper share: a client that forks
 * its own keeper (keeper.c), and the service (service.c).
 */
#ifndef TL_KERNEL_KEEPER_H
#define TL_KERNEL_KEEPER_H

#include "kernel/kernel.h"

#include <sys/un.h>

#define TL_KEEPER_MAGIC UINT32_C(0x6b656570)

/* The datagram that asks the service for a keeper.  One end of a socketpair of
 * type SOCK_SEQPACKET comes with the datagram. */
struct tl_keeper_request {
	uint32_t magic;
	uint32_t faults; /* 0 or 1 */
	uint64_t size;
	char name[64];
};

/* Check a request and set the plan.  No member of the request is trusted.
 * Returns 0 or -EINVAL. */
int tl_keeper_request_check(const struct tl_keeper_request *request,
    size_t size, struct tl_kernel_plan *plan);

/* Send data and a descriptor, or none if fd is -1: to the other end of a
 * socket, or, without waiting, to an address.  Returns 0 or -errno. */
int tl_keeper_send(int socket, const struct sockaddr_un *to, const void *data,
    size_t size, int fd);
/* Keep an instance in this process until the other end of the socket is closed.
 * If instances is below 0, send the fault. */
_Noreturn void tl_keeper_keep(int socket, int instances,
    const struct tl_fault *fault, const struct tl_kernel_plan *plan);
void tl_keeper_give_up_capabilities(void);
/* Begin a client without files, and make a socketpair; the second end is for
 * the keeper.  Returns 0, or -errno with a fault and no socketpair. */
int tl_kernel_begin(struct tl_kernel *k, int ends[2], struct tl_fault *fault);

#endif
