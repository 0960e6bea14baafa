// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Makes pages one at a time and shares a page among the requests that ask for it while it is made, or that waited for
/// their turn since before it was begun.
actor PagePress {
    /// A page that is ready to be sent.
    struct Page: Sendable {
        let body: HTTPBody
        let isCompressed: Bool
        /// The bytes before compression.
        let bytes: Int
    }

    /// A page that may still be on its way.
    private struct LentPage {
        let request: ScrapeRequest
        /// When the press began to make it.
        let begun: Instant
        let isCompressed: Bool
        let bytes: Int
        weak var body: HTTPBody?

        /// The page, for a request that arrived before it was begun: nothing that the request must show is missing.
        func page(for request: ScrapeRequest, since arrival: Instant) -> Page? {
            guard self.request == request, begun >= arrival, let body else { return nil }
            return Page(body: body, isCompressed: isCompressed, bytes: bytes)
        }
    }

    private let registry: Registry
    private let createdSeries: Bool
    private let onProblem: @Sendable (String) -> Void
    private let maximumLentBytes: Int
    /// How many requests wait for a page.
    private(set) var waiting = 0
    private let buffers = PageBuffers()
    /// The pages that are being made: who asks for one of them waits for it, too.
    private var inProgress: [ScrapeRequest: Task<Page, Never>] = [:]
    /// The pages that may still be on their way.
    private var lent: [LentPage] = []

    /// - Parameters:
    ///   - createdSeries: Whether pages in OpenMetrics have `_created` series.
    ///   - maximumLentBytes: How many bytes of pages may wait for slow readers, together. While there are as many, no new
    ///     page is made. The server drops slow readers long before (`maximumUnsentBytes`); this is for pages that are made
    ///     faster than they begin to be sent.
    init(
        _ registry: Registry,
        createdSeries: Bool = false,
        maximumLentBytes: Int = 192 << 20,
        onProblem: @escaping @Sendable (String) -> Void
    ) {
        self.registry = registry
        self.createdSeries = createdSeries
        self.maximumLentBytes = maximumLentBytes
        self.onProblem = onProblem
    }

    /// The page; nil while slow readers hold too many others.
    ///
    /// - Parameters:
    ///   - deadline: Until when collectors may wait, by the registry's clock. Who joins a page in progress lives with its
    ///     deadline.
    ///   - arrival: When the request came, by the live clock. A page that was begun later is its page, too.
    func page(_ request: ScrapeRequest, deadline: Instant, arrival: Instant = TimeSource.live.now) async -> Page? {
        waiting += 1
        defer { waiting -= 1 }
        if let page = inProgress[request] { return await page.value }
        for page in lent.reversed() {
            if let page = page.page(for: request, since: arrival) { return page }
        }
        lent.removeAll { $0.body == nil }
        guard lent.reduce(0, { $0 + ($1.body?.count ?? 0) }) < maximumLentBytes else { return nil }
        // Without a wait there is no need for a task, whose way to another thread and back costs tens of microseconds.
        if !registry.hasAsyncCollectors {
            let begun = TimeSource.live.now
            return lend(registry.collect(), request, begun: begun)
        }
        let task = Task { await make(request, deadline: deadline) }
        inProgress[request] = task
        return await task.value
    }

    private func make(_ request: ScrapeRequest, deadline: Instant) async -> Page {
        let begun = TimeSource.live.now
        let snapshot = await registry.collect(deadline: deadline)
        // From here on a new request finds newer values.
        inProgress[request] = nil
        return lend(snapshot, request, begun: begun)
    }

    private func lend(_ snapshot: Snapshot, _ request: ScrapeRequest, begun: Instant) -> Page {
        for problem in snapshot.problems { onProblem("\(problem)") }
        let page = encode(request.names.isEmpty ? snapshot : snapshot.filtered(request.names), request)
        lent.append(
            LentPage(
                request: request,
                begun: begun,
                isCompressed: page.isCompressed,
                bytes: page.bytes,
                body: page.body
            )
        )
        return page
    }

    private func encode(_ snapshot: Snapshot, _ request: ScrapeRequest) -> Page {
        let buffer = buffers.take()
        request.format.encode(snapshot, into: &buffer.bytes, createdSeries: createdSeries)
        if request.isReadable, request.format.kind == .protobuf {
            let text = HTTPBody(ProtobufText.read(buffer.bytes.bytes))
            buffers.putBack(buffer)
            return Self.page(text, isCompressed: request.isCompressed)
        }
        return Self.page(buffers.body(of: buffer), isCompressed: request.isCompressed)
    }

    private static func page(_ body: HTTPBody, isCompressed: Bool) -> Page {
        let compressed = isCompressed ? Gzip.compress(body) : nil
        return Page(body: compressed ?? body, isCompressed: compressed != nil, bytes: body.count)
    }
}
