// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Testing

@Suite("A page for a server of one's own")
struct PageTests {
    private struct Source: AsyncCollector {
        func collect() async throws -> [CollectedFamily] {
            var family = CollectedFamily.gauge("queue_depth", help: "D.")
            family.add(3)
            return [family]
        }
    }

    private let time = ManualTime()
    private let registry: Registry

    init() throws {
        registry = Registry(clock: .manual(time))
        try registry.counter("visits_total", help: "Visits.").increment()
        registry.register(Source())
    }

    @Test("The page has the format that the reader asks for, and its Content-Type")
    func formats() throws {
        let text = registry.page(accept: nil)
        #expect(text.contentType == ExpositionFormat.text.contentType)
        #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("\nvisits_total 1\n"))
        for accept in ["application/openmetrics-text; version=1.0.0", "text/plain;version=1.0.0", "image/png", "*/*"] {
            let format = ExpositionFormat.negotiate(accept: accept)
            var buffer = ExpositionBuffer()
            format.encode(registry.collect(), into: &buffer)
            let page = registry.page(accept: accept)
            #expect(page.contentType == format.contentType, "\(accept)")
            #expect(page.bytes == buffer.bytes, "\(accept)")
        }
    }

    @Test("The asynchronous page has asynchronous collectors, too", .timeLimit(.minutes(10)))
    func asynchronous() async throws {
        let page = await registry.page(accept: nil, scrapeTimeout: "5")
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.contains("\nqueue_depth 3\n") && text.contains("\nvisits_total 1\n"))
        #expect(!String(decoding: registry.page(accept: nil).bytes, as: UTF8.self).contains("queue_depth"))
    }

    @Test(
        "The collectors have nine tenths of the timeout, and of 10 s if there is none",
        arguments: [
            ("20", 18), ("2.5", 2.25), (nil, 9), ("", 9), ("0", 9), ("-1", 9), ("nan", 9), ("inf", 9), ("86400", 9),
            ("1 s", 9),
        ]
            as [(String?, Double)]
    )
    func deadline(header: String?, seconds: Double) {
        #expect(registry.deadline(scrapeTimeout: header) == time.now.advanced(by: .seconds(seconds)))
    }
}
