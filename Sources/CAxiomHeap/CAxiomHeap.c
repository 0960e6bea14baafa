// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CAxiomHeap.h"

#include <math.h>
#include <stdlib.h>

// MARK: Distances and weights

// Each byte is sampled with the probability 1 / interval, as in a Poisson process. So an allocation is sampled with the probability
// 1 - exp(-size / interval), whatever was allocated before. The sizes of samples, each divided by it, estimate the sum of all.

double axiom_heap_weight(uint64_t size, uint64_t interval) {
    return (double)size / -expm1(-(double)size / (double)interval);
}

uint64_t axiom_heap_distance(uint64_t *random, uint64_t interval) {
    // SplitMix64
    uint64_t mixed = *random += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return (uint64_t)(-log((double)((mixed >> 11) + 1) * 0x1p-53) * (double)interval);
}

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "Blocks.h"

// MARK: The choice

/// The number of the sampling that runs; 0 while none does.
static _Atomic uint32_t current = 0;
static _Atomic uint64_t interval, seed, threads;
static _Atomic int64_t sampled, freed, lost, dropped;

static __thread __attribute__((tls_model("initial-exec"))) struct {
    /// The bytes before the next sampled one, and the sampling for which they were drawn.
    uint64_t distance;
    uint32_t run;
    /// Whether the thread stores a sample.
    bool is_busy;
    uint64_t random;
} own;

static __attribute__((noinline)) bool choose(size_t size, uint32_t run) {
    if (own.is_busy) return false;
    uint64_t mean = atomic_load_explicit(&interval, memory_order_relaxed);
    if (own.run != run) {
        own.run = run;
        // The states of threads are at least 2^40 draws apart.
        own.random = atomic_load(&seed) + (atomic_fetch_add(&threads, 1) << 40);
        own.distance = axiom_heap_distance(&own.random, mean);
    }
    bool is_sampled = size > own.distance;
    own.distance = is_sampled ? axiom_heap_distance(&own.random, mean) : own.distance - size;
    return is_sampled;
}

static inline bool allocating(size_t size) {
    uint32_t run = atomic_load_explicit(&current, memory_order_acquire);
    if (run == 0) return false;
    // Not said to be rare: the compiler would move the call of `allocated` out of malloc, whose frame that needs.
    if (own.run != run || size > own.distance) return choose(size, run);
    own.distance -= size;
    return false;
}

static __attribute__((noinline)) void *store(void *memory, size_t size, uintptr_t pc, uintptr_t fp, uintptr_t sp) {
    static _Atomic unsigned next = 0;
    if (!memory) return memory;
    int error = errno;
    own.is_busy = true;
    struct axiom_sample sample;
    axiom_capture(&sample, pc, fp, sp);
    sample.amount = (uint64_t)llround(axiom_heap_weight(size, atomic_load_explicit(&interval, memory_order_relaxed)));
    if (sample.frame_count > stored_frames) {
        sample.frame_count = stored_frames;
        sample.flags |= axiom_sample_is_cut;
    }
    int place = live_count + (int)(atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % ring_count);
    if (!put(place, 1, slot_recent, &sample)) atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
    if (!put_live(memory, &sample)) atomic_fetch_add_explicit(&dropped, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sampled, 1, memory_order_relaxed);
    own.is_busy = false;
    errno = error;
    return memory;
}

/// Stores a sample with the stack of malloc's caller. One byte before the return address is in the call, so that the first frame
/// is no return address.
static inline void *allocated(void *memory, size_t size, void *caller, uintptr_t *frame) {
    return store(memory, size, (uintptr_t)caller - 1, frame[0], (uintptr_t)(frame + 2));
}

static __attribute__((noinline)) void forget(void *memory) {
    if (remove_live(memory)) atomic_fetch_add_explicit(&freed, 1, memory_order_relaxed);
}

/// Before the block is freed, because another thread may get it at once.
static inline void freeing(void *memory) {
    if (may_be_live(memory)) forget(memory);
}

/// A block that is resized is freed and allocated. One that cannot be resized is not followed any more.
#define moving freeing

enum { checks_alignment = true };
// The counter of benchmarks wins if both are linked, as in a bundle of all tests.
#define INTERPOSER_LINKAGE __attribute__((weak))
#include "../CAxiomCounters/Interposer.h"

// MARK: The functions for AxiomProfiler

static void stop(void) {
    atomic_store(&current, 0);
}

/// The child does not have the threads that were writing.
static void after_fork(void) {
    stop();
    for (int slot = 0; slot < slot_count; slot++) replace(slot, slot_written, slot_free);
}

static int start(uint64_t bytes, uint64_t given) {
    static uint32_t runs = 0;
    if (bytes == 0) return EINVAL;
    if (atomic_load(&current) != 0) return EBUSY;
    if (!make_records() || (runs == 0 && pthread_atfork(0, 0, after_fork) != 0)) return ENOMEM;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    atomic_store(&seed, given ? given : (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec);
    atomic_store(&threads, 0);
    atomic_store(&interval, bytes);
    atomic_store(&current, ++runs);
    return 0;
}

static void drain(void *context, axiom_take_sample take) {
    struct axiom_sample sample;
    for (int slot = live_count; slot < slot_count; slot++) {
        if (!get(slot, &sample)) continue;
        atomic_store(&slots[slot], slot_free);
        take(context, &sample);
    }
}

static void live(void *context, axiom_take_sample take) {
    struct axiom_sample sample;
    for (int slot = 0; slot < live_count; slot++) {
        if (get(slot, &sample)) take(context, &sample);
    }
}

static struct axiom_heap_counts counts(void) {
    return (struct axiom_heap_counts){sampled, freed, lost, dropped};
}

static void *replacement(size_t size) __attribute__((alias("malloc")));

const struct axiom_heap *axiom_heap_linked(void) {
    static const struct axiom_heap functions = {start, stop, drain, live, counts};
    return malloc == replacement ? &functions : 0;
}

#endif
