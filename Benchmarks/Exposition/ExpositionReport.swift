// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import Foundation

/// Times of pages, as throughput, beside their goals.
struct ExpositionReport: Codable {
    struct Page: Codable {
        let bytes: Int
        /// How often memory is asked for while the page is encoded; nil where that is not known.
        let allocations: Int?
    }

    struct Entry: Codable {
        let id: String
        let microseconds: Double
        let megabytesPerSecond: Double?
        let millionSeriesPerSecond: Double
        let allocations: Int?
        /// The time as a multiple of the `memcpy` of a text page.
        let timesCopy: Double
    }

    /// What a scrape over HTTP costs, as a multiple of what it cannot do without.
    struct ScrapeRatios: Codable {
        /// Of encoding the text page alone.
        let timesEncoding: Double
        /// Of encoding, and the way of the bytes through a bare loopback connection.
        let timesEncodingAndLoopback: Double
        /// Of collecting, encoding, and the way of the bytes.
        let timesCollectingEncodingAndLoopback: Double

        init(_ microseconds: (String) -> Double) {
            let scrape = microseconds("exposition/scrape.http.10k")
            let encoding = microseconds("exposition/text.10k")
            let transfer = microseconds("floor/loopback.bytes")
            timesEncoding = scrape / encoding
            timesEncodingAndLoopback = scrape / (encoding + transfer)
            timesCollectingEncodingAndLoopback = scrape / (microseconds("exposition/collect.10k") + encoding + transfer)
        }
    }

    var pages: [String: Page] = [:]
    private(set) var scrapeRatios: ScrapeRatios?
    private(set) var entries: [Entry] = []

    /// Takes the first decile of the rounds: what an operation takes while nobody else has the processors.
    mutating func take(_ report: BenchmarkReport) {
        func microseconds(_ result: BenchmarkReport.Result) -> Double {
            result.nanoseconds.isEmpty ? .nan : result.nanoseconds[result.nanoseconds.count / 10] / 1_000
        }
        let copy = report.results.first { $0.id == "floor/memcpy" }.map(microseconds) ?? .nan
        entries = report.results.map { result in
            let time = microseconds(result)
            let page = pages[result.id]
            return Entry(
                id: result.id,
                microseconds: time,
                megabytesPerSecond: page.map { Double($0.bytes) / time },
                millionSeriesPerSecond: Double(SampleData.series) / time,
                allocations: page?.allocations,
                timesCopy: time / copy
            )
        }
        scrapeRatios = ScrapeRatios { id in entries.first { $0.id == id }?.microseconds ?? .nan }
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    var table: String {
        let rows = entries.map { entry in
            let id = entry.id.padding(toLength: 28, withPad: " ", startingAt: 0)
            let speed = entry.megabytesPerSecond.map { String(format: "%7.0f MB/s", $0) } ?? "            "
            let allocations = entry.allocations.map { "  \($0) allocations a page" } ?? ""
            return id + String(format: "%8.1f us  ", entry.microseconds) + speed
                + String(format: "  %6.1f M series/s  %5.1f x memcpy", entry.millionSeriesPerSecond, entry.timesCopy)
                + allocations
        }
        return (rows + ratios).joined(separator: "\n")
    }

    private var ratios: [String] {
        guard let scrapeRatios else { return [] }
        return [
            "scrape.http.10k is",
            String(format: "  %.2f x encoding", scrapeRatios.timesEncoding),
            String(format: "  %.2f x (encoding + loopback)", scrapeRatios.timesEncodingAndLoopback),
            String(
                format: "  %.2f x (collecting + encoding + loopback)",
                scrapeRatios.timesCollectingEncodingAndLoopback
            ),
        ]
    }
}
