// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP
@testable import AxiomMetricsExporter

@Suite("Scrapes of /metrics")
struct ScrapeTests {
    private static func makeRegistry() throws -> Registry {
        let registry = Registry()
        try registry.counter("shop_visits_total", help: "Visits.").increment(by: 7)
        try registry.exponentialHistogram("wait_seconds", help: "Waiting.", buckets: [1, 2]).observe(1.5)
        try registry.gauge("load.average", help: "Load.", options: MetricOptions(names: .utf8)).set(0.5)
        return registry
    }

    @Test("A reader receives the format that it prefers, and Vary names the headers that decide")
    func formats() async throws {
        let registry = try Self.makeRegistry()
        try await MetricsExporter.serving(registry) { port in
            let wanted: KeyValuePairs = [
                "*/*": "text/plain; version=0.0.4; charset=utf-8",
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8":
                    "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8",
                "application/openmetrics-text;version=2.0.0,application/openmetrics-text;version=1.0.0;q=0.9":
                    "application/openmetrics-text; version=2.0.0; charset=utf-8",
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited":
                    ProtobufEncoder.contentType,
            ]
            for (accept, type) in wanted {
                let page = try await HTTPExchange.perform("GET", "/metrics", port: port, headers: ["Accept": accept])
                #expect(page.status == 200)
                #expect(page["Content-Type"] == type)
                #expect(page["Vary"] == "Accept, Accept-Encoding")
                #expect(page["Content-Encoding"] == nil)
                let head = try await HTTPExchange.perform("HEAD", "/metrics", port: port, headers: ["Accept": accept])
                #expect(head.body.isEmpty)
                #expect(head["Content-Type"] == type)
                #expect(head["Vary"] == "Accept, Accept-Encoding")
            }
            let page = try await HTTPExchange.perform(
                "GET",
                "/metrics",
                port: port,
                headers: ["Accept": "application/openmetrics-text;escaping=allow-utf-8"]
            )
            #expect(page.text.contains("{\"load.average\"} 0.5\n"))
            #expect(page.text.hasSuffix("\n# EOF\n"))
        }
        for format in ["text", "openmetrics", "openmetrics2", "protobuf"] {
            let scrapes = registry.collect().value("axiom_exporter_scrapes_total", ["format": format, "code": "200"])
            #expect(scrapes == (format == "openmetrics" ? 3 : 2))
        }
    }

    @Test("A page is compressed only if the reader accepts gzip, and unpacks to the page")
    func gzip() async throws {
        try await MetricsExporter.serving(try Self.makeRegistry()) { port in
            let offers: KeyValuePairs = [
                "gzip": true, "deflate, gzip;q=0.5": true, "*": true, "gzip;q=0": false, "identity": false, "br": false,
                "*;q=0, identity": false, "gzip;q=0.1, identity;q=0.9": false, "gzip;q=0, *": false,
            ]
            for (offer, isCompressed) in offers {
                let page = try await HTTPExchange.perform(
                    "GET",
                    "/metrics?name[]=shop_visits_total",
                    port: port,
                    headers: ["Accept-Encoding": offer]
                )
                #expect((page["Content-Encoding"] == "gzip") == isCompressed, "\(offer)")
                #expect(page["Vary"] == "Accept, Accept-Encoding")
                var text = page.text
                if isCompressed {
                    let output = try await Command.run("/usr/bin/env", ["gzip", "-dc"], input: page.body)
                    #expect(output.status == 0)
                    text = output.output
                }
                #expect(text.hasSuffix("shop_visits_total 7\n"), "\(offer)")
            }
        }
    }

    @Test("name[] limits the page to families, by their names and those of their samples")
    func filter() async throws {
        try await MetricsExporter.serving(try Self.makeRegistry()) { port in
            let queries: KeyValuePairs = [
                "name[]=shop_visits_total": ["shop_visits_total"],
                "name%5B%5D=shop_visits&name[]=wait_seconds_count": ["shop_visits_total", "wait_seconds"],
                "name[]=load_average": ["load_average"],
                "name[]=load.average": ["load_average"],
                "name[]=nothing": [],
                "other=1&name[]=wait_seconds&name[]=wait_seconds": ["wait_seconds"],
            ]
            for (query, names) in queries {
                let page = try await HTTPExchange.perform("GET", "/metrics?\(query)", port: port)
                #expect(page.status == 200)
                let types = page.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
                #expect(types.map { String($0.split(separator: " ")[2]) } == names, "\(query)")
            }
            let many = (0...200).map { "name[]=\($0)" }.joined(separator: "&")
            #expect(try await HTTPExchange.perform("GET", "/metrics?\(many)", port: port).status == 400)
        }
    }

    @Test("?debug shows each format as text; an unknown name is refused with the list of formats")
    func debug() async throws {
        let registry = try Self.makeRegistry()
        try await MetricsExporter.serving(registry) { port in
            let views = [
                "text": "shop_visits_total 7\n", "openmetrics": "# TYPE shop_visits counter\n",
                "openmetrics2": "wait_seconds {count:1,sum:1.5,schema:8,", "protobuf": "value: 7\n",
            ]
            for (format, line) in views {
                let page = try await HTTPExchange.perform("GET", "/metrics?debug=\(format)", port: port)
                #expect(page["Content-Type"] == "text/plain; charset=utf-8")
                #expect(page["X-Content-Type-Options"] == "nosniff")
                #expect(page.text.contains(line), "\(format)")
            }
            let page = try await HTTPExchange.perform("GET", "/metrics?debug=protobuf&name[]=wait_seconds", port: port)
            #expect(page.text.contains("  histogram {\n    sample_count: 1\n    sample_sum: 1.5\n"))
            #expect(page.text.contains("positive_delta: [1]\n"))
            let refused = try await HTTPExchange.perform("GET", "/metrics?debug=xml", port: port)
            #expect(refused.status == 400)
            #expect(refused.text.contains("text, openmetrics, openmetrics2, protobuf"))
        }
        #expect(registry.collect().value("axiom_exporter_scrapes_total", ["format": "text", "code": "400"]) == 1)
    }

    @Test(
        "A scrape timeout that makes no sense changes nothing",
        arguments: ["0.9", "10", "0", "-1", "nan", "x", "1e99"]
    )
    func timeout(_ seconds: String) async throws {
        try await MetricsExporter.serving(try Self.makeRegistry()) { port in
            let page = try await HTTPExchange.perform(
                "GET",
                "/metrics",
                port: port,
                headers: ["X-Prometheus-Scrape-Timeout-Seconds": seconds]
            )
            #expect(page.status == 200)
            #expect(page.text.contains("shop_visits_total 7\n"))
        }
    }

    private struct Stuck: AsyncCollector {
        func collect() async throws -> [CollectedFamily] {
            try await Task.sleep(for: .seconds(3_600))
            return []
        }
    }

    @Test(
        "A collector that is late is cancelled at the reader's timeout and reported; the rest is served",
        .timeLimit(.minutes(10))
    )
    func deadline() async throws {
        let registry = try Self.makeRegistry()
        registry.register(Stuck())
        let reports = Journal<String>()
        try await MetricsExporter.serving(registry, reports: reports) { port in
            let page = try await HTTPExchange.perform(
                "GET",
                "/metrics",
                port: port,
                headers: ["X-Prometheus-Scrape-Timeout-Seconds": "0.05"]
            )
            #expect(page.status == 200)
            #expect(page.text.contains("shop_visits_total 7\n"))
            #expect(reports.entries.contains { $0.contains("Stuck") })
        }
    }

    /// Returns at `release()`, and counts its calls.
    private final class Held: AsyncCollector, Sendable {
        private let asked = Lock<(count: Int, waiting: CheckedContinuation<Void, Never>?)>((0, nil))

        var count: Int { asked.withLock { $0.count } }

        func collect() async -> [CollectedFamily] {
            await withCheckedContinuation { continuation in
                asked.withLock { $0 = ($0.count + 1, continuation) }
            }
            return []
        }

        func release() {
            asked.withLock { $0.waiting }?.resume()
        }
    }

    @Test("Scrapes of one format that overlap share one page; another format is another page", .timeLimit(.minutes(10)))
    func coalescing() async throws {
        let registry = try Self.makeRegistry()
        let held = Held()
        registry.register(held)
        let cache = ScrapeCache(registry) { _ in }
        let deadline = registry.clock.now.advanced(by: .seconds(50))
        let plain = try ScrapeRequest(HTTPRequest(path: "/metrics"))
        let other = try ScrapeRequest(
            HTTPRequest(path: "/metrics", headers: ["Accept": "application/openmetrics-text"])
        )
        let pages = await withTaskGroup(of: ScrapeCache.Page?.self) { group in
            for _ in 0..<12 { group.addTask { await cache.page(plain, deadline: deadline) } }
            group.addTask { await cache.page(other, deadline: deadline) }
            while await cache.waiting < 13 || held.count == 0 { await Task.yield() }
            held.release()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(pages.count == 13)
        #expect(Set(pages.map { $0.map { ObjectIdentifier($0.body) } }).count == 2)
        #expect(await cache.waiting == 0)
    }

    @Test("While slow readers hold more bytes than allowed, no new page is made; afterwards pages are made again")
    func slowReaders() async throws {
        let cache = ScrapeCache(try Self.makeRegistry(), maximumUnreadBytes: 1) { _ in }
        let request = try ScrapeRequest(HTTPRequest(path: "/metrics"))
        let deadline = TimeSource.live.now.advanced(by: .seconds(50))
        var page = await cache.page(request, deadline: deadline)
        #expect(page != nil)
        #expect(await cache.page(request, deadline: deadline) == nil)
        withExtendedLifetime(page) {}
        page = nil
        #expect(await cache.page(request, deadline: deadline) != nil)
    }
}
