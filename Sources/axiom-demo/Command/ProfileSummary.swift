// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomProfile

/// What is said and written about durations when the load has ended.
struct ProfileSummary {
    let telemetry: Telemetry
    let arguments: ProfileArguments

    /// The verdicts, where there is a baseline, and the writing of the recording.
    ///
    /// - Returns: The lines to print.
    /// - Throws: `TelemetryError` when no window is over, `ProfileError` when the file cannot be written.
    func lines() throws -> [String] {
        let report = telemetry.regressions.report
        return (telemetry.regressions.isJudging ? Self.lines(report) : []) + (try record())
    }

    /// How many verdicts there are of each kind, and in full those that are regressions.
    static func lines(_ report: RegressionMonitor.Report) -> [String] {
        let kinds: [Verdict.Kind] = [.ok, .regressed, .insufficient, .incomparable]
        let counts = kinds.map { kind in "\(report.verdicts.filter { $0.verdict.kind == kind }.count) \(kind)" }
        let windows = "\(report.windows) windows" + (report.missedWindows > 0 ? ", \(report.missedWindows) missed" : "")
        return ["baseline: \(counts.joined(separator: ", ")) (\(windows))"]
            + reasons(report.verdicts)
            + report.regressed.map { "  \($0)" }
    }

    /// Why what is not judged is not: each reason with the number of actions, and one of them as an example.
    private static func reasons(_ verdicts: [RegressionVerdict]) -> [String] {
        let open = verdicts.filter { $0.verdict.kind == .insufficient || $0.verdict.kind == .incomparable }
        let groups = Dictionary(grouping: open) { "\($0.verdict.kind), \($0.verdict.reason)" }
        return groups.sorted { $0.key < $1.key }.map { reason, verdicts in
            "  \(verdicts.count) \(reason)" + (verdicts.first.map { ", as \($0)" } ?? "")
        }
    }

    private func record() throws -> [String] {
        guard let path = arguments.recordProfile else { return [] }
        let profile = try telemetry.recordProfile()
        try profile.save(to: path)
        let windows = profile.liveProfiles.map(\.windows.count).max() ?? 0
        return ["profile:  \(path), \(profile.liveProfiles.count) actions in up to \(windows) windows"]
    }
}
