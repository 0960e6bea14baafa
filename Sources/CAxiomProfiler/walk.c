// SPDX-License-Identifier: Apache-2.0

// Walks the stack of the calling thread by its frame pointers. Runs in signal handlers.

#define _GNU_SOURCE

#include "internal.h"

#if defined(__GLIBC__)
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { stack_limit = 8 << 20, candidate_limit = 16 };

/// What the frame pointer points to.
struct frame {
    uintptr_t outer, address;
};

bool axiom_load(struct axiom_window *window, uintptr_t address, uintptr_t *value) {
    if (address - window->start >= window->bytes) {
        if (address % axiom_word_size) return false;
        uintptr_t page = address & ~(uintptr_t)4095, start = address - window->before;
        window->start = start < page ? page : start;
        struct iovec local = {window->words, sizeof window->words}, remote = {(void *)window->start, sizeof window->words};
        // The number of a thread serves as that of its process. Unlike a load, the call does not fault: it reads all up to the
        // first page that is not mapped.
        long bytes = syscall(SYS_process_vm_readv, (long)window->thread, &local, 1L, &remote, 1L, 0L);
        window->bytes = bytes < 0 ? 0 : (uintptr_t)bytes;
        if (address - window->start >= window->bytes) return false;
    }
    *value = window->words[(address - window->start) / axiom_word_size];
    return true;
}

/// A return address without the bits of pointer authentication.
static uintptr_t return_address(uintptr_t word) {
#if defined(__aarch64__)
    return word & 0xffffffffffff;
#else
    return word;
#endif
}

/// Reads the frame at `fp`; false if there cannot be one.
static bool load_frame(struct axiom_window *window, uintptr_t fp, uintptr_t sp, struct frame *frame) {
    if (fp < sp || fp - sp >= stack_limit || fp % axiom_word_size || !axiom_load(window, fp, &frame->outer)
        || !axiom_load(window, fp + axiom_word_size, &frame->address))
        return false;
    frame->address = return_address(frame->address);
    return frame->address >= 4096 && frame->address < 1ull << 48 && frame->address - sp >= stack_limit;
}

/// Whether at least two frames begin at `fp`: a register or a word that is no frame pointer seldom looks like that.
static bool is_chain(struct axiom_window *window, uintptr_t fp, uintptr_t sp) {
    struct frame frame, outer;
    return load_frame(window, fp, sp, &frame) && frame.outer > fp && load_frame(window, frame.outer, sp, &outer);
}

/// The frame pointer that a function saved which uses the register for something else, as those of C libraries do; `fp` if there
/// is none.
static uintptr_t saved_frame(struct axiom_window *window, uintptr_t fp, uintptr_t sp) {
    uintptr_t word, end = sp + sizeof window->words;
    int candidates = 0;
    for (uintptr_t at = sp; at < end && candidates < candidate_limit && axiom_load(window, at, &word); at += axiom_word_size) {
        if (word <= at || word - sp >= stack_limit) continue;
        candidates++;
        if (is_chain(window, word, sp)) return word;
    }
    return fp;
}

/// Follows the chain of frame pointers. Each frame must be above the one before.
static void walk(struct axiom_sample *sample, struct axiom_window *window, uintptr_t fp, uintptr_t sp) {
    struct frame frame;
    uintptr_t lowest = sp;
    if (!is_chain(window, fp, sp)) fp = saved_frame(window, fp, sp);
    for (; fp >= lowest && load_frame(window, fp, sp, &frame); fp = frame.outer) {
        if (sample->frame_count == axiom_frame_limit) {
            sample->flags |= axiom_sample_is_cut;
            return;
        }
        sample->frames[sample->frame_count++] = frame.address;
        lowest = fp + 2 * axiom_word_size;
    }
    if (lowest == sp) sample->flags |= axiom_sample_has_no_stack;
}

/// - Parameter link: The link register; 0 on processors that have none.
__attribute__((no_sanitize("address", "thread")))
static void capture(struct axiom_sample *into, uintptr_t pc, uintptr_t fp, uintptr_t sp, uintptr_t link) {
    int32_t thread = (int32_t)syscall(SYS_gettid);
    struct axiom_window window;
    struct timespec now;
    axiom_window_begin(&window, thread);
    clock_gettime(CLOCK_BOOTTIME, &now);
    into->time = now.tv_sec * 1000000000 + now.tv_nsec;
    into->amount = 0;
    into->thread = thread;
    into->flags = into->word_count = 0;
    into->frames[0] = pc;
    into->frame_count = 1;
    into->span_count = (uint8_t)axiom_label_read(&window, into->spans);
    axiom_window_begin(&window, thread);
    if (link) into->words[into->word_count++] = link;
    for (uintptr_t at = sp; into->word_count < axiom_word_limit; at += axiom_word_size)
        if (axiom_load(&window, at, &into->words[into->word_count])) into->word_count++;
        else break;
    walk(into, &window, fp, sp);
}

void axiom_capture(struct axiom_sample *into, uintptr_t pc, uintptr_t fp, uintptr_t sp) {
    capture(into, pc, fp, sp, 0);
}

void axiom_capture_context(struct axiom_sample *into, const void *context) {
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    const greg_t *registers = machine->gregs;
    capture(into, (uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RBP], (uintptr_t)registers[REG_RSP], 0);
#elif defined(__aarch64__)
    capture(into, machine->pc, machine->regs[29], machine->sp, machine->regs[30]);
#endif
}
#endif
