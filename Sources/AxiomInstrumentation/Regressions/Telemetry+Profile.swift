// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomProfile
internal import Foundation

extension Telemetry {
    /// How long actions took in the windows that are over, as a baseline for ``RegressionOptions/judging(against:_:)``.
    ///
    /// ```swift
    /// try telemetry.recordProfile().save(to: "profile.json")
    /// ```
    /// The window that is not over is left out. Record under the load that will be judged, for 30 windows or more.
    ///
    /// - Throws: ``TelemetryError`` with the code `noProfile` when recording is off, or no window is over in which
    ///   anything was done.
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
        file.build.configuration = Self.configuration
        file.fingerprint = .current()
        return file
    }

    #if DEBUG
    private static let configuration = "debug"
    #else
    private static let configuration = "release"
    #endif
}
