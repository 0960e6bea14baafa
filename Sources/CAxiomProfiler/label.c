// SPDX-License-Identifier: Apache-2.0

// Reads the spans of the task that the calling thread runs, in signal handlers too. The functions of Swift's runtime may allocate
// thread-local storage, so their variables are read where earlier trials found them.

#define _GNU_SOURCE

#include "internal.h"

#if defined(__GLIBC__)
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

extern __attribute__((swiftcall)) void *swift_task_getCurrent(void);
extern __attribute__((swiftcall)) const void *swift_task_localValueGet(const void *key);

enum { candidate_limit = 64, task_words = 64, item_limit = 64 };

/// An item of the list of a task's values is this many words, and then the value: the next item, the key, the type of the value.
/// The bits 1 and 2 of the first word are its kind: 0 and 1 for a value, 2 where the items of a parent begin, 3 for the end.
enum { item_words = 3, item_size = item_words * axiom_word_size };

/// Offsets that may be the one that is searched.
struct candidates {
    int count;
    intptr_t offsets[candidate_limit];
};

static struct candidates tasks, values;

/// What the handler uses. Null key: not found yet.
static struct {
    const void *key;
    intptr_t task, head;
    size_t span;
} label;

static uintptr_t thread_pointer(void) {
    uintptr_t pointer;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#else
    pointer = 0;
#endif
    return pointer;
}

static bool holds(uintptr_t address, const void *expected) {
    struct axiom_window window;
    uintptr_t word;
    axiom_window_begin(&window, (int32_t)syscall(SYS_gettid));
    return axiom_load(&window, address, &word) && word == (uintptr_t)expected;
}

static void keep(struct candidates *all, uintptr_t base, const void *expected) {
    int kept = 0;
    for (int i = 0; i < all->count; i++)
        if (holds(base + (uintptr_t)all->offsets[i], expected)) all->offsets[kept++] = all->offsets[i];
    all->count = kept;
}

/// Adds the words of a block that hold what is expected.
static void search(struct candidates *all, uintptr_t block, size_t size, uintptr_t base, const void *expected) {
    for (size_t at = 0; at + sizeof(void *) <= size && all->count < candidate_limit; at += sizeof(void *))
        if (holds(block + at, expected)) all->offsets[all->count++] = (intptr_t)(block + at - base);
}

static int search_module(struct dl_phdr_info *module, size_t size, void *task) {
    (void)size;
    for (int i = 0; i < module->dlpi_phnum && module->dlpi_tls_data; i++)
        if (module->dlpi_phdr[i].p_type == PT_TLS)
            search(&tasks, (uintptr_t)module->dlpi_tls_data, module->dlpi_phdr[i].p_memsz, thread_pointer(), task);
    return 0;
}

int axiom_label_narrow_task(void) {
    void *task = swift_task_getCurrent();
    if (tasks.count) keep(&tasks, thread_pointer(), task);
    else dl_iterate_phdr(search_module, task);
    return tasks.count;
}

static void *narrow(void *unused) {
    axiom_label_narrow_task();
    return unused;
}

int axiom_label_narrow_outside(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, narrow, NULL)) return 0;
    pthread_join(thread, NULL);
    return tasks.count;
}

int axiom_label_narrow_values(const void *key) {
    uintptr_t task = (uintptr_t)swift_task_getCurrent();
    const char *value = swift_task_localValueGet(key);
    if (!task || !value) return 0;
    const char *item = value - item_size;
    if (!holds((uintptr_t)item + axiom_word_size, key)) return 0;
    if (values.count) keep(&values, task, item);
    else search(&values, task, task_words * sizeof(void *), task, item);
    return values.count;
}

void axiom_label_use(const void *key, size_t offset) {
    label.task = tasks.offsets[0];
    label.head = values.offsets[0];
    label.span = offset;
    __atomic_store_n(&label.key, key, __ATOMIC_SEQ_CST);
}

/// Reads the span or the label of an item; false if it is none of ours.
static bool load_span(struct axiom_window *window, uintptr_t item, struct axiom_span *span) {
    uintptr_t at = item + item_size + label.span, key;
    if (!axiom_load(window, item + axiom_word_size, &key) || key != (uintptr_t)label.key) return false;
    for (uintptr_t *word = (uintptr_t *)span; word < (uintptr_t *)(span + 1); word++, at += axiom_word_size)
        if (!axiom_load(window, at, word)) return false;
    return true;
}

__attribute__((no_sanitize("address", "thread")))
int axiom_label_read(struct axiom_window *window, struct axiom_span *spans) {
    if (!__atomic_load_n(&label.key, __ATOMIC_ACQUIRE)) return 0;
    uintptr_t task = *(uintptr_t *)(thread_pointer() + (uintptr_t)label.task), item, next;
    // A task can be freed between its suspension and the moment when its thread forgets it: all reads are checked.
    if (!task || !axiom_load(window, task + (uintptr_t)label.head, &item)) return 0;
    // The items of a task stand near to each other.
    window->before = sizeof window->words / 2;
    int count = 0;
    for (int i = 0; i < item_limit && item && count < axiom_span_limit && axiom_load(window, item, &next); i++) {
        uintptr_t kind = next >> 1 & 3;
        if (kind == 3) break;
        if (kind < 2 && load_span(window, item, &spans[count])) {
            // An observation binds none: what began it is not its operation.
            if (!spans[count].trace && !spans[count].subject) break;
            if (count == 0 || spans[count].span != spans[count - 1].span) count++;
        }
        item = next & ~(uintptr_t)7;
    }
    return count;
}
#endif
