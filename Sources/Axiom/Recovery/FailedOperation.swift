// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import AxiomResilience

/// A failed operation, as a recovery strategy sees it: the error, and the operation itself, to run it again.
@MainActor
public final class FailedOperation {
    typealias Body = @MainActor @Sendable () async throws -> Void
    /// Runs a closure as an operation of the context in which this one failed, including its errors.
    typealias Container = @MainActor @Sendable (_ body: @escaping Body) async -> ActionOutcome

    /// The last error of the operation.
    public private(set) var error: any Error
    /// How often the operation has been run again. An observation that fails repeatedly counts all its attempts, until
    /// a subscription has worked.
    public private(set) var attempts: Int
    /// The clock of the orchestrator, for strategies that wait.
    public let clock: TimeSource

    private let trail: ErrorTrail
    private let body: Body?
    private let container: Container
    /// The components above the trail that the error has passed: a client during its start, contexts, the orchestrator.
    private var passed: [ComponentDescriptor]

    /// Describes a failure in `component`.
    ///
    /// - Parameters:
    ///   - body: The operation; nil if it cannot be run again. Must not retain a context, because a notification may
    ///     hold it.
    ///   - attempts: How often it was run again before this failure.
    ///   - container: Runs the option that the user chooses.
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

    var severity: ErrorSeverity { (error as? any AxiomError)?.severity ?? .nonCritical }

    /// The component in which ``error`` originated.
    public var origin: ComponentDescriptor { path.first ?? passed[0] }

    /// The components that ``error`` has passed, its origin first.
    public var path: [ComponentDescriptor] {
        let path = trail.path(of: error) + passed
        guard let origin = (error as? any AxiomError)?.origin, !path.contains(origin) else { return path }
        return [origin] + path
    }

    /// The chain of the causes of ``error``; nil if it has no cause.
    var chain: ErrorChain? { trail.chain(of: error) }

    /// The span of the operation; that of the calling task if the operation has none.
    var span: SpanContext { trail.operation?.span ?? OperationContext.currentSpan }

    /// Whether ``run()`` can run the operation again.
    package var canRun: Bool { body != nil }

    /// Runs the operation again.
    ///
    /// - Throws: The operation's error, which becomes ``error``; ``error`` itself if the operation cannot be run again.
    public func run() async throws {
        guard let body else { throw error }
        attempts += 1
        do {
            guard let operation = trail.operation else { return try await trail.run(body) }
            try await operation.step(.retryAttempt, .kind, clock, trail: trail, body)
        } catch {
            if ActionOutcome(ofError: error) != .cancelled { self.error = error }
            throw error
        }
    }

    /// Runs the operation as part of another one, whose trail then receives its errors. For an option that the user
    /// chose after the recovery had ended.
    func runSeparately() async throws {
        guard let body else { throw error }
        try await body()
    }

    /// Adds `component` to the path: the error is passed to its boundary.
    func rise(to component: ComponentDescriptor) { passed.append(component) }

    /// Runs a remedy, which is recorded as a step of the operation.
    func recover(by name: String, _ remedy: Body) async throws {
        guard let operation = trail.operation else { return try await remedy() }
        try await operation.step(.recoveryStep, .text(name), clock, remedy)
    }

    func perform(_ option: @escaping Body) async -> ActionOutcome { await container(option) }

    /// Runs the operation with `retry`. The run that failed and the runs before it count as attempts.
    func run(by retry: Retry) async throws {
        guard canRun, attempts < retry.configuration.maximumAttempts - 1 else { throw error }
        let replay = Replay(self)
        try await retry.run { try await replay.next() }
    }

    /// The attempts of an operation, whose first run has already failed.
    @MainActor
    private final class Replay {
        private let operation: FailedOperation
        private var isFirst = true

        init(_ operation: FailedOperation) { self.operation = operation }

        func next() async throws {
            guard isFirst else { return try await operation.run() }
            isFirst = false
            throw operation.error
        }
    }
}
