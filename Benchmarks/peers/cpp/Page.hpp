// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <vector>

#include "Measurement.hpp"

// A buffer that is reused for each page. The HTTP handler of the client creates a new string for each page, which would be
// slower.
class PageBuffer : public std::streambuf {
public:
    explicit PageBuffer(std::size_t capacity);

    void clear();
    std::string_view content() const;

private:
    std::vector<char> memory;
};

// The page of the Axiom suite `exposition`: 10,000 counters with two labels and 1,000 histograms of 11 buckets.
class Page {
public:
    Page();

    // The number of counters and histograms; each is one series.
    static constexpr int series = 11'000;

    // Adds collecting and encoding as separate operations.
    void addTo(Measurement &measurement);

    std::string_view encode();

private:
    prometheus::Registry registry;
    std::vector<prometheus::MetricFamily> snapshot;
    prometheus::TextSerializer serializer;
    PageBuffer buffer;
    std::ostream stream;
};
