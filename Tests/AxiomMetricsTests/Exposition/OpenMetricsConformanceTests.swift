// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomMetrics

@Suite(
    "Conformance of OpenMetrics with the reference reader",
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct OpenMetricsConformanceTests {
    private struct Page: Decodable {
        struct Family: Decodable {
            let name: String
            let type: String
            let help: String
            let unit: String
            let samples: [Sample]
        }

        struct Sample: Decodable {
            let name: String
            let labels: [[String]]
            let value: String
            let exemplar: Exemplar?
        }

        struct Exemplar: Decodable {
            let labels: [[String]]
            let value: String
            let timestamp: String
        }

        let families: [Family]
    }

    @Test(
        "Every hostile snapshot is read back: families, units, help, labels, values, exemplars and created times",
        arguments: [NameEscaping.allowUTF8, .underscores, .dots, .values]
    )
    func roundTrip(_ escaping: NameEscaping) async throws {
        for seed: UInt64 in 0..<12 {
            let hostile = try HostileSnapshot(seed: seed, quotesInExemplars: false)
            let format = ExpositionFormat(.openMetrics, "1.0.0", escaping)
            let page = format.page(hostile.snapshot, createdSeries: seed % 2 == 0)
            let output = try await ExternalTool.prometheusPython.run(["-c", Self.script], input: Data(page.utf8))
            try #require(output.status == 0, "seed \(seed): \(output.errors)\n\(page)")
            let read = try JSONDecoder().decode(Page.self, from: Data(output.output.utf8))
            try #require(read.families.count == hostile.families.count, "seed \(seed)")
            for (found, family) in zip(read.families, hostile.families) {
                check(found, family, escaping, hasCreated: seed % 2 == 0)
            }
        }
    }

    private func check(
        _ found: Page.Family,
        _ family: HostileSnapshot.Family,
        _ escaping: NameEscaping,
        hasCreated: Bool
    ) {
        let definition = family.definition
        let name = String(escaping.escape(definition.name).dropLast(definition.kind.suffix.count))
        #expect(found.name.unicodeScalars.elementsEqual(name.unicodeScalars))
        #expect(found.type == definition.kind.openMetricsName)
        #expect(found.help.unicodeScalars.elementsEqual(definition.help.unicodeScalars), "\(name)")
        // Where the unit does not end the escaped name it must not be shown.
        let unit = definition.unit.flatMap { name.hasSuffix("_\($0)") ? $0 : nil }
        #expect(found.unit == unit ?? "")
        let samples = found.samples.map { sample in
            ReadSample(
                sample.name,
                sample.labels.map { ($0[0], $0[1]) },
                Double(sample.value) ?? 0,
                exemplar: sample.exemplar.map {
                    ReadSample.exemplar(
                        $0.labels.map { ($0[0], $0[1]) },
                        Double($0.value) ?? 0,
                        Double($0.timestamp) ?? 0
                    )
                } ?? ""
            )
        }
        #expect(Set(samples).count == samples.count)
        #expect(Set(samples) == Set(Self.expected(family, escaping, hasCreated: hasCreated)), "\(name)")
    }

    private static func expected(
        _ family: HostileSnapshot.Family,
        _ escaping: NameEscaping,
        hasCreated: Bool
    ) -> [ReadSample] {
        let definition = family.definition
        let name = escaping.escape(definition.name)
        let base = name.dropLast(definition.kind.suffix.count)
        return family.series.flatMap { series in
            let labels = series.labels.map { (name: escaping.escape($0.name), value: $0.value) }
            func exemplar(_ bucket: Int) -> String {
                series.exemplars.first { $0.bucket == bucket }.map {
                    ReadSample.exemplar($0.labels, $0.exemplar.value, $0.exemplar.timestamp)
                } ?? ""
            }
            var samples: [ReadSample] = []
            if definition.kind == .histogram {
                var cumulative: UInt64 = 0
                for (bucket, bound) in (definition.buckets.upperBounds + [.infinity]).enumerated() {
                    cumulative += series.counts[bucket]
                    let le = (name: "le", value: NumberFormat.boundText(bound))
                    samples.append(
                        ReadSample(name + "_bucket", labels + [le], Double(cumulative), exemplar: exemplar(bucket))
                    )
                }
                if series.number >= 0, (definition.buckets.upperBounds.first ?? 0) >= 0 {
                    samples.append(ReadSample(name + "_sum", labels, series.number))
                    samples.append(ReadSample(name + "_count", labels, Double(cumulative)))
                }
            } else {
                samples.append(ReadSample(name, labels, series.number, exemplar: exemplar(0)))
            }
            if hasCreated, let created = series.created, definition.kind == .counter || definition.kind == .histogram {
                samples.append(ReadSample(base + "_created", labels, created))
            }
            return samples
        }
    }

    private static let script = """
        import io, json, sys
        from prometheus_client.openmetrics.parser import text_fd_to_metric_families
        page = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\\n")
        def exemplar(e):
            return e and {"labels": list(e.labels.items()), "value": float(e.value).hex(),
                          "timestamp": float(e.timestamp).hex()}
        print(json.dumps({"families": [
            {"name": f.name, "type": f.type, "help": f.documentation, "unit": f.unit,
             "samples": [{"name": s.name, "labels": list(s.labels.items()), "value": float(s.value).hex(),
                          "exemplar": exemplar(s.exemplar)} for s in f.samples]}
            for f in text_fd_to_metric_families(page)]}))
        """

    @Test("Names are escaped as the reference library escapes them")
    func escaping() async throws {
        let names = [
            "a.b", "a_b.c", "9lives", "日本_x", "👩‍👩‍👧‍👦", "e\u{301}", "a-b/c d", "_x.y_", "\u{202e}", "plain_name", "\\a",
        ]
        let input = try JSONEncoder().encode(names)
        let script = """
            import json, sys
            from prometheus_client.openmetrics.exposition import escape_metric_name
            names = json.load(sys.stdin)
            print(json.dumps([[escape_metric_name(n, e) for n in names] for e in ("underscores", "dots", "values")]))
            """
        let output = try await ExternalTool.prometheusPython.run(["-c", script], input: input)
        let expected = try JSONDecoder().decode([[String]].self, from: Data(output.output.utf8))
        for (escaping, expected) in zip(NameEscaping.changing, expected) {
            for (name, expected) in zip(names, expected) where name != "plain_name" {
                #expect(escaping.escape(name) == expected, "\(escaping) \(name)")
            }
            #expect(escaping.escape("plain_name") == "plain_name")
        }
    }
}
