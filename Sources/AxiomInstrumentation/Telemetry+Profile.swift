// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomStatistics
internal import Foundation

extension Telemetry {
    /// The durations of actions in the completed windows, as a baseline for ``RegressionOptions/judging(against:_:)``.
    ///
    /// ```swift
    /// try telemetry.recordProfile().save(to: "profile.json")
    /// ```
    /// The current window is omitted. Record under the load that will be judged, for 30 windows or more.
    ///
    /// - Throws: ``TelemetryError`` with the code `noProfile` if recording is off, or if no completed window contains
    ///   an action.
    public func recordProfile() throws(TelemetryError) -> BaselineFile {
        guard let windows = regressions.windows, regressions.isRecording else {
            throw .noProfile("recording is off", remedy: "Make the telemetry with regressions: .recording().")
        }
        windows.close()
        var file = BaselineFile()
        file.liveProfiles = windows.profiles
        guard !file.liveProfiles.isEmpty else {
            let length = Duration.nanoseconds(windows.length)
            throw .noProfile("no window of \(length) is over in which anything was done", remedy: "Record for longer.")
        }
        file.name = "live"
        file.reason = "recorded by the application while it ran"
        file.createdAt = Date(timeIntervalSince1970: clock.secondsSinceEpoch.rounded(.down)).formatted(.iso8601)
        file.tool.version = BuildInfo.version
        file.source.sha = revision
        file.build.swift = BuildInfo.swift
        file.build.configuration = BuildInfo.configuration
        file.fingerprint = .current()
        return file
    }
}
