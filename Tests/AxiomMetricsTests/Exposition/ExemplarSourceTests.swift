// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomMetrics

/// Shows one exemplar for each value, and counts how often it is called.
private final class PlantedSource: ExemplarSource {
    private let histogram: ExponentialHistogram
    private let values: [Double]
    let calls = Lock(0)

    init(_ histogram: ExponentialHistogram, _ values: [Double]) {
        self.histogram = histogram
        self.values = values
    }

    func findExemplars() -> FoundExemplars {
        calls.withLock { $0 += 1 }
        var found = FoundExemplars()
        for value in values {
            guard let exemplar = Exemplar(["id": "found"], value: value, timestamp: 5) else { continue }
            found.add(exemplar, to: histogram)
        }
        return found
    }
}

@Suite("Exemplars that a source finds")
struct ExemplarSourceTests {
    private func lines(_ page: Snapshot) -> [Substring] {
        ExpositionFormat.openMetrics.page(page).split(separator: "\n").filter { $0.contains(" # {") }
    }

    @Test("They are in the bucket of their value, after those that were recorded, and only of the source's histogram")
    func merging() throws {
        let registry = Registry(clock: .manual(ManualTime()))
        let family = try registry.exponentialHistograms(
            "h",
            help: "H.",
            labels: Label<String>("a"),
            buckets: [1, 2, 4]
        )
        family("y").observe(3, exemplar: ["id": "other"])
        family("x").observe(1.5, exemplar: ["id": "recorded"])
        let source = PlantedSource(family("x"), [0.5, 1.25, 100])
        registry.register(exemplars: source)
        #expect(
            lines(registry.collect()) == [
                "h_bucket{a=\"x\",le=\"1.0\"} 0 # {id=\"found\"} 0.5 5",
                "h_bucket{a=\"x\",le=\"2.0\"} 1 # {id=\"recorded\"} 1.5 1700000000",
                "h_bucket{a=\"x\",le=\"+Inf\"} 1 # {id=\"found\"} 100 5",
                "h_bucket{a=\"y\",le=\"4.0\"} 1 # {id=\"other\"} 3 1700000000",
            ]
        )
        #expect(source.calls.withLock { $0 } == 1)
        #expect(lines(registry.collect(exemplars: false)).count == 2)
        #expect(source.calls.withLock { $0 } == 1, "a page without exemplars must not call the source")
    }

    @Test("Without classic buckets protocol buffers show them as exemplars of the native histogram")
    func native() throws {
        let registry = Registry()
        let histogram = try registry.exponentialHistogram("h", help: "H.")
        registry.register(exemplars: PlantedSource(histogram, [0.5, 3, 100]))
        var buffer = ExpositionBuffer()
        ProtobufEncoder().encode(registry.collect(), into: &buffer)
        let shown = ProtobufText.read(buffer.bytes).split(separator: "\n").filter { $0.hasSuffix("exemplars {") }
        #expect(shown.count == 3)
    }

    @Test("Labels that OpenMetrics forbids make no exemplar")
    func validation() {
        let long = String(repeating: "x", count: 127)
        #expect(Exemplar(["a": long], value: 1, timestamp: 0) != nil)
        #expect(Exemplar(["ab": long], value: 1, timestamp: 0) == nil)
        #expect(Exemplar(["a": "1", "a": "2"], value: 1, timestamp: 0) == nil)
        #expect(Exemplar(["a-b": "1"], value: 1, timestamp: 0) == nil)
    }

    @Test("Only OpenMetrics and protocol buffers have exemplars")
    func formats() {
        #expect(ExpositionFormat.all.map(\.hasExemplars) == [false, true, true, true])
    }
}
