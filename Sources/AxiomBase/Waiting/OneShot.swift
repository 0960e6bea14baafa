// SPDX-License-Identifier: Apache-2.0

/// A value that is set once, by the first of several tasks, and that one task waits for.
///
/// The wait cannot be cancelled and has no limit. Each user guarantees that the value is set: the queue of
/// a bulkhead by a call that ends, by the timer or by the cancellation handler.
///
/// Inlinable, because unspecialized generic code looks its metadata up at each use.
@usableFromInline
package final class OneShot<Value: Sendable>: Sendable {
    @usableFromInline
    enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    /// Guards the state. The continuation is resumed outside of the lock.
    @usableFromInline let state = Lock(State.open)

    @inlinable
    package init() {}

    /// Sets the value, unless it is already set. Returns whether this call has set the value.
    @discardableResult
    @inlinable
    package func settle(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .settled:
                return (false, nil)
            case .open:
                state = .settled(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .settled(value)
                return (true, continuation)
            }
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    /// The value; nil until it is set.
    @inlinable package var settled: Value? {
        state.withLock { state in
            if case .settled(let value) = state { value } else { nil }
        }
    }

    /// Waits for the value.
    @inlinable package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let settled = state.withLock { state -> Value? in
                    if case .settled(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let settled { continuation.resume(returning: settled) }
            }
        }
    }

    /// Waits for the value. If the calling task is cancelled, sets the value to `substitute`.
    @inlinable
    package func value(ifCancelled substitute: Value) async -> Value {
        await withTaskCancellationHandler {
            await value
        } onCancel: {
            settle(substitute)
        }
    }

    /// Waits for the value until `deadline`, which sets it to `late`. If the calling task is cancelled, sets the value to
    /// `substitute`.
    package func value(
        until deadline: Instant,
        on clock: TimeSource,
        late: Value,
        ifCancelled substitute: Value
    ) async -> Value {
        if let settled { return settled }
        let alarm = Alarm(at: deadline, on: clock) { self.settle(late) }
        defer { alarm.cancel() }
        return await value(ifCancelled: substitute)
    }
}
