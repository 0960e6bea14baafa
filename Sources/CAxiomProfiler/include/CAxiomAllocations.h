// SPDX-License-Identifier: Apache-2.0

// The functions of CAxiomHeap, which only some programs link.

#ifndef AXIOM_ALLOCATIONS_H
#define AXIOM_ALLOCATIONS_H

#include "CAxiomProfiler.h"

/// Sampled allocations since the program started. Living blocks are `sampled - freed - dropped`.
struct axiom_heap_counts {
    int64_t sampled;
    /// Blocks that were freed after they were sampled.
    int64_t freed;
    /// Samples that `drain` does not deliver, because more than 256 came between two calls of it.
    int64_t lost;
    /// Blocks that `live` does not deliver, because the table of living blocks has no place for them.
    int64_t dropped;
};

struct axiom_heap {
    /// Begins to sample: the mean distance of two samples is `interval` bytes of the allocations of a thread. The seed of the
    /// distances may be 0 for one from the clock. Returns 0, EINVAL for an interval of 0, EBUSY while it samples, or ENOMEM.
    int (*_Nonnull start)(uint64_t interval, uint64_t seed);
    /// Ends it. Blocks that were sampled are followed until they are freed.
    void (*_Nonnull stop)(void);
    /// Delivers the samples since the last call. The amount of a sample is the bytes that it stands for.
    void (*_Nonnull drain)(void *_Nullable context, axiom_take_sample _Nonnull take);
    /// Delivers the sampled blocks that are not freed yet.
    void (*_Nonnull live)(void *_Nullable context, axiom_take_sample _Nonnull take);
    struct axiom_heap_counts (*_Nonnull counts)(void);
};

#if defined(__linux__)
extern const struct axiom_heap *_Nullable axiom_heap_linked(void) __attribute__((weak));

/// Null in a program that does not link CAxiomHeap, or in which another replacement of malloc is in its place.
static inline const struct axiom_heap *_Nullable axiom_heap_if_linked(void) {
    return axiom_heap_linked ? axiom_heap_linked() : 0;
}
#endif

#endif
