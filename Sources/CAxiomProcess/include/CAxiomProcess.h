// SPDX-License-Identifier: Apache-2.0

// What a benchmark's process needs from the system: counters of instructions, references and allocations, processors, and
// private pipes and files. And the ends of a measured computation, which a compiler cannot look into.

#ifndef AXIOM_PROCESS_H
#define AXIOM_PROCESS_H

#include <stdint.h>

/// The requests of all threads to the allocator so far; -1 each in a program that does not link CAxiomCounters.
struct axiom_allocation_counts {
    int64_t allocations;
    /// The bytes that were requested.
    int64_t bytes;
    int64_t frees;
};

/// The version of what is counted: numbers of different versions are not comparable.
#define AXIOM_ALLOCATION_COUNTER_VERSION 1

struct axiom_allocation_counts axiom_allocation_counts_now(void);

/// Retains and releases since axiom_count_references.
struct axiom_reference_counts {
    int64_t retains;
    int64_t releases;
};

/// Starts to count retains and releases, which makes each slower. 0 if the Swift runtime has no hooks for it.
int axiom_count_references(void);

struct axiom_reference_counts axiom_reference_counts_now(void);

/// Opens a counter of the instructions in user mode of this process and of threads that it starts later. Returns a
/// descriptor or -errno.
int axiom_open_instruction_counter(void);

/// The instructions so far; -1 if they cannot be read or the counter was shared with other events.
int64_t axiom_read_instruction_counter(int descriptor);

/// Whether the program runs under valgrind.
int axiom_runs_on_valgrind(void);

/// Start and stop counting under callgrind; no effect otherwise.
void axiom_callgrind_start(void);
void axiom_callgrind_stop(void);

/// Pins the calling thread, and threads that it starts later, to one processor. Returns 0 or errno.
int axiom_pin_to_processor(int processor);

/// The processors on which this process may run, in the bits of `mask`. Returns their number.
int axiom_allowed_processors(uint64_t mask[16]);

/// Open a pipe, or a file without a name, that child processes do not inherit. The pipe returns 0, the file its
/// descriptor; both return -1 with errno.
int axiom_private_pipe(int descriptors[2]);
int axiom_private_file(const char *folder);

/// Kills this process when its parent dies.
void axiom_die_with_parent(void);

/// Reads `value` and all memory, as far as the optimiser knows. No instruction is emitted.
static inline __attribute__((always_inline)) void axiom_sink(const void *value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

/// Replaces `value` and all memory, as far as the optimiser knows. No instruction is emitted.
static inline __attribute__((always_inline)) void axiom_replace(void *value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

#endif
