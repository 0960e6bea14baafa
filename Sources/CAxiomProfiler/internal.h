// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_PROFILER_INTERNAL_H
#define AXIOM_PROFILER_INTERNAL_H

#include "CAxiomProfiler.h"

enum { axiom_window_words = 256, axiom_word_size = sizeof(uintptr_t) };

/// A copy of a part of this process's memory: one call of the kernel copies many words.
struct axiom_window {
    /// The calling thread.
    int32_t thread;
    /// A new copy begins so many bytes before the word that is read.
    uint32_t before;
    uintptr_t start, bytes, words[axiom_window_words];
};

/// An empty window. The words are not cleared.
static inline void axiom_window_begin(struct axiom_window *window, int32_t thread) {
    window->thread = thread;
    window->before = 0;
    window->start = window->bytes = 0;
}

/// Reads an aligned word of this process's memory; false if there is none. Never faults.
bool axiom_load(struct axiom_window *window, uintptr_t address, uintptr_t *value);

/// The spans of the current task, the innermost one first. Returns how many.
int axiom_label_read(struct axiom_window *window, struct axiom_span *spans);

/// axiom_capture() of the context that a signal handler of the thread gets.
void axiom_capture_context(struct axiom_sample *into, const void *context);

#endif
