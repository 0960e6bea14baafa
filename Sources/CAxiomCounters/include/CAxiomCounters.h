// SPDX-License-Identifier: Apache-2.0

// Counts what a program does. It takes the place of malloc in the program that it is linked into, which should be a
// benchmark: hence a target of its own, which no library for applications links.

#ifndef AXIOM_COUNTERS_H
#define AXIOM_COUNTERS_H

#include <stdint.h>

/// What all threads of the program have asked of the allocator so far.
struct axiom_allocation_counts {
    /// How often memory was asked for; -1 where that cannot be counted.
    int64_t allocations;
    /// How many bytes were asked for.
    int64_t bytes;
    /// How often memory was given back.
    int64_t frees;
};

/// The version of what is counted: numbers of different versions are not comparable.
#define AXIOM_ALLOCATION_COUNTER_VERSION 1

struct axiom_allocation_counts axiom_allocation_counts_now(void);

/// How often references were retained and released since axiom_count_references.
struct axiom_reference_counts {
    int64_t retains;
    int64_t releases;
};

/// Counts retains and releases from now on, which makes each slower. 0 when the Swift runtime has no hooks for it.
int axiom_count_references(void);

struct axiom_reference_counts axiom_reference_counts_now(void);

/// Opens a counter of the instructions that this process and the threads it will start execute in user mode. Returns a
/// descriptor, or -errno.
int axiom_open_instruction_counter(void);

/// The instructions until now; -1 when they cannot be read, or the counter had to be shared with others.
int64_t axiom_read_instruction_counter(int descriptor);

/// Whether the program runs under valgrind.
int axiom_runs_on_valgrind(void);

/// Has callgrind begin, or end, to count; does nothing outside of it.
void axiom_callgrind_start(void);
void axiom_callgrind_stop(void);

/// Puts the calling thread, and those that it starts later, on one processor. Returns 0 or errno.
int axiom_pin_to_processor(int processor);

/// The processors on which this process may run, in the bits of `mask`; returns how many they are.
int axiom_allowed_processors(uint64_t mask[16]);

/// Makes a pipe, and a file without a name, that programs which are started do not inherit. 0 and a descriptor, or -1
/// with errno.
int axiom_private_pipe(int descriptors[2]);
int axiom_private_file(const char *folder);

/// Has this process killed when its parent dies.
void axiom_die_with_parent(void);

#endif
