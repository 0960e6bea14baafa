// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomMetrics
public import Testing

/// What of a page of metrics differs from run to run, and is not compared.
public struct PageMask: Sendable, Hashable {
    enum Effect: Hashable {
        /// The families are left out.
        case omitted
        /// The values are replaced by `*`; of histograms all but the number of observations.
        case masked
    }

    enum Selection: Hashable {
        case prefixes([String])
        case suffixes([String])
        /// All families that begin with none of these.
        case others([String])
    }

    let effect: Effect
    let selection: Selection

    /// Leaves out what describes the process, its build and the scrapes: families that begin with `process_`,
    /// `axiom_build_`, `axiom_version_`, `axiom_metrics_` or `axiom_main_actor_`.
    public static let process = PageMask(
        effect: .omitted,
        selection: .prefixes(["process_", "axiom_build_", "axiom_version_", "axiom_metrics_", "axiom_main_actor_"])
    )
    /// Masks durations: the values of families in seconds, but not their numbers of observations.
    public static let durations = PageMask(effect: .masked, selection: .suffixes(["_seconds", "_seconds_total"]))
    /// Masks sizes: the values of families in bytes, but not their numbers of observations.
    public static let sizes = PageMask(effect: .masked, selection: .suffixes(["_bytes", "_bytes_total"]))
    /// Leaves out what depends on the speed of the machine: families that begin with `axiom_budget_`.
    public static let budgets = PageMask(effect: .omitted, selection: .prefixes(["axiom_budget_"]))

    /// Masks the values of families whose names begin with `prefix`.
    public static func values(of prefix: String) -> PageMask {
        PageMask(effect: .masked, selection: .prefixes([prefix]))
    }

    /// Leaves out families whose names begin with `prefix`.
    public static func families(_ prefix: String) -> PageMask {
        PageMask(effect: .omitted, selection: .prefixes([prefix]))
    }

    /// Leaves out all families whose names begin with none of the prefixes. A new version of Axiom may add families to the
    /// page; with this mask they do not change the golden file.
    public static func only(_ prefixes: String...) -> PageMask {
        PageMask(effect: .omitted, selection: .others(prefixes))
    }

    /// Whether the mask applies to a family.
    func includes(_ family: String) -> Bool {
        switch selection {
        case .prefixes(let prefixes): prefixes.contains { family.hasPrefix($0) }
        case .suffixes(let suffixes): suffixes.contains { family.hasSuffix($0) }
        case .others(let prefixes): !prefixes.contains { family.hasPrefix($0) }
        }
    }
}

/// A page in Prometheus' text format after masks were applied.
struct MaskedPage {
    let text: String

    init(_ page: String, _ masks: [PageMask]) {
        var (lines, family): ([Substring], Substring) = ([], "")
        for line in page.split(separator: "\n") {
            if line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") {
                family = line.dropFirst(7).prefix { $0 != " " }
            }
            let effects = masks.filter { $0.includes(String(family)) }.map(\.effect)
            if effects.contains(.omitted) { continue }
            lines.append(effects.isEmpty || line.hasPrefix("#") ? line : Self.masked(line, of: family)[...])
        }
        text = lines.map { $0 + "\n" }.joined()
    }

    /// The sample without its value, unless it is a number of observations.
    private static func masked(_ line: Substring, of family: Substring) -> String {
        let sample = line.prefix { $0 != "{" && $0 != " " }
        if sample == family + "_count" || line.contains(#"le="+Inf""#) { return String(line) }
        guard let space = line.lastIndex(of: " ") else { return String(line) }
        return line[...space] + "*"
    }
}

extension TelemetryAssertions {
    /// Compares the page of metrics with a golden file.
    ///
    /// ```swift
    /// await assertions.expectPage("Golden/cart.prom", masking: [.only("axiom_client_", "shop_"), .durations])
    /// ```
    /// The page is in Prometheus' text format and contains everything since the telemetry was made, when nothing is under
    /// way. A difference is shown
    /// as a unified diff. With `AXIOM_RECORD=1` in the environment the file is written instead if it differs, and the test
    /// has a warning. The `exclude:` of the test target should name the folder of golden files.
    ///
    /// - Parameters:
    ///   - name: The path of the file, relative to the folder of the calling source file, or absolute.
    ///   - masks: What is not compared because it differs from run to run.
    ///   - sourceLocation: Where failures are reported.
    ///   - source: The calling source file.
    public func expectPage(
        _ name: String,
        masking masks: [PageMask] = [.process, .durations, .sizes, .budgets],
        sourceLocation: SourceLocation = #_sourceLocation,
        source: String = #filePath
    ) async {
        if let obstacle = obstacle("the page \(name)") { return fail(obstacle, sourceLocation) }
        await settle(sourceLocation: sourceLocation)
        let page = telemetry.registry.collect()
        for problem in page.problems { fail("The page is incomplete: \(problem)", sourceLocation) }
        let text = MaskedPage(page.text, masks).text
        let file = GoldenFile(name, besides: source)
        switch file.compare(text, isRecording: GoldenFile.isRecording) {
        case .equal: break
        case .recorded(let message):
            Issue.record(Comment(rawValue: message), severity: .warning, sourceLocation: sourceLocation)
        case .failed(let message): fail(message, sourceLocation)
        }
    }
}
