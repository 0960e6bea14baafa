// SPDX-License-Identifier: Apache-2.0

#include "Page.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <string>

#include "Instruments.hpp"

using namespace prometheus;

PageBuffer::PageBuffer(std::size_t capacity) : memory(capacity) {
    clear();
}

void PageBuffer::clear() {
    setp(memory.data(), memory.data() + memory.size());
}

std::string_view PageBuffer::content() const {
    return {pbase(), static_cast<std::size_t>(pptr() - pbase())};
}

Page::Page() : buffer(8 << 20), stream(&buffer) {
    auto &requests =
        BuildCounter().Name("app_requests_total").Help("Requests served, by route and status.").Register(registry);
    auto &latencies =
        BuildHistogram().Name("app_seconds").Help("Time to serve a request, by route.").Register(registry);
    for (int route = 0; route < 1'000; ++route) {
        const std::string name = std::to_string(route);
        for (int status = 0; status < 10; ++status) {
            auto &counter = requests.Add({{"r", name}, {"code", std::to_string(200 + status)}});
            counter.Increment((route * 10 + status) * 37 % 1'000'003);
        }
        auto &latency = latencies.Add({{"r", name}}, standardBuckets);
        for (long step = 1; step <= 60; ++step) {
            latency.Observe((route + 1) * step * 7'919 % 12'000 / 1'000.0);
        }
    }
    snapshot = registry.Collect();
}

void Page::addTo(Measurement &measurement) {
    measurement.add("exposition/collect.10k", [this](int iterations) {
        for (int index = 0; index < iterations; ++index) {
            const auto families = registry.Collect();
            keep(families.data());
        }
    });
    measurement.add("exposition/text.10k", [this](int iterations) {
        for (int index = 0; index < iterations; ++index) {
            keep(encode().data());
        }
    });
}

std::string_view Page::encode() {
    buffer.clear();
    serializer.Serialize(stream, snapshot);
    return buffer.content();
}
