// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CPlantedCode.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void planted_keep(uint64_t value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

uint64_t planted_same(uint64_t value) {
    __asm__ volatile("" : "+r"(value));
    return value;
}

uint64_t planted_c_burn(uint64_t rounds) {
    uint64_t value = rounds;
    for (uint64_t round = 0; round < rounds; round++) value = value * 6364136223846793005u + 1442695040888963407u;
    return value;
}

// MARK: Without frame pointers

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
// The compiler cannot leave out the frame pointer of one function. The inner one burns, the outer one calls it in a loop of
// 1,000 rounds, and neither uses the frame pointer.
__asm__(".text\n"
        ".globl planted_frameless_burn\n"
        ".type planted_frameless_burn, %function\n"
        "planted_frameless_burn:\n"
#if defined(__x86_64__)
        "    pushq %rbx\n"
        "    movq %rdi, %rbx\n"
        "    movl $1, %eax\n"
        "1:  call planted_frameless_inner\n"
        "    subq $1000, %rbx\n"
        "    ja 1b\n"
        "    popq %rbx\n"
        "    ret\n"
#else
        "    stp x30, x19, [sp, #-16]!\n"
        "    mov x19, x0\n"
        "    mov x0, #1\n"
        "1:  bl planted_frameless_inner\n"
        "    subs x19, x19, #1000\n"
        "    b.hi 1b\n"
        "    ldp x30, x19, [sp], #16\n"
        "    ret\n"
#endif
        ".size planted_frameless_burn, .-planted_frameless_burn\n"
        ".type planted_frameless_inner, %function\n"
        "planted_frameless_inner:\n"
#if defined(__x86_64__)
        "    movl $1000, %ecx\n"
        "2:  imulq $1103515245, %rax, %rax\n"
        "    addq $12345, %rax\n"
        "    subl $1, %ecx\n"
        "    jne 2b\n"
        "    ret\n"
#else
        "    mov w9, #1000\n"
        "    mov x10, #20077\n"
        "2:  madd x0, x0, x10, x10\n"
        "    subs w9, w9, #1\n"
        "    b.ne 2b\n"
        "    ret\n"
#endif
        ".size planted_frameless_inner, .-planted_frameless_inner\n");
#else
uint64_t planted_frameless_burn(uint64_t rounds) {
    uint64_t value = 1;
    for (uint64_t round = 0; round < rounds; round++) value = value * 1103515245u + 12345u;
    return value;
}
#endif

// MARK: Called back by a library

__attribute__((noinline)) static int planted_compare(const void *first, const void *second) {
    uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    for (int round = 0; round < 50; round++) {
        a = a * 2862933555777941757u + 3037000493u;
        b = b * 2862933555777941757u + 3037000493u;
    }
    return (a > b) - (a < b);
}

uint64_t planted_sort(uint64_t rounds) {
    enum { count = 128 };
    uint64_t values[count], value = rounds | 1, calls = rounds / (50 * count * 6) + 1;
    for (uint64_t call = 0; call < calls; call++) {
        for (int index = 0; index < count; index++) {
            value ^= value << 13, value ^= value >> 7, value ^= value << 17;
            values[index] = value;
        }
        qsort(values, count, sizeof values[0], planted_compare);
    }
    return values[0];
}

// MARK: One function for each action

#define ACTION(name, factor)                                                                                        \
    __attribute__((noinline)) static uint64_t name(uint64_t rounds) {                                               \
        uint64_t value = factor;                                                                                    \
        for (uint64_t round = 0; round < rounds; round++) value = (value ^ round) * factor + (value >> 7);          \
        return value;                                                                                               \
    }

ACTION(planted_action_0, 0x9e3779b97f4a7c15u)
ACTION(planted_action_1, 0xbf58476d1ce4e5b9u)
ACTION(planted_action_2, 0x94d049bb133111ebu)
ACTION(planted_action_3, 0xd6e8feb86659fd93u)
ACTION(planted_action_4, 0xff51afd7ed558ccdu)
ACTION(planted_action_5, 0xc4ceb9fe1a85ec53u)
ACTION(planted_action_6, 0x2545f4914f6cdd1du)
ACTION(planted_action_7, 0xda942042e4dd58b5u)
ACTION(planted_action_8, 0xaef17502108ef2d9u)
ACTION(planted_action_9, 0xf1357aea2e62a9c5u)
ACTION(planted_detached, 0x106689d45497fdb5u)

uint64_t planted_action_burn(int action, uint64_t rounds) {
    switch (action) {
    case 0: return planted_action_0(rounds);
    case 1: return planted_action_1(rounds);
    case 2: return planted_action_2(rounds);
    case 3: return planted_action_3(rounds);
    case 4: return planted_action_4(rounds);
    case 5: return planted_action_5(rounds);
    case 6: return planted_action_6(rounds);
    case 7: return planted_action_7(rounds);
    case 8: return planted_action_8(rounds);
    case 9: return planted_action_9(rounds);
    default: return planted_detached(rounds);
    }
}

// MARK: Disturbances

static _Atomic uint64_t signals, burned;

static void *run_thread(void *rounds) {
    burned += planted_c_burn((uintptr_t)rounds);
    return NULL;
}

int planted_threads(int count, uint64_t rounds) {
    enum { limit = 512 };
    pthread_t threads[limit];
    int started = 0;
    while (started < count && started < limit && pthread_create(&threads[started], NULL, run_thread, (void *)(uintptr_t)rounds) == 0)
        started++;
    for (int index = 0; index < started; index++) pthread_join(threads[index], NULL);
    return started;
}

int planted_fork(uint64_t rounds) {
    pid_t process = fork();
    if (process == 0) _exit(planted_c_burn(rounds) == 1 ? 1 : 0);
    int status = -1;
    if (process < 0) return -1;
    while (waitpid(process, &status, 0) < 0) {}
    return status;
}

int planted_load(void) {
    static const char *const names[] = {"libanl.so.1", "libutil.so.1", "libresolv.so.2", "libthread_db.so.1"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        void *used = dlopen(names[index], RTLD_NOW | RTLD_NOLOAD), *library = used ? NULL : dlopen(names[index], RTLD_NOW);
        if (used) dlclose(used);
        if (!library) continue;
        dlclose(library);
        return 1;
    }
    return 0;
}

static void count(int signal) {
    (void)signal;
    signals++;
}

int planted_count_signal(int signal) {
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    return sigaction(signal, &action, NULL);
}

uint64_t planted_signals(void) { return signals; }

uintptr_t planted_frame(void) {
    return *(uintptr_t *)__builtin_frame_address(0);
}

#if defined(__linux__)
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int planted_forbid_reading(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}
#else
int planted_forbid_reading(void) { return -1; }
#endif
