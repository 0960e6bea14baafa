// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomResilience

/// Refuses requests for a route that come too often, such as those of a button that is pressed many times.
///
/// ```swift
/// flow.addMiddleware(try RateLimit(10, per: .seconds(1)))
/// ```
///
/// Each identifier has a limit of its own. It is a token bucket: `count` requests are passed on at once, and `count` per
/// interval in the long run. A request that is passed on counts, whatever becomes of it; a request that is refused does
/// not count. Redirected requests count too. Requests of a restoration or a recovery are neither counted nor refused,
/// because no user waits and tries again.
///
/// The limits of the samples' identifiers are made at the start. All other identifiers share one limit, so the memory is
/// bounded by the number of samples.
public struct RateLimit<R: Route>: Middleware {
    private let limiters: [String: RateLimiter]
    /// The limit of identifiers that no sample has.
    private let other: RateLimiter
    private let limit: String

    /// Creates a limit of `count` requests per `interval` and identifier.
    ///
    /// - Parameters:
    ///   - count: The number of requests: 1...1,000,000.
    ///   - interval: The time in which they are passed on: 1 µs...1 h.
    ///   - clock: The clock.
    /// - Throws: ``ResilienceError`` if a value is out of range.
    public init(
        _ count: Int,
        per interval: Duration,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) {
        let make = { (identifier: String) throws(ResilienceError) in
            try RateLimiter("route \(identifier)", count, per: interval, clock: clock, file: file, line: line)
        }
        other = try make("without a sample")
        var limiters: [String: RateLimiter] = [:]
        for identifier in Set(R.samples.map(\.identifier)) { limiters[identifier] = try make(identifier) }
        self.limiters = limiters
        limit = "at most \(count) per \(QuantityFormat.duration(interval.inSeconds) ?? "\(interval)")"
    }

    /// Passes the request on, or refuses it with the time after which to try again.
    public nonisolated(nonsending) func process(
        _ request: NavigationRequest<R>,
        next: NavigationNext<R>
    ) async throws -> NavigationOutcome<R> {
        guard request.source != .restoration, request.source != .recovery else { return try await next(request) }
        let identifier = request.route.identifier
        switch (limiters[identifier] ?? other).take() {
        case .admitted:
            return try await next(request)
        case .wait(let wait):
            let limited = "The route \(identifier) was requested too often: \(limit)."
            return .refused(reason: "\(limited) Try again in \(Self.text(wait)).")
        }
    }

    /// The wait for a user, rounded up, so that a request after the time in the text is passed on: in whole milliseconds
    /// below 1 s, tenths of a second below 1 min, seconds below 2 min, otherwise minutes.
    static func text(_ wait: Duration) -> String {
        let milliseconds = wait.inSeconds * 1_000
        func roundedUp(_ step: Double) -> Double { (milliseconds / step).rounded(.up) * step / 1_000 }
        return switch milliseconds {
        case ..<1_000: QuantityFormat.time(max(0.001, roundedUp(1)))
        case ..<60_000: QuantityFormat.time(roundedUp(100))
        case ..<120_000: "\(Int(roundedUp(1_000))) s"
        default: "\(Int(roundedUp(60_000) / 60)) min"
        }
    }
}
