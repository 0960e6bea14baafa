// SPDX-License-Identifier: Apache-2.0

/// The state that one client owns: an immutable snapshot, replaced as a whole by the next one.
///
/// ```swift
/// struct CartState: OwnedState {
///     var items: [Item] = []
///     var total: Decimal = 0
/// }
/// ```
///
/// Write it as a struct or enum of values all the way down. The compiler checks that it can cross isolation
/// boundaries (`Sendable`) and be compared; it cannot check that nothing inside is a reference. A final class with
/// only constants passes as `Sendable`, and so does one marked `@unchecked Sendable`: a state that holds such an
/// object and changes it in place breaks atomicity, rollback and the comparison that skips equal states.
///
/// ``StateStore/update(_:_:)`` compares the old with the new state once per update, so `==` decides what counts as
/// a change: a property left out of a hand-written `==` is never published on its own.
public protocol OwnedState: Equatable, Hashable, Sendable {}
