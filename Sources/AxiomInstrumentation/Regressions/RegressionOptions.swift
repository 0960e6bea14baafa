// SPDX-License-Identifier: Apache-2.0

public import AxiomProfile

/// Whether a telemetry records how long actions take in each window of time, and judges that against a baseline.
///
/// ```swift
/// let recording = try Telemetry(regressions: .recording())
/// // ... the application does its work ...
/// try recording.recordProfile().save(to: "profile.json")
///
/// let judging = try Telemetry(regressions: .judging(against: .load(from: "profile.json")))
/// ```
/// Cost: one observation more for each action, in an exponential histogram (two table look-ups and one atomic
/// exchange); 8 KiB for each action of each component; and for each window that is kept up to 8 KiB for each action that
/// was done in it, 1 to 2 KiB where durations differ by the factor 10.
public struct RegressionOptions: Sendable {
    /// What to judge against, as ``Telemetry/recordProfile()`` made it; nil to judge nothing.
    public var baseline: BaselineFile?
    /// Whether windows are kept for ``Telemetry/recordProfile()``.
    public var isRecording: Bool
    /// How many windows are kept: the latest ones. 120 unless told, which are twenty minutes; 1 or more.
    public var recordedWindows = 120
    /// How to judge, and how long a window is: 1 ms or more.
    public var policy: LivePolicy

    /// Takes options, which are checked when the telemetry is made.
    ///
    /// - Parameters:
    ///   - baseline: What to judge against.
    ///   - isRecording: Whether windows are kept.
    ///   - policy: How to judge. Unless told, the defaults with the baseline's windows.
    public init(baseline: BaselineFile? = nil, isRecording: Bool = false, policy: LivePolicy? = nil) {
        self.baseline = baseline
        self.isRecording = isRecording
        var defaults = LivePolicy()
        if let length = baseline?.liveProfiles.first?.windowLength { defaults.windowLength = length }
        self.policy = policy ?? defaults
    }

    /// Records, and judges nothing.
    public static func recording(_ policy: LivePolicy = LivePolicy()) -> RegressionOptions {
        RegressionOptions(isRecording: true, policy: policy)
    }

    /// Judges, and keeps nothing but what it needs for that.
    ///
    /// - Parameter policy: How to judge. Unless told, the defaults with the baseline's windows.
    public static func judging(against baseline: BaselineFile, _ policy: LivePolicy? = nil) -> RegressionOptions {
        RegressionOptions(baseline: baseline, policy: policy)
    }

    /// Whether there is anything to do.
    var isOn: Bool { isRecording || baseline != nil }

    /// - Throws: ``TelemetryError`` that names the option.
    func validate() throws(TelemetryError) {
        // A window's length is counted in nanoseconds, of which 64 bits hold 292 years.
        guard (0.001...1e9).contains(policy.windowLength) else {
            throw .invalidRegressions("the windows have \(policy.windowLength) s: give 0.001 to 1e9")
        }
        guard recordedWindows > 0 else {
            throw .invalidRegressions("recordedWindows is \(recordedWindows): give 1 or more")
        }
        if let baseline, baseline.liveProfiles.isEmpty {
            throw .invalidRegressions("the baseline has no live profile: give one that recordProfile() has made")
        }
    }
}
