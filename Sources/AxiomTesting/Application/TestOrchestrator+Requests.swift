// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Testing

extension TestOrchestrator {
    /// Starts the application, and returns where the requests to a handler come in.
    ///
    /// ```swift
    /// let stock = try await app.endpoint(StockHandler.self)
    /// #expect(try await stock.request(.take("tea")) == 4)
    /// ```
    /// A request runs in the task of the test, so it asserts what the request throws. Of a request that waits for the time,
    /// begin the task, call `ManualTime.waitForSleepers(_:)`, and advance the time.
    ///
    /// - Throws: As `Orchestrator.endpoint(_:)`, and as ``start(sourceLocation:)``; ``TestError`` while the start waits for
    ///   the time or for a simulated capability.
    public func endpoint<H: RequestHandler>(
        _ type: H.Type,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> Endpoint<H> {
        let remedy = "After start(), call advance(by:) or release(), and only then ask for an endpoint."
        try await startFully(or: remedy, at: location)
        return try orchestrator.endpoint(type)
    }
}
