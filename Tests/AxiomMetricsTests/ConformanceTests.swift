// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "Conformance with other readers",
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct ConformanceTests {
    @Test("The reference reader reads every hostile page back: the same families, help, labels and values, none twice")
    func roundTrip() async throws {
        for seed: UInt64 in 0..<25 {
            let (registry, expected) = try HostileRegistry.make(seed: seed)
            let page = ExpositionFormat.text.page(registry.collect())
            let read = try await PrometheusText.read(page)
            #expect(read.families.map(\.name) == expected.families.map(\.name), "seed \(seed)")
            for (family, expected) in zip(read.families, expected.families) {
                #expect(family.type == expected.type, "seed \(seed)")
                #expect(family.help.unicodeScalars.elementsEqual(expected.help.unicodeScalars), "seed \(seed)")
            }
            let samples = read.families.flatMap(\.samples).map(HostileRegistry.Sample.init)
            #expect(Set(samples.map(\.identity)).count == samples.count, "seed \(seed)")
            #expect(Set(samples) == Set(expected.samples), "seed \(seed)")
        }
    }

    @Test(
        "promtool takes every hostile page, and finds nothing to complain of",
        .enabled(if: ExternalTool.promtool.mayRun, Comment(rawValue: ExternalTool.promtool.installation))
    )
    func promtool() async throws {
        for seed: UInt64 in 0..<25 {
            let page = ExpositionFormat.text.page(try HostileRegistry.make(seed: seed).registry.collect())
            let check = try await ExternalTool.promtool.run(["check", "metrics"], input: Data(page.utf8))
            #expect(check.status == 0, "seed \(seed): \(check.output) \(check.errors)")
        }
    }

    @Test(
        "The process metrics pass promtool",
        .enabled(if: ExternalTool.promtool.mayRun, Comment(rawValue: ExternalTool.promtool.installation))
    )
    func processMetrics() async throws {
        let registry = Registry()
        registry.register(ProcessCollector())
        let page = ExpositionFormat.text.page(registry.collect())
        let check = try await ExternalTool.promtool.run(["check", "metrics"], input: Data(page.utf8))
        #expect(check.status == 0, "\(check.output) \(check.errors)")
    }

    @Test("Numbers are printed with the digits of Python's repr in the layout of Go's %g")
    func numbers() async throws {
        var generator = SplitMix64(seed: 7)
        let powers = (-324...308).map { Double("1e\($0)") ?? 0 }
        var values = powers + powers.map { $0 * 1.5 } + powers.map(\.nextDown) + HostileRegistry.oddNumbers
        values += (0..<10_000).map { _ in Double(bitPattern: generator.next()) }
        values += (0..<5_000).map { _ in .random(in: -2_000_000...2_000_000, using: &generator) }
        values += (0..<2_000).map { _ in Double(Int.random(in: -2_000_000...2_000_000, using: &generator)) / 8 }
        values += (0..<2_000).map { _ in Double(Int.random(in: -2_000_000...2_000_000, using: &generator)) }

        let registry = Registry()
        let gauge = try registry.gauge("g", help: "G.")
        let printed = values.map { value in
            gauge.set(value)
            let page = ExpositionFormat.text.page(registry.collect())
            return String(page.split(separator: "\n")[2].dropFirst(2))
        }
        let input = values.map { String($0.bitPattern) }.joined(separator: "\n")
        let output = try await ExternalTool.prometheusPython.run(["-c", Self.goFormat], input: Data(input.utf8))
        let expected = output.output.split(separator: "\n").map(String.init)
        try #require(expected.count == printed.count, "\(output.errors)")
        for (printed, expected) in zip(printed, expected) where printed != expected {
            Issue.record("printed \(printed), Go prints \(expected)")
        }
    }

    /// strconv.FormatFloat(x, 'g', -1, 64), written down from Go's documentation, over Python's shortest digits; 0 for -0, as
    /// `writeFloat` of Prometheus' expfmt has it.
    private static let goFormat = """
        import struct, sys
        from decimal import Decimal
        def go(x):
            if x != x: return "NaN"
            if x in (float("inf"), float("-inf")): return "+Inf" if x > 0 else "-Inf"
            sign, digits, exponent = Decimal(repr(x)).as_tuple()
            digits = "".join(map(str, digits)).lstrip("0")
            point = len(digits) + exponent
            digits = digits.rstrip("0")
            minus = "-" if sign else ""
            if not digits: return "0"
            if point - 1 < -4 or point - 1 >= 21 or point - 1 >= 6:
                mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
                return f"{minus}{mantissa}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
            if point <= 0: return minus + "0." + "0" * -point + digits
            whole = digits[:point].ljust(point, "0")
            return minus + whole + ("." + digits[point:] if digits[point:] else "")
        for line in sys.stdin:
            print(go(struct.unpack("<d", struct.pack("<Q", int(line)))[0]))
        """
}
