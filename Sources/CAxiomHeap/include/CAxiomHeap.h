// SPDX-License-Identifier: Apache-2.0

// Replaces malloc in the program that links it, so that AxiomProfiler can sample allocations. Until that begins, an allocation
// costs one load and one branch of a word more, and the freeing of a block those of a byte: about 11 instructions each.
// AxiomProfiler finds it at run time if it is there: in programs with glibc, and not under the sanitizers of addresses and
// threads, which have their own malloc.
//
// Its memory is used from the first sample on: 744 bytes for each sampled block that is not freed, at most 3 MiB for 4,096
// blocks (2 GiB at the default interval), 186 KiB for samples that were not read yet, and 50 KiB of indices.

#ifndef AXIOM_HEAP_H
#define AXIOM_HEAP_H

#include "CAxiomProfiler.h"

/// The bytes that a sampled allocation of `size` bytes stands for: the size divided by the probability of its sample.
double axiom_heap_weight(uint64_t size, uint64_t interval);

/// Draws the bytes to allocate before the next sampled one: of an exponential distribution, rounded down. `random` is the state
/// of a generator.
uint64_t axiom_heap_distance(uint64_t *random, uint64_t interval);

#endif
