// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ThreadPair.hpp"

// Runs an operation as often as it is told.
using Body = std::function<void(int iterations)>;

// A set of operations that are measured in turns, so that a machine that gets slower meanwhile does so for all of them.
class Measurement {
public:
    // `iterations` is how often an operation runs in one round.
    Measurement(int iterations, int rounds);

    void add(std::string id, Body body);

    // Measures what two threads take that run the body at the same time, for each operation of each thread. On a
    // machine that never lets two threads run at once there is no result.
    void addShared(std::string id, Body body);

    // Measures everything, after one round that only warms up.
    void run();

    struct Result {
        std::string id;
        // The first decile of the rounds: what an operation takes while nobody else has the processors.
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

// Keeps the compiler from removing the computation of what `pointer` points to.
inline void keep(const void *pointer) {
    asm volatile("" : : "g"(pointer) : "memory");
}
