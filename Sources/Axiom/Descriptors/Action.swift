// SPDX-License-Identifier: Apache-2.0

internal import AxiomResilience

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
///
/// ``validate()`` refuses an invalid action before it runs.
public protocol Action: Sendable {
    /// The error of ``validate()``; inferred from it. `Never` for a type without validation.
    associatedtype Refusal: Error = Never

    /// What the component that performs the action returns to its caller; declare it: `typealias Answer = Int`. Default:
    /// nothing. The answer comes from this call: a state that is read afterwards may include the changes of others.
    associatedtype Answer: Sendable = Void

    /// The names of all cases, or only the name of the type if it is not an enum.
    static var caseNames: [String] { get }

    /// The index of this action's case in ``caseNames``. An index out of range is reported as `other`.
    var caseIndex: Int { get }

    /// Checks the action before it runs. Called once for each action that a client is sent through the framework, and
    /// for each action that a context is sent, and
    /// for each request. It must be quick, because the caller waits for it.
    ///
    /// ```swift
    /// enum TransferAction: Action {
    ///     case transfer(cents: Int)
    ///     func validate() throws(ValidationError) {
    ///         if case .transfer(let cents) = self, cents <= 0 { throw .actionRefused("the amount is not positive") }
    ///     }
    /// }
    /// ```
    /// A refused action does not reach the component, is counted as ``ActionOutcome/rejected``, and does not count for
    /// a circuit breaker of the component. A type that does not implement this pays nothing for it.
    ///
    /// - Throws: The reason for the refusal, such as ``ValidationError/actionRefused(_:)``.
    func validate() throws(Refusal)
}

extension Action where Refusal == Never {
    /// Accepts every action.
    public func validate() throws(Never) {}
}

extension Action {
    /// Whether the type implements ``validate()``.
    static var validates: Bool { Refusal.self != Never.self }

    /// The names of the enum's cases, in the order of its metadata, or the name of the type if it is not an enum.
    public static var caseNames: [String] {
        EnumMetadata(Self.self)?.caseNames ?? [String(describing: Self.self)]
    }

    /// The index of this action's case in the enum's metadata, or 0 if the type is not an enum.
    public var caseIndex: Int { EnumMetadata(Self.self)?.caseIndex(of: self) ?? 0 }
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
    /// The action was refused before it ran, by its validation or by a circuit breaker.
    case rejected

    /// The outcome of an operation that threw `error`, in the task of the operation: cancelled for a
    /// `CancellationError` if this task was cancelled or the framework ended the operation on purpose, failure for any
    /// other error.
    ///
    /// If the task was not cancelled, a `CancellationError` is a failure: it came from another task. If a library
    /// reports cancellation with an error of its own, translate that error in the capability that uses the library.
    package init(ofError error: any Error) {
        self = Cancellation.isIntended(error) ? .cancelled : .failure
    }
}

/// The phases of a context's life that are measured.
public enum LifecyclePhase: String, Sendable, Hashable, CaseIterable {
    /// The factory, downstream contexts included.
    case create
    /// ``Context/onAppear()``.
    case appear
    /// ``Context/onDisappear()``.
    case disappear
    /// ``Context/onBackground()``.
    case background
    /// ``Context/onForeground()``.
    case foreground
    /// From the first change of observed state to the end of the rendering that shows it.
    case render
}
