// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Keeps the actions of a recording as source text, and no payload. An action is written when it begins, on the main actor:
/// this takes microseconds. Without a recording an action costs one relaxed load.
final class ScenarioRecorder: ScenarioRecording {
    /// The most actions of a recording. Of more, the first ones are kept: a replay needs the beginning.
    static let limit = 1_000

    let recording = InspectionSwitch()
    private let clock: TimeSource
    private let scenario = Lock(RecordedScenario())

    init(clock: TimeSource) { self.clock = clock }

    /// Begins a new recording.
    func start(_ application: String? = nil) {
        scenario.withLock { $0 = RecordedScenario(application: application) }
        recording.set(true)
    }

    func stop() -> RecordedScenario {
        recording.set(false)
        return recorded
    }

    /// What was recorded until now.
    var recorded: RecordedScenario { scenario.withLock { $0 } }

    @MainActor
    func began(_ action: some Action, in context: any Context) -> Int? {
        var source = ValueReader()
        let text = source.write(action)
        let subject = RecordedScenario.Subject(context)
        let step = RecordedScenario.Step(
            context: subject.instance,
            action: text,
            at: clock.now,
            gaps: source.gaps
        )
        return scenario.withLock { $0.add(step, to: subject) }
    }

    @MainActor
    func ended(_ number: Int, _ outcome: ActionOutcome, _ error: (any Error)?) {
        let error = error.map(ScenarioError.init)
        scenario.withLock { scenario in
            // Another recording may have begun.
            guard scenario.steps.indices.contains(number) else { return }
            (scenario.steps[number].outcome, scenario.steps[number].error) = (outcome, error)
        }
    }
}

extension RecordedScenario {
    fileprivate mutating func add(_ step: Step, to subject: Subject) -> Int? {
        guard steps.count < ScenarioRecorder.limit else {
            dropped += 1
            return nil
        }
        if !subjects.contains(where: { $0.instance == subject.instance }) { subjects.append(subject) }
        steps.append(step)
        return steps.count - 1
    }
}

extension RecordedScenario.Subject {
    @MainActor
    fileprivate init(_ context: some Context) {
        instance = context.identity.id
        let name = Self.qualifiedName(of: context).split(separator: ".", maxSplits: 1).map(String.init)
        (module, type) = (name.first ?? "", name.last ?? "")
        input = Self.inputName(of: context)
    }

    /// The module and the name of the context's type. Of a generic type that wraps a context, those of the wrapped one, which
    /// the component is named after.
    @MainActor
    private static func qualifiedName(of context: some Context) -> String {
        let whole = String(reflecting: Swift.type(of: context))
        let parts = whole.split { "<>, ".contains($0) }.map(String.init)
        return parts.first { $0.hasSuffix("." + context.identity.descriptor.name) } ?? whole
    }

    private static func inputName<C: Context>(of context: C) -> String? {
        C.Input.self == Void.self ? nil : ValueReader.sourceName(of: C.Input.self)
    }
}
