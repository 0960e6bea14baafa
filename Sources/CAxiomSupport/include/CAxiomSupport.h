// SPDX-License-Identifier: Apache-2.0

// What Swift cannot express: a thread-local variable, and the statistics of the allocator.

#ifndef AXIOM_SUPPORT_H
#define AXIOM_SUPPORT_H

#include <stdint.h>

#if defined(__ELF__)
// One load from a fixed offset instead of a call.
#define AXIOM_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#else
#define AXIOM_THREAD_LOCAL __thread
#endif

/// The shard of this thread plus one; 0 if it has none yet.
extern AXIOM_THREAD_LOCAL uint32_t axiom_shard_of_thread;

/// The number of shards: a power of two in 4...64, and at least twice the number of processors if that is at most 64.
uint32_t axiom_shard_count(void);

/// Assigns another shard to this thread and returns it.
uint32_t axiom_shard_advance(void);

/// The shard of this thread, less than axiom_shard_count(). It changes only in axiom_shard_advance().
static inline uint32_t axiom_shard(void) {
    uint32_t shard = axiom_shard_of_thread;
    return shard ? shard - 1 : axiom_shard_advance();
}

/// The bytes that the program has allocated and not freed, as counted by malloc; -1 if malloc has no statistics.
int64_t axiom_heap_bytes(void);

#endif
