// SPDX-License-Identifier: Apache-2.0

/// A published state with its type hidden: one allocation, shared by the buffers of all subscribers.
///
/// It lets everything between the store and the iterator be free of generics, and so compiled for what it is. A
/// generic that users instantiate in their own modules looks its types up at run time: measured, that made an
/// update with ten subscribers cost 6 µs instead of 1 µs.
class AnyStateSnapshot: @unchecked Sendable {
    // Unchecked because it can be subclassed; its one subclass is a `Sendable` constant.
    fileprivate init() {}
}

/// A published state.
final class StateSnapshot<S: OwnedState>: AnyStateSnapshot, @unchecked Sendable {
    let state: S

    init(_ state: S) {
        self.state = state
    }
}

extension AnyStateSnapshot {
    /// The state, for a caller who knows that it made the snapshot with this type: a store and its iterators do,
    /// since a fan-out belongs to one store. Checked in debug builds.
    func state<S: OwnedState>(as type: S.Type) -> S {
        unsafeDowncast(self, to: StateSnapshot<S>.self).state
    }
}
