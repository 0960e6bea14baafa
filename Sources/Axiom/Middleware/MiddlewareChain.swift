// SPDX-License-Identifier: Apache-2.0

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
