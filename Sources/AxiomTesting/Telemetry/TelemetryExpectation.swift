// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomInstrumentation
public import AxiomResilience

/// How often something is expected. A negative number is a failure of each expectation that has it.
public struct ExpectedCount: Sendable, Hashable, ExpressibleByIntegerLiteral {
    private enum Bound {
        case exactly
        case atLeast
        case atMost
    }

    private let bound: Bound
    /// The number as given.
    private let number: Int

    private init(_ bound: Bound, _ number: Int) { (self.bound, self.number) = (bound, number) }

    /// Exactly this often; 0 or more.
    public init(integerLiteral value: Int) { self = .exactly(value) }

    /// Exactly this often; 0 or more.
    public static func exactly(_ count: Int) -> ExpectedCount { ExpectedCount(.exactly, count) }

    /// This often or more; 0 or more.
    public static func atLeast(_ count: Int) -> ExpectedCount { ExpectedCount(.atLeast, count) }

    /// This often or less; 0 or more.
    public static func atMost(_ count: Int) -> ExpectedCount { ExpectedCount(.atMost, count) }

    /// A mistake of the test.
    var isNegative: Bool { number < 0 }

    /// Whether so many are as expected.
    func contains(_ count: UInt64) -> Bool {
        switch bound {
        case .exactly: count == number
        case .atLeast: count >= number
        case .atMost: count <= number
        }
    }

    /// As Swift source.
    var source: String {
        switch bound {
        case .exactly: "\(number)"
        case .atLeast: ".atLeast(\(number))"
        case .atMost: ".atMost(\(number))"
        }
    }
}

/// What a test expects a telemetry to have recorded: see ``TelemetryAssertions/expect(_:sourceLocation:)``.
///
/// A component is named by its type. A capability that is registered under a protocol is named by the type that implements
/// it. A presentation with a `componentName` of its own cannot be named.
public struct TelemetryExpectation: Sendable {
    let event: TelemetryRecord.Event
    let subject: SubjectName
    let count: ExpectedCount
    var budget: PerformanceBudget.ID?

    private init(_ event: TelemetryRecord.Event, _ subject: SubjectName, _ count: ExpectedCount) {
        (self.event, self.subject, self.count) = (event, subject, count)
    }

    private init(_ event: TelemetryRecord.Event, _ type: Any.Type, _ count: ExpectedCount) {
        self.init(event, SubjectName(type), count)
    }

    /// What it expects, under the name that the test gave.
    var record: TelemetryRecord { TelemetryRecord(subject: subject.name, event: event) }

    /// The expectation as Swift source.
    var source: String {
        let isGauge = if case .gauge = event { true } else { false }
        let number = isGauge ? "" : ", count: \(count.source)"
        return record.source + number + (budget.map { #", within: "\#($0)""# } ?? "") + ")"
    }

    // MARK: - Actions, states, errors

    /// An action of a client or a context.
    ///
    /// - Parameters:
    ///   - name: The name of the case, as in `add`.
    ///   - type: The type of the client or context.
    ///   - outcome: How the actions ended. Default: success.
    ///   - count: How often. Default: once.
    ///   - budget: `.clientAction` or `.contextAction`: none of the actions may exceed its limit. Nil compares no durations.
    public static func action(
        _ name: String,
        of type: Any.Type,
        _ outcome: ActionOutcome = .success,
        count: ExpectedCount = 1,
        within budget: PerformanceBudget.ID? = nil
    ) -> TelemetryExpectation {
        var expectation = TelemetryExpectation(.action(name, outcome), type, count)
        expectation.budget = budget
        return expectation
    }

    /// States that a client published. An update that changes nothing publishes none.
    public static func state(of client: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        TelemetryExpectation(.state, client, count)
    }

    /// States of a client that subscribers received: each subscriber counts.
    public static func observation(of client: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        TelemetryExpectation(.observation, client, count)
    }

    /// States of a client that a subscriber did not receive because a later one replaced them.
    public static func coalesced(of client: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        TelemetryExpectation(.coalesced, client, count)
    }

    /// An error that arose in a component and ended at a boundary.
    ///
    /// - Parameter name: The code of an `AxiomError`, the name of an enum's case, or the name of the error's type.
    public static func error(_ name: String, in type: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        TelemetryExpectation(.error(name, type: name), type, count)
    }

    /// An error with this code that arose in a component and ended at a boundary.
    public static func error(_ code: ErrorCode, in type: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        .error(code.rawValue, in: type, count: count)
    }

    /// A recovery from an error that arose in a component.
    ///
    /// - Parameter name: The code of an `AxiomError`, the name of an enum's case, or the name of the error's type.
    public static func recovery(
        _ name: String,
        in type: Any.Type,
        _ outcome: RecoveryReport.Outcome = .recovered,
        count: ExpectedCount = 1
    ) -> TelemetryExpectation {
        TelemetryExpectation(.recovery(name, type: name, outcome), type, count)
    }

    // MARK: - Breakers, lifetimes, signals

    /// A transition of the circuit breaker of a client or context. Transitions in shadow mode do not count.
    public static func breaker(
        of type: Any.Type,
        from: CircuitState,
        to: CircuitState,
        count: ExpectedCount = 1
    ) -> TelemetryExpectation {
        TelemetryExpectation(.transition(from, to), type, count)
    }

    /// A transition of the circuit breaker with this name. Transitions in shadow mode do not count.
    public static func breaker(
        _ name: String,
        from: CircuitState,
        to: CircuitState,
        count: ExpectedCount = 1
    ) -> TelemetryExpectation {
        TelemetryExpectation(.transition(from, to), SubjectName(name), count)
    }

    /// The creation of a component.
    public static func created(_ type: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        TelemetryExpectation(.created, type, count)
    }

    /// The end of a component.
    public static func destroyed(_ type: Any.Type, count: ExpectedCount = 1) -> TelemetryExpectation {
        TelemetryExpectation(.destroyed, type, count)
    }

    /// A phase in the life of a context.
    public static func phase(
        _ phase: LifecyclePhase,
        of context: Any.Type,
        count: ExpectedCount = 1
    ) -> TelemetryExpectation {
        TelemetryExpectation(.phase(phase), context, count)
    }

    /// Events of a counter, or the number of observations of a distribution, of another module such as storage or
    /// navigation.
    ///
    /// - Parameters:
    ///   - name: The name of the family, as in `axiom_storage_operations_total`.
    ///   - labels: The values of some or all labels. Signals that differ in the others are added up.
    public static func signal(
        _ name: String,
        _ labels: [String: String] = [:],
        count: ExpectedCount = 1
    ) -> TelemetryExpectation {
        TelemetryExpectation(.signal(labels.signalLabels, isCounter: true), SubjectName(name), count)
    }

    /// The present value of a gauge of another module. Gauges that differ in labels that are not given are added up.
    public static func gauge(
        _ name: String,
        _ labels: [String: String] = [:],
        is value: Double
    ) -> TelemetryExpectation {
        TelemetryExpectation(.gauge(labels.signalLabels, value), SubjectName(name), .atLeast(0))
    }
}

extension [String: String] {
    fileprivate var signalLabels: [TelemetryRecord.SignalLabel] {
        sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
    }
}
