// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import Testing

/// The control of a simulated capability: a test sets its availability, its level, its permission and its failures.
///
/// ```swift
/// let network = app.simulate((any Network).self, as: FakeNetwork.self)
/// network.on("get") { (path: String) in "<\(path)>" }
/// network.fail(next: 2, with: NetworkError.timeout("GET", after: .seconds(3)))
/// network.degrade(.limited, because: "the link is slow")
/// ```
/// It outlives the instances of the capability. All functions may be called from any thread.
public final class Simulation: Sendable {
    struct State: Sendable {
        var isAvailable = true
        var level = DegradationLevel.full
        var reason = ""
        var permission = PermissionStatus.granted
        var failures: [any Error] = []
        var isHanging = false
        var delay = Duration.zero
        var answers: [String: @Sendable (any Sendable) async throws -> any Sendable] = [:]
        var calls: [String] = []
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var status: CapabilityStatus?

        var canBeUsed: Bool { isAvailable && level != .unavailable }
    }

    struct Waiter: Sendable {
        let continuation: CheckedContinuation<Void, any Error>
        let waits: TestWaits?
    }

    /// The name of the capability, for failures.
    public let name: String
    private let clock: TimeSource
    let reporter: FailureReporter
    let state = Lock(State())
    /// Carries out a change at the orchestrator; nil for a capability without one.
    let change: (@Sendable (CapabilityChange) async throws -> Void)?

    init(
        _ name: String,
        _ clock: TimeSource,
        _ reporter: FailureReporter,
        change: (@Sendable (CapabilityChange) async throws -> Void)? = nil
    ) {
        (self.name, self.clock, self.reporter, self.change) = (name, clock, reporter, change)
    }

    /// Connects a new instance. A simulated capability calls it in its initializer.
    public func connect(_ scope: borrowing CapabilityScope) {
        let status = scope.status
        let isChanged = state.withLock { state in
            state.status = status
            return state.level != .full || !state.isAvailable
        }
        if isChanged { report() }
    }

    func report() {
        let (status, level, isAvailable, reason) = state.withLock { ($0.status, $0.level, $0.canBeUsed, $0.reason) }
        status?.report(level, isAvailable: isAvailable, because: reason)
    }

    // MARK: What a simulated capability asks

    /// Whether the capability is available.
    public var isAvailable: Bool { state.withLock { $0.canBeUsed } }
    /// How much of it works.
    public var level: DegradationLevel { state.withLock { $0.level } }
    /// The decision of the user.
    public var permission: PermissionStatus { state.withLock { $0.permission } }

    /// Records a call, and lets it wait or fail as the test demands.
    ///
    /// - Parameter operation: The name of the function.
    /// - Throws: The error of ``fail(next:with:sourceLocation:)``; ``Axiom/CapabilityError`` while the capability is not available;
    ///   ``Axiom/AuthorizationError`` without the permission; `CancellationError`.
    public func call(_ operation: String = #function) async throws {
        let operation = Self.baseName(operation)
        let (delay, isHanging) = state.withLock { state in
            state.calls.append(operation)
            return (state.delay, state.isHanging)
        }
        if isHanging { try await hangUp() }
        if delay > .zero { try await clock.sleep(for: delay) }
        try Task.checkCancellation()
        let (error, isAvailable, permission) = state.withLock { state in
            (state.failures.isEmpty ? nil : state.failures.removeFirst(), state.canBeUsed, state.permission)
        }
        if let error { throw error }
        guard permission == .granted || permission == .limited else {
            throw AuthorizationError.forbidden("\(name).\(operation)")
        }
        guard isAvailable else { throw CapabilityError.unavailable(name, because: "the test made it unavailable") }
    }

    /// Records a call as ``call(_:)`` does, and returns the answer that the test has set with ``on(_:_:)``. Without an
    /// answer, the test fails and names the function.
    public func answer<Answer: Sendable>(
        _ operation: String = #function,
        to input: any Sendable = (),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let operation = Self.baseName(operation)
        try await call(operation)
        guard let make = state.withLock({ $0.answers[operation] }) else {
            throw unimplemented(operation, "on(\"\(operation)\") { … }", at: sourceLocation)
        }
        let made = try await make(input)
        guard let answer = made as? Answer else {
            let remedy = "an answer of the type \(Answer.self), not \(type(of: made))"
            throw unimplemented(operation, remedy, at: sourceLocation)
        }
        return answer
    }

    private func unimplemented(_ operation: String, _ remedy: String, at location: SourceLocation) -> CapabilityError {
        let text = "Unimplemented: \(name).\(operation) was called, and the test gives no answer. Add \(remedy)."
        reporter.fail(text, at: location)
        return .unavailable(name, because: "the test does not implement \(operation)")
    }

    /// The name of a function without its parameters.
    private static func baseName(_ function: String) -> String { String(function.prefix { $0 != "(" }) }
}
