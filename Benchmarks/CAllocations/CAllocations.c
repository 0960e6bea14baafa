// SPDX-License-Identifier: Apache-2.0

#include "CAllocations.h"

#include <errno.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// glibc's own functions under the names that it keeps for this purpose.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread __attribute__((tls_model("initial-exec"))) int64_t allocations = 0;

int64_t axiom_allocations_of_thread(void) {
    return allocations;
}

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    void *fresh = __libc_memalign(alignment, size);
    if (!fresh) return ENOMEM;
    *memory = fresh;
    return 0;
}

#else

int64_t axiom_allocations_of_thread(void) {
    return -1;
}

#endif
