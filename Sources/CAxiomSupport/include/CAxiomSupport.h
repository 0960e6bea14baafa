// SPDX-License-Identifier: Apache-2.0

// What Swift lacks: a thread-local variable without a function call, and the statistics of malloc.

#ifndef AXIOM_SUPPORT_H
#define AXIOM_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__ELF__)
// One load from a fixed offset instead of a call.
#define AXIOM_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#else
#define AXIOM_THREAD_LOCAL __thread
#endif

/// The shard of this thread plus 1; 0 if it has none yet.
extern AXIOM_THREAD_LOCAL uint32_t axiom_shard_of_thread;

/// The number of shards: a power of two, at least twice the number of processors, 4...64.
uint32_t axiom_shard_count(void);

/// Assigns this thread another shard and returns it.
uint32_t axiom_shard_advance(void);

/// The shard of this thread, below axiom_shard_count(). It changes only in axiom_shard_advance().
static inline uint32_t axiom_shard(void) {
    uint32_t shard = axiom_shard_of_thread;
    return shard ? shard - 1 : axiom_shard_advance();
}

/// The shard of this thread plus 1; 0 if it has none yet. Unlike axiom_shard() it calls no function.
static inline uint32_t axiom_shard_plus_one(void) {
    return axiom_shard_of_thread;
}

/// The bytes that malloc has allocated and not freed; -1 if they are not known.
int64_t axiom_heap_bytes(void);

/// The bytes that malloc gave this block, at least as many as requested; 0 if they are not known. `block` must be the
/// start of a living block of malloc, or null.
size_t axiom_block_bytes(const void *block);

#endif
