// SPDX-License-Identifier: Apache-2.0

#include "CAxiomSupport.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__linux__)
// glibc and musl.
#include <malloc.h>
#endif

AXIOM_THREAD_LOCAL uint32_t axiom_shard_of_thread = 0;

uint32_t axiom_shard_count(void) {
    // The first callers compute it; all of them get the same result.
    static _Atomic uint32_t known = 0;
    uint32_t count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count) return count;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    count = 4;
    while ((long)count < 2 * processors && count < 64) count *= 2;
    uint32_t other = 0;
    // The number of processors may change; the number of shards must not.
    return atomic_compare_exchange_strong(&known, &other, count) ? count : other;
}

uint32_t axiom_shard_advance(void) {
    // Threads that start one after the other get consecutive shards and do not meet until all shards are in use.
    static _Atomic uint32_t next = 0;
    uint32_t shard = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) & (axiom_shard_count() - 1);
    axiom_shard_of_thread = shard + 1;
    return shard;
}

int64_t axiom_heap_bytes(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}

size_t axiom_block_bytes(const void *block) {
#if defined(__APPLE__)
    return malloc_size(block);
#elif defined(__linux__)
    return malloc_usable_size((void *)block);
#else
    (void)block;
    return 0;
#endif
}
