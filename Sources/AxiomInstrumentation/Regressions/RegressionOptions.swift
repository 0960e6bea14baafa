// SPDX-License-Identifier: Apache-2.0

public import AxiomStatistics

/// Options for recording action durations in time windows, and for judging them against a baseline.
///
/// ```swift
/// let recording = try Telemetry(regressions: .recording())
/// // ... the application does its work ...
/// try recording.recordProfile().save(to: "profile.json")
///
/// let judging = try Telemetry(regressions: .judging(against: .load(from: "profile.json")))
/// ```
/// Cost: one more observation in an exponential histogram for each action (two table look-ups and one atomic exchange);
/// 8 KiB for each action of each component; and up to 8 KiB for each kept window and each action that ran in it, or 1
/// to 2 KiB if its durations differ by a factor of 10. Judging keeps as many windows as `LivePolicy.horizon`. While a profiler runs it
/// also keeps up to 2,000 samples for each action, of some hundred bytes each.
public struct RegressionOptions: Sendable {
    /// The baseline, made by ``Telemetry/recordProfile()``; nil to judge nothing.
    package var baseline: BaselineFile?
    /// Whether windows are kept for ``Telemetry/recordProfile()``.
    package var isRecording: Bool
    /// How many windows are kept, namely the latest. The default of 120 covers twenty minutes; 1 or more.
    public var recordedWindows = 120
    /// The method of judging and the length of a window, which is 1 ms or more.
    package var policy: LivePolicy

    /// Creates options, which are validated when the telemetry is created.
    ///
    /// - Parameters:
    ///   - baseline: The durations to compare with.
    ///   - isRecording: Whether windows are kept.
    ///   - policy: The method of judging. By default, the default policy with the window length of the baseline.
    public init(baseline: BaselineFile? = nil, isRecording: Bool = false, policy: LivePolicy? = nil) {
        self.baseline = baseline
        self.isRecording = isRecording
        var defaults = LivePolicy()
        if let length = baseline?.liveProfiles.first?.windowLength { defaults.windowLength = length }
        self.policy = policy ?? defaults
    }

    /// Records, but judges nothing.
    public static func recording(_ policy: LivePolicy = LivePolicy()) -> RegressionOptions {
        RegressionOptions(isRecording: true, policy: policy)
    }

    /// Judges, and keeps only the data that judging needs.
    ///
    /// - Parameter policy: The method of judging. By default, the default policy with the window length of the
    ///   baseline.
    public static func judging(against baseline: BaselineFile, _ policy: LivePolicy? = nil) -> RegressionOptions {
        RegressionOptions(baseline: baseline, policy: policy)
    }

    /// Whether recording or judging is on.
    var isOn: Bool { isRecording || baseline != nil }

    /// - Throws: ``TelemetryError`` that names the option.
    func validate() throws(TelemetryError) {
        // A window's length is counted in nanoseconds; 64 bits hold 292 years.
        guard (0.001...1e9).contains(policy.windowLength) else {
            throw .invalidRegressions("the windows have \(policy.windowLength) s: give 0.001 to 1e9")
        }
        guard recordedWindows > 0 else {
            throw .invalidRegressions("recordedWindows is \(recordedWindows): give 1 or more")
        }
        if let baseline, baseline.liveProfiles.isEmpty {
            throw .invalidRegressions(
                "the baseline has no live profile, which recordProfile() makes: add one with axiom-bench baseline accept --live"
            )
        }
    }
}
