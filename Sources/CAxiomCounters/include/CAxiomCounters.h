// SPDX-License-Identifier: Apache-2.0

// Replaces malloc in the program that links this target, and counts allocations. Only benchmarks should link it: it is a
// target of its own, and AxiomBenchmarking finds it at run time if it is there.

#ifndef AXIOM_COUNTERS_H
#define AXIOM_COUNTERS_H

#include <CAxiomProcess.h>

/// The allocations of all threads so far. Defined for glibc only, and not under a sanitizer, which has its own malloc.
struct axiom_allocation_counts axiom_allocation_counter_read(void);

#endif
