// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import AxiomMetrics

/// What a page of metrics costs: to collect, to encode in each format, and to fetch over HTTP.
enum ExpositionSuite {
    static let suite = BenchmarkSuite("exposition") { suite in
        for page in [SamplePage.text, .openMetrics, .openMetrics2, .protobuf] { add(page, to: &suite) }
        addCollecting(to: &suite)
        addScrape(to: &suite)
        addRatios(to: &suite)
    }

    private static func add(_ page: SamplePage, to suite: inout BenchmarkSuite) {
        var options = page.options
        options.goal = page.goal
        suite.add("\(page.name).10k", options: options, fixture: try page.press()) { press, iterations in
            for _ in 0..<iterations { press.encode() }
        }
        suite.addValue("\(page.name).10k.bytes", unit: "bytes", kind: .exact) { Double(try page.press().bytes) }
        suite.addValue("\(page.name).10k.series", unit: "series/s", kind: .information, isLowerBetter: false) {
            let press = try page.press()
            let times = try await Turns.times(rounds: 41, iterations: 1, [{ _ in press.encode() }])
            return Double(SampleData.series) / times[0] * 1e9
        }
    }

    private static func addCollecting(to suite: inout BenchmarkSuite) {
        var options = BenchmarkOptions()
        options.countedIterations = SamplePage.text.options.countedIterations
        suite.add("collect.10k", options: options, fixture: try SampleData.makeRegistry()) { registry, iterations in
            for _ in 0..<iterations { blackHole(registry.collect()) }
        }
    }

    /// Client, server and encoder run at the same time: on any processors, and nothing of it is gated.
    private static func addScrape(to suite: inout BenchmarkSuite) {
        var options = BenchmarkOptions.concurrent
        options.bytesPerIteration = Double(SamplePage.text.bytes)
        options.goal = .atMost(1.5, times: "exposition/text.10k").held(at: 2.9)
        suite.add("scrape.http.10k", options: options, fixture: try Scraper()) { scraper, iterations in
            for _ in 0..<iterations { blackHole(try scraper.reader.read()) }
        }
    }

    private static func addRatios(to suite: inout BenchmarkSuite) {
        suite.addValue(
            "protobuf.times-text",
            unit: "x text",
            kind: .information,
            options: .goal(.atMost(1, "protobuf takes no longer than text"))
        ) {
            let (text, protobuf) = (try SamplePage.text.press(), try SamplePage.protobuf.press())
            let times = try await Turns.times(
                rounds: 41,
                iterations: 1,
                [{ _ in text.encode() }, { _ in protobuf.encode() }]
            )
            return times[1] / times[0]
        }
        // The parts that every scrape has: to collect, to encode, and to send the bytes over a bare socket.
        suite.addValue(
            "scrape.times-parts",
            unit: "x parts",
            kind: .information,
            options: .goal(.atMost(1.2, "a scrape takes little longer than its parts"))
        ) {
            let (scraper, bare) = (try Scraper(), try BareConnection())
            let (registry, text) = (try SampleData.makeRegistry(), try SamplePage.text.press())
            let times = try await Turns.times(
                rounds: 41,
                iterations: 1,
                [
                    { _ in blackHole(try scraper.reader.read()) }, { _ in blackHole(registry.collect()) },
                    { _ in text.encode() }, { _ in blackHole(try bare.reader.read()) },
                ]
            )
            return times[0] / times.dropFirst().reduce(0, +)
        }
    }

    /// The ways of a page without what makes it, for the suite of floors.
    static func addFloors(to suite: inout BenchmarkSuite) {
        var options = BenchmarkOptions.concurrent
        options.bytesPerIteration = Double(SamplePage.text.bytes)
        suite.add("loopback.bytes", options: options, fixture: try BareConnection()) { bare, iterations in
            for _ in 0..<iterations { blackHole(try bare.reader.read()) }
        }
        suite.add("http", options: options, fixture: try PageServer()) { server, iterations in
            for _ in 0..<iterations { blackHole(try server.reader.read()) }
        }
        // A handler on the network thread: the difference is the cost of a task.
        suite.add("http.immediate", options: options, fixture: try PageServer(isImmediate: true)) { http, iterations in
            for _ in 0..<iterations { blackHole(try http.reader.read()) }
        }
    }
}
