// SPDX-License-Identifier: Apache-2.0

#include "ThreadPair.hpp"

#include <algorithm>
#include <cmath>

Span timed(const Work &work) {
    Span span;
    span.start = Clock::now();
    work();
    span.end = Clock::now();
    return span;
}

ThreadPair::ThreadPair() : other([this] { serve(); }) {}

ThreadPair::~ThreadPair() {
    {
        const std::lock_guard lock(mutex);
        isEnding = true;
    }
    changed.notify_all();
    other.join();
}

std::optional<double> ThreadPair::time(const Work &work) {
    arrived = 0;
    {
        const std::lock_guard lock(mutex);
        pending = &work;
    }
    changed.notify_all();
    const auto own = meetAndTime(work);
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return pending == nullptr; });
    const auto late = std::abs(std::chrono::duration<double, std::nano>(own.start - otherSpan.start).count());
    if (late > std::min(own.nanoseconds(), otherSpan.nanoseconds()) / 10) {
        return std::nullopt;
    }
    return std::max(own.nanoseconds(), otherSpan.nanoseconds());
}

void ThreadPair::serve() {
    std::unique_lock lock(mutex);
    while (true) {
        changed.wait(lock, [this] { return pending != nullptr || isEnding; });
        if (isEnding) {
            return;
        }
        const Work &work = *pending;
        lock.unlock();
        const auto span = meetAndTime(work);
        lock.lock();
        otherSpan = span;
        pending = nullptr;
        changed.notify_all();
    }
}

Span ThreadPair::meetAndTime(const Work &work) {
    ++arrived;
    while (arrived < 2) {
    }
    return timed(work);
}
