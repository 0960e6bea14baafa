// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics
internal import Synchronization

/// Answers `/metrics`, and measures what that costs.
final class MetricsPage: Sendable {
    private let registry: Registry
    private let metrics: ScrapeMetrics
    private let onProblem: @Sendable (String) -> Void
    /// Reused for one page after the other; the lock makes scrapes that overlap encode in turns, which bounds what
    /// they cost together.
    private let buffer = Mutex(ExpositionBuffer())

    init(_ registry: Registry, onProblem: @escaping @Sendable (String) -> Void) throws(MetricsError) {
        self.registry = registry
        self.onProblem = onProblem
        metrics = try ScrapeMetrics(registry)
    }

    /// The page in text 0.0.4. Its own cost shows on the next page.
    func response() -> HTTPResponse {
        let start = TimeSource.live.now
        let snapshot = registry.collect()
        for problem in snapshot.problems { onProblem("\(problem)") }
        let body = encode(snapshot)
        metrics.served(bytes: body.count, nanoseconds: TimeSource.live.now.nanoseconds(since: start))
        return HTTPResponse(
            headers: ["Content-Type": TextEncoder.contentType, "X-Content-Type-Options": "nosniff"],
            body: body
        )
    }

    private func encode(_ snapshot: Snapshot) -> HTTPBody {
        buffer.withLock { buffer in
            buffer.removeAll()
            TextEncoder().encode(snapshot, into: &buffer)
            return buffer.withUnsafeBytes { HTTPBody(copying: $0) }
        }
    }
}
