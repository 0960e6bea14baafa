// SPDX-License-Identifier: Apache-2.0

// What <link.h> knows of the modules that are loaded: the program, shared libraries and the vdso. Each function holds the loader's
// lock while it reads the memory of a module, so that no module is unloaded meanwhile. Linux only.

#ifndef AXIOM_MODULES_H
#define AXIOM_MODULES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)
#include <elf.h>

/// A module, valid during a visit.
struct axiom_module {
    /// Empty for the program.
    const char *path;
    /// What is added to the addresses in the file.
    uintptr_t bias;
    const Elf64_Phdr *headers;
    size_t header_count;
    /// How often modules were loaded and unloaded.
    uint64_t changes;
};

/// Calls `visit` with each module under the loader's lock, until it returns 1.
void axiom_visit_modules(int (*visit)(void *context, const struct axiom_module *module), void *context);

/// The most callers that axiom_missing_callers finds.
enum { axiom_caller_limit = 8 };

/// What the chain of frame pointers lacks of a sample.
struct axiom_callers {
    /// The callers of the function at the program counter, the innermost one first, up to the first that has a frame.
    uintptr_t callers[axiom_caller_limit];
    size_t count;
    /// The index of a frame that is only probable, in the program counter, these callers and the chain; 0 for none. No unwind table
    /// covers the function that it called, or a caller before it is missing, because its address is beyond the words.
    size_t guessed;
    /// The index of the frame that follows these callers. All frames are before it if the chain does not start at a frame, because
    /// a function used the register of the frame pointer for something else.
    size_t next;
};

/// Finds the callers that the chain lacks, by the unwind tables of the modules (.eh_frame).
///
/// - frames: The program counter, perhaps its caller, and then the chain of return addresses.
/// - words: The top of the stack; on arm64 the link register is before it.
void axiom_missing_callers(const uintptr_t *frames, size_t frame_count, const uintptr_t *words, size_t word_count,
                           struct axiom_callers *found);

/// The name of a function of Swift or C++ as people write it; free(3) it. Null for other names.
char *axiom_demangle(const char *name);

/// A new file in memory, which programs that are started do not inherit; -1 if it cannot be made.
int axiom_memory_file(void);
#endif

#endif
