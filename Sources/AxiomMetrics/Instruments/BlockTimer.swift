// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Histogram {
    /// Runs `body` and counts how long it took, in a histogram of seconds; also when it throws.
    ///
    /// ```swift
    /// let order = try saving.time { try store.save(draft) }
    /// ```
    ///
    /// The time is that of the registry's clock. Cost: two readings of it, and ``observe(nanoseconds:)``.
    public func time<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try body()
    }

    /// Runs `body`, on the actor of the caller, and counts how long it took, in a histogram of seconds; also when it
    /// throws or is cancelled. The time includes what the body waits.
    public func time<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try await body()
    }
}

extension ExponentialHistogram {
    /// Runs `body` and counts how long it took, in a histogram of seconds; also when it throws. As
    /// ``Histogram/time(_:)``.
    public func time<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try body()
    }

    /// Runs `body`, on the actor of the caller, and counts how long it took, in a histogram of seconds; also when it
    /// throws or is cancelled. The time includes what the body waits.
    public func time<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try await body()
    }
}
