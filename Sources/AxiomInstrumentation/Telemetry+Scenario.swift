// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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
    public var recordedScenario: RecordedScenario { watching.scenario.recorded }

    /// Whether a recording runs.
    public var isRecordingScenario: Bool { watching.scenario.recording.isOn }

    /// Ends the recording.
    @discardableResult
    public func endScenario() -> RecordedScenario { watching.scenario.stop() }
}
