// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// An operation that failed, as a recovery strategy sees it: what went wrong, and the operation itself, to be run
/// again.
@MainActor
public final class FailedOperation {
    typealias Body = @MainActor @Sendable () async throws -> Void
    /// Runs something as an operation of the context in which this one failed, errors and all.
    typealias Container = @MainActor @Sendable (_ body: @escaping Body) async -> Void

    /// What the operation threw last.
    public private(set) var error: any Error
    /// How often it was run again until now. An observation that fails again and again counts all its attempts, until a
    /// subscription has worked.
    public private(set) var attempts: Int
    /// The clock of the orchestrator: what a strategy that waits takes its time from.
    public let clock: TimeSource

    private let trail: ErrorTrail
    private let body: Body?
    private let container: Container
    /// The components above the trail that the error has passed: a client at its start, contexts, the orchestrator.
    private var passed: [ComponentDescriptor]

    /// Describes a failure in `component`.
    ///
    /// - Parameters:
    ///   - body: The operation; nil when it cannot be run again. Keeps no context: it may be held by a notification.
    ///   - attempts: How often it was run again before this failure.
    ///   - container: Where an option runs that a person chose.
    init(
        _ error: any Error,
        in component: ComponentDescriptor,
        trail: ErrorTrail,
        clock: TimeSource,
        attempts: Int = 0,
        container: @escaping Container,
        body: Body?
    ) {
        self.error = error
        self.trail = trail
        self.clock = clock
        self.attempts = attempts
        self.container = container
        self.body = body
        passed = [component]
    }

    /// The code of ``error``: that of an ``AxiomError``, else the name of its type.
    public var code: ErrorCode { ErrorCode(of: error) }

    /// How much harm ``error`` does.
    public var severity: ErrorSeverity { (error as? any AxiomError)?.severity ?? .nonCritical }

    /// The component in which ``error`` arose.
    public var origin: ComponentDescriptor { path.first ?? passed[0] }

    /// The components that ``error`` has passed, the one in which it arose first.
    public var path: [ComponentDescriptor] {
        let path = trail.path(of: error) + passed
        guard let origin = (error as? any AxiomError)?.origin, !path.contains(origin) else { return path }
        return [origin] + path
    }

    /// Whether ``run()`` can run the operation again.
    public var canRun: Bool { body != nil }

    /// Runs the operation again.
    ///
    /// - Throws: What it throws, which is ``error`` from then on; ``error`` itself when it cannot be run again.
    public func run() async throws {
        guard let body else { throw error }
        attempts += 1
        do {
            try await ErrorTrail.$current.withValue(trail, operation: body)
        } catch {
            if ActionOutcome(ofError: error) != .cancelled { self.error = error }
            throw error
        }
    }

    /// Runs the operation as part of another one, on whose trail it then leaves its errors: because a person asked for
    /// it, when everything that was tried before has ended.
    func runAnew() async throws {
        guard let body else { throw error }
        try await body()
    }

    /// The error is handed to the boundary of `component`.
    func rise(to component: ComponentDescriptor) {
        passed.append(component)
    }

    func perform(_ option: @escaping Body) async {
        await container(option)
    }
}
