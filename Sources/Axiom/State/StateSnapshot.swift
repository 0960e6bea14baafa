// SPDX-License-Identifier: Apache-2.0

/// A published state with its type erased: one allocation, shared by the buffers of all subscribers.
///
/// Type erasure keeps the code between the store and the iterator free of generics, so it is compiled as it stands.
/// Generic code that users instantiate in their own modules looks up its types at run time. In measurements, that
/// raised the cost of an update with ten subscribers from 1 µs to 6 µs.
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
    /// The state, for a caller that knows the type with which the snapshot was made. A store and its iterators know it,
    /// because a fan-out belongs to one store. Checked in debug builds.
    func state<S: OwnedState>(as type: S.Type) -> S {
        unsafeDowncast(self, to: StateSnapshot<S>.self).state
    }
}
