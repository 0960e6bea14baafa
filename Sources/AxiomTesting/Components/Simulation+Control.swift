// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import Testing

extension Simulation {
    /// The calls of the capability, the first one first.
    public var calls: [String] { state.withLock { $0.calls } }

    /// Sets the answer of a function that takes an input.
    public func on<Input: Sendable, Answer: Sendable>(
        _ operation: String,
        _ answer: @escaping @Sendable (Input) async throws -> Answer
    ) {
        let name = name
        state.withLock { state in
            state.answers[operation] = { input in
                guard let input = input as? Input else {
                    let problem = "\(operation) takes \(type(of: input)), not \(Input.self)"
                    throw CapabilityError.unavailable(name, because: problem)
                }
                return try await answer(input)
            }
        }
    }

    /// Sets the answer of a function.
    public func on<Answer: Sendable>(_ operation: String, answer: Answer) {
        state.withLock { $0.answers[operation] = { _ in answer } }
    }

    /// Makes the capability available or not.
    public func availability(_ isAvailable: Bool) {
        state.withLock { $0.isAvailable = isAvailable }
        report()
    }

    /// Sets how much of the capability works.
    ///
    /// - Parameter reason: Why, as a clause for people.
    public func degrade(_ level: DegradationLevel, because reason: String = "the test degraded it") {
        state.withLock { ($0.level, $0.reason) = (level, level == .full ? "" : reason) }
        report()
    }

    /// Sets the decision of the user, and lets the orchestrator replace the instance as after a real decision.
    ///
    /// - Throws: As `Orchestrator.capabilityChanged(_:_:)`.
    public func permission(_ status: PermissionStatus) async throws {
        state.withLock { $0.permission = status }
        try await change?(status == .granted || status == .limited ? .permissionGranted : .permissionRevoked)
    }

    /// Lets the next calls fail.
    ///
    /// - Parameters:
    ///   - count: How many; 0 or more. A negative number is a failure of the test.
    ///   - error: What they throw.
    ///   - sourceLocation: Where a failure is reported.
    public func fail(
        next count: Int = 1,
        with error: any Error,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard reporter.accepts(count, of: "\(name).fail(next: \(count))", at: sourceLocation) else { return }
        state.withLock { $0.failures += Array(repeating: error, count: count) }
    }

    /// Forgets the failures that no call has had yet.
    public func dropFailures() { state.withLock { $0.failures = [] } }

    /// Lets every call wait, until ``release()``.
    public func hang() { state.withLock { $0.isHanging = true } }

    /// Ends the wait of all calls, and lets the next ones pass.
    public func release() {
        let waiters = state.withLock { state in
            state.isHanging = false
            defer { state.waiters = [:] }
            return state.waiters.sorted { $0.key < $1.key }.map(\.value)
        }
        for waiter in waiters { waiter.end(.success(())) }
    }

    /// Lets every call wait, in the manual time.
    public func delay(_ duration: Duration) { state.withLock { $0.delay = duration } }

    /// Returns to the first state: available, in full, permitted, without failures, answers and recorded calls.
    public func reset() {
        release()
        state.withLock { state in
            let status = state.status
            state = State()
            state.status = status
        }
        report()
    }

    func hangUp() async throws {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(continuation: continuation, waits: TestWaits.current)
                let isParked = state.withLock { state in
                    guard state.isHanging, !Task.isCancelled else { return false }
                    state.waiters[id] = waiter
                    return true
                }
                if isParked { waiter.waits?.begin() } else { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.end(.failure(CancellationError()))
        }
    }
}

extension Simulation.Waiter {
    fileprivate func end(_ result: Result<Void, any Error>) {
        waits?.end()
        continuation.resume(with: result)
    }
}
