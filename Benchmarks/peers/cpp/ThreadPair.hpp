// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

using Work = std::function<void()>;

using Clock = std::chrono::steady_clock;

// When work began and ended.
struct Span {
    Clock::time_point start;
    Clock::time_point end;

    double nanoseconds() const {
        return std::chrono::duration<double, std::nano>(end - start).count();
    }
};

Span timed(const Work &work);

// Runs work on the calling thread and on another at the same time. The other one waits between runs, so that no run
// pays for a thread's start.
class ThreadPair {
public:
    ThreadPair();
    ~ThreadPair();

    // The nanoseconds of the thread that took longer; nothing where the system let one begin long after the other, as
    // then neither hindered the other.
    std::optional<double> time(const Work &work);

private:
    void serve();
    Span meetAndTime(const Work &work);

    std::mutex mutex;
    std::condition_variable changed;
    // Guarded by `mutex`: what the other thread has still to run, whether it should end, and when it last did.
    const Work *pending = nullptr;
    bool isEnding = false;
    Span otherSpan;
    // How many threads have come to the start of a run.
    std::atomic<int> arrived{0};
    // Last, so that the thread finds everything above in place.
    std::thread other;
};
