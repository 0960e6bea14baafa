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

/// An action that a context sends to a client, as a middleware for all clients sees it: its name and never its payload.
public struct ActionCall: Sendable, Hashable {
    /// The client.
    public let client: ComponentDescriptor
    /// The type of the context that calls it.
    public let caller: ComponentDescriptor
    /// The index of the action's case; see ``Action/caseIndex``.
    let caseIndex: Int
    private let caseNames: [String]

    /// The name of the action's case; `other` if its index is out of range.
    public var action: String {
        caseNames.indices.contains(caseIndex) ? caseNames[caseIndex] : "other"
    }

    init(
        _ client: ComponentDescriptor,
        calledBy caller: ComponentDescriptor,
        caseIndex: Int,
        caseNames: [String]
    ) {
        self.client = client
        self.caller = caller
        self.caseIndex = caseIndex
        self.caseNames = caseNames
    }
}

extension ActionOutcome {
    /// The outcome of an action that a middleware called: rejected if the error is the refusal of a validation or of a
    /// circuit breaker.
    package init(ofCallError error: any Error) {
        switch error {
        case let error as ValidationError where error.code == .actionRefused: self = .rejected
        case is CircuitError: self = .rejected
        default: self = ActionOutcome(ofError: error)
        }
    }
}

/// The steps around an operation, in a fixed order: the first is the outermost.
///
/// It is built once and run many times. A run allocates nothing on the heap itself: the steps are nested calls.
public struct MiddlewareChain<Input: Sendable, Output: Sendable>: Sendable {
    private let links: [any Middleware<Input, Output>]

    /// Makes a chain.
    public init(_ links: [any Middleware<Input, Output>] = []) {
        self.links = links
    }

    /// Whether there are no steps.
    package var isEmpty: Bool { links.isEmpty }

    /// How many steps there are.
    package var count: Int { links.count }

    /// Runs `operation` inside all steps, on the actor of the caller.
    ///
    /// - Throws: The error of the operation or of a step.
    public nonisolated(nonsending) func run(
        _ input: Input,
        _ operation: MiddlewareNext<Input, Output>
    ) async throws -> Output {
        try await run(from: 0, input, operation)
    }

    private nonisolated(nonsending) func run(
        from index: Int,
        _ input: Input,
        _ operation: MiddlewareNext<Input, Output>
    ) async throws -> Output {
        guard index < links.count else { return try await operation(input) }
        return try await links[index].process(input) { try await run(from: index + 1, $0, operation) }
    }
}
