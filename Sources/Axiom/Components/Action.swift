// SPDX-License-Identifier: Apache-2.0

/// What a client or a context is asked to do: an enum, as a rule.
///
/// Metrics label an action with the name of its case and never with its payload, which is private data and without
/// bound. `caseIndex` picks a handle that was bound in advance; the defaults find both by reflection:
///
/// - `caseNames` is read from the type's metadata, once for each client or context type.
/// - `caseIndex` asks the runtime for the name of the case on every action, about 0.3 µs.
///
/// A type whose actions are frequent writes both by hand:
/// ```swift
/// enum CartAction: Action {
///     case add(Item), clear
///     static let caseNames = ["add", "clear"]
///     var caseIndex: Int { switch self { case .add: 0; case .clear: 1 } }
/// }
/// ```
public protocol Action: Sendable {
    /// The names of all cases; for a type that is no enum, the type's name alone.
    static var caseNames: [String] { get }

    /// The place of this action's case in ``caseNames``. An index outside of it is reported as `other`.
    var caseIndex: Int { get }
}

extension Action {
    /// The names of the enum's cases as its metadata lists them, or the type's name where it is no enum.
    public static var caseNames: [String] {
        EnumMetadata(Self.self)?.caseNames ?? [String(describing: Self.self)]
    }

    /// The place of this action's case in the enum's metadata; 0 where the type is no enum.
    public var caseIndex: Int {
        EnumMetadata(Self.self)?.caseIndex(of: self) ?? 0
    }
}

/// An action type without cases, for a component that is never asked to do anything.
public enum NoAction: Action {
    /// None.
    public static var caseNames: [String] { [] }

    /// Never asked: no value of this type exists.
    public var caseIndex: Int {
        switch self {}
    }
}
