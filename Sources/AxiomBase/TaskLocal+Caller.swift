// SPDX-License-Identifier: Apache-2.0

extension TaskLocal {
    /// Runs `body` with a value bound, and does not leave the actor of the caller before it.
    ///
    /// Use it in a `nonisolated(nonsending)` function. A closure for `withValue` leaves the caller's actor there (Swift 6.3),
    /// and a later call of the same actor can then overtake an earlier one. `withValue` without its isolation is the only
    /// function of the standard library that binds a value and stays; bindings inside of `body` stay, too.
    package nonisolated(nonsending) func bind<R>(
        _ value: Value,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await _unsafeInheritExecutor_withValue(value, operation: body)
    }
}
