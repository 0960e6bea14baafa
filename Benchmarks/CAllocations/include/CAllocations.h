// SPDX-License-Identifier: Apache-2.0

// Counts the allocations of the program it is linked into, which should be a benchmark: it takes the place of malloc.

#ifndef AXIOM_ALLOCATIONS_H
#define AXIOM_ALLOCATIONS_H

#include <stdint.h>

/// How often this thread has asked for memory so far; -1 where it cannot be counted.
int64_t axiom_allocations_of_thread(void);

#endif
