// SPDX-License-Identifier: Apache-2.0

internal import Axiom
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

extension Readings {
    /// The profiler that runs; nil if there is none.
    package var profiler: (any ProfileSource)? { watching.profiler.held.withLock { $0 } }

    /// The names of the known operations, as frames of a profile have them: of all actions, of what contexts do between them, and of
    /// the spans that are not overwritten. Cost: some milliseconds.
    package var operations: Set<String> {
        let spans = knownSpans?.latest(.max, of: SpanKind.activities) { _ in true } ?? []
        let names = spans.map { span in span.component.map { "\($0.name).\(span.name)" } ?? span.name }
        let phases = LifecyclePhase.allCases.map(\.rawValue) + [RunningWork.observation]
        let actions = actions.actions.flatMap { action in
            let more = action.component.kind == .context ? phases : []
            return ([action.name] + more).map { "\(action.component.name).\($0)" }
        }
        return Set(actions + names)
    }
}

extension Telemetry {
    /// Makes `profiler` that of the readings. Until it is detached, the calls of all clients bind a span, so that samples have the
    /// action as their label.
    ///
    /// - Returns: False if another profiler runs.
    package func attach(_ profiler: any ProfileSource) -> Bool { replace(nil, by: profiler) }

    /// Removes this profiler from the readings. Calls that run keep their spans.
    package func detach(_ profiler: any ProfileSource) { _ = replace(profiler, by: nil) }

    private func replace(_ expected: (any ProfileSource)?, by profiler: (any ProfileSource)?) -> Bool {
        readings.watching.profiler.held.withLock { held in
            guard held === expected else { return false }
            held = profiler
            // Under the lock: another profiler may come at once.
            recording.spans?.recorder.bindCalls(profiler != nil)
            return true
        }
    }

    /// The spans of this telemetry, for the labels of samples; nil if none are recorded.
    package var profiledSpans: ProfiledSpans? { recording.spans.map { ProfiledSpans(recorder: $0.recorder) } }
}

extension Telemetry {
    /// Begins to record the actions of contexts, as source text, for ``RecordedScenario/test(named:application:)``.
    /// Ends another recording, whose actions are lost.
    ///
    /// While it runs, the payloads of actions are kept as text, but for what `@Redacted` or a `RedactedState` hides. Up
    /// to 1,000 actions are kept. Nothing is recorded in a build without the trait `Instrumented`.
    ///
    /// - Parameter application: Source of an expression that makes the application under test, a `TestOrchestrator`,
    ///   such as `try Notes.underTest()`. The tests that are made of the recording contain it, also those of the
    ///   dashboard's link "Save as test". By default they have a placeholder.
    public func recordScenario(application: String? = nil) { watching.scenario.start(application) }

    /// What the recording contains until now. It continues.
    package var recordedScenario: RecordedScenario { watching.scenario.recorded }

    /// Whether a recording runs.
    package var isRecordingScenario: Bool { watching.scenario.recording.isOn }

    /// Ends the recording.
    @discardableResult
    public func endScenario() -> RecordedScenario { watching.scenario.stop() }
}
