// SPDX-License-Identifier: Apache-2.0

// Counts the comparisons that instrumented code makes, on their way to libFuzzer: the linker renames both. The calls are
// tail calls, because libFuzzer tells comparisons apart by the address to which they return.

#include "steps.h"
#include <stdint.h>

static _Thread_local long steps;

long axiom_fuzz_take_steps(void) {
    long taken = steps;
    steps = 0;
    return taken;
}

#define COUNT(name, type)                                                                                             \
    void __real___sanitizer_cov_trace_##name(type left, type right);                                                  \
    void __wrap___sanitizer_cov_trace_##name(type left, type right) {                                                 \
        steps += 1;                                                                                                \
        __attribute__((musttail)) return __real___sanitizer_cov_trace_##name(left, right);                            \
    }

COUNT(cmp1, uint8_t)
COUNT(cmp2, uint16_t)
COUNT(cmp4, uint32_t)
COUNT(cmp8, uint64_t)
COUNT(const_cmp1, uint8_t)
COUNT(const_cmp2, uint16_t)
COUNT(const_cmp4, uint32_t)
COUNT(const_cmp8, uint64_t)
