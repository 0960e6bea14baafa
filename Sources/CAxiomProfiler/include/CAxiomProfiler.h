// SPDX-License-Identifier: Apache-2.0

// Samples the stacks of threads by their processor time, each with the spans under which its task runs. Linux only.

#ifndef AXIOM_PROFILER_H
#define AXIOM_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CAxiomModules.h"

enum {
    /// The most spans, frames and words of a sample. Outer spans and frames are left out.
    axiom_span_limit = 6,
    axiom_frame_limit = 120,
    axiom_word_limit = 16,
};

/// Why a sample has fewer frames than its stack.
enum {
    /// It has more than axiom_frame_limit frames.
    axiom_sample_is_cut = 1,
    /// Its stack is not that of its thread, or cannot be read: it has frame 0 alone.
    axiom_sample_has_no_stack = 2,
};

/// What a task inherits of a span: the words of SpanContext.
struct axiom_span {
    uint64_t trace, span, record, subject;
};

/// A sample of a thread, or of an allocation.
struct axiom_sample {
    /// Of CLOCK_BOOTTIME, in nanoseconds.
    int64_t time;
    /// The processor time that it stands for in nanoseconds, or the bytes.
    uint64_t amount;
    /// The thread, as gettid(2) numbers it.
    int32_t thread;
    uint8_t frame_count, span_count, word_count, flags;
    /// The spans of the task, the innermost one first.
    struct axiom_span spans[axiom_span_limit];
    /// What stood at the top of the stack (on arm64 the link register is the first): the caller of a function without a frame is
    /// among them, see axiom_missing_callers().
    uintptr_t words[axiom_word_limit];
    /// The program counter, and then return addresses. The last field, because allocations store only the first ones.
    uintptr_t frames[axiom_frame_limit];
};

/// Receives a sample; the pointer is valid during the call.
typedef void (*axiom_take_sample)(void *context, const struct axiom_sample *sample);

#if defined(__linux__)
/// Fills in the time, the thread, the spans, the frames and the words of the calling thread; the amount stays 0. The frames begin
/// with `pc`, and then follow the chain of frame pointers from `fp`; the words are those at `sp`. Locks nothing, allocates
/// nothing, and faults for no value of the three.
void axiom_capture(struct axiom_sample *into, uintptr_t pc, uintptr_t fp, uintptr_t sp);

// Labels: where the runtime of Swift keeps the task of a thread and the task-local values of a task is found by trial.

/// Keeps the words of the thread-local storage that hold the current task, of those that earlier calls kept. Returns how many.
/// The first call must run in a task, others on any thread.
int axiom_label_narrow_task(void);

/// The same on a thread of its own, which runs no task.
int axiom_label_narrow_outside(void);

/// Keeps the words of the current task that hold the first item of its task-local values, of those that earlier calls kept.
/// Returns how many. `key` is the address of the TaskLocal object, whose latest binding must be the latest of the task.
int axiom_label_narrow_values(const void *key);

/// Samples have spans from now on: those at `offset` in the values of `key`. One word of each must be left.
void axiom_label_use(const void *key, size_t offset);

/// Why a sampler does not start.
enum axiom_sampler_problem {
    axiom_sampler_works,
    /// Another sampler of this process runs.
    axiom_sampler_runs,
    /// SIGPROF has a handler, or is ignored.
    axiom_sampler_signal_taken,
    /// The calling thread blocks SIGPROF.
    axiom_sampler_signal_blocked,
    /// process_vm_readv(2) fails.
    axiom_sampler_cannot_read,
    /// timer_create(2) fails.
    axiom_sampler_no_timer,
    /// /proc/self/task cannot be read.
    axiom_sampler_no_threads,
    /// pthread_create(3) fails.
    axiom_sampler_no_thread,
};

struct axiom_sampler_options {
    /// Nanoseconds between two samples of a thread: of its processor time, which kernels count in ticks of 1 to 10 ms.
    int64_t period;
    /// Whether the period is of the clock instead, which can be shorter than a tick. The amount of a sample is then the processor
    /// time of its thread since the handler returned. A thread that sleeps has no samples, but is woken.
    bool by_clock;
    axiom_take_sample take;
    /// Called after the samples of a tenth of a second were taken.
    void (*tick)(void *context);
    /// Called last.
    void (*finish)(void *context);
    void *context;
};

struct axiom_sampler_counts {
    /// Samples that were taken, and that were lost because the sampler's thread did not read in time.
    uint64_t samples, lost;
    /// Threads now: those that have a timer, and those that have none.
    uint32_t threads, unsampled;
    /// Whether the sampling ended by itself, because the program has taken SIGPROF.
    bool has_lost_signal;
};

/// Starts the sampler of this process. The functions of the options are called on its thread. The calling thread stands for those
/// that are to be sampled: it must not block SIGPROF.
enum axiom_sampler_problem axiom_sampler_start(const struct axiom_sampler_options *options);

/// Ends the sampling, and waits for the last call of the functions. Called by one of them, it does not wait.
void axiom_sampler_stop(void);

/// Whether samples are left out until the next call, which a start is too.
void axiom_sampler_pause(bool is_paused);

/// Since the start.
struct axiom_sampler_counts axiom_sampler_counts(void);
#endif

#include "CAxiomAllocations.h"

#endif
