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
/// Use structs and enums of values at every level. The compiler checks that the state can cross isolation boundaries
/// (`Sendable`) and be compared. It cannot check that the state contains no references. A final class with only
/// constants passes as `Sendable`, and so does one marked `@unchecked Sendable`. A state that holds such an object and
/// changes it in place breaks atomicity, rollback and the comparison that skips equal states.
///
/// ``StateStore/update(_:_:)`` compares the old with the new state once per update, so `==` defines a change. If a
/// hand-written `==` omits a property, a change of that property alone is never published.
public protocol OwnedState: Equatable, Hashable, Sendable {}
