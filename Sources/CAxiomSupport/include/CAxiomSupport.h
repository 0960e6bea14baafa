// SPDX-License-Identifier: Apache-2.0

// The little that Swift cannot say: a thread-local number, and the allocator's own statistics.

#ifndef AXIOM_SUPPORT_H
#define AXIOM_SUPPORT_H

#include <stdint.h>

#if defined(__ELF__)
// One load from a fixed offset instead of a call.
#define AXIOM_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#else
#define AXIOM_THREAD_LOCAL __thread
#endif

/// One more than the shard of this thread; 0 while it has none.
extern AXIOM_THREAD_LOCAL uint32_t axiom_shard_of_thread;

/// How many shards there are: a power of two, twice the processors or more, 4...64.
uint32_t axiom_shard_count(void);

/// Gives this thread another shard and returns it.
uint32_t axiom_shard_advance(void);

/// The shard of this thread, below axiom_shard_count(). It is the same until it is advanced.
static inline uint32_t axiom_shard(void) {
    uint32_t shard = axiom_shard_of_thread;
    return shard ? shard - 1 : axiom_shard_advance();
}

/// The bytes that the program has allocated and not freed, as malloc counts them; -1 where it does not tell.
int64_t axiom_heap_bytes(void);

#endif
