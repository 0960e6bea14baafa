// SPDX-License-Identifier: Apache-2.0

extension TaskLocal {
    /// Runs `body` with a value bound, and does not leave the actor of the caller before it.
    ///
    /// Use it in a `nonisolated(nonsending)` function. There, Swift 6.3 gives a closure literal for a plain `async` parameter,
    /// such as that of `withValue`, no actor: the call leaves the caller's actor, and a later call of the same actor can
    /// overtake an earlier one. The same happens to a closure inside of a closure. `_unsafeInheritExecutor_withValue` is
    /// the only function of the standard library that binds a value and stays. Its name has an underscore because its caller
    /// has to know this; it is part of the library's stable binary interface. Tests named "Order of calls" fail without it.
    package nonisolated(nonsending) func bind<R>(
        _ value: Value,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await _unsafeInheritExecutor_withValue(value, operation: body)
    }
}
