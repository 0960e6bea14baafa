// SPDX-License-Identifier: Apache-2.0

// Passes timers to the kernel. libfaketime adds its offset to the absolute times of all timers, although those of the
// monotonic clock do not follow the wall clock: after a step back by an hour, Swift's tasks would sleep an hour longer.
// This library comes before libfaketime in LD_PRELOAD.

#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
    return (int)syscall(SYS_timerfd_settime, timer, flags, value, old);
}

int timerfd_gettime(int timer, struct itimerspec *value) {
    return (int)syscall(SYS_timerfd_gettime, timer, value);
}
