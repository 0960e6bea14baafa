// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomInstrumentation
internal import AxiomProfile
internal import Glibc

/// The options by which a run records how long actions take, and is judged against an earlier run.
struct ProfileArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the durations of all actions, window by window, are written when the load ends.",
            discussion: "Record under the load that is judged later, for 30 windows or more.",
            valueName: "file"
        )
    )
    var recordProfile: String?

    @Option(
        help: ArgumentHelp(
            "What --record-profile wrote: whether actions take longer now is said when the load ends.",
            discussion: "Metrics show it all the time: axiom_regression_active and axiom_regression_ratio.",
            valueName: "file"
        )
    )
    var baselineProfile: String?

    @Option(
        help: "The length of windows, 100ms to 1h; those of --baseline-profile unless told, or 10s.",
        transform: DurationArgument.init
    )
    var profileWindow: DurationArgument?

    func validate() throws {
        if let profileWindow, !(.milliseconds(100)...(.seconds(3_600))).contains(profileWindow.duration) {
            throw ValidationError("--profile-window is \(profileWindow); 100ms to 1h are allowed.")
        }
        if baselineProfile?.isEmpty == true {
            throw ValidationError("--baseline-profile is empty; name a file, or leave it out.")
        }
        guard let recordProfile else { return }
        if recordProfile.isEmpty { throw ValidationError("--record-profile is empty; name a file, or leave it out.") }
        let folder = AtomicFile.folder(of: recordProfile)
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ValidationError("--record-profile is \(recordProfile), but \(folder) is no folder to write to.")
        }
    }

    /// What the telemetry is to do; nil for nothing.
    ///
    /// - Throws: `ProfileError` when the baseline cannot be read, or what is at the place of the recording is nothing
    ///   that may be replaced: better before the load than after it.
    func regressions() throws -> RegressionOptions? {
        if let recordProfile {
            do {
                _ = try BaselineFile.load(from: recordProfile)
            } catch let error where error.code != .missingFile {
                throw error
            } catch {
                // There is no file, and there will be one.
            }
        }
        let baseline = try baselineProfile.map { try BaselineFile.load(from: $0) }
        guard recordProfile != nil || baseline != nil else { return nil }
        var options = RegressionOptions(baseline: baseline, isRecording: recordProfile != nil)
        if let length = profileWindow?.duration { options.policy.windowLength = length / .seconds(1) }
        options.recordedWindows = Self.recordedWindows
        return options
    }

    /// An hour of windows of 10 s.
    private static let recordedWindows = 360
}
