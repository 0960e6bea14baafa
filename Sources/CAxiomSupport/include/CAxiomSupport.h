// SPDX-License-Identifier: Apache-2.0

// What Swift lacks: a thread-local variable without a function call, the statistics of malloc, and parts of Linux.

#ifndef AXIOM_SUPPORT_H
#define AXIOM_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__ELF__)
// One load from a fixed offset instead of a call.
#define AXIOM_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#else
#define AXIOM_THREAD_LOCAL __thread
#endif

/// The shard of this thread plus 1; 0 if it has none yet.
extern AXIOM_THREAD_LOCAL uint32_t axiom_shard_of_thread;

/// The number of shards: a power of two, at least twice the number of processors, 4...64.
uint32_t axiom_shard_count(void);

/// Assigns this thread another shard and returns it.
uint32_t axiom_shard_advance(void);

/// The shard of this thread, below axiom_shard_count(). It changes only in axiom_shard_advance().
static inline uint32_t axiom_shard(void) {
    uint32_t shard = axiom_shard_of_thread;
    return shard ? shard - 1 : axiom_shard_advance();
}

/// The shard of this thread plus 1; 0 if it has none yet. Unlike axiom_shard() it calls no function.
static inline uint32_t axiom_shard_plus_one(void) {
    return axiom_shard_of_thread;
}

/// The bytes that malloc has allocated and not freed; -1 if they are not known.
int64_t axiom_heap_bytes(void);

/// The bytes that malloc gave this block, at least as many as requested; 0 if they are not known. `block` must be the
/// start of a living block of malloc, or null.
size_t axiom_block_bytes(const void *block);

// Of the runtime of Swift, part of its stable binary interface: programs that bind a task-local value call them.
extern __attribute__((swiftcall)) void *swift_task_localValueGet(const void *key);
extern __attribute__((swiftcall)) void swift_task_localValuePush(const void *key, void *value, const void *type);
extern __attribute__((swiftcall)) void swift_task_localValuePop(void);

/// Where the calling task, or the thread outside of tasks, stores the value of a task-local; null if none is bound. The
/// address is valid until the binding ends. `key` is the address of the TaskLocal object.
static inline const void *axiom_task_local(const void *key) {
    return swift_task_localValueGet(key);
}

/// Binds a task-local until axiom_task_local_pop(). Takes the value from `value`; `type` is the address of its metadata.
static inline void axiom_task_local_push(const void *key, void *value, const void *type) {
    swift_task_localValuePush(key, value, type);
}

/// Ends the latest binding of the calling task.
static inline void axiom_task_local_pop(void) {
    swift_task_localValuePop();
}

#if defined(__linux__)
/// The number of this thread for a lock; 0 if it has none yet.
extern AXIOM_THREAD_LOCAL uint32_t axiom_number_of_thread;

/// Assigns this thread its number.
uint32_t axiom_thread_assign_number(void);

/// A number that no other living thread of this process has: above 0 and below 2^30.
static inline uint32_t axiom_thread_number(void) {
    uint32_t number = axiom_number_of_thread;
    return number ? number : axiom_thread_assign_number();
}

/// Blocks while `*word` is `expected`, until axiom_futex_wake_one() wakes this thread. May return early.
void axiom_futex_wait(const void *word, uint32_t expected);

/// Wakes one thread that waits for a change of `*word`.
void axiom_futex_wake_one(const void *word);

/// Opens a non-blocking socket of rtnetlink(7) that receives changes of links and addresses. Returns its descriptor, or
/// the negative errno.
int axiom_netlink_open(void);

/// Requests all links (RTM_GETLINK) or addresses (RTM_GETADDR). Returns 0, or the negative errno.
int axiom_netlink_dump(int descriptor, uint16_t type, uint32_t sequence);

/// Receives one datagram. Returns its length, 0 if it does not come from the kernel, -EMSGSIZE if it is longer than
/// `size`, or the negative errno.
long axiom_netlink_receive(int descriptor, void *buffer, size_t size);

/// Opens a non-blocking eventfd(2). Returns its descriptor, or the negative errno.
int axiom_eventfd(void);

/// Whether the descriptor belongs to a file of proc or of cgroup version 2.
int axiom_is_kernel_file(int descriptor);

/// Names the calling thread.
void axiom_name_thread(const char *name);
#endif

#endif
