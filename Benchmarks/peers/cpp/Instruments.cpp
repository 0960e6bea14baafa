// SPDX-License-Identifier: Apache-2.0

#include "Instruments.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

using namespace prometheus;

const std::vector<double> standardBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

namespace {

// The same 1,024 times between 0 and 12 s as in the Axiom benchmark. No branch predictor can learn them.
std::array<double, 1024> makeTimes() {
    std::array<double, 1024> times;
    std::uint64_t state = 1;
    for (auto &time : times) {
        state = state * 6364136223846793005u + 1;
        time = static_cast<double>(state >> 40) / (1 << 24) * 12;
    }
    return times;
}

const std::array<double, 1024> times = makeTimes();

void addFloor(Measurement &measurement) {
    measurement.add("floor/atomic.add", [](int iterations) {
        std::atomic<std::uint64_t> total{0};
        for (int index = 0; index < iterations; ++index) {
            total.fetch_add(1, std::memory_order_relaxed);
        }
        keep(&total);
    });
}

void addScalars(Registry &registry, Measurement &measurement) {
    auto &counters = BuildCounter().Name("counter_total").Help("C.").Register(registry);
    for (const bool isShared : {false, true}) {
        auto &counter = counters.Add({{"shared", isShared ? "yes" : "no"}});
        const Body body = [&counter](int iterations) {
            for (int index = 0; index < iterations; ++index) {
                counter.Increment();
            }
        };
        if (isShared) {
            measurement.addShared("metrics/counter.increment/2 threads", body);
        } else {
            measurement.add("metrics/counter.increment", body);
        }
    }
    auto &gauge = BuildGauge().Name("gauge").Help("G.").Register(registry).Add({});
    measurement.add("metrics/gauge.set", [&gauge](int iterations) {
        for (int index = 0; index < iterations; ++index) {
            gauge.Set(index);
        }
    });
}

void addHistograms(Registry &registry, Measurement &measurement) {
    auto &histograms = BuildHistogram().Name("histogram").Help("H.").Register(registry);
    for (const bool isShared : {false, true}) {
        auto &histogram = histograms.Add({{"shared", isShared ? "yes" : "no"}}, standardBuckets);
        const Body body = [&histogram](int iterations) {
            for (int index = 0; index < iterations; ++index) {
                histogram.Observe(times[index & 1023]);
            }
        };
        if (isShared) {
            measurement.addShared("metrics/histogram.observe/2 threads", body);
        } else {
            measurement.add("metrics/histogram.observe", body);
        }
    }
}

// The client takes the labels of a child as a map, so every lookup includes building that map.
void addLookup(Registry &registry, Measurement &measurement) {
    auto &family = BuildCounter().Name("strings_total").Help("C.").Register(registry);
    for (int client = 0; client < 32; ++client) {
        for (int action = 0; action < 16; ++action) {
            family.Add({
                {"client", "ShoppingCartClient" + std::to_string(client)},
                {"action", "addItemToCart" + std::to_string(action)},
            });
        }
    }
    const std::string client = "ShoppingCartClient7";
    const std::string action = "addItemToCart3";
    measurement.add("metrics/family.lookup", [&family, client, action](int iterations) {
        for (int index = 0; index < iterations; ++index) {
            keep(&family.Add({{"client", client}, {"action", action}}));
        }
    });
}

}  // namespace

void addInstruments(Registry &registry, Measurement &measurement) {
    addFloor(measurement);
    addScalars(registry, measurement);
    addHistograms(registry, measurement);
    addLookup(registry, measurement);
}
