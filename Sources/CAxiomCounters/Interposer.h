// SPDX-License-Identifier: Apache-2.0

// The functions that replace those of glibc's malloc in a program. A file that includes this defines before, all inline:
//   bool allocating(size_t size)        before each allocation; whether `allocated` is called after it
//   void *allocated(void *memory, size_t size, void *caller, uintptr_t *frame)   returns `memory`; `caller` is the return address
//                                       of the replacement, and `frame` its frame, which may be left when a call begins
//   void freeing(void *memory)          before a block is freed; never null
//   void moving(void *memory)           before a block is resized; never null
//   checks_alignment                    whether posix_memalign refuses what glibc refuses
//   INTERPOSER_LINKAGE                  an attribute of the functions
// Two such files in one program collide, unless all but one of them are weak: then those do nothing.
// valloc and pvalloc remain glibc's, which calls none of these for them.

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// glibc's own functions, under the names that it provides for interposers.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

// The call stands twice, so that an allocation that is not reported is a jump.
#define ALLOCATION(size, call) \
    (allocating(size) ? allocated((call), (size), __builtin_return_address(0), __builtin_frame_address(0)) : (call))

INTERPOSER_LINKAGE void *malloc(size_t size) {
    return ALLOCATION(size, __libc_malloc(size));
}

INTERPOSER_LINKAGE void *calloc(size_t count, size_t size) {
    return ALLOCATION(count * size, __libc_calloc(count, size));
}

INTERPOSER_LINKAGE void *realloc(void *memory, size_t size) {
    if (memory) moving(memory);
    return ALLOCATION(size, __libc_realloc(memory, size));
}

INTERPOSER_LINKAGE void *memalign(size_t alignment, size_t size) {
    return ALLOCATION(size, __libc_memalign(alignment, size));
}

INTERPOSER_LINKAGE void *aligned_alloc(size_t alignment, size_t size) {
    return ALLOCATION(size, __libc_memalign(alignment, size));
}

INTERPOSER_LINKAGE int posix_memalign(void **memory, size_t alignment, size_t size) {
    bool is_valid = alignment >= sizeof(void *) && (alignment & (alignment - 1)) == 0;
    if (checks_alignment && !is_valid) return EINVAL;
    void *fresh = ALLOCATION(size, __libc_memalign(alignment, size));
    if (!fresh) return ENOMEM;
    *memory = fresh;
    return 0;
}

INTERPOSER_LINKAGE void free(void *memory) {
    if (!memory) return;
    freeing(memory);
    __libc_free(memory);
}
