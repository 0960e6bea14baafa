// SPDX-License-Identifier: Apache-2.0

// The sampled blocks that live, and the samples that were not read yet. Nothing here locks or waits: a signal handler, a fork or
// the end of a thread leaves nothing locked.

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "CAxiomProfiler.h"

enum {
    bucket_size = 64,
    bucket_count = 64,
    /// The slots before are for blocks that live, and the others are a ring.
    live_count = bucket_count * bucket_size,
    ring_count = 256,
    slot_count = live_count + ring_count,
    filter_bits = 14,
    /// Outer frames of a sample are not stored.
    stored_frames = 48,
    stored_words = offsetof(struct axiom_sample, frames) / sizeof(uint64_t) + stored_frames,
};

/// The words are atomic, because `get` may read while another block takes the slot; then the version tells it.
struct record {
    _Atomic uint64_t version, words[stored_words];
};
typedef uint64_t __attribute__((may_alias)) word;

/// What a slot holds: nothing, what a thread is writing now, a sample of the ring, or the living block at an address.
enum { slot_free = 0, slot_written = 1, slot_recent = 2 };
static _Atomic uintptr_t slots[slot_count];
static struct record *records;

/// How many living blocks have a hash: nearly each block that is freed finds 0. It cannot overflow, because blocks of equal hashes
/// share a bucket.
static _Atomic uint8_t filter[1 << filter_bits];

static inline unsigned hash(const void *memory) {
    return (unsigned)(((uint64_t)(uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15u >> (64 - filter_bits));
}

/// The first slot of the bucket. The upper bits of the product are even for blocks at equal distances.
static inline int bucket(unsigned hash) {
    return (int)(hash / ((1 << filter_bits) / bucket_count)) * bucket_size;
}

/// The first slots of all buckets have adjacent records, so that few blocks use few pages.
static inline struct record *record_of(int slot) {
    return &records[slot < live_count ? slot % bucket_size * bucket_count + slot / bucket_size : slot];
}

/// Returns false without memory. It is never released, because a thread may still write when sampling has ended.
static bool make_records(void) {
    if (records) return true;
    size_t size = slot_count * sizeof(struct record);
    void *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    // A huge page would use memory that no sample needs.
    madvise(memory, size, MADV_NOHUGEPAGE);
    records = memory;
    return true;
}

static bool replace(int slot, uintptr_t old, uintptr_t new) {
    if (atomic_load_explicit(&slots[slot], memory_order_relaxed) != old) return false;
    return atomic_compare_exchange_strong(&slots[slot], &old, new);
}

/// Stores a sample in a free slot of a range, which then holds `content`.
static bool put(int first, int count, uintptr_t content, const struct axiom_sample *sample) {
    int slot = first;
    while (slot < first + count && !replace(slot, slot_free, slot_written)) slot++;
    if (slot == first + count) return false;
    struct record *record = record_of(slot);
    atomic_fetch_add_explicit(&record->version, 1, memory_order_release);
    atomic_thread_fence(memory_order_release);
    for (int index = 0; index < stored_words; index++) {
        atomic_store_explicit(&record->words[index], ((const word *)sample)[index], memory_order_relaxed);
    }
    atomic_store_explicit(&slots[slot], content, memory_order_release);
    return true;
}

/// Copies what a slot holds. Returns false if it holds nothing, or something else afterwards.
static bool get(int slot, struct axiom_sample *sample) {
    if (!records) return false;
    struct record *record = record_of(slot);
    // The version first: once it is that of a sample, the slot holds nothing, or the whole sample.
    uint64_t version = atomic_load_explicit(&record->version, memory_order_acquire);
    uintptr_t content = atomic_load_explicit(&slots[slot], memory_order_acquire);
    if (content <= slot_written) return false;
    for (int index = 0; index < stored_words; index++) {
        ((word *)sample)[index] = atomic_load_explicit(&record->words[index], memory_order_relaxed);
    }
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&slots[slot], memory_order_relaxed) == content
        && atomic_load_explicit(&record->version, memory_order_relaxed) == version;
}

/// Returns false if the bucket is full.
static bool put_live(void *memory, const struct axiom_sample *sample) {
    unsigned hashed = hash(memory);
    atomic_fetch_add_explicit(&filter[hashed], 1, memory_order_relaxed);
    if (put(bucket(hashed), bucket_size, (uintptr_t)memory, sample)) return true;
    atomic_fetch_sub_explicit(&filter[hashed], 1, memory_order_relaxed);
    return false;
}

static inline bool may_be_live(void *memory) {
    return __builtin_expect(atomic_load_explicit(&filter[hash(memory)], memory_order_relaxed) != 0, 0);
}

/// Returns whether the block was in the table.
static bool remove_live(void *memory) {
    unsigned hashed = hash(memory);
    int slot = bucket(hashed), end = slot + bucket_size;
    while (slot < end && !replace(slot, (uintptr_t)memory, slot_free)) slot++;
    if (slot == end) return false;
    atomic_fetch_sub_explicit(&filter[hashed], 1, memory_order_relaxed);
    return true;
}
