// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation
internal import AxiomStatistics
internal import Foundation

/// The options that record the durations of actions, and compare them with those of an earlier run.
struct ProfileArguments: ParsableArguments {
    @Option(
        help: .init(
            "The file for the durations of all actions, window by window, written when the load ends.",
            discussion: "Record under the load of the later comparison, for 30 windows or more.",
            valueName: "file"
        )
    )
    var recordProfile: String?

    @Option(
        help: .init(
            "A file of --record-profile: the command reports when the load ends whether actions take longer now.",
            discussion: "Metrics show it all the time: axiom_regression_active and axiom_regression_ratio.",
            valueName: "file"
        )
    )
    var baselineProfile: String?

    @Option(
        help: "The length of windows, 100ms to 1h; by default that of --baseline-profile, or 10s.",
        transform: Duration.argument(in: .milliseconds(100) ... .seconds(3_600), "100ms to 1h")
    )
    var profileWindow: Duration?

    func validate() throws {
        try PathArgument.requireText(baselineProfile, "--baseline-profile")
        try PathArgument.requireFolder(of: recordProfile, "--record-profile")
    }

    /// The telemetry's options; nil if neither option is given.
    ///
    /// - Throws: `ProfileError` if the baseline cannot be read, or if the file of the recording exists and must not be
    ///   replaced: the user learns that before the load instead of after it.
    func regressions() throws -> RegressionOptions? {
        if let recordProfile, FileManager.default.fileExists(atPath: recordProfile) {
            _ = try BaselineFile.load(from: recordProfile)
        }
        let baseline = try baselineProfile.map { try BaselineFile.load(from: $0) }
        guard recordProfile != nil || baseline != nil else { return nil }
        var options = RegressionOptions(baseline: baseline, isRecording: recordProfile != nil)
        if let length = profileWindow { options.policy.windowLength = length / .seconds(1) }
        // An hour of windows of 10 s.
        options.recordedWindows = 360
        return options
    }

    /// Writes the recording, if there is one, when the load has ended.
    ///
    /// - Returns: The lines to print: the number of verdicts of each kind, the reasons of those that are open, and all
    ///   regressions.
    /// - Throws: `TelemetryError` if no window has ended, `ProfileError` if the file cannot be written.
    func summary(of telemetry: Telemetry) throws -> [String] {
        var lines = telemetry.regressions.isJudging ? Self.lines(telemetry.regressions.report) : []
        if let recordProfile {
            let profile = try telemetry.recordProfile()
            try profile.save(to: recordProfile)
            let windows = profile.liveProfiles.map(\.windows.count).max() ?? 0
            lines.append(
                "profile:  \(recordProfile), \(profile.liveProfiles.count) actions in up to \(windows) windows"
            )
        }
        return lines
    }

    private static func lines(_ report: RegressionMonitor.Report) -> [String] {
        let kinds: [Verdict.Kind] = [.ok, .regressed, .insufficient, .incomparable]
        let counts = kinds.map { kind in "\(report.verdicts.filter { $0.verdict.kind == kind }.count) \(kind)" }
        let windows = "\(report.windows) windows" + (report.missedWindows > 0 ? ", \(report.missedWindows) missed" : "")
        let open = report.verdicts.filter { $0.verdict.kind == .insufficient || $0.verdict.kind == .incomparable }
        let reasons = Dictionary(grouping: open) { "\($0.verdict.kind), \($0.verdict.reason)" }.sorted {
            $0.key < $1.key
        }
        return ["baseline: \(counts.joined(separator: ", ")) (\(windows))"]
            + reasons.map { "  \($1.count) \($0)" + ($1.first.map { ", as \($0)" } ?? "") }
            + report.regressed.map { "  \($0)" }
    }
}
