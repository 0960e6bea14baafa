// SPDX-License-Identifier: Apache-2.0

// Functions that a profiler must name, and what disturbs one.

#ifndef AXIOM_PLANTED_CODE_H
#define AXIOM_PLANTED_CODE_H

#include <stddef.h>
#include <stdint.h>

/// Uses a value, so that no compiler of another language leaves out or moves what makes it.
void planted_keep(uint64_t value);

/// The value, which a compiler of another language takes for another one at each call.
uint64_t planted_same(uint64_t value);

/// Burns the processor for `rounds` rounds of some nanoseconds.
uint64_t planted_c_burn(uint64_t rounds);

/// Does the same without a frame pointer, and calls a function that has none either.
uint64_t planted_frameless_burn(uint64_t rounds);

/// Lets qsort(3), which has no frame pointers, sort random numbers by a function that burns the processor for some rounds.
uint64_t planted_sort(uint64_t rounds);

enum { planted_action_count = 10 };

/// Burns the processor in the function `planted_action_<action>`, or in `planted_detached` for another number.
uint64_t planted_action_burn(int action, uint64_t rounds);

/// Starts threads that burn the processor for `rounds` rounds each, and waits for their ends. Returns how many were started.
int planted_threads(int count, uint64_t rounds);

/// Forks a process that burns the processor and ends. Returns the status of waitpid(2), or -1.
int planted_fork(uint64_t rounds);

/// Loads a library that this program does not use, calls nothing, and unloads it. Returns whether there is one.
int planted_load(void);

/// Makes process_vm_readv(2) fail from now on, as a seccomp profile does. Returns 0, or -1.
int planted_forbid_reading(void);

/// Counts a signal of the application from now on. Returns 0, or -1.
int planted_count_signal(int signal);

/// How many signals were counted.
uint64_t planted_signals(void);

enum { planted_tree_size = 48, planted_tree_width = 6 };

/// What each of the functions `planted_node_<number>` does: its own rounds of some nanoseconds, and then its callees.
struct planted_tree {
    uint32_t rounds[planted_tree_size];
    uint8_t counts[planted_tree_size];
    uint8_t callees[planted_tree_size][planted_tree_width];
};

/// Calls the function 0.
uint64_t planted_tree_run(const struct planted_tree *tree);

/// The frame pointer of the calling function.
uintptr_t planted_frame(void);

#endif
