// SPDX-License-Identifier: Apache-2.0

#include "Measurement.hpp"

#include <algorithm>

namespace {

// How often a round tries to run two threads at once. On a busy machine they often share a processor.
constexpr int attempts = 10;

}  // namespace

Measurement::Measurement(int iterations, int rounds) : iterations(iterations), rounds(rounds) {}

void Measurement::add(std::string id, Body body) {
    benchmarks.push_back({std::move(id), std::move(body), false, {}});
}

void Measurement::addShared(std::string id, Body body) {
    benchmarks.push_back({std::move(id), std::move(body), true, {}});
}

void Measurement::run() {
    ThreadPair pair;
    for (int round = -1; round < rounds; ++round) {
        for (auto &benchmark : benchmarks) {
            const auto time = measure(benchmark, pair);
            if (round >= 0 && time) {
                benchmark.nanoseconds.push_back(*time / iterations);
            }
        }
    }
}

std::optional<double> Measurement::measure(const Benchmark &benchmark, ThreadPair &pair) const {
    const auto work = [&] { benchmark.body(iterations); };
    if (!benchmark.isShared) {
        return timed(work).nanoseconds();
    }
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (const auto time = pair.time(work)) {
            return time;
        }
    }
    return std::nullopt;
}

std::vector<Measurement::Result> Measurement::results() const {
    std::vector<Result> results;
    for (const auto &benchmark : benchmarks) {
        auto ascending = benchmark.nanoseconds;
        if (ascending.empty()) {
            continue;
        }
        std::sort(ascending.begin(), ascending.end());
        results.push_back({benchmark.id, ascending.at(ascending.size() / 10)});
    }
    return results;
}
