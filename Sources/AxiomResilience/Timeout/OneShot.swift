// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A value that is settled once, by whoever comes first, and awaited by one task.
///
/// ``value`` cannot be cancelled: it has to be certain that the value is settled.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    /// Read and written under this lock; the continuation is resumed outside it.
    private let state = Lock(State.open)

    package init() {}

    /// Settles the value, unless that was done.
    ///
    /// - Returns: Whether this value is the one.
    @discardableResult
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

    /// The value, once it is settled.
    package var value: Value {
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

    /// The value, once it is settled. Cancelling the calling task settles it with `substitute`.
    package func value(ifCancelled substitute: Value) async -> Value {
        await withTaskCancellationHandler {
            await value
        } onCancel: {
            settle(substitute)
        }
    }
}
