// SPDX-License-Identifier: Apache-2.0

#include "CAxiomSupport.h"

#if defined(__linux__)
// Links, addresses and the small calls that Swift's import of the C library lacks.

#include <errno.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

AXIOM_THREAD_LOCAL uint32_t axiom_number_of_thread = 0;

uint32_t axiom_thread_assign_number(void) {
    // The kernel's numbers of threads are below 2^22.
    axiom_number_of_thread = (uint32_t)syscall(SYS_gettid);
    return axiom_number_of_thread;
}

void axiom_futex_wait(const void *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void axiom_futex_wake_one(const void *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int axiom_netlink_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int code = errno;
    close(descriptor);
    return -code;
}

int axiom_netlink_dump(int descriptor, uint16_t type, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        struct ifinfomsg body;
    } request;
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = type;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = sequence;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    for (;;) {
        long sent = sendto(descriptor, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel);
        if (sent >= 0) return 0;
        if (errno != EINTR) return -errno;
    }
}

long axiom_netlink_receive(int descriptor, void *buffer, size_t size) {
    struct sockaddr_nl sender = {0};
    struct iovec part = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
    long count = recvmsg(descriptor, &message, 0);
    if (count < 0) return -errno;
    // Other programs may send datagrams too.
    if (sender.nl_pid != 0) return 0;
    return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : count;
}

int axiom_eventfd(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int axiom_is_kernel_file(int descriptor) {
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0) return 0;
    return system.f_type == PROC_SUPER_MAGIC || system.f_type == CGROUP2_SUPER_MAGIC;
}

void axiom_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
#endif
