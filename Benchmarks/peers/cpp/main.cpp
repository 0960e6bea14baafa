// SPDX-License-Identifier: Apache-2.0

// Measures the C++ client. `cpp-peer [--rounds N]` prints JSON in the format of the Axiom benchmarks; `cpp-peer --page`
// prints the encoded page.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "Instruments.hpp"
#include "Measurement.hpp"
#include "Page.hpp"

namespace {

int usage() {
    std::fprintf(stderr, "usage: cpp-peer [--rounds N | --page], with N of 10 or more\n");
    return 2;
}

void print(const Measurement &instruments, const Measurement &pages, std::size_t bytes) {
    std::printf("{\n  \"bytes\" : %zu,\n  \"series\" : %d,\n  \"entries\" : [", bytes, Page::series);
    const char *separator = "\n";
    for (const auto *measurement : {&instruments, &pages}) {
        for (const auto &result : measurement->results()) {
            std::printf("%s    { \"id\" : \"%s\", \"unit\" : \"ns\", \"value\" : %.4f }", separator,
                        result.id.c_str(), result.nanoseconds);
            separator = ",\n";
        }
    }
    std::printf("\n  ]\n}\n");
}

}  // namespace

int main(int count, char **arguments) {
    int rounds = 401;
    Page page;
    if (count == 2 && std::string_view(arguments[1]) == "--page") {
        const auto text = page.encode();
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
    if (count == 3 && std::string_view(arguments[1]) == "--rounds") {
        rounds = std::atoi(arguments[2]);
    } else if (count != 1) {
        return usage();
    }
    if (rounds < 10) {
        return usage();
    }
    prometheus::Registry registry;
    Measurement instruments(10'000, rounds);
    addInstruments(registry, instruments);
    instruments.run();
    // A page takes milliseconds, so a round has one page, and there are a tenth of the rounds.
    Measurement pages(1, rounds / 10);
    page.addTo(pages);
    pages.run();
    print(instruments, pages, page.encode().size());
    return 0;
}
