// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import Foundation

// One attempt to send a change, until the storage has what became of it.
extension SyncRunner {
    struct Attempt: Sendable {
        let change: PendingChange
        let start: Instant
        /// How often the connection had come back when the attempt began.
        let returns: Int
    }

    func run(_ attempt: Attempt) async {
        if let ending = await send(attempt) { await finish(attempt, ending) }
        sends[attempt.change.id] = nil
        machine.ended()
        if sends.isEmpty {
            for waiter in idleWaiters { waiter.settle(true) }
            idleWaiters = []
        }
        wake()
    }

    /// - Returns: How the attempt ended; nil if it has not ended.
    private func send(_ attempt: Attempt) async -> SyncMachine.Ending? {
        let (parts, change) = (parts, attempt.change)
        do {
            // The breaker counts a call that does not end as a failure.
            return try await parts.breaker.run {
                try await call("send", attempt) { .answered(try await parts.handlers.send(change)) }
            }
        } catch {
            return noteOverdue(error) ? nil : .failed(error)
        }
    }

    private func resolve(_ attempt: Attempt, _ remote: Data) async -> SyncMachine.Ending? {
        let (parts, change) = (parts, attempt.change)
        do {
            return try await call("resolve", attempt) { .resolved(try await parts.handlers.resolve(change, remote)) }
        } catch {
            return noteOverdue(error) ? nil : .failed(error)
        }
    }

    /// Calls code of the application. If it does not end in time, the change stays taken until it does.
    private func call(
        _ name: String,
        _ attempt: Attempt,
        _ body: @escaping @Sendable () async throws -> SyncMachine.Ending
    ) async throws -> SyncMachine.Ending {
        let call = LimitedCall(timeout: parts.timeout, clock: clock)
        let error = OfflineError.overdue(attempt.change, in: outbox.name, name, limit: parts.timeout.limit)
        return try await call.run(overdue: error, body) { late in
            switch late {
            case .success(let ending): await self.finish(attempt, ending)
            case .failure(let error): await self.finish(attempt, .failed(error))
            }
            self.wake()
        }
    }

    private func noteOverdue(_ error: any Error) -> Bool {
        guard let error = error as? OfflineError, error.code == .sendOverdue else { return false }
        parts.signals.ended(.overdue)
        parts.handlers.report(error)
        return true
    }

    /// Decides about the change of an attempt that has ended.
    private func finish(_ attempt: Attempt, _ ending: SyncMachine.Ending) async {
        let (change, returns) = (attempt.change, attempt.returns)
        let failing = ending.error == nil ? nil : await outbox.failingSince(change.id)
        let verdict = machine.verdict(
            change,
            ending,
            failingSince: failing,
            begunAfter: returns,
            at: clock.now,
            using: &random
        )
        if case .resolve(let remote) = verdict {
            if let resolution = await resolve(attempt, remote) { await finish(attempt, resolution) }
            return
        }
        if verdict.outcome != nil { parts.signals.took(nanoseconds: clock.now.nanoseconds(since: attempt.start)) }
        await store(verdict, change, cause: ending.error)
    }

    /// Stores what became of a change. If the storage fails, the change stays as it was and is sent again, with the same
    /// idempotency key.
    private func store(_ verdict: SyncMachine.Verdict, _ change: PendingChange, cause: (any Error)?) async {
        do {
            switch verdict {
            case .accepted, .tookRemote: try await outbox.remove(change.id)
            case .keptLocal(let payload): try await outbox.replace(change.id, payload: payload)
            case .postpone(let wait): try await outbox.postpone(change.id, for: wait)
            case .setAside(let reason):
                try await outbox.setAside(change.id, because: reason)
                parts.handlers.report(OfflineError.setAside(change, in: outbox.name, because: reason, cause: cause))
            case .release(let wait): await outbox.release(change.id, for: wait)
            case .resolve: await outbox.release(change.id)
            }
            if let outcome = verdict.outcome { parts.signals.ended(outcome) }
        } catch {
            await outbox.release(change.id, for: machine.delay(change, using: &random))
            parts.signals.ended(.failed)
            parts.handlers.report(error)
        }
    }
}

extension SyncMachine.Ending {
    /// The error of a failed attempt.
    var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }
}
