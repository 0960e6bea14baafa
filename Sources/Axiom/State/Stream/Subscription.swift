// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A subscription's state machine with its lock, and the suspension of its consumer.
///
/// A fan-out that publishes takes this lock while it holds its own. No code takes them in the opposite order.
final class Subscription: Sendable {
    /// The runtime does not check it: the machine returns each one exactly once, which its tests show.
    typealias Waiter = UnsafeContinuation<Void, Never>
    typealias Machine = SubscriptionMachine<AnyStateSnapshot, Waiter>
    typealias Buffer = Machine.Buffer
    typealias Entry = Buffer.Entry

    /// Every event goes through this lock; waiters are resumed outside it.
    private let machine: Lock<Machine>

    /// The context that subscribed; nil if it is unknown.
    private let component: ComponentDescriptor?

    /// Its index in the list of the fan-out. Guarded by the lock of the fan-out.
    nonisolated(unsafe) var index = 0

    init(_ buffer: Buffer, ending: SubscriptionEnd?, component: ComponentDescriptor? = nil) {
        machine = Lock(Machine(buffer, end: ending))
        self.component = component
    }

    /// The subscriber, and what it has not taken yet.
    var reading: StateSubscriber {
        let (pending, oldest) = machine.withLock { ($0.pending, $0.oldest) }
        return StateSubscriber(component: component, pending: pending, oldest: oldest)
    }

    var isOpen: Bool { machine.withLock { $0.isOpen } }

    /// Whether its consumer waits and no state is pending.
    var isParked: Bool { machine.withLock { $0.isParked } }

    /// Accepts a state. The caller resumes the waiter and releases the dropped states once it holds no lock.
    func offer(_ entry: Entry) -> Machine.Offered { machine.withLock { $0.offer(entry) } }

    /// Stops accepting states. The caller resumes the waiter once it holds no lock.
    func finish(_ end: SubscriptionEnd) -> Waiter? { machine.withLock { $0.finish(end) } }

    /// Discards the pending states and ends the iteration.
    func abandon() {
        // The pending states are released at the end of this scope, outside the lock.
        let (waiter, pending) = machine.withLock { $0.abandon() }
        waiter?.resume()
        withExtendedLifetime(pending) {}
    }

    /// Waits for something to deliver or for the end.
    ///
    /// - Parameter onPark: Called on the actor before each wait, without a suspension in between.
    /// - Returns: A step that is not `wait`.
    func take(
        _ amount: Machine.Amount,
        isolation: isolated (any Actor)?,
        onPark: @Sendable () -> Void = {},
        onCancel: @Sendable () -> Void
    ) async -> Machine.Step {
        var step = machine.withLock { $0.enter(amount) }
        while case .wait = step {
            await park(isolation: isolation, onPark: onPark, onCancel: onCancel)
            step = machine.withLock { $0.proceed(amount) }
        }
        return step
    }

    private func park(
        isolation: isolated (any Actor)?,
        onPark: @Sendable () -> Void,
        onCancel: @Sendable () -> Void
    ) async {
        await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    // Before: afterwards another thread may run this task already.
                    onPark()
                    machine.withLock { $0.park(continuation) }?.resume()
                }
            },
            onCancel: onCancel,
            isolation: isolation
        )
    }
}
