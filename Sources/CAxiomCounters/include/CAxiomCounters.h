// SPDX-License-Identifier: Apache-2.0

// Counters of allocations, references and instructions. This target replaces malloc in every program that links it.
// Therefore only benchmarks link it, and no library for applications does.

#ifndef AXIOM_COUNTERS_H
#define AXIOM_COUNTERS_H

#include <stdint.h>

/// The calls of the allocator by all threads of the program so far.
struct axiom_allocation_counts {
    /// The number of allocations; -1 if they cannot be counted.
    int64_t allocations;
    /// The number of requested bytes.
    int64_t bytes;
    /// The number of deallocations.
    int64_t frees;
};

/// The version of the definition of the counts. Counts of different versions are not comparable.
#define AXIOM_ALLOCATION_COUNTER_VERSION 1

struct axiom_allocation_counts axiom_allocation_counts_now(void);

/// The numbers of retains and releases since axiom_count_references.
struct axiom_reference_counts {
    int64_t retains;
    int64_t releases;
};

/// Starts to count retains and releases, which makes each slower. Returns 0 if the Swift runtime has no hooks for that.
int axiom_count_references(void);

struct axiom_reference_counts axiom_reference_counts_now(void);

/// Opens a counter of the instructions that this process and its future threads execute in user mode. Returns a
/// descriptor, or -errno.
int axiom_open_instruction_counter(void);

/// The number of instructions so far; -1 if it cannot be read, or if the counter was multiplexed with others.
int64_t axiom_read_instruction_counter(int descriptor);

/// Whether the program runs under valgrind.
int axiom_runs_on_valgrind(void);

/// Starts or stops the counts of callgrind. Has no effect outside of callgrind.
void axiom_callgrind_start(void);
void axiom_callgrind_stop(void);

/// Pins the calling thread, and threads that it starts later, to one processor. Returns 0 or errno.
int axiom_pin_to_processor(int processor);

/// Sets the bits of `mask` to the processors on which this process may run, and returns their number.
int axiom_allowed_processors(uint64_t mask[16]);

/// Creates a pipe, or an unnamed file, that child processes do not inherit. The first returns 0 and the second a
/// descriptor; both return -1 and set errno on failure.
int axiom_private_pipe(int descriptors[2]);
int axiom_private_file(const char *folder);

/// Makes the kernel kill this process when its parent dies.
void axiom_die_with_parent(void);

#endif
