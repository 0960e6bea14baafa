// SPDX-License-Identifier: Apache-2.0

#include "CAxiomCounters.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// Each thread counts in its own slot, so that counting shares no cache line; the last slot is for all further threads. A
// slot is never reused, so the counts of threads that ended stay in the sum.
enum { slot_count = 512 };
struct slot {
    _Atomic int64_t allocations, bytes, frees;
    char padding[104];
};
static struct slot slots[slot_count + 1];
static _Atomic int slots_taken = 0;
static __thread __attribute__((tls_model("initial-exec"))) struct slot *own = 0;

static struct slot *slot_of_thread(void) {
    if (__builtin_expect(own != 0, 1)) return own;
    int taken = atomic_fetch_add_explicit(&slots_taken, 1, memory_order_relaxed);
    own = &slots[taken < slot_count ? taken : slot_count];
    return own;
}

static inline void add(struct slot *slot, _Atomic int64_t *count, int64_t amount) {
    if (slot == &slots[slot_count]) {
        atomic_fetch_add_explicit(count, amount, memory_order_relaxed);
    } else {
        // Only this thread writes here.
        int64_t now = atomic_load_explicit(count, memory_order_relaxed);
        atomic_store_explicit(count, now + amount, memory_order_relaxed);
    }
}

static inline void count_allocation(size_t size) {
    struct slot *slot = slot_of_thread();
    add(slot, &slot->allocations, 1);
    add(slot, &slot->bytes, (int64_t)size);
}

struct axiom_allocation_counts axiom_allocation_counter_read(void) {
    struct axiom_allocation_counts sum = {0, 0, 0};
    int taken = atomic_load_explicit(&slots_taken, memory_order_relaxed);
    for (int index = 0; index <= slot_count && index < taken + 1; index++) {
        sum.allocations += atomic_load_explicit(&slots[index].allocations, memory_order_relaxed);
        sum.bytes += atomic_load_explicit(&slots[index].bytes, memory_order_relaxed);
        sum.frees += atomic_load_explicit(&slots[index].frees, memory_order_relaxed);
    }
    return sum;
}

#define INTERPOSER_LINKAGE
// A bad alignment would only be an error of a benchmark, and a check would change what benchmarks count as instructions.
enum { checks_alignment = false };

static inline bool allocating(size_t size) {
    count_allocation(size);
    return false;
}

static inline void *allocated(void *memory, size_t size, void *caller, uintptr_t *frame) {
    return memory;
}

static inline void freeing(void *memory) {
    struct slot *slot = slot_of_thread();
    add(slot, &slot->frees, 1);
}

static inline void moving(void *memory) {}

#include "Interposer.h"

#endif
