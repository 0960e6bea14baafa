// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// Which benchmarks are measured, and how they are judged.
struct RunOptions: ParsableArguments {
    @Option(help: "Only benchmarks of this suite; may be given several times.")
    var suite: [String] = []

    @Option(help: "Only benchmarks whose name this regular expression matches.")
    var filter: String?

    @Option(help: "Stop measuring after so long, as 60s or 5m; what is missing is then inconclusive.")
    var budget: String?

    @Option(help: "The probability of even one false alarm in the whole run.")
    var alpha: Double = 0.01

    @Option(help: "The least relative change of a time that counts, as 2%.")
    var minEffect: String = "2%"

    @Option(help: "What is judged, as wall,cpu,instructions,allocations,bytes,retains,releases,peak-rss.")
    var metrics: String?

    @Option(help: "The seed of the order of runs.")
    var seed: UInt64 = 1

    @Flag(help: "What must not be compared counts as inconclusive.")
    var strict = false

    @Flag(help: "Inconclusive counts as success.")
    var lenient = false

    @Flag(help: "Benchmarks that are gone are no regression.")
    var allowRemoved = false

    @Option(help: "Where the package is; otherwise the nearest folder above this one with a Package.swift.")
    var packagePath: String?

    @Option(help: "The name of the benchmarks' product; otherwise the name of this program.")
    var product: String?

    @Option(name: .customLong("build-option"), parsing: .unconditionalSingleValue, help: "Passed to swift build.")
    var buildOptions: [String] = []

    @Flag(
        help: """
            Compare this program as it is with an equal build of the revision. Otherwise both are built with aligned code, \
            so that no time changes because code moved in memory.
            """
    )
    var asBuilt = false

    func validate() throws {
        guard alpha > 0, alpha < 0.5 else { throw ValidationError("--alpha is \(alpha): give a number from 0 to 0.5") }
        guard !strict || !lenient else { throw ValidationError("--strict and --lenient exclude each other") }
        _ = try effect
        _ = try seconds
        _ = try metricSet
    }

    /// The least effect, as a share.
    var effect: Double { get throws { try Self.share(minEffect, "--min-effect") } }

    /// How long to measure, in seconds; nil without a limit.
    var seconds: Double? {
        get throws {
            guard let budget else { return nil }
            let units: [(String, Double)] = [("ms", 1e-3), ("s", 1), ("m", 60), ("h", 3_600)]
            guard let unit = units.first(where: { budget.hasSuffix($0.0) }),
                let number = Double(budget.dropLast(unit.0.count)), number > 0, number.isFinite
            else { throw ValidationError("--budget is \(budget): give a time, as 60s or 5m") }
            return number * unit.1
        }
    }

    var metricSet: Set<Metric> {
        get throws {
            guard let metrics else { return Set(Metric.standard) }
            do {
                return Set(try Metric.parse(metrics))
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    var strictness: Strictness { strict ? .strict : lenient ? .lenient : .normal }

    /// The share in a text such as `2%` or `0.02`.
    static func share(_ text: String, _ option: String) throws -> Double {
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? text.dropLast().trimmingCharacters(in: .whitespaces) : text
        guard let number = Double(digits), number >= 0, number.isFinite, number < (isPercent ? 1_000 : 10) else {
            throw ValidationError("\(option) is \(text): give a share, as 2% or 0.02")
        }
        return isPercent ? number / 100 : number
    }

    func selected(_ infos: [BenchmarkInfo]) throws(BenchmarkError) -> [BenchmarkInfo] {
        let chosen = Set(try selected(infos.map(\.id), suites: infos.map(\.suite)))
        return infos.filter { chosen.contains($0.id) }
    }

    /// The selected identifiers. `suites` are the names of all suites.
    func selected(_ ids: [String], suites: [String]) throws(BenchmarkError) -> [String] {
        for name in suite where !suites.contains(name) {
            let known = Set(suites).sorted().joined(separator: ", ")
            throw BenchmarkError(.usage, "there is no suite \"\(name)\": choose from \(known)")
        }
        let isWanted = try matcher()
        let chosen = ids.filter(isWanted)
        guard !chosen.isEmpty else {
            let choice = suite.map { "--suite \($0)" } + [filter.map { "--filter \($0)" }].compactMap(\.self)
            throw BenchmarkError(
                .usage,
                "no benchmark was selected by \(choice.joined(separator: " ")): see list for their names"
            )
        }
        return chosen
    }

    /// Whether an identifier is selected.
    func matcher() throws(BenchmarkError) -> (String) -> Bool {
        let (suites, expression) = (suite, try regularExpression)
        return { id in
            guard suites.isEmpty || suites.contains(where: { id.hasPrefix("\($0)/") }) else { return false }
            return expression.map { $0.firstMatch(in: id, range: NSRange(id.startIndex..., in: id)) != nil } ?? true
        }
    }

    private var regularExpression: NSRegularExpression? {
        get throws(BenchmarkError) {
            do {
                return try filter.map { try NSRegularExpression(pattern: $0) }
            } catch {
                throw BenchmarkError(
                    .usage,
                    "--filter is no regular expression: \(filter ?? ""); put \\ before characters that are meant as such"
                )
            }
        }
    }
}

extension RunSettings {
    init(_ options: RunOptions) throws {
        self.init()
        alpha = options.alpha
        minimumEffect = try options.effect
        metrics = try options.metricSet
        namesInstructions = options.metrics != nil && metrics.contains(.instructions)
        budget = try options.seconds
        seed = options.seed
    }
}
