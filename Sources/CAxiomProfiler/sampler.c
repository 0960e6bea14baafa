// SPDX-License-Identifier: Apache-2.0

// A timer for each thread, which counts the thread's processor time and signals the thread. The handler writes a sample into a
// free record; the sampler's own thread reads the records, and finds threads that began and ended.

#define _GNU_SOURCE

#include "internal.h"

#if defined(__GLIBC__)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { record_count = 1024, slot_count = 1024, wakes_per_second = 20 };

/// A record has one owner: the handler that found it free, and then the sampler's thread.
enum { record_is_free, record_is_written, record_is_full };
static _Atomic uint8_t states[record_count];
/// Handlers take the first free one: the others are pages that take no memory.
static _Alignas(4096) struct axiom_sample records[record_count];

/// A thread that has a timer. Only the sampler's thread uses it.
static struct slot {
    /// 0 in a free slot.
    int32_t thread;
    int timer;
    /// The scan that saw the thread last.
    uint32_t seen;
} slots[slot_count];

static struct {
    struct axiom_sampler_options options;
    /// Whether handlers write.
    _Atomic bool is_active;
    _Atomic bool is_paused;
    /// Futex: whether the sampler's thread is to run.
    _Atomic uint32_t runs;
    /// Whether a start or a sampler holds all of this.
    _Atomic bool is_taken;
    pthread_t thread;
    /// The number of that thread; 0 before it runs.
    int32_t number;
    uint32_t scan;
    _Atomic uint64_t samples, lost;
    _Atomic uint32_t threads, unsampled;
    _Atomic bool has_lost_signal;
} sampler;

// MARK: Samples

/// The first free record, which is then written; record_count if there is none.
static int take_record(void) {
    int index = 0;
    for (; index < record_count; index++) {
        uint8_t state = atomic_load_explicit(&states[index], memory_order_relaxed);
        if (state == record_is_free && atomic_compare_exchange_strong(&states[index], &state, record_is_written)) break;
    }
    return index;
}

/// The processor time of the thread when the handler returned last: what the handler takes is no sample's.
static _Thread_local __attribute__((tls_model("initial-exec"))) int64_t counted;

static int64_t thread_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

/// What a sample stands for. Counted by the clock it is the thread's processor time since the last one, which an earlier sampler
/// may have taken; to wake up takes a thread that sleeps some microseconds.
static uint64_t amount(const siginfo_t *info) {
    int64_t whole = sampler.options.period * (1 + (int64_t)info->si_overrun);
    if (!sampler.options.by_clock) return (uint64_t)whole;
    int64_t used = thread_time() - counted;
    return used < sampler.options.period / 16 ? 0 : (uint64_t)(used < 2 * whole ? used : whole);
}

__attribute__((no_sanitize("address", "thread")))
static void on_timer(int number, siginfo_t *info, void *context) {
    (void)number;
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &sampler) return;
    int kept = errno;
    uint64_t time = sampler.is_paused ? 0 : amount(info);
    int index = time ? take_record() : -1;
    if (index == record_count) {
        atomic_fetch_add_explicit(&sampler.lost, 1, memory_order_relaxed);
    } else if (index >= 0 && atomic_load(&sampler.is_active)) {
        axiom_capture_context(&records[index], context);
        records[index].amount = time;
        atomic_store(&states[index], record_is_full);
    } else if (index >= 0) {
        // The signal comes late, after the end.
        atomic_store(&states[index], record_is_free);
    }
    if (sampler.options.by_clock) counted = thread_time();
    errno = kept;
}

/// Delivers the samples. Returns false if handlers write others.
static bool read_records(void) {
    bool is_complete = true;
    for (int index = 0; index < record_count; index++) {
        uint8_t state = atomic_load(&states[index]);
        if (state == record_is_written) is_complete = false;
        if (state != record_is_full) continue;
        atomic_fetch_add_explicit(&sampler.samples, 1, memory_order_relaxed);
        sampler.options.take(sampler.options.context, &records[index]);
        atomic_store(&states[index], record_is_free);
    }
    return is_complete;
}

// MARK: Timers

/// Starts the timer of a thread. The first signal comes after a random part of the period, so that short threads count in
/// proportion.
static bool start_timer(struct slot *slot, int32_t thread) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF, .sigev_value.sival_ptr = &sampler};
    event._sigev_un._tid = thread;
    // The clock of a thread's processor time, as the kernel numbers it.
    clockid_t clock = sampler.options.by_clock ? CLOCK_MONOTONIC : (clockid_t)(~(uint32_t)thread << 3 | 6);
    if (syscall(SYS_timer_create, clock, &event, &slot->timer) != 0) return false;
    uint64_t mixed = ((uint64_t)thread + sampler.scan) * 0x9e3779b97f4a7c15;
    int64_t period = sampler.options.period, first = 1 + (int64_t)((mixed >> 32) * (uint64_t)period >> 32);
    struct itimerspec times = {{period / 1000000000, period % 1000000000}, {first / 1000000000, first % 1000000000}};
    if (syscall(SYS_timer_settime, slot->timer, 0, &times, NULL) != 0) {
        syscall(SYS_timer_delete, slot->timer);
        return false;
    }
    slot->thread = thread;
    slot->seen = sampler.scan;
    return true;
}

/// Whether the timer runs; that of a thread which ended does not, even if another thread has its number now.
static bool is_running(const struct slot *slot) {
    struct itimerspec rest;
    return syscall(SYS_timer_gettime, slot->timer, &rest) == 0 && (rest.it_value.tv_sec || rest.it_value.tv_nsec);
}

/// Deletes the timers of the threads that the scan `scan` did not see last.
static void end_timers(uint32_t scan) {
    for (struct slot *slot = slots; slot < slots + slot_count; slot++)
        if (slot->thread && slot->seen != scan) {
            syscall(SYS_timer_delete, slot->timer);
            slot->thread = 0;
        }
}

// MARK: Threads

/// Notes that the thread lives. Returns false if it has no timer and cannot get one.
static bool see(int32_t thread) {
    struct slot *free = NULL;
    for (uint32_t i = 0; i < slot_count; i++) {
        struct slot *slot = &slots[((uint32_t)thread + i) % slot_count];
        if (slot->thread == thread) {
            // Not each time: it is a call of the kernel.
            if ((sampler.scan + (uint32_t)thread) % 16 || is_running(slot)) slot->seen = sampler.scan;
            return true;
        }
        if (!slot->thread && !free) free = slot;
    }
    return free && start_timer(free, thread);
}

/// Gives each thread but the sampler's one a timer. Returns false if the list of threads cannot be read.
static bool see_threads(void) {
    _Alignas(struct dirent64) char entries[4096];
    int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return false;
    uint32_t threads = 0, unsampled = 0;
    long size;
    sampler.scan++;
    while ((size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
        for (long at = 0; at < size; at += ((struct dirent64 *)(entries + at))->d_reclen) {
            int32_t thread = atoi(((struct dirent64 *)(entries + at))->d_name);
            if (thread > 0 && thread != sampler.number) *(see(thread) ? &threads : &unsampled) += 1;
        }
    close(directory);
    sampler.threads = threads;
    sampler.unsampled = unsampled;
    return size == 0;
}

// MARK: The signal

static bool owns_signal(void) {
    struct sigaction action;
    return sigaction(SIGPROF, NULL, &action) == 0 && action.sa_flags & SA_SIGINFO && action.sa_sigaction == on_timer;
}

static bool take_signal(void) {
    struct sigaction old, action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
    // No handler of the program can interrupt this one, and so none can leave it by a jump.
    sigfillset(&action.sa_mask);
    if (sigaction(SIGPROF, NULL, &old) || old.sa_flags & SA_SIGINFO || old.sa_handler != SIG_DFL) return false;
    return sigaction(SIGPROF, &action, NULL) == 0;
}

/// Makes the signal what it was. To ignore it discards those that wait to be delivered; the default action would end the process
/// for such a one.
static void return_signal(void) {
    if (!owns_signal()) return;
    signal(SIGPROF, SIG_IGN);
    signal(SIGPROF, SIG_DFL);
}

// MARK: The sampler's thread

/// Returns when no handler writes, after at most a second: a debugger can have stopped its thread. It keeps its record.
static void end_sampling(void) {
    sampler.is_active = false;
    end_timers(sampler.scan + 1);
    return_signal();
    for (int rest = 1000; !read_records() && rest; rest--) nanosleep(&(struct timespec){0, 1000000}, NULL);
    sampler.threads = sampler.unsampled = 0;
}

/// Finds threads that began and ended. Ends the sampling if the program has taken the signal: it is then the program's.
static void scan(void) {
    if (sampler.has_lost_signal) return;
    if (owns_signal()) {
        if (see_threads()) end_timers(sampler.scan);
    } else {
        sampler.has_lost_signal = true;
        end_sampling();
    }
}

static void *run(void *unused) {
    pthread_setname_np(pthread_self(), "axiom-profiler");
    sampler.number = (int32_t)syscall(SYS_gettid);
    struct timespec pause = {0, 1000000000 / wakes_per_second};
    for (uint32_t wake = 0; sampler.runs; wake++) {
        if (wake % 2 == 0) scan();
        read_records();
        if (wake % 2 == 0) sampler.options.tick(sampler.options.context);
        syscall(SYS_futex, &sampler.runs, FUTEX_WAIT_PRIVATE, 1, &pause, NULL, 0L);
    }
    end_sampling();
    sampler.options.finish(sampler.options.context);
    sampler.is_taken = false;
    return unused;
}

// MARK: Start and stop

/// The child of a fork has neither the timers nor the sampler's thread.
static void leave_child(void) {
    if (!sampler.is_taken) return;
    return_signal();
    memset(slots, 0, sizeof slots);
    for (int index = 0; index < record_count; index++) states[index] = record_is_free;
    sampler.runs = 0;
    sampler.threads = sampler.unsampled = 0;
    sampler.is_active = sampler.is_taken = false;
}

static enum axiom_sampler_problem prepare(void) {
    static bool is_prepared;
    if (!is_prepared && pthread_atfork(NULL, NULL, leave_child)) return axiom_sampler_no_thread;
    is_prepared = true;
    // A huge page would use memory that no sample needs.
    madvise(records, sizeof records, MADV_NOHUGEPAGE);
    sigset_t blocked;
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) || sigismember(&blocked, SIGPROF)) return axiom_sampler_signal_blocked;
    // The functions of libraries that the handler calls are bound here, not by the handler; errno is one.
    errno = 0;
    struct axiom_sample sample;
    axiom_capture(&sample, 0, 0, (uintptr_t)&sample);
    if (sample.word_count != axiom_word_limit) return axiom_sampler_cannot_read;
    return take_signal() ? axiom_sampler_works : axiom_sampler_signal_taken;
}

static enum axiom_sampler_problem start_thread(void) {
    sampler.number = 0;
    sampler.is_active = true;
    if (!see_threads()) return axiom_sampler_no_threads;
    if (!sampler.threads) return axiom_sampler_no_timer;
    sigset_t all, old;
    sigfillset(&all);
    sampler.runs = 1;
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int failure = pthread_create(&sampler.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!failure) return axiom_sampler_works;
    sampler.runs = 0;
    return axiom_sampler_no_thread;
}

enum axiom_sampler_problem axiom_sampler_start(const struct axiom_sampler_options *options) {
    if (atomic_exchange(&sampler.is_taken, true)) return axiom_sampler_runs;
    sampler.options = *options;
    sampler.samples = sampler.lost = 0;
    sampler.is_paused = false;
    sampler.has_lost_signal = false;
    enum axiom_sampler_problem problem = prepare();
    if (problem == axiom_sampler_works) problem = start_thread();
    if (problem == axiom_sampler_works) return problem;
    end_sampling();
    sampler.is_taken = false;
    return problem;
}

void axiom_sampler_pause(bool is_paused) { sampler.is_paused = is_paused; }

void axiom_sampler_stop(void) {
    pthread_t thread = sampler.thread;
    if (!atomic_exchange(&sampler.runs, 0)) return;
    syscall(SYS_futex, &sampler.runs, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0L);
    if (pthread_equal(pthread_self(), thread)) pthread_detach(thread);
    else pthread_join(thread, NULL);
}

struct axiom_sampler_counts axiom_sampler_counts(void) {
    return (struct axiom_sampler_counts){
        sampler.samples, sampler.lost, sampler.threads, sampler.unsampled, sampler.has_lost_signal,
    };
}
#endif
