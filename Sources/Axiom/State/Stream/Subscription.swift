// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A subscription's machine behind its lock, and the waiting.
///
/// A fan-out that publishes holds its own lock and takes this one inside it; nothing takes them the other way round.
final class Subscription: Sendable {
    /// Unchecked by the runtime, since the machine hands each one out exactly once, which its tests show.
    typealias Waiter = UnsafeContinuation<Void, Never>
    typealias Machine = SubscriptionMachine<AnyStateSnapshot, Waiter>
    typealias Buffer = Machine.Buffer
    typealias Entry = Buffer.Entry

    /// Every event goes through this lock; waiters are resumed outside it.
    private let machine: Lock<Machine>

    init(_ buffer: Buffer, ending: SubscriptionEnd?) {
        machine = Lock(Machine(buffer, end: ending))
    }

    /// Whether it still takes states in.
    var isOpen: Bool {
        machine.withLock { $0.isOpen }
    }

    /// Takes a state in. The caller resumes the waiter and releases what was dropped, once it holds no lock.
    func offer(_ entry: Entry) -> Machine.Offered {
        machine.withLock { $0.offer(entry) }
    }

    /// Takes no more states in. The caller resumes the waiter, once it holds no lock.
    func finish(_ end: SubscriptionEnd) -> Waiter? {
        machine.withLock { $0.finish(end) }
    }

    /// Forgets what is pending and ends the iteration.
    func abandon() {
        // What was pending is released at the end of this scope, outside the lock.
        let (waiter, pending) = machine.withLock { $0.abandon() }
        waiter?.resume()
        withExtendedLifetime(pending) {}
    }

    /// Waits until there is something to deliver or the end.
    ///
    /// - Returns: A step that is not `wait`.
    func take(
        _ amount: Machine.Amount,
        isolation: isolated (any Actor)?,
        onCancel: @Sendable () -> Void
    ) async -> Machine.Step {
        var step = machine.withLock { $0.enter(amount) }
        while case .wait = step {
            await park(isolation: isolation, onCancel: onCancel)
            step = machine.withLock { $0.proceed(amount) }
        }
        return step
    }

    private func park(isolation: isolated (any Actor)?, onCancel: @Sendable () -> Void) async {
        await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    machine.withLock { $0.park(continuation) }?.resume()
                }
            },
            onCancel: onCancel,
            isolation: isolation
        )
    }
}
