// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// Authenticates the user again when the session has expired, once for all calls that failed because of it.
final class Reauthentication: Sendable {
    typealias Authenticate = @Sendable () async throws -> Void

    /// Whether this task authenticates. A call that it makes must not wait for it.
    @TaskLocal private static var isRunning = false

    private let authenticate = Lock<Authenticate?>(nil)
    /// The number of successful authentications, plus one; 0 if nothing authenticates. Relaxed, because a call that reads
    /// an old value authenticates once more than necessary, and nothing else.
    private let successes = Atomic<UInt64>(0)
    private let flight = SingleFlight<Bool, Void>(
        of: ComponentDescriptor(kind: .orchestrator, name: "Orchestrator"),
        outlivesCallers: true
    )

    func use(_ authenticate: @escaping Authenticate) {
        self.authenticate.withLock { $0 = authenticate }
        successes.add(1, ordering: .relaxed)
    }

    /// The authentication under which a call begins. Costs one load.
    var generation: UInt64 { successes.load(ordering: .relaxed) }

    /// Authenticates, unless that has happened since a call began.
    ///
    /// - Parameter generation: The ``generation`` at the beginning of the call.
    /// - Returns: Whether to repeat the call. False if nothing authenticates, and for a call that is part of the
    ///   authentication.
    /// - Throws: ``AuthorizationError`` if the authentication failed; `CancellationError` as soon as the calling task is
    ///   cancelled.
    func renew(since generation: UInt64) async throws -> Bool {
        guard !Self.isRunning, let authenticate = authenticate.withLock({ $0 }) else { return false }
        guard self.generation == generation else { return true }
        try await flight.value(for: true) { [self] in
            // Another authentication may have ended between the check above and the start of this one.
            guard self.generation == generation else { return }
            do {
                try await Self.$isRunning.withValue(true) { try await authenticate() }
            } catch {
                throw AuthorizationError.reauthenticationFailed(cause: error)
            }
            successes.add(1, ordering: .relaxed)
        }
        return true
    }
}
