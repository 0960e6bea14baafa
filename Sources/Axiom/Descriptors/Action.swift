// SPDX-License-Identifier: Apache-2.0

/// A request to a client or a context, usually an enum.
///
/// Metrics label an action with the name of its case, never with its payload, which is private data and unbounded.
/// `caseIndex` selects a handle that was bound in advance. The defaults use reflection:
///
/// - `caseNames` is read from the type's metadata, once for each client or context type.
/// - `caseIndex` looks up the name of the case in the runtime for every action: about 0.3 µs.
///
/// A type with frequent actions implements both by hand:
/// ```swift
/// enum CartAction: Action {
///     case add(Item), clear
///     static let caseNames = ["add", "clear"]
///     var caseIndex: Int { switch self { case .add: 0; case .clear: 1 } }
/// }
/// ```
public protocol Action: Sendable {
    /// The names of all cases, or only the name of the type if it is not an enum.
    static var caseNames: [String] { get }

    /// The index of this action's case in ``caseNames``. An index out of range is reported as `other`.
    var caseIndex: Int { get }
}

extension Action {
    /// The names of the enum's cases, in the order of its metadata, or the name of the type if it is not an enum.
    public static var caseNames: [String] {
        EnumMetadata(Self.self)?.caseNames ?? [String(describing: Self.self)]
    }

    /// The index of this action's case in the enum's metadata, or 0 if the type is not an enum.
    public var caseIndex: Int {
        EnumMetadata(Self.self)?.caseIndex(of: self) ?? 0
    }
}

/// An action type without cases, for a component that handles no actions.
public enum NoAction: Action {
    /// None.
    public static var caseNames: [String] { [] }

    /// Never called: no value of this type exists.
    public var caseIndex: Int {
        switch self {}
    }
}

/// How an action ended.
public enum ActionOutcome: String, Sendable, Hashable, CaseIterable {
    /// The action succeeded.
    case success
    /// The action threw an error.
    case failure
    /// The action was cancelled before it ended. This is neither success nor failure.
    case cancelled
    /// The action was refused before it ran.
    case rejected

    /// The outcome of an action that threw `error`: cancelled for a `CancellationError`, failure for any other error.
    ///
    /// Only the error decides, so all observers count it the same way at any time. If a library reports cancellation
    /// with an error of its own, translate that error in the capability that uses the library.
    package init(ofError error: any Error) {
        self = error is CancellationError ? .cancelled : .failure
    }
}
