// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A task-local value of another library that is bound around the work of a span, such as the context of a distributed
/// trace.
package protocol SpanBinding<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    var local: TaskLocal<Value> { get }
    /// The value in `span`, or outside of spans if it is ``SpanContext/none``.
    func value(in span: SpanContext) -> Value
}

extension OperationContext {
    /// Runs `body` with this context as that of the task, and with the value of the probe's ``SpanProbe/binding``.
    package func bind<R>(with probe: (any SpanProbe)?, _ body: () throws -> R) rethrows -> R {
        guard let binding = probe?.binding else { return try Self.$current.withValue(self, operation: body) }
        return try bind(with: binding, body)
    }

    private func bind<R>(with binding: some SpanBinding, _ body: () throws -> R) rethrows -> R {
        try binding.local.withValue(binding.value(in: span)) { try Self.$current.withValue(self, operation: body) }
    }

    /// Runs `body` on the caller's actor with this context as the context of the task, and with the value of the probe's
    /// ``SpanProbe/binding``.
    package func bind<R>(
        with probe: (any SpanProbe)?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        guard let binding = probe?.binding else {
            return try await Self.$current.withValue(self, operation: body, isolation: isolation)
        }
        return try await bind(with: binding, isolation: isolation, body)
    }

    private func bind<R>(
        with binding: some SpanBinding,
        isolation: isolated (any Actor)?,
        _ body: () async throws -> R
    ) async rethrows -> R {
        let value = binding.value(in: span)
        return try await binding.local.withValue(
            value,
            operation: { try await Self.$current.withValue(self, operation: body, isolation: isolation) },
            isolation: isolation
        )
    }

    /// The same in a `nonisolated(nonsending)` function: it does not leave the caller's actor before `body`.
    nonisolated(nonsending) func bindInCaller<R>(
        with probe: (any SpanProbe)?,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        guard let binding = probe?.binding else { return try await Self.$current.bind(self, body) }
        return try await bindInCaller(with: binding, body)
    }

    private nonisolated(nonsending) func bindInCaller<R>(
        with binding: some SpanBinding,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await binding.local.bind(binding.value(in: span)) { try await Self.$current.bind(self, body) }
    }
}
