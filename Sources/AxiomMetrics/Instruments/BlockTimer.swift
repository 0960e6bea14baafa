// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Histogram {
    /// Runs `body` and observes its duration in seconds, also if it throws.
    ///
    /// ```swift
    /// let order = try saving.time { try store.save(draft) }
    /// ```
    ///
    /// Uses the registry's clock. Cost: two clock readings and ``observe(nanoseconds:)``.
    public func time<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try body()
    }

    /// Runs `body` on the caller's actor and observes its duration in seconds, also if it throws or is cancelled. The
    /// duration includes the time in which the body is suspended.
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
    /// Runs `body` and observes its duration in seconds, also if it throws. See `Histogram.time(_:)`.
    public func time<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try body()
    }

    /// Runs `body` on the caller's actor and observes its duration in seconds, also if it throws or is cancelled. The
    /// duration includes the time in which the body is suspended.
    public func time<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let start = context.clock.now
        defer { observe(nanoseconds: context.clock.now.nanoseconds(since: start)) }
        return try await body()
    }
}
