// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience

/// The kinds of records that a telemetry makes.
public struct RecordKinds: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Actions of clients and contexts, by outcome.
    public static let actions = RecordKinds(rawValue: 1 << 0)
    /// States that clients published.
    public static let states = RecordKinds(rawValue: 1 << 1)
    /// Errors that ended at a boundary, and recoveries.
    public static let errors = RecordKinds(rawValue: 1 << 2)
    /// Transitions of circuit breakers.
    public static let breakers = RecordKinds(rawValue: 1 << 3)
    /// Components that were created and destroyed.
    public static let lifetimes = RecordKinds(rawValue: 1 << 4)
    /// Counters of modules, such as storage and navigation, and of the application.
    public static let signals = RecordKinds(rawValue: 1 << 5)
    /// States that subscribers received or skipped. How many are skipped depends on the scheduler.
    public static let observations = RecordKinds(rawValue: 1 << 6)
    /// Phases of the life of contexts, rendering included.
    public static let phases = RecordKinds(rawValue: 1 << 7)

    /// Everything whose number does not depend on the scheduler: all kinds but ``observations`` and ``phases``.
    public static let standard: RecordKinds = [.actions, .states, .errors, .breakers, .lifetimes, .signals]
    /// All kinds.
    public static let all: RecordKinds = [.standard, .observations, .phases]
}

/// Something that a telemetry counts. Its text is the Swift source of the expectation that lists it, so that a failure can
/// be copied into a test.
struct TelemetryRecord: Hashable {
    enum Event: Hashable {
        case action(String, ActionOutcome)
        case state
        case observation
        case coalesced
        case error(String, type: String)
        case recovery(String, type: String, RecoveryReport.Outcome)
        case transition(CircuitState, CircuitState)
        case created
        case destroyed
        case phase(LifecyclePhase)
        /// The values of the labels, and whether it is a counter.
        case signal([SignalLabel], isCounter: Bool)
        /// Expected only: gauges are not counted.
        case gauge([SignalLabel], Double)
    }

    struct SignalLabel: Hashable {
        let name: String
        let value: String
    }

    /// The name of the component or the breaker; of a signal its family.
    let subject: String
    let event: Event

    /// Nil for records that accompany a counter, which no test has to list.
    var kind: RecordKinds? {
        switch event {
        case .action: .actions
        case .state: .states
        case .observation, .coalesced: .observations
        case .error, .recovery: .errors
        case .transition: .breakers
        case .created, .destroyed: .lifetimes
        case .phase: .phases
        case .signal(_, let isCounter): isCounter ? .signals : nil
        case .gauge: .signals
        }
    }

    /// The expectation of this record as source, without its closing parenthesis.
    var source: String {
        switch event {
        case .action(let name, let outcome): #".action("\#(name)", of: \#(subject).self, .\#(outcome.rawValue)"#
        case .state: ".state(of: \(subject).self"
        case .observation: ".observation(of: \(subject).self"
        case .coalesced: ".coalesced(of: \(subject).self"
        case .error(let name, _): #".error("\#(name)", in: \#(subject).self"#
        case .recovery(let name, _, let outcome):
            #".recovery("\#(name)", in: \#(subject).self, .\#(outcome.rawValue)"#
        case .transition(let from, let to): #".breaker("\#(subject)", from: .\#(from.source), to: .\#(to.source)"#
        case .created: ".created(\(subject).self"
        case .destroyed: ".destroyed(\(subject).self"
        case .phase(let phase): ".phase(.\(phase.rawValue), of: \(subject).self"
        case .signal(let labels, _): #".signal("\#(subject)", \#(Self.source(of: labels))"#
        case .gauge(let labels, let value): #".gauge("\#(subject)", \#(Self.source(of: labels)), is: \#(value)"#
        }
    }

    /// The whole expectation of `count` such records.
    func source(count: UInt64) -> String { "\(source), count: \(count))" }

    /// Whether this record, as a test expects it, includes another one: an error may be named by its code or its type, and a
    /// signal by some of its labels.
    func includes(_ record: TelemetryRecord) -> Bool {
        guard record.subject == subject else { return false }
        return switch (event, record.event) {
        case (.error(let name, _), .error(let code, let type)): name == code || name == type
        case (.recovery(let name, _, let outcome), .recovery(let code, let type, let actual)):
            (name == code || name == type) && outcome == actual
        case (.signal(let labels, _), .signal(let found, _)): labels.areIn(found)
        default: event == record.event
        }
    }

    static func source(of labels: [SignalLabel]) -> String {
        labels.isEmpty ? "[:]" : "[" + labels.map { #""\#($0.name)": "\#($0.value)""# }.joined(separator: ", ") + "]"
    }
}

extension [TelemetryRecord.SignalLabel] {
    /// Whether each label has its value among others. One with an empty value may be missing there.
    func areIn(_ labels: [TelemetryRecord.SignalLabel]) -> Bool {
        allSatisfy { label in
            labels.contains(label) || label.value.isEmpty && !labels.contains { $0.name == label.name }
        }
    }
}

extension CircuitState {
    /// The name of the case.
    var source: String {
        switch self {
        case .halfOpen: "halfOpen"
        case .forcedOpen: "forcedOpen"
        case .closed, .open, .disabled, .shadow: rawValue
        }
    }
}

/// The name under which a telemetry knows the subject of an expectation.
struct SubjectName: Sendable, Hashable {
    /// The component's name if no other type has it, or the name of a breaker or a family.
    let name: String
    /// The name that the component has if another type has the same; nil if the subject is not a type.
    let qualified: String?

    init(_ name: String) { (self.name, qualified) = (name, nil) }

    init(_ type: Any.Type) {
        name = (type as? any Component.Type)?.componentName ?? String(describing: type)
        // As the orchestrator names types of one name.
        qualified = ComponentNames.qualifiedName(of: type)
    }

    /// The name among those that are known; nil if there is none.
    func resolved(among known: Set<String>) -> String? {
        [qualified, name].compactMap(\.self).first(where: known.contains)
    }
}
