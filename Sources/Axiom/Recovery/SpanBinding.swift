// SPDX-License-Identifier: Apache-2.0

/// Binds task-local values of another library around the work of a span, such as the context of a distributed trace.
package protocol SpanBinding: AnyObject, Sendable {
    /// Runs `body` with the values of `span`, or with none of them if `span` is ``SpanContext/none``.
    func bind<R>(_ span: SpanContext, _ body: () throws -> R) rethrows -> R

    /// Runs `body` on the caller's actor with the values of `span`, or with none of them if `span` is
    /// ``SpanContext/none``.
    func bind<R>(
        _ span: SpanContext,
        isolation: isolated (any Actor)?,
        _ body: () async throws -> R
    ) async rethrows -> R
}

extension OperationContext {
    /// Runs `body` with this context as the context of the task, and with the values that the probe's
    /// ``SpanProbe/binding`` adds.
    package func bind<R>(with probe: (any SpanProbe)?, _ body: () throws -> R) rethrows -> R {
        guard let binding = probe?.binding else { return try Self.$current.withValue(self, operation: body) }
        return try binding.bind(span) { try Self.$current.withValue(self, operation: body) }
    }

    /// Runs `body` on the caller's actor with this context as the context of the task, and with the values that the
    /// probe's ``SpanProbe/binding`` adds.
    package func bind<R>(
        with probe: (any SpanProbe)?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        guard let binding = probe?.binding else {
            return try await Self.$current.withValue(self, operation: body, isolation: isolation)
        }
        return try await binding.bind(span, isolation: isolation) {
            try await Self.$current.withValue(self, operation: body, isolation: isolation)
        }
    }
}
