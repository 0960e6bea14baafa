// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ThreadPair.hpp"

// Runs an operation the given number of times.
using Body = std::function<void(int iterations)>;

// A set of operations that are measured alternately, so that a machine that slows down affects all of them.
class Measurement {
public:
    // `iterations` is the number of runs of an operation in one round.
    Measurement(int iterations, int rounds);

    void add(std::string id, Body body);

    // Measures two threads that run the body at the same time, as the time of one operation of one thread. There is no
    // result if the machine never runs both threads at once.
    void addShared(std::string id, Body body);

    // Measures all operations, after one warm-up round.
    void run();

    struct Result {
        std::string id;
        // The first decile of the rounds: the duration of an operation on an idle processor.
        double nanoseconds;
    };

    std::vector<Result> results() const;

private:
    struct Benchmark {
        std::string id;
        Body body;
        bool isShared;
        std::vector<double> nanoseconds;
    };

    std::optional<double> measure(const Benchmark &benchmark, ThreadPair &pair) const;

    const int iterations;
    const int rounds;
    std::vector<Benchmark> benchmarks;
};

// Keeps the compiler from removing the computation of the value at `pointer`.
inline void keep(const void *pointer) {
    asm volatile("" : : "g"(pointer) : "memory");
}
