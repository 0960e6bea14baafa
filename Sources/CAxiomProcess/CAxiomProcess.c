// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CAxiomProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// MARK: Allocations

static const struct axiom_allocation_counts not_counted = {-1, -1, -1};

#if defined(__ELF__)

// Defined in CAxiomCounters, which only some programs link.
extern struct axiom_allocation_counts axiom_allocation_counter_read(void) __attribute__((weak));

struct axiom_allocation_counts axiom_allocation_counts_now(void) {
    return axiom_allocation_counter_read ? axiom_allocation_counter_read() : not_counted;
}

#else

struct axiom_allocation_counts axiom_allocation_counts_now(void) {
    return not_counted;
}

#endif

// MARK: References

static _Atomic int64_t retains, releases;

#if defined(__ELF__)

// The runtime's hooks for instruments, absent in runtimes that have none.
extern void *(*_swift_retain)(void *) __attribute__((weak));
extern void *(*_swift_retain_n)(void *, uint32_t) __attribute__((weak));
extern void (*_swift_release)(void *) __attribute__((weak));
extern void (*_swift_release_n)(void *, uint32_t) __attribute__((weak));
extern _Atomic bool _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly
    __attribute__((weak));

// Callers of the runtime's functions rely on more registers being preserved than C promises.
#define keeps_registers __attribute__((preserve_most))

static void *(*real_retain)(void *);
static void *(*real_retain_n)(void *, uint32_t);
static void (*real_release)(void *);
static void (*real_release_n)(void *, uint32_t);

keeps_registers static void *counting_retain(void *object) {
    atomic_fetch_add_explicit(&retains, 1, memory_order_relaxed);
    return real_retain(object);
}

keeps_registers static void *counting_retain_n(void *object, uint32_t count) {
    atomic_fetch_add_explicit(&retains, count, memory_order_relaxed);
    return real_retain_n(object, count);
}

keeps_registers static void counting_release(void *object) {
    atomic_fetch_add_explicit(&releases, 1, memory_order_relaxed);
    real_release(object);
}

keeps_registers static void counting_release_n(void *object, uint32_t count) {
    atomic_fetch_add_explicit(&releases, count, memory_order_relaxed);
    real_release_n(object, count);
}

int axiom_count_references(void) {
    if (!&_swift_retain || !&_swift_release || !&_swift_retain_n || !&_swift_release_n) return 0;
    if (!&_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly) return 0;
    if (real_retain) return 1;
    real_retain = _swift_retain;
    real_retain_n = _swift_retain_n;
    real_release = _swift_release;
    real_release_n = _swift_release_n;
    _swift_retain = (__typeof__(_swift_retain))(void *)counting_retain;
    _swift_retain_n = (__typeof__(_swift_retain_n))(void *)counting_retain_n;
    _swift_release = (__typeof__(_swift_release))(void *)counting_release;
    _swift_release_n = (__typeof__(_swift_release_n))(void *)counting_release_n;
    _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly = true;
    return 1;
}

#else

int axiom_count_references(void) {
    return 0;
}

#endif

struct axiom_reference_counts axiom_reference_counts_now(void) {
    struct axiom_reference_counts counts = {retains, releases};
    return counts;
}

// MARK: Instructions

#if defined(__linux__)

int axiom_open_instruction_counter(void) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.inherit = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 8UL /* PERF_FLAG_FD_CLOEXEC */);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int64_t axiom_read_instruction_counter(int descriptor) {
    struct {
        uint64_t value, enabled, running;
    } reading;
    if (read(descriptor, &reading, sizeof reading) != sizeof reading) return -1;
    return reading.enabled == reading.running ? (int64_t)reading.value : -1;
}

int axiom_pin_to_processor(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

int axiom_allowed_processors(uint64_t mask[16]) {
    cpu_set_t set;
    CPU_ZERO(&set);
    memset(mask, 0, 16 * sizeof *mask);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    for (int processor = 0; processor < 1024; processor++) {
        if (CPU_ISSET(processor, &set)) mask[processor / 64] |= 1ULL << (processor % 64);
    }
    return CPU_COUNT(&set);
}

void axiom_die_with_parent(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

#else

int axiom_open_instruction_counter(void) {
    return -ENOSYS;
}

int64_t axiom_read_instruction_counter(int descriptor) {
    (void)descriptor;
    return -1;
}

int axiom_pin_to_processor(int processor) {
    (void)processor;
    return ENOSYS;
}

int axiom_allowed_processors(uint64_t mask[16]) {
    memset(mask, 0, 16 * sizeof *mask);
    return 0;
}

void axiom_die_with_parent(void) {}

#endif

int axiom_private_pipe(int descriptors[2]) {
    if (pipe(descriptors) != 0) return -1;
    for (int end = 0; end < 2; end++) fcntl(descriptors[end], F_SETFD, FD_CLOEXEC);
    return 0;
}

int axiom_private_file(const char *folder) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/axiom-worker.XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int descriptor = mkstemp(path);
    if (descriptor < 0) return -1;
    unlink(path);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    // Two streams append here, so that neither overwrites the other.
    fcntl(descriptor, F_SETFL, O_APPEND);
    return descriptor;
}

// MARK: Valgrind

// The instruction sequences that valgrind recognizes (its documentation, "The client request mechanism"): rotations that
// cancel out on a processor. They are written here so that the build needs no header of valgrind.
static uint64_t client_request(uint64_t request) {
    volatile uint64_t arguments[6] = {request, 0, 0, 0, 0, 0};
    uint64_t result = 0;
#if defined(__x86_64__) && defined(__linux__)
    __asm__ volatile(
        "rolq $3, %%rdi ; rolq $13, %%rdi ; rolq $61, %%rdi ; rolq $51, %%rdi ; xchgq %%rbx, %%rbx"
        : "=d"(result)
        : "a"(&arguments[0]), "0"(result)
        : "cc", "memory");
#elif defined(__aarch64__) && defined(__linux__)
    __asm__ volatile(
        "mov x3, %1 ; mov x4, %2 ; ror x12, x12, #3 ; ror x12, x12, #13 ; ror x12, x12, #51 ; ror x12, x12, #61 ; "
        "orr x10, x10, x10 ; mov %0, x3"
        : "=r"(result)
        : "r"((uint64_t)0), "r"(&arguments[0])
        : "cc", "memory", "x3", "x4");
#else
    (void)arguments;
#endif
    return result;
}

int axiom_runs_on_valgrind(void) {
    return client_request(0x1001) != 0;
}

enum { callgrind_base = 'C' << 24 | 'T' << 16 };

void axiom_callgrind_start(void) {
    client_request(callgrind_base + 4);
}

void axiom_callgrind_stop(void) {
    client_request(callgrind_base + 5);
}
