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

// The start and end of work.
struct Span {
    Clock::time_point start;
    Clock::time_point end;

    double nanoseconds() const {
        return std::chrono::duration<double, std::nano>(end - start).count();
    }
};

Span timed(const Work &work);

// Runs work on the calling thread and on a second thread at the same time. The second thread waits between runs, so that no
// run includes the start of a thread.
class ThreadPair {
public:
    ThreadPair();
    ~ThreadPair();

    // The nanoseconds of the slower thread. Empty if one thread began long after the other, because then they did not
    // compete.
    std::optional<double> time(const Work &work);

private:
    void serve();
    Span meetAndTime(const Work &work);

    std::mutex mutex;
    std::condition_variable changed;
    // Guarded by `mutex`: the pending work of the second thread, whether it should end, and the span of its last run.
    const Work *pending = nullptr;
    bool isEnding = false;
    Span otherSpan;
    // The number of threads that have reached the start of a run.
    std::atomic<int> arrived{0};
    // The last member, because the thread uses the members above.
    std::thread other;
};
