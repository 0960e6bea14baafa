// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomMetrics

@Suite("Exemplars of exponential histograms without classic buckets")
struct ExponentialExemplarTests {
    @Test("Protocol buffers show the last of each of sixteen orders of magnitude, a line the last of all")
    func pages() throws {
        let time = ManualTime()
        let registry = Registry(clock: .manual(time))
        let histogram = try registry.exponentialHistogram("h", help: "H.")
        for exponent in -20...19 {
            time.advance(by: .seconds(1))
            histogram.observe(Double(sign: .plus, exponent: exponent, significand: 1), exemplar: ["id": "\(exponent)"])
        }
        let page = registry.collect()
        let kept = try #require(page.families.first { $0.definition.name == "h" }).exemplars
        #expect(kept.map(\.bucket) == Array(0..<16))
        #expect(kept.map { $0.exemplar.labels["id"] } == (0..<16).map { "\($0 < 4 ? $0 + 16 : $0)" })
        var buffer = ExpositionBuffer()
        ProtobufEncoder().encode(page, into: &buffer)
        let shown = ProtobufText.read(buffer.bytes).split(separator: "\n").filter { $0.hasSuffix("exemplars {") }
        #expect(shown.count == 16)
        let lines = ExpositionFormat.openMetrics.page(page).split(separator: "\n").filter { $0.contains(" # {") }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("h_bucket{le=\"+Inf\"} 40 # {id=\"19\"} 524288") == true)
    }

    @Test("Zero, infinities and NaN share the first of the sixteen exemplar slots")
    func slots() {
        for value in [0, -0.0, .infinity, -.infinity, .nan] {
            #expect(ExponentialHistogram.exemplarSlot(of: value) == 0)
        }
        for value in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -1, 0.1] {
            #expect((0..<16).contains(ExponentialHistogram.exemplarSlot(of: value)))
        }
    }
}
