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
    private let facts: CallFacts
    /// The index of the action's case; see ``Action/caseIndex``.
    let caseIndex: Int

    /// The client.
    public var client: ComponentDescriptor { facts.client }
    /// The type of the context that calls it.
    public var caller: ComponentDescriptor { facts.caller }

    /// The name of the action's case; `other` if its index is out of range.
    public var action: String {
        let names = facts.caseNames
        return names.indices.contains(caseIndex) ? names[caseIndex] : "other"
    }

    @inline(__always)
    init(_ facts: CallFacts, _ caseIndex: Int) {
        self.facts = facts
        self.caseIndex = caseIndex
    }
}

/// What is the same for all calls of one client by the contexts of one type.
final class CallFacts: Sendable, Hashable {
    let client: ComponentDescriptor
    let caller: ComponentDescriptor
    let caseNames: [String]

    init(client: ComponentDescriptor, caller: ComponentDescriptor, caseNames: [String]) {
        self.client = client
        self.caller = caller
        self.caseNames = caseNames
    }

    static func == (left: CallFacts, right: CallFacts) -> Bool {
        left.client == right.client && left.caller == right.caller && left.caseNames == right.caseNames
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(client)
        hasher.combine(caller)
    }
}

extension ActionOutcome {
    /// The outcome of an action that a middleware called: rejected if a validation or a circuit breaker refused it.
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
    /// The outermost step; nil if there are no steps.
    let first: MiddlewareLink<Input, Output>?

    /// Makes a chain.
    public init(_ links: [any Middleware<Input, Output>] = []) {
        first = links.reversed().reduce(nil) { MiddlewareLink($1, before: $0) }
    }

    package var isEmpty: Bool { first == nil }

    package var count: Int { sequence(first: first) { $0?.next }.prefix { $0 != nil }.count }

    /// Runs `operation` inside all steps, on the actor of the caller.
    ///
    /// - Throws: The error of the operation or of a step.
    public nonisolated(nonsending) func run(
        _ input: Input,
        _ operation: MiddlewareNext<Input, Output>
    ) async throws -> Output {
        guard let first else { return try await operation(input) }
        return try await first.run(input, operation)
    }
}

/// A step of a ``MiddlewareChain``. An object, because a step that is read from an array is copied for each run.
final class MiddlewareLink<Input: Sendable, Output: Sendable>: Sendable {
    let middleware: any Middleware<Input, Output>
    /// The step inside this one.
    let next: MiddlewareLink?

    init(_ middleware: any Middleware<Input, Output>, before next: MiddlewareLink?) {
        self.middleware = middleware
        self.next = next
    }

    /// Runs `operation` inside this step and those after it. Inlined, so that the first step takes no stack frame of this
    /// function, and each two after it take one.
    @inline(__always)
    nonisolated(nonsending) func run(
        _ input: Input,
        _ operation: MiddlewareNext<Input, Output>
    ) async throws -> Output {
        guard let next else { return try await middleware.process(input, next: operation) }
        return try await middleware.process(input) { try await next.runAfterFirst($0, operation) }
    }

    @inline(never)
    private nonisolated(nonsending) func runAfterFirst(
        _ input: Input,
        _ operation: MiddlewareNext<Input, Output>
    ) async throws -> Output {
        guard let next else { return try await middleware.process(input, next: operation) }
        return try await middleware.process(input) { input in
            guard let third = next.next else { return try await next.middleware.process(input, next: operation) }
            return try await next.middleware.process(input) { try await third.runAfterFirst($0, operation) }
        }
    }
}
