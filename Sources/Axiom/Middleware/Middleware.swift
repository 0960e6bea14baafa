// SPDX-License-Identifier: Apache-2.0

/// The rest of a ``MiddlewareChain``, as a middleware calls it.
public typealias MiddlewareNext<Input, Output> = nonisolated(nonsending) @Sendable (Input) async throws -> Output

/// A step around an operation: it sees the input before the operation and the result after it.
///
/// ```swift
/// struct Trimming: Middleware {
///     nonisolated(nonsending) func process(
///         _ action: NoteAction,
///         next: MiddlewareNext<NoteAction, Void>
///     ) async throws {
///         try await next(action.trimmed)
///     }
/// }
/// orchestrator.use(Trimming(), for: NotesClient.self)
/// ```
/// An error that a middleware throws, or does not catch, goes to the caller. So does a cancellation.
public protocol Middleware<Input, Output>: Sendable {
    /// What the operation receives.
    associatedtype Input: Sendable
    /// What the operation returns.
    associatedtype Output: Sendable

    /// Carries out the step.
    ///
    /// Declare it `nonisolated(nonsending)`, as in the example: it then runs on the actor of the caller and costs no
    /// change of the thread. Without it, each call moves to another thread, and two actions that one caller sends
    /// without waiting can overtake each other.
    ///
    /// - Parameters:
    ///   - input: The input, as the steps before have left it.
    ///   - next: The rest of the chain and the operation. A middleware that does not call it skips the operation. Each
    ///     call runs the rest once more, and each observer then counts the operation once more. An operation that cannot
    ///     happen twice, such as a transition of a flow, throws at a call after it has happened.
    /// - Throws: The error of `next`, or one of its own.
    nonisolated(nonsending) func process(
        _ input: Input,
        next: MiddlewareNext<Input, Output>
    ) async throws -> Output
}
